package main

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/storage/bunt"
	"mcp-memory/vector/file"
)

// vectorsFound is what doctor says of a file of vectors.
type vectorsFound struct {
	Path    string `json:"path"`
	Model   string `json:"model"`
	Vectors int    `json:"vectors"`
	Missing int    `json:"missing"` // records without one; they are made while a server runs
	Orphans int    `json:"orphans"` // of records that are not there or have lost their content
	Damaged int    `json:"damaged"`
}

// tally counts a model's vectors against the records.
type tally struct{ vectors, orphans int }

// checkVectors holds vectors and graphs against the records. They are derived, so
// that nothing about them is worse than a warning.
func checkVectors(ctx context.Context, dir string, d *bunt.Diagnosis) (all []vectorsFound, about []bunt.Finding, err error) {
	tallies := map[string]*tally{}
	files, err := file.Check(ctx, dir, func(model, id string) {
		t := tallies[model]
		if t == nil {
			t = &tally{}
			tallies[model] = t
		}
		t.vectors++
		if _, content, _ := d.Record(id); !content {
			t.orphans++
		}
	})
	if err != nil {
		return nil, nil, err
	}
	var models []string
	for _, f := range files {
		v, found := judgeVectors(f, tallies[f.Model], d)
		all, about = append(all, v), append(about, found...)
		models = append(models, f.Model)
	}
	graphs, err := file.CheckGraphs(dir, models, d.Users())
	for _, g := range graphs {
		about = append(about, judgeGraph(g)...)
	}
	return all, about, err
}

// ofRecords reports whether a model's vectors are those of records.
func ofRecords(model string) bool { return !strings.HasSuffix(model, measures) }

const madeAgain = "nothing: the next server makes them again; --repair removes what is of no use"

func judgeVectors(f file.Found, t *tally, d *bunt.Diagnosis) (v vectorsFound, about []bunt.Finding) {
	add := func(severity bunt.Severity, text, advice string) {
		about = append(about, bunt.Finding{Severity: severity, Path: f.Path, Text: text, Advice: advice})
	}
	v = vectorsFound{Path: f.Path, Model: f.Model, Damaged: f.Damaged}
	if t != nil {
		v.Vectors = t.vectors
	}
	if t != nil && d.Store != nil && ofRecords(f.Model) {
		v.Orphans, v.Missing = t.orphans, max(0, d.Store.Records-(t.vectors-t.orphans))
	}
	switch {
	case f.IsNewer():
		add(bunt.Warning, f.Reason.Error(), "until then recall by meaning makes its vectors anew at each start")
	case f.Reason != nil:
		add(bunt.Warning, f.Reason.Error(), madeAgain)
	}
	if f.Damaged > 0 {
		add(bunt.Warning, count(f.Damaged, "vector")+" damaged", madeAgain)
	}
	if v.Orphans > 0 {
		severity := bunt.Warning
		if d.Holder != "" { // it may know more by now than we have read
			severity = bunt.Note
		}
		add(severity, count(v.Orphans, "vector")+" of records that are not there or were forgotten for good",
			"nothing: the next server removes them, and so does --repair")
	}
	return v, about
}

func judgeGraph(g file.FoundGraph) []bunt.Finding {
	f := bunt.Finding{Path: g.Path, Advice: "nothing: the next server builds it again; --repair removes it"}
	switch {
	case g.Reason != nil:
		f.Severity, f.Text = bunt.Warning, g.Reason.Error()
	case g.User == "":
		f.Severity, f.Text, f.Advice = bunt.Note, "a graph of no user or model that is here", "--repair removes it"
	default:
		return nil
	}
	return []bunt.Finding{f}
}

// mendVectors removes what is of no use: damaged vectors and those of no record,
// graphs that cannot be read or are nobody's. Files of a later program stay.
func mendVectors(ctx context.Context, dir string, d *bunt.Diagnosis) error {
	orphans := map[string]int{}
	files, err := file.Check(ctx, dir, func(model, id string) {
		if _, content, _ := d.Record(id); !content && ofRecords(model) {
			orphans[model]++
		}
	})
	if err != nil {
		return err
	}
	var models []string
	for _, f := range files {
		models = append(models, f.Model)
		if f.IsNewer() || f.Reason == nil && f.Damaged+orphans[f.Model] == 0 {
			continue
		}
		keep := func(id string) bool {
			_, content, _ := d.Record(id)
			return content || !ofRecords(f.Model)
		}
		if err := file.Mend(ctx, f, keep); err != nil {
			return fmt.Errorf("mend %s: %w", f.Path, err)
		}
	}
	return file.MendGraphs(dir, models, d.Users())
}
