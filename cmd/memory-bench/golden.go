package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
)

// goldenKey names a question: its conversation, and its place there.
type goldenKey struct {
	talk  string
	index int
}

// goldenTies is how much scores may differ and still be one: the file has four
// decimals.
const goldenTies = 0.0005

// readGolden reads the first places that the reference program gives: one JSON
// object a line, {"conv", "qa_index", "top": [[id, score], …]}. Places of score
// 0 are dropped: the reference fills up with them.
func readGolden(path string) (map[goldenKey][]hit, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the golden rankings (--golden): %w", err)
	}
	out := map[goldenKey][]hit{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		var line struct {
			Talk  string     `json:"conv"`
			Index int        `json:"qa_index"`
			Top   []goldenAt `json:"top"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("read the golden rankings: %s line %d: %w", path, n, err)
		}
		out[goldenKey{line.Talk, line.Index}] = scored(line.Top)
	}
	return out, lines.Err()
}

// goldenAt is a place of a golden ranking: [id, score].
type goldenAt hit

// UnmarshalJSON reads the pair.
func (g *goldenAt) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&g.ID, &g.Score})
}

func scored(places []goldenAt) (out []hit) {
	for _, p := range places {
		if p.Score > 0 {
			out = append(out, hit(p))
		}
	}
	return out
}

// agree reports whether two rankings have the same ids in the same order, save
// that turns of equal score may change places: among themselves, and at the end
// with others of that score which the cut left out.
func agree(got, want []hit) bool {
	if len(got) != len(want) {
		return false
	}
	for from := 0; from < len(want); {
		to := from + 1
		for to < len(want) && same(want[from].Score, want[to].Score) {
			to++
		}
		missing := map[string]bool{}
		for _, w := range want[from:to] {
			missing[w.ID] = true
		}
		for _, g := range got[from:to] {
			if !missing[g.ID] && (to < len(want) || !same(g.Score, want[from].Score)) {
				return false
			}
		}
		from = to
	}
	return true
}

func same(a, b float64) bool { return math.Abs(a-b) <= goldenTies }

// goldenFigures tell how far recall agrees with the reference.
type goldenFigures struct {
	Compared int          `json:"compared"`
	Agree    int          `json:"agree"`
	Others   []difference `json:"others,omitempty"`
}

// difference is a question whose ranking is another than the reference's.
type difference struct {
	Talk     string   `json:"talk"`
	Index    int      `json:"index"`
	Question string   `json:"question"`
	Got      []string `json:"got"`
	Want     []string `json:"want"`
}

// compare adds a question that the reference has.
func (g *goldenFigures) compare(t *talk, p *probe, got, want []hit) {
	g.Compared++
	if agree(got, want) {
		g.Agree++
		return
	}
	g.Others = append(g.Others, difference{t.ID, p.Index, p.Question, written(got), written(want)})
}

// written renders places as "D1:3 9.5278".
func written(hits []hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = fmt.Sprintf("%s %.4f", h.ID, h.Score)
	}
	return out
}

func (d *difference) String() string {
	return fmt.Sprintf("%s question %d: %s\n    got  %s\n    want %s", d.Talk, d.Index, d.Question,
		strings.Join(d.Got, ", "), strings.Join(d.Want, ", "))
}
