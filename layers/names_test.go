package layers

import (
	"slices"
	"testing"

	"mcp-memory/internal/text"
)

func TestNamesIn(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"My goal is to run the Bialowieza marathon.", []string{"bialowieza"}},
		{"Merk dir: ich heiße Grünspahn.", []string{"grunspahn"}},
		{"Merk dir: Mein Hund heißt Rex-Möhrchen.", []string{"hund", "mohrchen"}},
		{"Запомни: меня зовут Евпраксий.", []string{"евпраксий"}},
		{"The report is due on Monday. Then I rest.", nil},
		{"Remember B7X9 and 52110, not 2027.", []string{"b7x9", "52110"}},
		{"REMEMBER THAT THE DOG IS ILL", nil},
		{"记住，我想学古琴。", nil},
		{"I'm learning to weave.", nil},
		{"", nil},
	} {
		want := slices.Clone(c.want)
		for i := range want {
			want[i] = text.Fold(want[i])
		}
		if got := namesIn(c.text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.text, got, want)
		}
	}
}

// A name is written as one: what it also means in small letters is another thing.
func TestNames_AreWrittenAsSuch(t *testing.T) {
	all := names{}
	for _, name := range namesIn("I use Visual Studio Code, says Grünspahn of room B7X9.") {
		all[name] = true
	}
	for text, want := range map[string]bool{
		"I write code all day.": false, "The studio is cold.": false,
		"My Code is slow.": true, "GRÜNSPAHN!": true, "Is it Grünspahns?": true, "is grünspahn well?": true, "Is b7x9 free?": true,
	} {
		if got := all.of(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func FuzzNames_AreFoundWhereTheyStand(f *testing.F) {
	f.Add("My goal is to run the Bialowieza marathon.", "Bialowieza?")
	f.Add("Merk dir: Mein Hund heißt Möhrchen.", "Möhrchens Napf")
	f.Add("x\xff9999", "\n’")
	f.Fuzz(func(t *testing.T, said, other string) {
		all := names{}
		for _, name := range namesIn(said) {
			all[name] = true
		}
		_ = all.of(other) // any bytes are taken
		if len(all) > 0 && !all.of(said) {
			t.Errorf("%q: none of %v is found", said, all)
		}
	})
}
