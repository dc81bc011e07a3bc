package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test binary be the programs that a measurement starts: this
// one again, as embed-child, and C engines that break down (see
// embed_engine_test.go).
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case embedChild:
			main()
			return
		case dyingEngine, hugeEngine:
			actEngine(os.Args[1])
		}
	}
	os.Exit(m.Run())
}

func TestEmbed_RefusesNoRounds(t *testing.T) {
	for _, flag := range []string{"--rounds", "--starts"} {
		err := run(t.Context(), []string{"embed", flag, "0"}, &bytes.Buffer{}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%s 0: run = %v, want an error that names it", flag, err)
		}
	}
}

// TestBuild_WithoutACompiler: ours alone is measured then, and said so; a check
// would compare with nothing and fails.
func TestBuild_WithoutACompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r := embedRun{dir: t.TempDir(), progress: &bytes.Buffer{}}
	if err := r.build(t.Context()); err != nil || r.engine != "" || len(r.weights) != 0 || !strings.Contains(r.report.Engine, "no C compiler") {
		t.Errorf("build = %v, engine %q, told %q; want none and the reason", err, r.engine, r.report.Engine)
	}
	r.options.check = true
	if err := r.build(t.Context()); !errors.Is(err, errNoCompiler) {
		t.Errorf("build for a check = %v, want %v", err, errNoCompiler)
	}
}

func TestRunChild_OpensAndEmbeds(t *testing.T) {
	f, err := runChild(t.Context(), tonguesTexts()[:3])
	if err != nil {
		t.Fatal(err)
	}
	if f.Open <= 0 || f.EmbeddedVectors != 3 {
		t.Errorf("the child told %+v, want a time and three vectors", f)
	}
	if runtime.GOOS == "linux" && !(0 < f.ResidentBefore && f.ResidentBefore <= f.ResidentOpen && f.ResidentOpen <= f.ResidentTexts) {
		t.Errorf("memory %+v, want it to grow with opening and with texts", f)
	}
	if f, err = runChild(t.Context(), nil); err != nil || f.EmbeddedVectors != 0 {
		t.Errorf("without texts: %+v, %v; want no vector", f, err)
	}
}

func TestEmbedChild_RefusesWhatIsNoJSON(t *testing.T) {
	root := newEmbedChild()
	root.SetIn(strings.NewReader("no texts"))
	root.SetArgs(nil)
	root.SilenceErrors, root.SilenceUsage = true, true
	if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "read texts") {
		t.Errorf("execute = %v, want an error about the texts", err)
	}
}

func TestMeasureSpeed_TakesTurnsAndComparesWithTheEngine(t *testing.T) {
	defer func(procs int) {
		if got := runtime.GOMAXPROCS(0); got != procs {
			t.Errorf("GOMAXPROCS is left at %d, want %d", got, procs)
		}
	}(runtime.GOMAXPROCS(0))
	var asked []string
	fake := func(name string, took func(call int) time.Duration) contender {
		calls := 0
		return contender{name, func(_ context.Context, text string) (time.Duration, error) {
			calls++
			asked = append(asked, fmt.Sprintf("%s:%d", name, len(strings.Fields(text))+queryOverhead))
			return took(calls), nil
		}}
	}
	perRound := 0
	for _, l := range lengths {
		perRound += l.texts
	}
	ours := fake("avx2", func(call int) time.Duration { // 4 ms a text in the first round, then 2, then 3
		return []time.Duration{4, 2, 3}[(call-1)/perRound] * time.Millisecond
	})
	engine := fake(engineName, func(int) time.Duration { return 10 * time.Millisecond })
	rows, err := measureSpeed(t.Context(), []contender{ours, engine}, embedOptions{rounds: 3}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(lengths) || len(asked) != 2*3*perRound {
		t.Fatalf("%d rows of %d calls", len(rows), len(asked))
	}
	for i, row := range rows {
		want := speedRow{lengths[i].tokens, []speedTime{{"avx2", 2, 3, 0.2}, {engineName, 10, 10, 1}}}
		if diff := cmp.Diff(want, row); diff != "" {
			t.Errorf("row differs (-want +got):\n%s", diff)
		}
	}
	first := append(slices.Repeat([]string{"avx2:10", engineName + ":10"}, 8), "avx2:25")
	if diff := cmp.Diff(first, asked[:17]); diff != "" {
		t.Errorf("the order of calls differs (-want +got):\n%s", diff)
	}
}

// TestMeasureSpeed_ABusyRoundIsNoFailure has ours take ten times as long in the
// first rounds, as beside other work on the machine, or for ever.
func TestMeasureSpeed_ABusyRoundIsNoFailure(t *testing.T) {
	for _, test := range []struct {
		name      string
		busy      int // rounds
		check     bool
		wantTexts int // timed at 10 tokens
		wantHolds bool
	}{
		{"one busy round", 1, true, 2, true},
		{"none busy", 0, true, 1, true},
		{"all busy", 1 + moreRounds, true, 1 + moreRounds, false},
		{"no limits asked for", 1, false, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			timed := map[string]int{}
			contenders := []contender{
				{limitedKernels, func(_ context.Context, text string) (time.Duration, error) {
					timed[text]++
					if timed[text] <= test.busy {
						return 10 * time.Millisecond, nil
					}
					return time.Millisecond, nil
				}},
				{engineName, func(context.Context, string) (time.Duration, error) { return 10 * time.Millisecond, nil }},
			}
			rows, err := measureSpeed(t.Context(), contenders, embedOptions{rounds: 1, check: test.check}, &bytes.Buffer{})
			if err != nil {
				t.Fatal(err)
			}
			if got := speedHolds(rows); got != test.wantHolds {
				t.Errorf("the limits hold: %v, want %v; %+v", got, test.wantHolds, rows)
			}
			if got := timed[timedText(10, 0)]; got != test.wantTexts {
				t.Errorf("a limited text was timed %d times, want %d", got, test.wantTexts)
			}
			if got := timed[timedText(512, 0)]; got != 1 {
				t.Errorf("a text without a limit was timed %d times, want 1", got)
			}
		})
	}
}

func TestMeasureSpeed_SaysWhoFailed(t *testing.T) {
	failing := contender{"avx2", func(context.Context, string) (time.Duration, error) { return 0, os.ErrClosed }}
	if _, err := measureSpeed(t.Context(), []contender{failing}, embedOptions{rounds: 1}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "avx2 at 10 tokens") {
		t.Errorf("measureSpeed = %v, want an error that names the contender and the length", err)
	}
}

func TestSumUp_WithoutTheEngineThereIsNoRatio(t *testing.T) {
	got := sumUp([]contender{{name: "go"}}, [][][]time.Duration{{{3 * time.Millisecond, time.Millisecond}}})
	if diff := cmp.Diff([]speedTime{{Name: "go", Min: 1, Median: 1}}, got); diff != "" {
		t.Errorf("sums differ (-want +got):\n%s", diff)
	}
}

// TestCPUTime_CountsWork works until the clock moves: how fine it is depends on
// the platform.
func TestCPUTime_CountsWork(t *testing.T) {
	begin, err := cpuTime()
	if err != nil {
		t.Fatal(err)
	}
	const enough = 1_000_000 // sums of 1 KB, seconds of work
	block, sum := bytes.Repeat([]byte{1}, 1<<10), byte(0)
	for range enough {
		for _, b := range block {
			sum += b
		}
		now, err := cpuTime()
		if err != nil || now < begin {
			t.Fatalf("cpuTime = %v, %v after %v", now, err, begin)
		}
		if now > begin {
			return
		}
	}
	t.Errorf("CPU time stands still (%d)", sum)
}

func TestCloseRow_KeepsTheLeastCosine(t *testing.T) {
	row := closeRow{Cosine: 1}
	nan := float32(0) / float32(len(row.Worst))
	row.compare("same", []float32{1, 0}, []float32{1, 0})
	if row.Cosine != 1 || row.Worst != "" {
		t.Errorf("after equal vectors: %+v", row)
	}
	row.compare("half", []float32{0.5, 0}, []float32{1, 0})
	row.compare("near", []float32{0.75, 0}, []float32{1, 0})
	if row.Cosine != 0.5 || row.Worst != "half" {
		t.Errorf("after two others: %+v, want the lesser", row)
	}
	row.compare("not a number", []float32{nan, 0}, []float32{1, 0})
	if row.Cosine != -1 || row.Worst != "not a number" {
		t.Errorf("after NaN: %+v, want −1", row)
	}
}
