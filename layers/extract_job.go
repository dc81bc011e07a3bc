package layers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcp-memory/layers/gatekeeper"
	"mcp-memory/storage"
)

// JobView is a job as memory://job/{id} shows it.
type JobView struct {
	Job    JobInfo       `json:"job"`
	Output ExtractOutput `json:"output"`
	Calls  []CallTrace   `json:"calls"` // of models, in the order they ended
}

// JobInfo says what a job is of.
type JobInfo struct {
	ID       string   `json:"id"`
	Source   string   `json:"source"`
	SourceID string   `json:"source_id"`
	Session  string   `json:"session_id"`
	Layers   []string `json:"layers"`
	Force    bool     `json:"force"`
	Turns    int      `json:"turns"`
	Begun    string   `json:"begun_at"`
	Ended    string   `json:"ended_at"`
}

// CallTrace is one call of a model, without what was said.
type CallTrace struct {
	Role        string `json:"role"` // gate, or a layer
	Model       string `json:"model"`
	DurationMS  int64  `json:"duration_ms"`
	Input       int    `json:"input_tokens"`
	Output      int    `json:"output_tokens"`
	Error       string `json:"error"`
	ParentTrace string `json:"parent_trace"`
}

// jobBody is a job in the store.
type jobBody struct {
	View JobView `json:"view"`
	Task *task   `json:"task,omitempty"` // while it is open, and after where layers failed
}

// Job returns a job of the user's. Error: storage.ErrNotFound.
func (m *Memory) Job(ctx context.Context, user, id string) (JobView, error) {
	j, err := m.opts.Store.Job(ctx, user, id)
	if err != nil {
		return JobView{}, fmt.Errorf("job %s: %w", quoted(id), err)
	}
	body, err := m.readJob(j)
	return body.View, err
}

// jobBody returns a job for a caller of extract, and whether it has not ended.
func (m *Memory) jobBody(ctx context.Context, user, id string) (body jobBody, open bool, err error) {
	j, err := m.opts.Store.Job(ctx, user, id)
	if errors.Is(err, storage.ErrNotFound) {
		return body, false, invalid("job_id", "%s is no job of yours, or it was finished over 30 days or %d jobs ago", quoted(id), storage.DoneJobs)
	}
	if err != nil {
		return body, false, fmt.Errorf("job %s: %w", quoted(id), err)
	}
	body, err = m.readJob(j)
	return body, j.Open, err
}

func (m *Memory) readJob(j storage.Job) (body jobBody, err error) {
	if err := json.Unmarshal(j.Body, &body); err != nil {
		return body, fmt.Errorf("read job %s: %w", quoted(j.ID), err)
	}
	if j.Open && m.jobs.running(j.ID) {
		body.View.Output.Status = JobRunning
	}
	return body, nil
}

// view is what is shown of a task.
func (m *Memory) view(t *task, out ExtractOutput, calls []CallTrace, ended time.Time) JobView {
	info := JobInfo{
		ID: t.ID, Source: t.Source, SourceID: t.SourceID, Session: t.Session, Force: t.Force, Turns: len(t.turns),
		Begun: formatTime(t.Begun), Ended: formatTime(ended), Layers: []string{},
	}
	for _, l := range t.Layers {
		info.Layers = append(info.Layers, string(l))
	}
	if calls == nil {
		calls = []CallTrace{}
	}
	return JobView{Job: info, Output: out, Calls: calls}
}

// storedJob is a job that has ended as it goes into an operation; keep is what it
// may be run again from, nil where it need not be.
func (m *Memory) storedJob(t, keep *task, out ExtractOutput, calls []CallTrace, at time.Time) (storage.Job, error) {
	b, err := marshal(jobBody{View: m.view(t, out, calls, at), Task: keep})
	if err != nil {
		return storage.Job{}, fmt.Errorf("keep job %s: %w", t.ID, err)
	}
	return storage.Job{ID: t.ID, Done: keep == nil, Body: b}, nil
}

// openJob is a job that has not ended.
func (m *Memory) openJob(t *task, out ExtractOutput) (storage.Job, error) {
	body := jobBody{View: m.view(t, out, t.callsBefore(), time.Time{}), Task: t}
	b, err := marshal(body)
	if err != nil {
		return storage.Job{}, fmt.Errorf("keep job %s: %w", t.ID, err)
	}
	return storage.Job{ID: t.ID, Open: true, Body: b}, nil
}

// callsBefore are the calls of models of a job that is run again.
func (t *task) callsBefore() []CallTrace {
	if t.before == nil {
		return nil
	}
	return slices.Clone(t.before.Calls)
}

// storeJob makes an open job durable.
func (m *Memory) storeJob(ctx context.Context, t *task, out ExtractOutput) error {
	m.write.Lock()
	defer m.write.Unlock()
	at := m.nextRecorded()
	job, err := m.openJob(t, out)
	if err != nil {
		return err
	}
	op := storage.Op{User: t.User, At: at, Jobs: []storage.Job{job}}
	if op.Answer, err = t.call.kept(t.ID, at); err != nil {
		return err
	}
	if err := m.apply(ctx, op); err != nil {
		return fmt.Errorf("keep job %s: %w", t.ID, err)
	}
	return nil
}

// jobs runs extractions that outlive their calls, some at a time.
type jobs struct {
	ctx   context.Context
	stop  context.CancelFunc
	done  sync.WaitGroup
	slots chan struct{} // holds one for each that runs

	mu   sync.Mutex               // guards open
	open map[string]chan struct{} // closed when the job has run
}

// parallelJobs is how many jobs run at once: most of their time they wait for
// models.
const parallelJobs = 4

func newJobs() *jobs {
	ctx, stop := context.WithCancel(context.Background())
	return &jobs{ctx: ctx, stop: stop, slots: make(chan struct{}, parallelJobs), open: map[string]chan struct{}{}}
}

// close interrupts what runs and waits for it. What was interrupted is open in
// the store, and resumed at the next start.
func (j *jobs) close() {
	j.stop()
	j.done.Wait()
}

// ended is what a job came to.
type ended struct {
	out ExtractOutput
	err error
}

// run runs a task in the background, under a claim that it releases before it says
// what came of it: who hears that may ask for it again.
func (j *jobs) run(m *Memory, t *task) <-chan ended {
	result := make(chan ended, 1)
	if t.taken.IsZero() {
		t.taken = m.now()
	}
	j.done.Go(func() {
		out, err := j.work(m, t)
		j.release(t.ID)
		result <- ended{out, err}
	})
	return result
}

// work runs a task when it is its turn.
func (j *jobs) work(m *Memory, t *task) (ExtractOutput, error) {
	select {
	case j.slots <- struct{}{}:
	case <-j.ctx.Done():
		return ExtractOutput{}, j.ctx.Err()
	}
	defer func() { <-j.slots }()
	out, err := m.run(j.ctx, t)
	if err != nil && j.ctx.Err() == nil {
		m.log.Warn("a job failed", "job", t.ID, "error", err)
		out, err = m.failJob(t, err)
	}
	return out, err
}

// claim takes a job for one run. It reports false where it runs already.
func (j *jobs) claim(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, runs := j.open[id]; runs {
		return false
	}
	j.open[id] = make(chan struct{})
	return true
}

func (j *jobs) release(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.open[id])
	delete(j.open, id)
}

// wait returns when a job does not run, or no longer, or with ctx's error.
func (j *jobs) wait(ctx context.Context, id string) error {
	j.mu.Lock()
	done, runs := j.open[id]
	j.mu.Unlock()
	if !runs {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// running reports whether a job runs; "" is any.
func (j *jobs) running(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id == "" {
		return len(j.open) > 0
	}
	_, runs := j.open[id]
	return runs
}

// failJob ends a job that cannot be run, with the reason, which it returns. Nobody may
// wait for a job: that its end cannot be stored goes to the log too.
func (m *Memory) failJob(t *task, why error) (ExtractOutput, error) {
	out := t.failed(why)
	if t.DryRun {
		return out, why
	}
	var keep *task
	if len(t.Turns) > 0 {
		keep = t
	}
	m.write.Lock()
	defer m.write.Unlock()
	if m.wipedSince(t) {
		keep = nil
	}
	at := m.nextRecorded()
	job, err := m.storedJob(t, keep, out, t.callsBefore(), at)
	if err == nil {
		err = m.apply(context.Background(), storage.Op{User: t.User, At: at, Jobs: []storage.Job{job}})
	}
	if err != nil {
		m.log.Error("that a job failed cannot be stored; it stays open", "job", t.ID, "error", err)
	}
	return out, errors.Join(why, err)
}

// failed is the answer of a task that could not be run.
func (t *task) failed(why error) ExtractOutput {
	out, lost := t.output(JobFailed), t.Layers
	if t.before != nil {
		out.Status, lost = t.before.Output.Status, t.Again.Layers
	}
	for _, l := range lost {
		out.Layers[string(l)] = LayerOutput{Status: LayerError, Memories: []string{}, Error: why.Error()}
	}
	out.Counts.Errors = len(failedLayers(&out))
	return out
}

// resume starts again what an earlier process left open.
func (m *Memory) resume(ctx context.Context) error {
	return m.opts.Store.Jobs(ctx, func(user string, j storage.Job) error {
		if !j.Open {
			return nil
		}
		var body jobBody
		if err := json.Unmarshal(j.Body, &body); err != nil || body.Task == nil {
			m.log.Warn("an open job cannot be read; it is failed", "job", j.ID)
			_, _ = m.failJob(&task{ID: j.ID, User: user, Layers: gatekeeper.Layers}, errors.New("it could not be read after a restart"))
			return nil
		}
		t := m.restore(&body)
		m.log.Info("a job is resumed", "job", t.ID)
		m.jobs.claim(t.ID)
		m.jobs.run(m, t)
		return nil
	})
}

// newTrace returns a trace id as W3C's Trace Context has it: 16 random bytes in
// hex.
func newTrace() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("make a trace id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
