package worth_test

import (
	"slices"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

func TestJudge_LanguagesWithoutRulesByMeaning(t *testing.T) {
	for said, want := range map[string]storage.Layer{
		"Ich wohne seit einem Jahr in Kiel und arbeite dort im Hafen.": storage.Identity,
		"Ich hasse Rosinen, bitte nie wieder Rezepte mit Rosinen.":     storage.Preference,
		"Nächsten Freitag um neun habe ich eine Prüfung in Chemie.":    storage.Activity,
		"Je m'appelle Odile et je suis professeure à Nantes.":          storage.Identity,
		"Me llamo Pilar y vivo en Gijón con mis dos hijos.":            storage.Identity,
		"Я живу в Перми и работаю учителем.":                           storage.Identity,
		"저는 대전에 살고 간호사로 일해요.":                                          storage.Identity,

		"Der Inn entspringt in der Schweiz und mündet in die Donau.": "",
		"Wenn ich in Wien leben würde, ginge ich in die Oper.":       "",
		"Erklär mir den Satz des Thales.":                            "",
		"Je reprends la deuxième version, elle est mieux.":           "",
		"Я очень устал и хочу спать.":                                "",
	} {
		j := judgeMeant(t, nil, said)
		sure := j.Turns[0].Score >= worth.Sure
		switch {
		case want == "" && sure:
			t.Errorf("%q is kept: %s", said, j.Turns[0].Why)
		case want != "" && (!sure || j.Turns[0].Scores.Of(want) < j.Limits.Any):
			t.Errorf("%q is %d: %s; want %s", said, j.Turns[0].Score, j.Turns[0].Why, want)
		case want != "" && (j.ByMeaning(0) == "" || j.Sentences[0].Meant == 0):
			t.Errorf("%q does not say that it is told by meaning", said)
		}
	}
}

func TestJudge_LanguagesWithoutRulesNeedVectors(t *testing.T) {
	talk := conversation.Read([]conversation.Turn{{Role: conversation.User, Content: "Ich wohne seit einem Jahr in Kiel."}}, conversation.Options{})
	if j := worth.Judge(talk, worth.Options{}); j.Turns[0].Score >= worth.Likely {
		t.Errorf("judged %d without vectors: %s", j.Turns[0].Score, j.Turns[0].Why)
	}
}

func TestForeign_RoundTrip(t *testing.T) {
	f := &worth.Foreign{Model: "m", Bias: worth.Scores{-1.25, 0, 1, 2, 3}, Vector: []worth.Scores{{0.5, 0, 0, 0, -0.001}}}
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := worth.DecodeForeign(b)
	if err != nil || got.Model != f.Model || got.Bias != f.Bias || !slices.Equal(got.Vector, f.Vector) {
		t.Errorf("read back %+v, %v", got, err)
	}
	if _, err := worth.DecodeForeign([]byte("[")); err == nil {
		t.Error("half a file is read without an error")
	}
}
