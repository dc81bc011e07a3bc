package layers

import (
	"maps"

	"mcp-memory/layers/gatekeeper"
)

// sampleBy takes the model of the caller's client for a task. It is asked only while
// its caller waits: a client answers to what it has asked for, and not to what comes
// out of a background it does not see.
func (t *task) sampleBy(in *ExtractInput) {
	t.sampler, t.byRules = in.Sampler, in.NoSampler
	if t.sampler != nil && !t.Wait {
		t.sampler, t.byRules = nil, "the client's model is asked only with wait"
	}
	t.Sampled = t.sampler != nil
}

// unattended says why a task that no client has asked for goes by rules, where
// clients' models are set to be asked.
func (m *Memory) unattended() string {
	if !m.opts.Sampling {
		return ""
	}
	return "no client waits for what a silent session holds"
}

// becauseOf adds to verdicts of the rules why no model was asked, where one was to be.
func (r *extraction) becauseOf(verdicts gatekeeper.Verdicts) gatekeeper.Verdicts {
	if r.byRules == "" {
		return verdicts
	}
	out := maps.Clone(verdicts)
	for l, v := range out {
		v.Reasoning += "; by rules: " + r.byRules
		out[l] = v
	}
	return out
}
