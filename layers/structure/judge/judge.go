// Package judge measures the structurer on labelled sentences. The format of
// their file is described in layers/structure/testdata/README.md.
package judge

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/structure"
)

// Case is a labelled sentence. A nil Want says: abstain.
type Case struct {
	ID         string    `json:"id"`
	Lang       string    `json:"lang"`
	Text       string    `json:"text"`
	ObservedAt time.Time `json:"observed_at"`
	Want       *Want     `json:"want"`
	Note       string    `json:"note"`
}

// Want is what a statement must say. What is absent is not judged.
type Want struct {
	Entity     string   `json:"entity"`
	EntityAlso []string `json:"entity_also"`
	Attribute  []string `json:"attribute"`
	Value      []string `json:"value"`
	Layer      []string `json:"layer"`
	Polarity   string   `json:"polarity"`
	StartsAt   string   `json:"starts_at"`
	ValidFrom  string   `json:"valid_from"`
	ValidTo    string   `json:"valid_to"`
	Reason     string   `json:"reason"`
	Closes     *string  `json:"closes"`
	Ended      bool     `json:"ended"`
}

// Tally counts cases. Precision is Correct of Produced, recall is Correct of
// Positives.
type Tally struct {
	Cases     int // all
	Positives int // that state something
	Produced  int // for which there is a statement
	Correct   int // of those produced
	Abstained int // the rest
}

// Precision is the share of the statements that are right, 0 to 1; 1 if there
// are none.
func (t Tally) Precision() float64 { return share(t.Correct, t.Produced) }

// Recall is the share of the sentences stating something that are read right,
// 0 to 1; 1 if there are none.
func (t Tally) Recall() float64 { return share(t.Correct, t.Positives) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Mistake is a case that was read wrong, or missed.
type Mistake struct {
	Case   Case
	Got    structure.Statement
	Missed bool   // abstained on a positive case; Got is empty
	Why    string // the first thing that is wrong
}

// Report is the result of a run.
type Report struct {
	ByLang   map[string]Tally
	ByNote   map[string]Tally
	Mistakes []Mistake // in the order of the cases
}

// Parser reads one text; [structure.Parse] is one.
type Parser func(structure.Input) (structure.Statement, bool)

// Read reads a file of labelled sentences, one JSON object a line.
func Read(r io.Reader) ([]Case, error) {
	var cases []Case
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("read labelled sentences: line %d: %w", n, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read labelled sentences: %w", err)
	}
	return cases, nil
}

// Run judges a parser on the cases.
func Run(cases []Case, parse Parser) Report {
	report := Report{ByLang: map[string]Tally{}, ByNote: map[string]Tally{}}
	for _, c := range cases {
		got, ok := parse(structure.Input{Text: c.Text, ObservedAt: c.ObservedAt})
		t, why := c.tally(got, ok)
		if why != "" {
			report.Mistakes = append(report.Mistakes, Mistake{Case: c, Got: got, Missed: !ok, Why: why})
		}
		report.ByLang[c.Lang] = report.ByLang[c.Lang].add(t)
		report.ByNote[c.Note] = report.ByNote[c.Note].add(t)
	}
	return report
}

// tally counts one case, and says what is wrong.
func (c *Case) tally(got structure.Statement, ok bool) (t Tally, why string) {
	t.Cases = 1
	if c.Want != nil {
		t.Positives = 1
	}
	switch {
	case !ok && c.Want == nil:
	case !ok:
		why = "missed"
	case c.Want == nil:
		why = "wants no statement"
	default:
		why = c.Want.wrong(got, c.ObservedAt)
	}
	switch {
	case !ok:
		t.Abstained = 1
	case why == "":
		t.Produced, t.Correct = 1, 1
	default:
		t.Produced = 1
	}
	return t, why
}

func (t Tally) add(o Tally) Tally {
	return Tally{
		Cases: t.Cases + o.Cases, Positives: t.Positives + o.Positives, Produced: t.Produced + o.Produced,
		Correct: t.Correct + o.Correct, Abstained: t.Abstained + o.Abstained,
	}
}

// wrong returns the first thing that a statement has wrong, "" if it is right.
func (w *Want) wrong(got structure.Statement, observed time.Time) string {
	if got.Ended && got.ValidTo.IsZero() {
		got.ValidTo = observed
	}
	switch {
	case w.Entity != "" && got.Entity != w.Entity && !slices.Contains(w.EntityAlso, got.Entity):
		return fmt.Sprintf("entity %q", got.Entity)
	case len(w.Attribute) > 0 && !slices.Contains(w.Attribute, strings.ToLower(got.Attribute)):
		return fmt.Sprintf("attribute %q", got.Attribute)
	case len(w.Value) > 0 && !slices.ContainsFunc(w.Value, func(v string) bool { return same(v, got.Value) }):
		return fmt.Sprintf("value %q", got.Value)
	case len(w.Layer) > 0 && !slices.Contains(w.Layer, string(got.Layer)):
		return fmt.Sprintf("layer %q", got.Layer)
	case w.Polarity != "" && sign(got.Polarity) != w.Polarity:
		return fmt.Sprintf("polarity %q", sign(got.Polarity))
	case !strings.Contains(got.Reason, w.Reason):
		return fmt.Sprintf("reason %q", got.Reason)
	case w.Closes != nil && !closes(got, *w.Closes):
		return fmt.Sprintf("closes %q", got.Closes)
	case w.Ended && !over(got, observed):
		return "not ended"
	}
	return w.wrongTime(got, observed.Location())
}

// wrongTime is wrong for the times, which are compared in the speaker's offset.
func (w *Want) wrongTime(got structure.Statement, zone *time.Location) string {
	for _, t := range []struct {
		name, want string
		got        time.Time
	}{
		{"starts_at", w.StartsAt, got.StartsAt},
		{"valid_from", w.ValidFrom, got.ValidFrom},
		{"valid_to", w.ValidTo, got.ValidTo},
	} {
		said := ""
		if !t.got.IsZero() {
			said = t.got.In(zone).Format(time.RFC3339)
		}
		if !strings.HasPrefix(said, t.want) {
			return fmt.Sprintf("%s %q", t.name, said)
		}
	}
	return ""
}

func sign(polarity string) string {
	if polarity == "" {
		return "+"
	}
	return polarity
}

func same(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
