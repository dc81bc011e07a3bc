package main

import (
	"fmt"
	"strings"
)

// structureReport is what memory-bench structure found.
type structureReport struct {
	Files  []judgedFile `json:"files"`
	Locomo *bareReport  `json:"locomo,omitempty"`
	Limits []verdict    `json:"limits,omitempty"`
}

// The limits of the structurer, in each language of unseen.jsonl, and in Japanese of
// seen_ja.jsonl.
const (
	minPrecision = 0.97
	minRecall    = 0.75
)

// checkStructure compares what was found with the limits.
func checkStructure(r *structureReport) (out []verdict) {
	for _, f := range r.Files {
		if f.File != unseen && f.File != seenJa {
			continue
		}
		for _, l := range f.Languages {
			out = append(out, atLeast("precision, "+l.Language, l.Precision, minPrecision), atLeast("recall, "+l.Language, l.Recall, minRecall))
		}
	}
	return out
}

func (r *structureReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *structureReport) markdown() string {
	var b strings.Builder
	b.WriteString("| file | language | sentences | stating | statements | right | abstained | precision | recall |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, f := range r.Files {
		for _, l := range f.Languages {
			fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %.3f | %.3f |\n",
				f.File, l.Language, l.Sentences, l.Stating, l.Produced, l.Right, l.Abstained, l.Precision, l.Recall)
		}
	}
	for i := range r.Files {
		r.Files[i].markdown(&b)
	}
	if r.Locomo != nil {
		r.Locomo.markdown(&b)
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}

func (f *judgedFile) markdown(b *strings.Builder) {
	if len(f.Subjects) > 0 {
		fmt.Fprintf(b, "\n| %s: subject | sentences | wrong | missed |\n|---|---:|---:|---:|\n", f.File)
	}
	for _, s := range f.Subjects {
		fmt.Fprintf(b, "| %s | %d | %d | %d |\n", s.Subject, s.Cases, s.Wrong, s.Missed)
	}
	for i, m := range f.Mistakes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s %q: %s (rule %q)\n", m.ID, m.Text, m.Why, m.Rule)
	}
}

func (r *bareReport) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\nLoCoMo: %d turns as bare sentences, %d with a slot, %d supersedes.\n\n| attribute | statements |\n|---|---:|\n",
		r.Turns, r.Statements, len(r.Supersedes))
	for _, a := range r.Attributes {
		fmt.Fprintf(b, "| %s | %d |\n", a.Attribute, a.Statements)
	}
	for i, s := range r.Supersedes {
		fmt.Fprintf(b, "\n%d. %s\n   %s\n   supersedes\n   %s\n", i+1, s.Talk, &s.New, &s.Old)
	}
}
