package llm

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mcp-memory/internal/lazy"
)

//go:embed prompts/summary.txt
var summaryFile string

var summaryPrompt = MustPrompt(summaryFile)

var summarySchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["sentences"],"properties":{"sentences":{"type":"array","items":` +
	`{"type":"object","additionalProperties":false,"required":["text","lines"],"properties":{"text":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}}}}}}`)

// Remembered is a record as a summary is made of it.
type Remembered struct {
	ID   string
	Text string
	Date string // "2024-05-01"; "" for none
}

// SummaryInput is what is to be summed up, the best first.
type SummaryInput struct {
	Query     string // "" for none
	Lines     []Remembered
	Language  string // code; "": that of the lines
	MaxTokens int    // of the summary, as CountTokens counts; 0: 400
	Trace     string
}

const (
	// summaryTokens is a paragraph of some ten sentences.
	summaryTokens = 400
	// summaryOverhead is what JSON, citations and a model's thoughts take beside.
	summaryOverhead = 2048
)

// Summarise lets a model sum up records, each sentence with the ids of those it
// rests on: "The user lives in Oslo. [01J…]". ids are those that are cited. What
// cites nothing or what it was not given, or holds a number that none of its lines
// holds, makes the whole an error, as does a summary over its length: the caller then
// renders one without a model.
func Summarise(ctx context.Context, c Caller, in SummaryInput) (text string, ids []string, calls []Call, err error) {
	if len(in.Lines) == 0 {
		return "", nil, nil, nil
	}
	if in.MaxTokens <= 0 {
		in.MaxTokens = summaryTokens
	}
	r := Request{Role: Summary, Schema: summarySchema, Name: "summary", MaxTokens: in.MaxTokens + summaryOverhead, Trace: in.Trace}
	err = summaryPrompt.Fill(&r, map[string]any{
		"Query": oneLine(unframed(in.Query)), "Language": in.Language, "MaxTokens": in.MaxTokens, "Memories": Data("memories", numbered(in.Lines)),
	})
	if err != nil {
		return "", nil, nil, err
	}
	answer, calls, err := Structured(ctx, c, r, func(a *summaryAnswer) error { return a.check(&in) })
	if err != nil {
		return "", nil, calls, err
	}
	text, ids = answer.render(in.Lines)
	return text, ids, calls, nil
}

func numbered(lines []Remembered) string {
	var b strings.Builder
	for i, l := range lines {
		date := ""
		if l.Date != "" {
			date = " (" + l.Date + ")"
		}
		fmt.Fprintf(&b, "%d%s. %s\n", i+1, date, oneLine(l.Text))
	}
	return strings.TrimRight(b.String(), "\n")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// summaryAnswer is a model's summary.
type summaryAnswer struct {
	Sentences *[]struct {
		Text  string `json:"text"`
		Lines []int  `json:"lines"` // from 1
	} `json:"sentences"`
}

// check refuses a summary that is not made of the lines.
func (a *summaryAnswer) check(in *SummaryInput) error {
	if a.Sentences == nil {
		return fmt.Errorf(`"sentences" is missing`)
	}
	length := 0
	for i := range *a.Sentences {
		s := &(*a.Sentences)[i]
		s.Text = oneLine(cleanText(s.Text))
		if err := checkSentence(s.Text, s.Lines, in.Lines); err != nil {
			return fmt.Errorf("sentence %d: %w", i+1, err)
		}
		length += CountTokens(s.Text)
	}
	if length > in.MaxTokens {
		return fmt.Errorf("it has about %d tokens; at most %d were asked for", length, in.MaxTokens)
	}
	return nil
}

func checkSentence(text string, cited []int, lines []Remembered) error {
	switch {
	case text == "":
		return fmt.Errorf("is empty")
	case IsRefusal(text):
		return fmt.Errorf("is not about the lines")
	case len(cited) == 0:
		return fmt.Errorf("cites no line")
	}
	known := map[string]bool{}
	for _, n := range cited {
		if n < 1 || n > len(lines) {
			return fmt.Errorf("cites line %d; there are lines 1 to %d", n, len(lines))
		}
		for _, number := range numbers(lines[n-1].Text + " " + lines[n-1].Date) {
			known[number] = true
		}
	}
	for _, number := range numbers(text) {
		if !known[number] {
			return fmt.Errorf("holds a number that no line it cites holds")
		}
	}
	return nil
}

var digits = lazy.MustCompile(`\d+`)

// numbers returns the numbers of a text, digit by digit, without leading zeros: a
// date may be written anew.
func numbers(s string) []string {
	found := digits.FindAllString(strings.Map(asciiDigit, s), -1)
	for i := range found {
		found[i] = strings.TrimLeft(found[i], "0")
	}
	return found
}

// asciiDigit brings full-width digits to ASCII.
func asciiDigit(r rune) rune {
	if r >= '０' && r <= '９' {
		return r - '０' + '0'
	}
	return r
}

// render writes the sentences with the ids they cite.
func (a *summaryAnswer) render(lines []Remembered) (text string, ids []string) {
	var b strings.Builder
	for _, s := range *a.Sentences {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimRightFunc(s.Text, unicode.IsSpace))
		slices.Sort(s.Lines)
		for _, n := range slices.Compact(s.Lines) {
			id := lines[n-1].ID
			b.WriteString(" [" + id + "]")
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return b.String(), ids
}
