package layers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
	"mcp-memory/layers/structure"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
	"mcp-memory/vector/embed"
)

// extraction is a task that runs:
//
//	turns ── Read ──> Talk ── Judge, Router ──> turns worth it ── gate ──> layers ── extractors ──> commit
type extraction struct {
	*Memory
	*task
	out     ExtractOutput
	talk    *conversation.Talk
	judged  *worth.Judgement
	passed  []int // turns that the router passes on
	known   []extract.Known
	righted map[int]structure.Former // sentences that put right what is known, and what that is
	jested  []jest                   // records of earlier calls that were said in jest
	budget  *llm.Budget

	through  []storage.Layer // that are extracted at once
	gateStep Step

	mu         sync.Mutex // guards what extractors write at once
	found      map[storage.Layer][]extract.Memory
	texts      map[string]string // of the records that hold them, by id
	dropped    []extract.Drop
	hushed     map[int]bool // turns that said what was forgotten
	overtaken  map[int]bool // turns that another job has read meanwhile
	erased     map[int]bool // turns that were erased while they were read
	wiping     []*traces    // of the erases that took them
	calls      []llm.Call
	layerSteps map[storage.Layer]Step
}

// embedPatience is how long the judgement of a conversation waits for vectors;
// then words judge it.
const embedPatience = 10 * time.Second

// asks reports whether models are asked for a task, which may take long.
func (m *Memory) asks(t *task) bool { return t.sampler != nil || m.opts.Models.Any() }

// caller is who is asked for a role; nil where the rules decide.
func (r *extraction) caller(role llm.Role) llm.Caller {
	if r.sampler != nil {
		return r.sampler
	}
	return r.opts.Models.Caller(role)
}

// run carries a task out and stores what comes of it, in one operation. An error
// is the store's, or that ctx ended: nothing was stored then.
func (m *Memory) run(ctx context.Context, t *task) (ExtractOutput, error) {
	if t.taken.IsZero() {
		t.taken = m.now()
	}
	if t.Session != "" && !t.DryRun && t.Again == nil {
		defer m.reading(talkKey{t.User, t.Session})()
		t.earlier = m.takeBefore(t)
		t.turns, t.Unread = m.takeUnread(t)
	}
	start := time.Now()
	r := m.newExtraction(t)
	r.read(ctx)
	switch {
	case r.Again != nil:
		r.again(ctx)
	case len(r.passed) > 0 || r.Session != "" && len(r.turns) > 0:
		r.decide(ctx)
	case r.task.idle == "":
		r.unasked()
	}
	if err := ctx.Err(); err != nil {
		return ExtractOutput{}, err
	}
	out, err := r.commit(ctx)
	switch {
	case err == nil:
		r.traceJob(start, out.Status)
	case ctx.Err() == nil: // else it is open, and runs again
		r.traceJob(start, JobFailed)
	}
	return out, err
}

// newExtraction is a task about to run.
func (m *Memory) newExtraction(t *task) *extraction {
	return &extraction{
		Memory: m.forUser(t.User), task: t, out: t.output(JobComplete), budget: llm.NewBudget(llm.Limits{}),
		texts: map[string]string{}, righted: map[int]structure.Former{}, found: map[storage.Layer][]extract.Memory{}, layerSteps: map[storage.Layer]Step{},
	}
}

// reading lets one task at a time read a session.
func (m *Memory) reading(key talkKey) (done func()) {
	m.mu.Lock()
	lock := m.readers[key]
	if lock == nil {
		lock = &sync.Mutex{}
		m.readers[key] = lock
	}
	m.mu.Unlock()
	lock.Lock()
	return lock.Unlock
}

// read judges the turns and routes them.
func (r *extraction) read(ctx context.Context) {
	r.talk = conversation.Read(r.turns, conversation.Options{Users: r.userNames, Before: r.earlier, Rights: structure.Rights, Amended: structure.Amended})
	if !r.asks(r.task) { // a model is told what is known
		r.putRight()
	}
	r.takeBack()
	o := worth.Options{UserNames: r.userNames, Changes: r.changes, Working: r.atWork()}
	if e := r.opts.Embedder; e != nil {
		patient, stop := context.WithTimeout(ctx, embedPatience)
		defer stop()
		o.Model = e.Model()
		o.Embed = func(texts []string) ([][]float32, error) { return embedAll(patient, e, embed.Passage, texts) }
	}
	r.judged = worth.Judge(r.talk, o)
	r.passed, r.dropped = r.router().Turns(r.judged)
	if r.asks(r.task) && len(r.passed) < len(r.turns) {
		r.widen()
	}
	switch {
	case r.Force:
		r.passed = r.passed[:0]
		for i := range r.turns {
			r.passed = append(r.passed, i)
		}
	case len(r.passed) == 0:
		r.othersWords()
	}
}

// othersWords says why turns that are not the user's are left out, where no turn is
// passed on. Beside turns that are they are not left out: they tell what is meant.
func (r *extraction) othersWords() {
	for i, t := range r.turns {
		if t.Role != conversation.User {
			r.drop(t.Content, "%s", r.judged.Turns[i].Why)
		}
	}
}

// unasked says why the gate was not asked about a whole conversation.
func (r *extraction) unasked() {
	why := "the gate was not asked: no turn is worth it; dropped says why"
	switch {
	case len(r.turns) > 0:
	case r.Session != "":
		why = "the gate was not asked: no turn of the session waits"
	default:
		why = "the gate was not asked: no message holds text"
	}
	for _, l := range gatekeeper.Layers {
		r.out.Gate.Layers[string(l)] = gatekeeper.Verdict{Reasoning: why}
	}
}

// widen passes on, where models are asked, every turn in which anything is stated:
// they may see more in it than the rules do.
func (r *extraction) widen() {
	stated := map[int]bool{}
	for _, s := range r.talk.Sentences {
		stated[s.Turn] = stated[s.Turn] || s.Kind == conversation.Stated
	}
	narrow := r.passed
	r.passed, r.dropped = nil, nil
	for i, t := range r.turns {
		switch {
		case stated[i] || slices.Contains(narrow, i):
			r.passed = append(r.passed, i)
		case t.Role == conversation.User:
			r.drop(t.Content, "%s", r.judged.Turns[i].Why)
		}
	}
}

func (m *Memory) router() extract.Router {
	return extract.Router{Episodic: m.opts.RouterEpisodic, Semantic: m.opts.RouterSemantic}
}

// decide asks the gate, then the extractors of the layers it lets through.
func (r *extraction) decide(ctx context.Context) {
	if c := r.caller(llm.Single); r.opts.SingleCall && c != nil && !r.Force {
		r.single(ctx, c)
		return
	}
	var through []storage.Layer
	for _, l := range r.gate(ctx) {
		if slices.Contains(r.Layers, l) {
			through = append(through, l)
		}
	}
	r.extract(ctx, through)
	r.out.Counts.CallsSaved = len(gatekeeper.Layers) - len(through)
}

// extract runs the extractors of some layers at once.
func (r *extraction) extract(ctx context.Context, layers []storage.Layer) {
	r.known, r.through = r.knownRecords(ctx), layers
	var wait sync.WaitGroup
	for _, l := range layers {
		wait.Go(func() { r.layer(ctx, l) })
	}
	wait.Wait()
	if !r.asks(r.task) {
		r.leftOver()
	}
}

// leftOver says of the turns that were passed on and of which the rules made nothing
// why that is. What a model finds empty it does not explain.
func (r *extraction) leftOver() {
	told := map[int]bool{}
	for _, found := range r.found {
		for i := range found {
			tell(told, found[i].Turns)
		}
	}
	for _, d := range r.dropped {
		tell(told, d.Turns)
	}
	for _, i := range r.passed {
		if told[i] || r.turns[i].Role != conversation.User {
			continue
		}
		why := "not sure enough to make a record of it"
		if best, _ := r.judged.Turns[i].Scores.Best(); !slices.Contains(r.Layers, best) {
			why = "of a layer that was not asked for"
		}
		r.drop(r.turns[i].Content, "%s (%s)", why, r.judged.Turns[i].Why)
	}
}

func tell(told map[int]bool, turns []int) {
	for _, i := range turns {
		told[i] = true
	}
}

// gate decides which layers may be extracted.
func (r *extraction) gate(ctx context.Context) []storage.Layer {
	g := &r.out.Gate
	start := time.Now()
	defer func() { r.gated(start) }()
	c := r.caller(llm.Gate)
	if r.Force {
		return r.forced()
	}
	r.out.Counts.GateCalls = 1
	if c == nil {
		g.Mode = GateRules
		return r.verdicts(r.becauseOf(gatekeeper.Rules(r.judged, worth.Scores{})))
	}
	g.Mode = GateModel
	if r.sampler != nil {
		g.Mode = GateSampling
	}
	verdicts, calls, err := gatekeeper.Ask(ctx, r.budget.Caller(c), r.gateInput(ctx))
	g.Model = c.Model()
	r.note(calls)
	if err != nil {
		r.log.Warn("the gate failed; every layer is extracted", "job", r.ID, "error", err)
		return r.open(GateFailedOpen, "the gate failed: "+err.Error())
	}
	return r.verdicts(verdicts)
}

// forced lets the layers through that were asked for.
func (r *extraction) forced() []storage.Layer {
	all := r.open(GateForced, "forced: the gate was not asked")
	for _, l := range all {
		if !slices.Contains(r.Layers, l) {
			r.out.Gate.Layers[string(l)] = gatekeeper.Verdict{Reasoning: "not among the layers that were asked for"}
		}
	}
	return all
}

// open lets every layer through.
func (r *extraction) open(mode, why string) []storage.Layer {
	r.out.Gate.Mode = mode
	for _, l := range gatekeeper.Layers {
		r.out.Gate.Layers[string(l)] = gatekeeper.Verdict{ShouldExtract: true, Reasoning: why}
	}
	return gatekeeper.Layers
}

func (r *extraction) verdicts(vs gatekeeper.Verdicts) (through []storage.Layer) {
	for _, l := range gatekeeper.Layers {
		r.out.Gate.Layers[string(l)] = vs[l]
		if vs[l].ShouldExtract {
			through = append(through, l)
		}
	}
	return through
}

// layer runs one extractor. What fails stays its own.
func (r *extraction) layer(ctx context.Context, l storage.Layer) {
	start := time.Now()
	out := LayerOutput{Status: LayerExtracted, Memories: []string{}}
	var found []extract.Memory
	var drops []extract.Drop
	if c := r.caller(llm.Role(l)); c != nil {
		result, calls, err := extract.ByModel(ctx, r.budget.Caller(c), l, r.modelInput())
		out.Model = c.Model()
		r.note(calls)
		found, drops = result.Memories, result.Drops
		if err != nil {
			out.Status, out.Error = LayerError, err.Error()
			r.log.Warn("a layer was not extracted", "job", r.ID, "layer", l, "error", err)
		}
	} else {
		byLayer, left := extract.Rules(r.judged, extract.RuleOptions{UserNames: r.userNames, Layers: []storage.Layer{l}, Beside: r.through, Righted: r.righted})
		found, drops = byLayer[l], left
	}
	r.keep(l, out, start, found, drops)
}

// keep takes what an extractor found that began at start.
func (r *extraction) keep(l storage.Layer, out LayerOutput, start time.Time, found []extract.Memory, drops []extract.Drop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.layered(l, &out, start)
	r.out.Layers[string(l)] = out
	r.found[l] = found
	r.dropped = append(r.dropped, drops...)
}

// single is gate and extraction in one call. Where it fails every layer did.
func (r *extraction) single(ctx context.Context, c llm.Caller) {
	r.known = r.knownRecords(ctx)
	start := time.Now()
	all, calls, err := extract.SingleByModel(ctx, r.budget.Caller(c), r.modelInput())
	r.note(calls)
	r.out.Gate.Mode, r.out.Gate.Model = GateSingleCall, c.Model()
	r.out.Counts.GateCalls = 1
	r.gated(start)
	for _, l := range gatekeeper.Layers {
		v, out := all[l], LayerOutput{Status: LayerExtracted, Memories: []string{}, Model: c.Model()}
		r.out.Gate.Layers[string(l)] = gatekeeper.Verdict{ShouldExtract: v.ShouldExtract, Reasoning: v.Reasoning}
		switch {
		case err != nil:
			r.out.Gate.Layers[string(l)] = gatekeeper.Verdict{Reasoning: "the call failed"}
			out.Status, out.Error = LayerError, err.Error()
		case !v.ShouldExtract:
			out = LayerOutput{Status: LayerSkipped, Memories: []string{}}
		}
		if !slices.Contains(r.asked(), l) {
			continue
		}
		r.keep(l, out, start, v.Memories, v.Drops)
	}
	r.out.Counts.CallsSaved = len(gatekeeper.Layers)
}

// asked are the layers that are to be extracted, if the gate lets them through.
func (r *extraction) asked() []storage.Layer {
	if r.Again != nil {
		return r.Again.Layers
	}
	return r.Layers
}

// note counts calls of models.
func (r *extraction) note(calls []llm.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, calls...)
	r.out.Counts.ModelCalls += len(calls)
	r.tally.asked(len(calls))
}

// traced is the calls as a job shows them: those of an earlier run too.
func (r *extraction) traced() []CallTrace {
	out := r.callsBefore()
	for _, c := range r.calls {
		out = append(out, CallTrace{
			Role: string(c.Role), Model: c.Model, DurationMS: c.Took.Milliseconds(), Input: c.Input, Output: c.Output,
			Error: withoutSecrets(c.Error), ParentTrace: c.ParentTrace,
		})
	}
	return out
}

// dropReason shortens an error for a drop.
func dropReason(format string, args ...any) string { return cut(fmt.Sprintf(format, args...), 300) }
