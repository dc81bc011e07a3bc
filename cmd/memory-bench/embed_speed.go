package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin/kernel"
)

// engineName is the C engine's name among the contenders.
const engineName = "C engine"

// contender is one of those that are timed on the same texts.
type contender struct {
	name  string
	query func(ctx context.Context, text string) (cpu time.Duration, err error)
}

// speedRow is the CPU time of one text of a length, for each contender.
type speedRow struct {
	Tokens int         `json:"tokens"`
	Times  []speedTime `json:"times"`
}

// speedTime is the mean time of a text in each round: the least and the median
// of the rounds, and the least over the C engine's, 0 without one.
type speedTime struct {
	Name     string  `json:"name"`
	Min      float64 `json:"min_ms"`
	Median   float64 `json:"median_ms"`
	ToEngine float64 `json:"to_engine,omitempty"`
}

// time is the time of that name, the zero one if there is none.
func (r *speedRow) time(name string) (out speedTime) {
	for _, t := range r.Times {
		if t.Name == name {
			out = t
		}
	}
	return out
}

// ourContenders are the built-in embedder on every set of kernels this machine
// runs, slowest first.
func ourContenders() (out []contender, err error) {
	for _, set := range kernel.All() {
		e, err := openBuiltin("", set.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, contender{set.Name, func(ctx context.Context, text string) (time.Duration, error) {
			return timeQuery(ctx, e, text)
		}})
	}
	return out, nil
}

// timeQuery is the CPU time that this process takes to embed a query.
func timeQuery(ctx context.Context, e embed.Embedder, text string) (time.Duration, error) {
	begin, err := cpuTime()
	if err != nil {
		return 0, err
	}
	if _, err := e.Embed(ctx, embed.Query, []string{text}); err != nil {
		return 0, err
	}
	end, err := cpuTime()
	return end - begin, err
}

// engineContender is the C engine, which tells its own CPU time.
func engineContender(e *engine) contender {
	return contender{engineName, func(_ context.Context, text string) (time.Duration, error) {
		answer, err := e.embed(embed.Query, text)
		return answer.CPU, err
	}}
}

// checkLengths has the C engine count the tokens of the texts that are timed.
func checkLengths(e *engine) error {
	for _, l := range lengths {
		for i := range l.texts {
			answer, err := e.embed(embed.Query, timedText(l.tokens, i))
			if err != nil {
				return err
			}
			if answer.Tokens != l.tokens {
				return fmt.Errorf("text %d of %d tokens has %d for the C engine", i, l.tokens, answer.Tokens)
			}
		}
	}
	return nil
}

// measureSpeed times the contenders on one core, in turn, in every round on the
// same texts, so that a busy minute of the machine falls on all of them.
func measureSpeed(ctx context.Context, contenders []contender, rounds int, progress io.Writer) ([]speedRow, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	samples := make([][][]time.Duration, len(lengths)) // by length, contender, round
	for i := range samples {
		samples[i] = make([][]time.Duration, len(contenders))
	}
	for round := range rounds {
		fmt.Fprintf(progress, "speed: round %d of %d\n", round+1, rounds)
		for i, l := range lengths {
			for j, c := range contenders {
				took, err := c.round(ctx, l.tokens, l.texts)
				if err != nil {
					return nil, fmt.Errorf("time %s at %d tokens: %w", c.name, l.tokens, err)
				}
				samples[i][j] = append(samples[i][j], took)
			}
		}
	}
	rows := make([]speedRow, len(lengths))
	for i, l := range lengths {
		rows[i] = speedRow{l.tokens, sumUp(contenders, samples[i])}
	}
	return rows, nil
}

// round is the mean time of n texts of a length.
func (c *contender) round(ctx context.Context, tokens, n int) (total time.Duration, err error) {
	for i := range n {
		took, err := c.query(ctx, timedText(tokens, i))
		if err != nil {
			return 0, err
		}
		total += took
	}
	return total / time.Duration(n), nil
}

// sumUp sums up the rounds of each contender.
func sumUp(contenders []contender, rounds [][]time.Duration) []speedTime {
	times := make([]speedTime, len(contenders))
	engine := 0.0
	for j, c := range contenders {
		slices.Sort(rounds[j])
		times[j] = speedTime{Name: c.name, Min: milliseconds(rounds[j][0]), Median: milliseconds(percentile(rounds[j], 0.5))}
		if c.name == engineName {
			engine = times[j].Min
		}
	}
	for j := range times {
		if engine > 0 {
			times[j].ToEngine = times[j].Min / engine
		}
	}
	return times
}
