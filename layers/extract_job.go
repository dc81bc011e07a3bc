package layers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcp-memory/layers/conversation"
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
	Task *task   `json:"task,omitempty"` // while it is open
}

// Job returns a job of the user's. Error: storage.ErrNotFound.
func (m *Memory) Job(ctx context.Context, user, id string) (JobView, error) {
	j, err := m.opts.Store.Job(ctx, user, id)
	if err != nil {
		return JobView{}, fmt.Errorf("job %s: %w", quoted(id), err)
	}
	var body jobBody
	if err := json.Unmarshal(j.Body, &body); err != nil {
		return JobView{}, fmt.Errorf("read job %s: %w", quoted(id), err)
	}
	if j.Open && m.jobs.running(id) {
		body.View.Output.Status = JobRunning
	}
	return body.View, nil
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

// storedJob is a job as it goes into an operation. An open one carries its task.
func (m *Memory) storedJob(t *task, out ExtractOutput, calls []CallTrace, open bool, at time.Time) (storage.Job, error) {
	body := jobBody{View: m.view(t, out, calls, at)}
	if open {
		body.View.Job.Ended = ""
		body.Task = t
	}
	b, err := marshal(body)
	if err != nil {
		return storage.Job{}, fmt.Errorf("keep job %s: %w", t.ID, err)
	}
	return storage.Job{ID: t.ID, Open: open, Body: b}, nil
}

// storeJob makes an open job durable.
func (m *Memory) storeJob(ctx context.Context, t *task, out ExtractOutput) error {
	m.write.Lock()
	defer m.write.Unlock()
	at := m.nextRecorded()
	job, err := m.storedJob(t, out, nil, true, at)
	if err != nil {
		return err
	}
	if err := m.apply(ctx, storage.Op{User: t.User, At: at, Jobs: []storage.Job{job}}); err != nil {
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

	mu   sync.Mutex // guards open
	open map[string]struct{}
}

// parallelJobs is how many jobs run at once: most of their time they wait for
// models.
const parallelJobs = 4

func newJobs() *jobs {
	ctx, stop := context.WithCancel(context.Background())
	return &jobs{ctx: ctx, stop: stop, slots: make(chan struct{}, parallelJobs), open: map[string]struct{}{}}
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

// start runs a task in the background.
func (j *jobs) start(m *Memory, t *task) <-chan ended {
	result := make(chan ended, 1)
	j.mark(t.ID, true)
	j.done.Go(func() {
		defer j.mark(t.ID, false)
		select {
		case j.slots <- struct{}{}:
		case <-j.ctx.Done():
			result <- ended{err: j.ctx.Err()}
			return
		}
		defer func() { <-j.slots }()
		out, err := m.run(j.ctx, t)
		if err != nil && j.ctx.Err() == nil {
			m.log.Warn("a job failed", "job", t.ID, "error", err)
			out, err = m.failJob(t, err)
		}
		result <- ended{out, err}
	})
	return result
}

func (j *jobs) mark(id string, runs bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if runs {
		j.open[id] = struct{}{}
		return
	}
	delete(j.open, id)
}

func (j *jobs) running(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, runs := j.open[id]
	return runs
}

// failJob ends a job that cannot be run, with the reason.
func (m *Memory) failJob(t *task, why error) (ExtractOutput, error) {
	out := t.output(JobFailed)
	out.Counts.Errors = 1
	for l := range out.Layers {
		out.Layers[l] = LayerOutput{Status: LayerError, Memories: []string{}, Error: why.Error()}
	}
	if t.DryRun {
		return out, why
	}
	m.write.Lock()
	defer m.write.Unlock()
	at := m.nextRecorded()
	job, err := m.storedJob(t, out, nil, false, at)
	if err == nil {
		err = m.apply(context.Background(), storage.Op{User: t.User, At: at, Jobs: []storage.Job{job}})
	}
	return out, errors.Join(why, err)
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
			_, _ = m.failJob(&task{ID: j.ID, User: user}, errors.New("it could not be read after a restart"))
			return nil
		}
		t := body.Task
		for _, h := range t.Turns {
			t.turns = append(t.turns, conversation.Turn(h))
		}
		m.log.Info("a job is resumed", "job", t.ID)
		m.jobs.start(m, t)
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
