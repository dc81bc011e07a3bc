package conversation_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
)

func TestTalk_LeadTellsOfWhomASentenceMaySpeak(t *testing.T) {
	turns := []conversation.Turn{
		{Role: conversation.User, Content: "母が退院しました。"},
		{Role: conversation.Assistant, Content: "よかったですね。お母様のお仕事は何ですか？"},
		{Role: conversation.User, Content: "看護師です。広島にいます。"},
	}
	talk := conversation.Read(turns, conversation.Options{})
	want := map[string]string{
		"母が退院しました。": "",
		"看護師です。":    "母が退院しました。\nお母様のお仕事は何ですか？\n",
		"広島にいます。":   "母が退院しました。\nお母様のお仕事は何ですか？\n看護師です。",
	}
	for i := range talk.Sentences {
		s := &talk.Sentences[i]
		if s.Speaker != conversation.User {
			continue
		}
		if got := talk.Lead(s); got != want[s.Text] {
			t.Errorf("before %q stands %q, want %q", s.Text, got, want[s.Text])
		}
	}
}

func TestTalk_LeadIsBounded(t *testing.T) {
	talk := conversation.Read([]conversation.Turn{{Role: conversation.User, Content: strings.Repeat("雨です。", 200) + "晴れです。"}}, conversation.Options{})
	lead := talk.Lead(&talk.Sentences[len(talk.Sentences)-1])
	if len(lead) > 400 || len(lead) < 390 || strings.ContainsRune(lead, '\uFFFD') {
		t.Errorf("%d bytes: %q", len(lead), lead)
	}
}
