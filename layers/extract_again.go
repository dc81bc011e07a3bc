package layers

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// remains is what a job in which layers failed keeps beside its result, so that
// these layers can be run again alone: over the same turns, with the gate's verdict
// as it was, under the same id and trace.
type remains struct {
	Layers []storage.Layer `json:"layers"` // that failed; those to run
	Seen   bool            `json:"seen"`   // its turns are marked as read
}

// failedLayers are those of an answer that ended in an error.
func failedLayers(out *ExtractOutput) (failed []storage.Layer) {
	for _, l := range gatekeeper.Layers {
		if out.Layers[string(l)].Status == LayerError {
			failed = append(failed, l)
		}
	}
	return failed
}

// kept is the task as an ended job keeps it: nil where every layer came through.
func (r *extraction) kept() *task {
	failed := failedLayers(&r.out)
	if len(failed) == 0 {
		return nil
	}
	t := *r.task
	var turns []conversation.Turn
	for i := range r.turns {
		if !r.hushed[i] {
			turns = append(turns, r.turns[i])
		}
	}
	t.Turns = heardTurns(turns)
	t.Again = &remains{Layers: failed, Seen: r.marks()}
	return &t
}

// marks reports whether a task's turns count as read once it has ended. Where every
// layer of a whole conversation failed they do not: sent again, alone or with more,
// they are read as if for the first time. A session's turns and a document's
// paragraphs always do; what failed of them is in the job.
func (r *extraction) marks() bool {
	again := r.Again != nil && r.Again.Seen
	return again || r.out.Status != JobFailed || r.Session != "" || r.Source == sourceDocument
}

// runAgain runs the layers of a job that failed, for who asked as asked says. Layers,
// if any, says which of them; a job in which none failed, or that has not ended, stays as it is.
func (m *Memory) runAgain(ctx context.Context, user, id string, layers []storage.Layer, asked *task) (ExtractOutput, error) {
	body, mine, err := m.claimEnded(ctx, user, id)
	if err != nil || !mine {
		return body.View.Output, err
	}
	t, err := m.toRunAgain(&body, id, layers)
	if t == nil {
		m.jobs.release(id)
		return body.View.Output, err
	}
	t.Wait, t.Sampled, t.sampler, t.byRules = asked.Wait, asked.Sampled, asked.sampler, asked.byRules
	if err := m.storeJob(ctx, t, t.output(JobQueued)); err != nil {
		m.jobs.release(id)
		return ExtractOutput{}, err
	}
	return m.await(ctx, t, m.jobs.run(m, t))
}

// claimEnded takes a job that has ended for one more run, and reports false where it
// has not. What it returns was read under the claim: no other run can change it.
func (m *Memory) claimEnded(ctx context.Context, user, id string) (jobBody, bool, error) {
	for {
		mine := m.jobs.claim(id)
		body, open, err := m.jobBody(ctx, user, id)
		if mine && !open && err == nil {
			return body, true, nil
		}
		if mine {
			m.jobs.release(id)
		}
		if open || err != nil {
			return body, false, err
		}
		if err := m.jobs.wait(ctx, id); err != nil { // its end is on disk, and its run about to return
			return body, false, fmt.Errorf("extract: job %s goes on: %w", quoted(id), err)
		}
	}
}

// toRunAgain is what a job leaves to be run; nil where nothing failed in it.
func (m *Memory) toRunAgain(body *jobBody, id string, layers []storage.Layer) (*task, error) {
	if len(failedLayers(&body.View.Output)) == 0 {
		return nil, nil
	}
	if body.Task == nil {
		return nil, invalid("job_id", "%s kept nothing to run again; send its messages again", quoted(id))
	}
	t := m.restore(body)
	if err := t.narrow(layers); err != nil {
		return nil, err
	}
	return t, nil
}

// narrow leaves of the layers to run those that are named, if any are.
func (t *task) narrow(layers []storage.Layer) error {
	if len(layers) == 0 {
		return nil
	}
	if t.Again == nil {
		return invalid("layers", "job %s ended before any layer ran; leave layers out, and it runs as a whole", quoted(t.ID))
	}
	failed := t.Again.Layers
	t.Again.Layers = slices.DeleteFunc(slices.Clone(failed), func(l storage.Layer) bool { return !slices.Contains(layers, l) })
	if len(t.Again.Layers) == 0 {
		return invalid("layers", "none of them failed in job %s; those that did: %v", quoted(t.ID), failed)
	}
	return nil
}

// restore makes a task of a job in the store, with what it came to before and
// without what another job has read since.
func (m *Memory) restore(b *jobBody) *task {
	t := b.Task
	for _, h := range t.Turns {
		t.turns = append(t.turns, conversation.Turn(h))
	}
	if t.Again != nil {
		before := b.View
		t.before = &before
	}
	if t.Session == "" && (t.Again == nil || !t.Again.Seen) {
		t.turns = m.unseen(t)
	}
	if t.Sampled {
		t.byRules = "the client that asked does not wait any more"
	}
	return t
}

// again runs the layers that failed, and no other. What the router left out is in
// what the job came to before.
func (r *extraction) again(ctx context.Context) {
	r.dropped = nil
	for _, d := range r.before.Output.Dropped {
		r.dropped = append(r.dropped, extract.Drop{Text: d.Text, Reason: d.Reason})
	}
	c := r.caller(llm.Single)
	switch {
	case len(r.turns) == 0:
		r.nothingLeft()
	case r.out.Gate.Mode == GateSingleCall && r.opts.SingleCall && c != nil:
		r.single(ctx, c)
	default:
		r.extract(ctx, r.Again.Layers)
	}
}

// nothingLeft says of the layers to run that another job has read their turns since.
func (r *extraction) nothingLeft() {
	for _, l := range r.Again.Layers {
		r.out.Layers[string(l)] = LayerOutput{Status: LayerSkipped, Memories: []string{}}
		r.out.Gate.Layers[string(l)] = gatekeeper.Verdict{Reasoning: "another job has read the messages since"}
	}
}

// partialOf looks for a job that read messages which come again, and in which layers
// failed that t asks for. "" where there is none.
func (m *Memory) partialOf(ctx context.Context, t *task) (string, error) {
	come := map[string]bool{}
	for i := range t.turns {
		come[m.messageHash(t, &t.turns[i])] = true
	}
	candidates, err := m.partials.of(ctx, m, t.User, come)
	if err != nil {
		return "", fmt.Errorf("look for the job that read the messages: %w", err)
	}
	for _, id := range candidates {
		body, open, err := m.jobBody(ctx, t.User, id)
		if err != nil || open || body.Task == nil || body.Task.Again == nil {
			continue // it has expired, runs, or can be asked for by its id, which says what is wrong
		}
		again := func(hash string) bool { return come[hash] }
		if slices.ContainsFunc(m.messagesOf(body.Task), again) && slices.ContainsFunc(body.Task.Again.Layers, func(l storage.Layer) bool { return slices.Contains(t.Layers, l) }) {
			return id, nil
		}
	}
	return "", nil
}

// partials knows the jobs in which layers failed by the messages they read, so that
// those which come again need not be looked for in all jobs. It reads the store when
// it is first asked.
type partials struct {
	mu    sync.Mutex              // guards users
	users map[string]*partialJobs // nil: not read yet
}

// partialJobs are those of one user.
type partialJobs struct {
	of       map[string][]string // message hash → ids
	messages map[string][]string // id → message hashes
}

// of returns the ids of a user's jobs that read any of the messages, oldest first.
func (p *partials) of(ctx context.Context, m *Memory, user string, come map[string]bool) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == nil {
		p.users = map[string]*partialJobs{}
		if err := p.read(ctx, m); err != nil {
			p.users = nil
			return nil, err
		}
	}
	ids := map[string]bool{}
	if jobs := p.users[user]; jobs != nil {
		for hash := range come {
			for _, id := range jobs.of[hash] {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids)), nil
}

func (p *partials) read(ctx context.Context, m *Memory) error {
	return m.opts.Store.Jobs(ctx, func(user string, j storage.Job) error {
		var body struct {
			Task *task `json:"task"`
		}
		if err := json.Unmarshal(j.Body, &body); err == nil && body.Task != nil {
			p.put(user, j.ID, m.messagesOf(body.Task))
		}
		return nil
	})
}

// put notes which messages a job read that keeps what failed; none: it keeps nothing.
func (p *partials) put(user, id string, messages []string) {
	jobs := p.users[user]
	if jobs == nil {
		jobs = &partialJobs{of: map[string][]string{}, messages: map[string][]string{}}
		p.users[user] = jobs
	}
	for _, hash := range jobs.messages[id] {
		if jobs.of[hash] = slices.DeleteFunc(jobs.of[hash], func(have string) bool { return have == id }); len(jobs.of[hash]) == 0 {
			delete(jobs.of, hash)
		}
	}
	if delete(jobs.messages, id); len(messages) == 0 {
		return
	}
	jobs.messages[id] = messages
	for _, hash := range messages {
		jobs.of[hash] = append(jobs.of[hash], id)
	}
}

// ended notes which messages a job read in which layers failed when it ended; none
// where none did.
func (p *partials) ended(user, id string, messages []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users != nil {
		p.put(user, id, messages)
	}
}

// messagesOf returns the hashes of the messages that an ended job read and that are
// in it because layers failed; none of a task that keeps nothing, or marked nothing.
func (m *Memory) messagesOf(t *task) (hashes []string) {
	if t == nil || t.Again == nil || !t.Again.Seen {
		return nil
	}
	for _, h := range t.Turns {
		turn := conversation.Turn(h)
		hashes = append(hashes, m.messageHash(t, &turn))
	}
	return hashes
}

// sentAgain runs what failed of messages that were all sent before. ok says whether
// there was anything.
func (m *Memory) sentAgain(ctx context.Context, t *task) (out ExtractOutput, ok bool, err error) {
	if t.Force || t.DryRun || len(t.turns) == 0 {
		return out, false, nil
	}
	id, err := m.partialOf(ctx, t)
	if err != nil || id == "" {
		return out, false, err
	}
	out, err = m.runAgain(ctx, t.User, id, t.Layers, t)
	return out, true, err
}

// jobState answers for a job that was begun before: what it came to, or, with force,
// what comes of running again the layers that failed.
func (m *Memory) jobState(ctx context.Context, user string, in *ExtractInput) (ExtractOutput, error) {
	v := &validator{loc: m.opts.Location, now: m.now()}
	if beside := besideJob(in); beside != "" {
		v.fail("job_id", "asks for a job that was begun before; leave %s out", beside)
	}
	if len(in.Layers) > 0 && !in.Force {
		v.fail("layers", "beside job_id goes with force: it says which of the layers that failed run again")
	}
	var layers []storage.Layer
	if len(in.Layers) > 0 {
		layers = v.extractable(in.Layers)
	}
	if v.err != nil {
		return ExtractOutput{}, v.err
	}
	id := strings.TrimSpace(in.JobID)
	if in.Force {
		asked := &task{Wait: in.Wait == nil || *in.Wait}
		asked.sampleBy(in)
		return m.runAgain(ctx, user, id, layers, asked)
	}
	if in.Wait != nil && *in.Wait {
		if err := m.jobs.wait(ctx, id); err != nil {
			return ExtractOutput{}, fmt.Errorf("extract: job %s goes on: %w", quoted(id), err)
		}
	}
	return m.jobOutput(ctx, user, id)
}

// besideJob names what was given beside job_id and has no meaning there.
func besideJob(in *ExtractInput) string {
	for _, argument := range []struct {
		name  string
		given bool
	}{
		{"messages", len(in.Messages) > 0}, {"text", in.Text != ""}, {"source", in.Source != ""}, {"source_id", in.SourceID != ""},
		{"session_id", in.SessionID != ""}, {"flush", in.Flush}, {"language", in.Language != ""}, {"project", in.Project != nil},
		{"observed_at", in.ObservedAt != ""}, {"dry_run", in.DryRun},
	} {
		if argument.given {
			return argument.name
		}
	}
	return ""
}
