package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// soakSamples is into how many moments a soak is divided.
const soakSamples = 60

// measureSoak starts the processes, lets them work, and takes samples meanwhile.
func measureSoak(ctx context.Context, o soakOptions, progress io.Writer) (r soakReport, err error) {
	dir, exe, remove, err := scratch(ctx, o.server)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	o.server = exe
	soakers, err := startSoakers(ctx, o, dir)
	defer func() {
		for _, s := range soakers {
			err = errors.Join(err, s.stop())
		}
	}()
	if err != nil {
		return r, err
	}
	r = soakReport{Seconds: o.length.Seconds(), Clients: o.clients, Calls: map[string]int{}}
	if err := r.soak(ctx, o, soakers, dir, progress); err != nil {
		return r, err
	}
	for _, s := range soakers {
		for tool, n := range s.calls {
			r.Calls[tool] += n
		}
	}
	return r, nil
}

func startSoakers(ctx context.Context, o soakOptions, dir string) (out []*soaker, err error) {
	for i := range o.clients {
		c, err := startChild(ctx, childOptions{exe: o.server, dir: dir + "/data", log: "warn", embedder: o.embedder, stderr: os.Stderr})
		if err != nil {
			return out, fmt.Errorf("process %d: %w", i+1, err)
		}
		out = append(out, &soaker{
			child: c, name: fmt.Sprintf("Client%d", i+1), rng: rand.New(rand.NewPCG(o.seed, uint64(i))),
			keep: o.keep, calls: map[string]int{},
		})
	}
	return out, nil
}

// soak lets the clients work until the time is over or one meets an error.
func (r *soakReport) soak(ctx context.Context, o soakOptions, soakers []*soaker, dir string, progress io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, o.length)
	defer stop()
	var working sync.WaitGroup
	failed := make(chan error, len(soakers))
	for _, s := range soakers {
		working.Go(func() {
			if err := s.run(ctx, o.pause); err != nil {
				failed <- err
				stop()
			}
		})
	}
	err := r.watch(ctx, o, soakers, dir, progress)
	stop()
	working.Wait()
	close(failed)
	for e := range failed {
		err = errors.Join(err, e)
	}
	return err
}

// watch takes samples until ctx ends.
func (r *soakReport) watch(ctx context.Context, o soakOptions, soakers []*soaker, dir string, progress io.Writer) error {
	tick := time.NewTicker(o.length / soakSamples)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		m, err := sampleSoak(context.WithoutCancel(ctx), soakers, dir)
		if err != nil {
			return err
		}
		r.Samples = append(r.Samples, m)
		fmt.Fprintf(progress, "%d/%d: %d records, %d goroutines, owner %.0f MB, others at most %.0f MB, files %.1f MB\n",
			len(r.Samples), soakSamples, m.Records, m.Goroutines, mb(m.Owner), mb(m.Attached), mb(m.Files))
	}
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }

func sampleSoak(ctx context.Context, soakers []*soaker, dir string) (m soakSample, err error) {
	stats, err := soakers[len(soakers)-1].stats(ctx)
	if err != nil {
		return m, err
	}
	m = soakSample{Records: stats.Records, Goroutines: stats.Goroutines}
	for _, s := range soakers {
		used, err := residentOf(s.pid())
		if err != nil {
			return m, err
		}
		if s.pid() == stats.OwnerPID {
			m.Owner = used.Now
		} else {
			m.Attached = max(m.Attached, used.Now)
		}
	}
	m.Files, err = fileBytes(dir + "/data")
	return m, err
}
