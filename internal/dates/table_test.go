package dates

import (
	"strings"
	"testing"
)

func TestExpand_GivesAllPlainForms(t *testing.T) {
	forms, err := expand("[the] (end|start) of <unit>|月底", shared())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, form := range forms {
		var words []string
		for _, s := range form {
			words = append(words, s.literal+s.class)
		}
		got = append(got, strings.Join(words, " "))
	}
	want := "the end of unit|the start of unit|end of unit|start of unit|月 底"
	if strings.Join(got, "|") != want {
		t.Errorf("expand = %q, want %q", got, want)
	}
}

func TestLine_RefusesWhatItDoesNotKnow(t *testing.T) {
	for _, e := range []struct{ section, line string }{
		{"rules", "(today => calendar day 0"},
		{"rules", "today) => calendar day 0"},
		{"rules", "<unit => calendar 0"},
		{"rules", "<nothing> => calendar 0"},
		{"rules", "[today] => calendar day 0"},
		{"rules", "today => guess"},
		{"rules", "today => calendar day zero"},
		{"rules", "today => calendar @never"},
		{"rules", "today =>"},
		{"clock", "noon => pm"},
		{"before", "since => whenever"},
		{"part after", "底 => bottom"},
		{"cues", "will => maybe"},
		{"elsewhere", "will => future"},
		{"fold", "個个"},
		{"not before", "上 早"},
		{"unit", "day is day"},
		{"unit", "day = dies"},
		{"unit", "day = week*x"},
		{"", "day = day"},
	} {
		b, err := load()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.line(e.section, e.line, 1); err == nil {
			t.Errorf("line %q in section %q was taken", e.line, e.section)
		}
	}
}
