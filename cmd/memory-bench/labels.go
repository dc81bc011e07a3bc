package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"mcp-memory/layers/structure"
	"mcp-memory/layers/structure/judge"
)

// unseen is the file of sentences that nobody who writes rules may look at.
const unseen = "unseen.jsonl"

// seenJa are the sentences of Japanese, of which there are none unseen.
const seenJa = "seen_ja.jsonl"

// labelFile is a file of labelled sentences. Hidden: its sentences are shown
// to nobody.
type labelFile struct {
	path   string
	hidden bool
}

// labelFiles returns the files that were named, or those of the checkout. The
// sentences of unseen.jsonl are shown only to who names it.
func labelFiles(named []string) []labelFile {
	if len(named) == 0 {
		dir := filepath.Join("layers", "structure", "testdata")
		return []labelFile{{path: filepath.Join(dir, "seen.jsonl")}, {path: filepath.Join(dir, seenJa)}, {filepath.Join(dir, unseen), true}}
	}
	out := make([]labelFile, len(named))
	for i, path := range named {
		out[i].path = path
	}
	return out
}

// judgedFile is how the structurer did on a file.
type judgedFile struct {
	File      string           `json:"file"`
	Languages []languageRow    `json:"languages"`
	Subjects  []subjectRow     `json:"subjects"`           // where anything was wrong or missed
	Mistakes  []judgedSentence `json:"mistakes,omitempty"` // where sentences may be shown
}

// languageRow is how it did on a language. Precision is Right of Produced,
// Recall is Right of Stating.
type languageRow struct {
	Language  string  `json:"language"`
	Sentences int     `json:"sentences"`
	Stating   int     `json:"stating"` // sentences that state something
	Produced  int     `json:"produced"`
	Right     int     `json:"right"`
	Abstained int     `json:"abstained"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

// subjectRow counts what was wrong, and what was missed, of a subject.
type subjectRow struct {
	Subject string `json:"subject"`
	Cases   int    `json:"cases"`
	Wrong   int    `json:"wrong"`
	Missed  int    `json:"missed"`
}

// judgedSentence is a sentence that was read wrong or missed.
type judgedSentence struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Why  string `json:"why"`
	Rule string `json:"rule"`
}

// judgeLabels runs the structurer on a file.
func judgeLabels(file labelFile, verbose bool) (out judgedFile, err error) {
	b, err := os.ReadFile(file.path)
	if err != nil {
		return out, fmt.Errorf("read labelled sentences (--labels): %w", err)
	}
	cases, err := judge.Read(bytes.NewReader(b))
	if err != nil {
		return out, fmt.Errorf("%s: %w", file.path, err)
	}
	report := judge.Run(cases, structure.Parse)
	out = judgedFile{File: filepath.Base(file.path), Subjects: subjects(&report)}
	for _, language := range slices.Sorted(maps.Keys(report.ByLang)) {
		out.Languages = append(out.Languages, rowOf(language, report.ByLang[language]))
	}
	if verbose && !file.hidden {
		for _, m := range report.Mistakes {
			out.Mistakes = append(out.Mistakes, judgedSentence{m.Case.ID, m.Case.Text, m.Why, m.Got.Rule})
		}
	}
	return out, nil
}

func rowOf(language string, t judge.Tally) languageRow {
	return languageRow{language, t.Cases, t.Positives, t.Produced, t.Correct, t.Abstained, t.Precision(), t.Recall()}
}

// subjects counts the mistakes by what the sentences are about, the most first.
func subjects(report *judge.Report) []subjectRow {
	rows := map[string]*subjectRow{}
	for _, m := range report.Mistakes {
		row := rows[m.Case.Note]
		if row == nil {
			row = &subjectRow{Subject: m.Case.Note, Cases: report.ByNote[m.Case.Note].Cases}
			rows[m.Case.Note] = row
		}
		if m.Missed {
			row.Missed++
		} else {
			row.Wrong++
		}
	}
	var out []subjectRow
	for _, row := range rows {
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b subjectRow) int {
		return cmp.Or(cmp.Compare(b.Wrong, a.Wrong), cmp.Compare(b.Missed, a.Missed), cmp.Compare(a.Subject, b.Subject))
	})
	return out
}
