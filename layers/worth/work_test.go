package worth_test

import (
	"context"
	"slices"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin"
)

// judgeMeant judges what a user says with the built-in embedder.
func judgeMeant(t *testing.T, before []string, contents ...string) *worth.Judgement {
	t.Helper()
	e, err := builtin.New(builtin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := func(contents []string) (turns []conversation.Turn) {
		for _, c := range contents {
			turns = append(turns, conversation.Turn{Role: conversation.User, Content: c})
		}
		return turns
	}
	return worth.Judge(conversation.Read(said(contents), conversation.Options{Before: said(before)}), worth.Options{
		Model: e.Model(), Embed: func(texts []string) ([][]float32, error) { return e.Embed(context.Background(), embed.Passage, texts) },
	})
}

func settled(j *worth.Judgement) (out []bool) {
	for i := range j.Sentences {
		out = append(out, j.Sentences[i].Settled)
	}
	return out
}

func TestJudge_AtWorkLessIsNeeded(t *testing.T) {
	const plain, vague = "Max 50 guests, the fire officer won't allow more in the barn.", "The sound check is Lea's job."
	for name, c := range map[string]struct {
		before, said []string
		want         []bool
	}{
		"plainly":                {nil, []string{plain}, []bool{true}},
		"beside what is plain":   {nil, []string{plain, vague}, []bool{true, true}},
		"after what was plain":   {[]string{plain}, []string{vague}, []bool{true}},
		"the log of the moment":  {[]string{plain}, []string{"It printed 404 again, line 42 crashes."}, []bool{false}},
		"a thought":              {[]string{plain}, []string{"Maybe the sound check is Lea's job."}, []bool{false}},
		"about the weather":      {nil, []string{"The sea was calm and we walked to the lighthouse."}, []bool{false}},
		"an exercise, no matter": {nil, []string{"Water boils at 100 degrees."}, []bool{false}},
	} {
		if got := settled(judgeMeant(t, c.before, c.said...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: settled %v, want %v", name, got, c.want)
		}
	}
}

func TestJudge_KnownToBeAtWork(t *testing.T) {
	talk := conversation.Read([]conversation.Turn{
		{Role: conversation.User, Content: "我决定用感应水龙头代替旋钮水龙头。"},
		{Role: conversation.User, Content: "The sea was calm and we walked to the lighthouse."},
	}, conversation.Options{})
	for working, want := range map[bool][]bool{false: {false, false}, true: {true, false}} {
		e, err := builtin.New(builtin.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := settled(worth.Judge(talk, worth.Options{Working: working, Model: e.Model(), Embed: func(texts []string) ([][]float32, error) {
			return e.Embed(context.Background(), embed.Passage, texts)
		}}))
		if !slices.Equal(got, want) {
			t.Errorf("known to be at work %v: settled %v, want %v", working, got, want)
		}
	}
}

func TestHead_RoundTrip(t *testing.T) {
	h := &worth.Head{Model: "m", Bias: -1.25, Cues: []float64{0.5, 0}, Vector: []float64{3.125, -0.001}}
	b, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := worth.DecodeHead(b)
	if err != nil || got.Model != h.Model || got.Bias != h.Bias || !slices.Equal(got.Cues, h.Cues) || !slices.Equal(got.Vector, h.Vector) {
		t.Errorf("read back %+v, %v", got, err)
	}
	if _, err := worth.DecodeHead([]byte("{")); err == nil {
		t.Error("half a file is read without an error")
	}
}
