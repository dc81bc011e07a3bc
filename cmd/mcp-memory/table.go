package main

import (
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// table is rows of cells that are printed in aligned columns. Width is counted
// in terminal cells, of which a Han character takes two; painted cells are
// measured before they are painted.
type table struct {
	rows [][]cell
}

// cell is a word and how it is painted.
type cell struct {
	text  string
	paint func(string) string // nil: plain
}

func (c cell) String() string {
	if c.paint == nil {
		return c.text
	}
	return c.paint(c.text)
}

func (t *table) add(cells ...cell) { t.rows = append(t.rows, cells) }

// print writes the rows, each column but a row's last padded to its widest
// cell and two blanks.
func (t *table) print(w io.Writer) error {
	widths := t.widths()
	var b strings.Builder
	for _, row := range t.rows {
		for i, c := range row {
			b.WriteString(c.String())
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-uniseg.StringWidth(c.text)+2))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row[:max(len(row)-1, 0)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(c.text))
		}
	}
	return widths
}
