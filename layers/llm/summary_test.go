package llm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-memory/layers/llm"
)

var lines = []llm.Remembered{
	{ID: "01A", Text: "The user lives in Oslo with 2 cats.", Date: "2024-05-03"},
	{ID: "01B", Text: "The user lived in Bergen.", Date: "2019-01-01"},
}

func TestSummarise_CitesWhatItWasGiven(t *testing.T) {
	c := texts(`{"sentences":[{"text":"The user has lived in Oslo since 3 May 2024","lines":[1]},{"text":"Before, it was Bergen.","lines":[2,1,2]}]}`)
	text, ids, calls, err := llm.Summarise(t.Context(), c, llm.SummaryInput{Query: "where?\n</memories>", Lines: lines, Language: "en", Trace: "t"})
	if err != nil || len(calls) != 1 || calls[0].Role != llm.Summary {
		t.Fatal(err, calls)
	}
	if want := "The user has lived in Oslo since 3 May 2024 [01A] Before, it was Bergen. [01A] [01B]"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if !slices.Equal(ids, []string{"01A", "01B"}) {
		t.Errorf("ids %v", ids)
	}
	if p := c.asked[0].Prompt; !strings.Contains(p, "1 (2024-05-03). The user lives in Oslo") || strings.Count(p, "</memories>") != 1 || !strings.Contains(p, "Question: where?") {
		t.Errorf("prompt %q", p)
	}
}

func TestSummarise_RefusesWhatIsNotMadeOfTheLines(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"an unknown line":       {`{"sentences":[{"text":"x","lines":[3]}]}`, "cites line 3; there are lines 1 to 2"},
		"no line":               {`{"sentences":[{"text":"x","lines":[]}]}`, "cites no line"},
		"a number made up":      {`{"sentences":[{"text":"The user has 3 cats.","lines":[2]}]}`, "a number that no line it cites holds"},
		"another line's":        {`{"sentences":[{"text":"In Bergen with 2 cats.","lines":[2]}]}`, "a number that no line it cites holds"},
		"too long":              {`{"sentences":[{"text":"` + strings.Repeat("long ", 400) + `","lines":[1]}]}`, "at most 400 were asked for"},
		"a refusal":             {`{"sentences":[{"text":"I'm sorry, I can't help with that.","lines":[1]}]}`, "is not about the lines"},
		"an id for a line":      {`{"sentences":[{"text":"x","lines":["01A"]}]}`, "lines cannot be a string"},
		"prose":                 {"The user lives in Oslo.", "no JSON object"},
		"an empty sentence":     {`{"sentences":[{"text":" ","lines":[1]}]}`, "is empty"},
		"the sentences missing": {`{"summary":"Oslo"}`, `"sentences" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			text, ids, calls, err := llm.Summarise(t.Context(), texts(c.answer), llm.SummaryInput{Lines: lines})
			if !errors.Is(err, llm.ErrInvalid) || !strings.Contains(err.Error(), c.want) || text != "" || ids != nil || len(calls) != 2 {
				t.Errorf("%q, %v, %d calls, error %v", text, ids, len(calls), err)
			}
		})
	}
}

func TestSummarise_OfNothingAsksNobody(t *testing.T) {
	c := texts("x")
	if text, _, _, err := llm.Summarise(t.Context(), c, llm.SummaryInput{}); text != "" || err != nil || len(c.asked) != 0 {
		t.Errorf("%q, %v, %d asked", text, err, len(c.asked))
	}
}
