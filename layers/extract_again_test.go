package layers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

const (
	beekeeper = "I am a beekeeper in Freiburg. From now on answer me in bullet points."
	occupied  = `{"memories":[{"text":"The user is a beekeeper in Freiburg.","importance":4,"confidence":0.9,"entity":"user","attribute":"occupation","value":"beekeeper","quote":"I am a beekeeper in Freiburg."}]}`
	pointed   = `{"memories":[{"text":"The user wants answers in bullet points.","importance":4,"confidence":0.9,"entity":"user","attribute":"answer style","value":"bullet points","quote":"answer me in bullet points"}]}`
)

// flaky serves models of which that of preference fails while down is set, and that
// of identity where bad is; it counts who was asked.
type flaky struct {
	down, bad                  atomic.Bool
	gate, identity, preference atomic.Int64
}

func (f *flaky) serve(t *testing.T, h *home) {
	t.Helper()
	models(t, h, func(w http.ResponseWriter, _ *http.Request) {
		f.gate.Add(1)
		answer(w, `{"activity":{"should_extract":false,"reasoning":"no"},"context":{"should_extract":false,"reasoning":"no"},"experience":{"should_extract":false,"reasoning":"no"},"identity":{"should_extract":true,"reasoning":"yes"},"preference":{"should_extract":true,"reasoning":"yes"}}`)
	}, func(w http.ResponseWriter, r *http.Request) {
		switch layer := r.Header.Get(layerHeader); {
		case layer == "preference" && f.down.Load(), layer == "identity" && f.bad.Load():
			w.WriteHeader(http.StatusBadRequest)
		case layer == "preference":
			f.preference.Add(1)
			answer(w, pointed)
		default:
			f.identity.Add(1)
			answer(w, occupied)
		}
	})
}

func TestExtract_FailedLayersRunAgainAlone(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	f.down.Store(true)
	in := layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)}
	first := h.extracts(in)
	if first.Status != layers.JobPartial || first.Counts.Stored != 1 || first.Counts.Errors != 1 {
		t.Fatalf("status %s, counts %+v", first.Status, first.Counts)
	}
	done := func(want bool) {
		t.Helper()
		if j, err := h.store.Job(t.Context(), user, first.JobID); err != nil || j.Done != want {
			t.Errorf("done: %v, %v; want %v", j.Done, err, want)
		}
	}
	done(false) // it stays, however many come after it
	again := layers.ExtractInput{JobID: first.JobID, Force: true}
	if out := h.extracts(again); out.Status != layers.JobPartial || out.Counts.Errors != 1 || out.Layers["identity"].Status != layers.LayerExtracted {
		t.Fatalf("while it is down: status %s, counts %+v, layers %+v", out.Status, out.Counts, out.Layers)
	}
	f.down.Store(false)
	h.restart() // what it needs is on disk
	out := h.extracts(again)
	if out.Status != layers.JobComplete || out.JobID != first.JobID || out.TraceID != first.TraceID {
		t.Fatalf("status %s, job %s, trace %s; want %s and %s", out.Status, out.JobID, out.TraceID, first.JobID, first.TraceID)
	}
	if out.Counts.Stored != 2 || out.Counts.Errors != 0 || out.Gate.Mode != layers.GateModel || len(out.Layers["identity"].Memories) != 1 || len(out.Layers["preference"].Memories) != 1 {
		t.Errorf("gate %s, counts %+v, layers %+v", out.Gate.Mode, out.Counts, out.Layers)
	}
	if f.gate.Load() != 1 || f.identity.Load() != 1 || f.preference.Load() != 1 {
		t.Errorf("asked: gate %d, identity %d, preference %d times, want once each", f.gate.Load(), f.identity.Load(), f.preference.Load())
	}
	done(true)
	job, err := h.Job(t.Context(), user, out.JobID)
	if err != nil || len(job.Calls) != 5 { // gate, identity, preference that failed twice and answered once
		t.Errorf("%d calls in the trace, %v: %+v", len(job.Calls), err, job.Calls)
	}
	for range 2 { // complete: nothing is left to run, however it is asked for
		if out := h.extracts(again); out.Status != layers.JobComplete || out.Counts.Stored != 2 {
			t.Errorf("asked again: %s, counts %+v", out.Status, out.Counts)
		}
		if out := h.extracts(in); out.Counts.Stored != 0 || len(h.texts()) != 2 {
			t.Errorf("sent again: counts %+v, %v remembered", out.Counts, h.texts())
		}
	}
	if f.preference.Load() != 1 {
		t.Errorf("preference was asked %d times", f.preference.Load())
	}
}

func TestExtract_TheSameMessagesRunOnlyWhatFailed(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	for name, in := range map[string]layers.ExtractInput{
		"conversation": {SourceID: "s", Messages: turns(beekeeper)},
		"stream":       {SourceID: "s", SessionID: "live", Messages: turns(beekeeper)},
		"document":     {SourceID: "d", Source: "document", Text: beekeeper},
	} {
		f.identity.Store(0)
		f.down.Store(true)
		first := h.extracts(in)
		f.down.Store(false)
		if name == "conversation" {
			h.restart()
		}
		out := h.extracts(in)
		if first.Status != layers.JobPartial || out.Status != layers.JobComplete || out.JobID != first.JobID || f.identity.Load() != 1 {
			t.Errorf("%s: %s, then %s of job %s (want %s); identity was asked %d times", name, first.Status, out.Status, out.JobID, first.JobID, f.identity.Load())
		}
	}
}

// Where every layer failed nothing counts as read, and what another job reads later
// is not read by the first again.
func TestExtract_WhatFailedAsAWholeIsReadLikeNew(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	f.down.Store(true)
	f.bad.Store(true)
	in := layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)}
	first := h.extracts(in)
	if first.Status != layers.JobFailed {
		t.Fatalf("status %s", first.Status)
	}
	f.down.Store(false)
	f.bad.Store(false)
	in.Messages = append(in.Messages, turns("", "Thanks!")[1])
	if out := h.extracts(in); out.JobID == first.JobID || out.Status != layers.JobComplete || out.Counts.Stored != 2 {
		t.Errorf("with one message more: job %s, %s, counts %+v", out.JobID, out.Status, out.Counts)
	}
	out := h.extracts(layers.ExtractInput{JobID: first.JobID, Force: true})
	if out.Status != layers.JobComplete || out.Counts.Stored != 0 || out.Layers["identity"].Status != layers.LayerSkipped || len(h.texts()) != 2 {
		t.Errorf("the first again: %s, counts %+v, layers %+v, %v remembered", out.Status, out.Counts, out.Layers, h.texts())
	}
}

// A run of failed layers that a stop interrupts goes on as one of these layers.
func TestExtract_AnInterruptedRunOfFailedLayersGoesOn(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	f.down.Store(true)
	first := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)})
	f.down.Store(false)
	started, hang := make(chan struct{}, 1), make(chan struct{})
	models(t, h, nothing, func(w http.ResponseWriter, r *http.Request) {
		if layer := r.Header.Get(layerHeader); layer != "preference" {
			t.Errorf("%s was asked", layer)
		}
		select {
		case started <- struct{}{}:
		default:
		}
		select {
		case <-hang:
			answer(w, pointed)
		case <-r.Context().Done():
		}
	})
	no, yes := false, true
	if out := h.extracts(layers.ExtractInput{JobID: first.JobID, Force: true, Wait: &no}); out.Status != layers.JobQueued || out.Counts.Stored != 1 {
		t.Fatalf("status %s, counts %+v", out.Status, out.Counts)
	}
	<-started
	if out := h.extracts(layers.ExtractInput{JobID: first.JobID, Force: true}); out.Status != layers.JobRunning {
		t.Errorf("while it runs: %s", out.Status)
	}
	h.stop()
	close(hang)
	h.start()
	out := h.extracts(layers.ExtractInput{JobID: first.JobID, Wait: &yes})
	if out.Status != layers.JobComplete || out.Counts.Stored != 2 || out.Counts.Errors != 0 {
		t.Errorf("status %s, counts %+v", out.Status, out.Counts)
	}
}

func TestExtract_ForgottenMeanwhileIsNotLearnedByARunAgain(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	said := h.say(layers.Memorandum{Text: "The user wants answers in bullet points.", Layer: storage.Preference}).ID
	f.down.Store(true)
	first := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)})
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{said}}); err != nil {
		t.Fatal(err)
	}
	f.down.Store(false)
	if out := h.extracts(layers.ExtractInput{JobID: first.JobID, Force: true}); out.Status != layers.JobComplete || out.Counts.Stored != 1 {
		t.Errorf("%s, counts %+v, dropped %+v", out.Status, out.Counts, out.Dropped)
	}
}

func TestExtract_RefusesWhatHasNoMeaningBesideAJob(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	f.down.Store(true)
	id := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)}).JobID
	for want, in := range map[string]layers.ExtractInput{
		"job_id: asks for a job that was begun before; leave messages out":  {JobID: id, Messages: turns("a")},
		"job_id: asks for a job that was begun before; leave dry_run out":   {JobID: id, DryRun: true},
		"job_id: asks for a job that was begun before; leave source_id out": {JobID: id, SourceID: "s", Force: true},
		"layers: beside job_id goes with force":                             {JobID: id, Layers: []string{"preference"}},
		"layers: none of them failed in job":                                {JobID: id, Layers: []string{"identity"}, Force: true},
		"layers[0]":                                                         {JobID: id, Layers: []string{"facts"}, Force: true},
		"job_id: \"01UNKNOWN\" is no job of yours":                          {JobID: "01UNKNOWN", Force: true},
	} {
		_, err := h.Extract(t.Context(), user, in)
		var wrong *layers.InvalidError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s…", err, want)
		}
	}
}

// fullDisk is a store that takes no records while full is set.
type fullDisk struct {
	storage.Store
	full atomic.Bool
}

func (d *fullDisk) Apply(ctx context.Context, op storage.Op) error {
	if d.full.Load() && len(op.Put) > 0 {
		return fmt.Errorf("write: %w", storage.ErrUnavailable)
	}
	return d.Store.Apply(ctx, op)
}

// What the disk did not take is not lost with the call: its job runs again as a whole.
func TestExtract_AJobThatCouldNotBeStoredRunsAgain(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	disk := &fullDisk{Store: h.store}
	disk.full.Store(true)
	if err := h.Memory.Close(); err != nil {
		t.Fatal(err)
	}
	h.opts.Store = disk
	var err error
	if h.Memory, err = layers.Open(t.Context(), h.opts); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Extract(t.Context(), user, layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)}); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("on a full disk: %v", err)
	}
	id := h.jobs()[0]
	if out := h.extracts(layers.ExtractInput{JobID: id}); out.Status != layers.JobFailed || out.Counts.Errors != 5 {
		t.Errorf("status %s, counts %+v", out.Status, out.Counts)
	}
	var wrong *layers.InvalidError
	if _, err := h.Extract(t.Context(), user, layers.ExtractInput{JobID: id, Force: true, Layers: []string{"identity"}}); !errors.As(err, &wrong) || wrong.Field != "layers" {
		t.Errorf("with layers: %v", err)
	}
	disk.full.Store(false)
	if out := h.extracts(layers.ExtractInput{JobID: id, Force: true}); out.Status != layers.JobComplete || out.Counts.Stored != 2 || out.Gate.Mode != layers.GateModel {
		t.Errorf("status %s, counts %+v", out.Status, out.Counts)
	}
}

// jobs are the ids of all jobs, oldest first.
func (h *home) jobs() (ids []string) {
	h.t.Helper()
	if err := h.store.Jobs(h.t.Context(), func(_ string, j storage.Job) error { ids = append(ids, j.ID); return nil }); err != nil {
		h.t.Fatal(err)
	}
	return ids
}

// However many ask at once, what failed runs once.
func TestExtract_ManyAskForOneRun(t *testing.T) {
	h, f := open(t), &flaky{}
	f.serve(t, h)
	f.down.Store(true)
	first := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(beekeeper)})
	f.down.Store(false)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := h.Extract(t.Context(), user, layers.ExtractInput{JobID: first.JobID, Force: true}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	yes := true
	out := h.extracts(layers.ExtractInput{JobID: first.JobID, Wait: &yes})
	if out.Status != layers.JobComplete || out.Counts.Stored != 2 || f.preference.Load() != 1 || len(h.texts()) != 2 {
		t.Errorf("%s, counts %+v, preference was asked %d times, %v remembered", out.Status, out.Counts, f.preference.Load(), h.texts())
	}
}
