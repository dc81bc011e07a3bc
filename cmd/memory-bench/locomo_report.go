package main

import (
	"fmt"
	"strings"
)

// locomoReport is what memory-bench locomo found.
type locomoReport struct {
	Conversations int            `json:"conversations"`
	Turns         int            `json:"turns"`
	Questions     int            `json:"questions"`
	Model         string         `json:"model,omitempty"` // of the vectors
	Rankers       []rankerReport `json:"rankers"`         // recall with min_score 0, with the default floor, plain BM25; with vectors also those alone, and words alone
	Golden        goldenFigures  `json:"golden"`
	Floor         floorFigures   `json:"floor"`
	WordsFloor    *floorFigures  `json:"words_floor,omitempty"` // the same without vectors
	Limits        []verdict      `json:"limits,omitempty"`

	verbose bool // show what differs from the golden rankings
}

// floorFigures tell what the default floor keeps out and what it costs.
// Questions are answerable in categories 1 to 4.
type floorFigures struct {
	Nonsense         int `json:"nonsense"`          // nonsense questions asked, over all conversations
	NonsenseAnswered int `json:"nonsense_answered"` // that got any match
	Answerable       int `json:"answerable"`
	FoundOpen        int `json:"found_open"`    // evidence among the first ten with min_score 0
	FoundDefault     int `json:"found_default"` // and with the default floor
	Silenced         int `json:"silenced"`      // found with min_score 0, and nothing at all by default
	Empty            int `json:"empty"`         // nothing at all by default
}

// answerable counts a question that has an answer.
func (f *floorFigures) answerable(open, shown, empty bool) {
	f.Answerable++
	f.FoundOpen += int(share(open))
	f.FoundDefault += int(share(shown))
	f.Silenced += int(share(open && empty))
	f.Empty += int(share(empty))
}

func (r *locomoReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *locomoReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "LoCoMo: %d conversations, %d turns, %d questions with evidence.\n", r.Conversations, r.Turns, r.Questions)
	b.WriteString("\nTurns: NDCG@10 / R@10 / hit@1\n\n")
	r.table(&b, len(r.Rankers[0].Turns), func(k rankerReport, i int) (string, int, string) {
		row := k.Turns[i]
		return row.Of, row.Questions, fmt.Sprintf("%.4f / %.3f / %.3f", row.NDCG, row.R, row.Hit1)
	})
	b.WriteString("\nSessions: hit@1 / hit@5 / all@5 / MRR\n\n")
	r.table(&b, len(r.Rankers[0].Sessions), func(k rankerReport, i int) (string, int, string) {
		row := k.Sessions[i]
		return row.Of, row.Questions, fmt.Sprintf("%.3f / %.3f / %.3f / %.3f", row.Hit1, row.Hit5, row.All5, row.MRR)
	})
	r.Floor.markdown(&b, "recall")
	if r.WordsFloor != nil {
		r.WordsFloor.markdown(&b, "words alone")
	}
	r.golden(&b)
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}

// table has a column for each ranker and a row for each choice of questions.
func (r *locomoReport) table(b *strings.Builder, rows int, cell func(k rankerReport, row int) (of string, questions int, figures string)) {
	b.WriteString("| | questions |")
	for _, k := range r.Rankers {
		fmt.Fprintf(b, " %s |", k.Name)
	}
	b.WriteString("\n|---|---:|" + strings.Repeat("---|", len(r.Rankers)) + "\n")
	for i := range rows {
		of, questions, _ := cell(r.Rankers[0], i)
		fmt.Fprintf(b, "| %s | %d |", of, questions)
		for _, k := range r.Rankers {
			_, _, figures := cell(k, i)
			fmt.Fprintf(b, " %s |", figures)
		}
		b.WriteString("\n")
	}
}

func (f *floorFigures) markdown(b *strings.Builder, of string) {
	fmt.Fprintf(b, "\n| default floor, %s | | |\n|---|---:|---:|\n", of)
	row := func(of string, part, whole int) {
		fmt.Fprintf(b, "| %s | %d of %d | %s |\n", of, part, whole, percent(part, whole))
	}
	row("nonsense questions that get a match", f.NonsenseAnswered, f.Nonsense)
	row("questions of categories 1–4, evidence in the first ten, min_score 0", f.FoundOpen, f.Answerable)
	row("the same with the default floor", f.FoundDefault, f.Answerable)
	row("questions of categories 1–4 that get nothing", f.Empty, f.Answerable)
	row("of those whose evidence min_score 0 finds, get nothing", f.Silenced, f.FoundOpen)
}

func (r *locomoReport) golden(b *strings.Builder) {
	g := &r.Golden
	if g.Compared == 0 {
		return
	}
	fmt.Fprintf(b, "\nGolden rankings: %d of %d agree (%s).\n", g.Agree, g.Compared, percent(g.Agree, g.Compared))
	if !r.verbose {
		return
	}
	for i := range g.Others {
		fmt.Fprintf(b, "  %s\n", &g.Others[i])
	}
}

// ratio is a part of a whole; of nothing it is 0.
func ratio(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }

func percent(part, whole int) string { return fmt.Sprintf("%.1f %%", 100*ratio(part, whole)) }
