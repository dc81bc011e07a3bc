package main

import (
	"strings"
	"testing"
)

func TestTable_AlignsWideCharactersAndPaintedCells(t *testing.T) {
	var tab table
	tab.add(cell{text: "小林"}, cell{"a", palette{colour: true}.green}, cell{text: "last"})
	tab.add(cell{text: "Ada"}, cell{text: "bb"}, cell{text: "x"})
	tab.add(cell{text: "alone, and longer than any first column"})
	var out strings.Builder
	if err := tab.print(&out); err != nil {
		t.Fatal(err)
	}
	want := "小林  \x1b[32ma\x1b[0m   last\nAda   bb  x\nalone, and longer than any first column\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

func TestOneLine_LeavesNothingThatMovesTheCursor(t *testing.T) {
	if got, want := oneLine("a\x1b[2Jb\r\nc\u009bd\t"), "a [2Jb c d"; got != want {
		t.Errorf("one line = %q, want %q", got, want)
	}
}
