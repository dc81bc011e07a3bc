package main

import (
	"fmt"
	"strings"
)

// seedReport is what memory-bench seed found, and by which rules.
type seedReport struct {
	Embedder string    `json:"embedder"`
	Recent   int       `json:"recent"`
	Top      int       `json:"top"`
	Tokens   int       `json:"tokens"`
	Model    string    `json:"model,omitempty"` // that summed up for B and answered
	Rows     []seedRow `json:"rows"`
	Limits   []verdict `json:"limits,omitempty"`
}

// seedRow is a scheme on a scenario.
type seedRow struct {
	Scenario      string  `json:"scenario"`
	Language      string  `json:"language"`
	Scheme        string  `json:"scheme"`
	Turns         int     `json:"turns"` // and paragraphs
	Questions     int     `json:"questions"`
	Kept          int     `json:"kept"`     // the words of the answer are in the memory
	Answered      int     `json:"answered"` // they are in what is given
	Outdated      int     `json:"outdated"` // given with what held before
	Share         float64 `json:"share"`
	TokensGiven   float64 `json:"tokens_given"` // a question
	PerThousand   float64 `json:"per_thousand"` // answers by 1,000 tokens given
	Calls         int     `json:"calls"`        // of models, made for the memory
	WouldCall     int     `json:"would_call"`   // with models in place of rules
	ModelAnswered int     `json:"model_answered,omitempty"`

	tokens int
}

func (r seedRow) finish() seedRow {
	r.Share = ratio(r.Answered, r.Questions)
	r.TokensGiven = ratio(r.tokens, r.Questions)
	r.PerThousand = 1000 * ratio(r.Answered, r.tokens)
	return r
}

func (r *seedReport) verdicts() []verdict { return r.Limits }

// row is that of a scheme on a scenario; the zero one if there is none.
func (r *seedReport) row(scenario, language, scheme string) (out seedRow) {
	for _, row := range r.Rows {
		if row.Scenario == scenario && row.Language == language && row.Scheme == scheme {
			out = row
		}
	}
	return out
}

// best is the better of A and B on a scenario.
func (r *seedReport) best(scenario, language string) seedRow {
	a, b := r.row(scenario, language, "A"), r.row(scenario, language, "B")
	if b.PerThousand > a.PerThousand {
		return b
	}
	return a
}

// reasons say where C does not lead, and why: what is not kept cannot be given, and
// what is kept may not be found or take more tokens.
func (r *seedReport) reasons(b *strings.Builder) {
	for _, c := range r.Rows {
		best := r.best(c.Scenario, c.Language)
		if c.Scheme != "C" || c.PerThousand > best.PerThousand {
			continue
		}
		fmt.Fprintf(b, "\n%s, %s: C gives %.2f answers by 1,000 tokens, %s %.2f. Of %d answers extract kept %d, of which recall gave %d; C takes %.0f tokens a question, %s %.0f.\n",
			c.Scenario, c.Language, c.PerThousand, best.Scheme, best.PerThousand, c.Questions, c.Kept, c.Answered, c.TokensGiven, best.Scheme, best.TokensGiven)
	}
}

// markdown renders the report as a table.
func (r *seedReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Every scheme gives the last %d turns and at most %d memories in %d tokens. Vectors by %s.\n\n", r.Recent, r.Top, r.Tokens, r.Embedder)
	head, rule := "", ""
	if r.Model != "" {
		head, rule = fmt.Sprintf(" answered by %s |", r.Model), "---:|"
	}
	b.WriteString("| scenario | | scheme | turns | questions | kept | answered | share | outdated given too | tokens a question | answers by 1,000 tokens | calls of models | with models for rules |" + head + "\n" +
		"|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|" + rule + "\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d | %d | %.2f | %d | %.0f | %.2f | %d | %d |", row.Scenario, row.Language, row.Scheme,
			row.Turns, row.Questions, row.Kept, row.Answered, row.Share, row.Outdated, row.TokensGiven, row.PerThousand, row.Calls, row.WouldCall)
		if r.Model != "" {
			fmt.Fprintf(&b, " %d |", row.ModelAnswered)
		}
		b.WriteString("\n")
	}
	r.reasons(&b)
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
