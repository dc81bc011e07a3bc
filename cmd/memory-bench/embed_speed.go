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

// speedTime is the time of a text: the least and the median of its rounds, each
// as the mean of the texts, and the least over the C engine's, 0 without one.
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

// moreRounds is how many rounds more a limit of speed gets before it counts as
// not held.
const moreRounds = 20

// measureSpeed times the contenders on one core, in every round on the same
// texts. Where the limits of speed do not hold after that, the lengths that they
// speak of get more rounds: all contenders count with the least that they took
// for a text, and on a busy machine one round may not show it.
func measureSpeed(ctx context.Context, contenders []contender, o embedOptions, progress io.Writer) ([]speedRow, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	race := newRace(contenders)
	for round := range o.rounds {
		fmt.Fprintf(progress, "speed: round %d of %d\n", round+1, o.rounds)
		if err := race.round(ctx, func(int) bool { return true }); err != nil {
			return nil, err
		}
	}
	for more := 0; o.check && more < moreRounds && !speedHolds(race.rows()); more++ {
		fmt.Fprintf(progress, "speed: a limit does not hold, round %d more of at most %d\n", more+1, moreRounds)
		if err := race.round(ctx, isLimited); err != nil {
			return nil, err
		}
	}
	return race.rows(), nil
}

// race is what the contenders took so far: by length, contender and text, one
// time for each round.
type race struct {
	contenders []contender
	took       [][][][]time.Duration
}

func newRace(contenders []contender) *race {
	r := &race{contenders, make([][][][]time.Duration, len(lengths))}
	for i, l := range lengths {
		r.took[i] = make([][][]time.Duration, len(contenders))
		for j := range contenders {
			r.took[i][j] = make([][]time.Duration, l.texts)
		}
	}
	return r
}

// round times every text of the lengths that are wanted. The contenders take
// turns at each text, so that a busy moment of the machine falls on all of them.
func (r *race) round(ctx context.Context, wanted func(tokens int) bool) error {
	for i, l := range lengths {
		if !wanted(l.tokens) {
			continue
		}
		for text := range l.texts {
			for j, c := range r.contenders {
				took, err := c.query(ctx, timedText(l.tokens, text))
				if err != nil {
					return fmt.Errorf("time %s at %d tokens: %w", c.name, l.tokens, err)
				}
				r.took[i][j][text] = append(r.took[i][j][text], took)
			}
		}
	}
	return nil
}

// rows sums up what was timed until now.
func (r *race) rows() []speedRow {
	rows := make([]speedRow, len(lengths))
	for i, l := range lengths {
		rows[i] = speedRow{l.tokens, sumUp(r.contenders, r.took[i])}
	}
	return rows
}

// sumUp sums up the times of each contender, by text and round.
func sumUp(contenders []contender, took [][][]time.Duration) []speedTime {
	times := make([]speedTime, len(contenders))
	engine := 0.0
	for j, c := range contenders {
		times[j] = speedTime{Name: c.name}
		for _, rounds := range took[j] {
			sorted := slices.Sorted(slices.Values(rounds))
			times[j].Min += milliseconds(sorted[0]) / float64(len(took[j]))
			times[j].Median += milliseconds(percentile(sorted, 0.5)) / float64(len(took[j]))
		}
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
