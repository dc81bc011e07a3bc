package conversation_test

import (
	"testing"

	"mcp-memory/layers/conversation"
)

func TestWithoutRequest(t *testing.T) {
	for text, want := range map[string]string{
		"Remember that I hate olives.":         "I hate olives.",
		"Hey, remember that I hate olives.":    "I hate olives.",
		"Could you note that I hate olives?":   "I hate olives?",
		"By the way, I hate olives.":           "I hate olives.",
		"请帮我记住，我不吃香菜。":                         "我不吃香菜。",
		"覚えておいて、パクチーは苦手です。":                    "パクチーは苦手です。",
		"京都に住んでいることを覚えておいてください。":               "京都に住んでいる",
		"メモしておいてください。":                         "メモしておいてください。",
		"I can't remember whether I ate there": "I can't remember whether I ate there",
	} {
		if got := conversation.WithoutRequest(text); got != want {
			t.Errorf("%q without its request is %q, want %q", text, got, want)
		}
	}
}

func TestAsksToKeep(t *testing.T) {
	for text, want := range map[string]bool{
		"Hey, remember that I hate olives.":  true,
		"I hate olives, write that down.":    true,
		"From now on, answer in French.":     true,
		"请记住，我不吃香菜":                          true,
		"从现在起都用公制":                           true,
		"卵アレルギーなので覚えておいてください":                true,
		"昔のことを覚えています":                        false,
		"By the way, I hate olives.":         false,
		"Do you remember that summer?":       false,
		"I remember the summer in Trondheim": false,
		"我记得那年夏天":                            false,
	} {
		if got := conversation.AsksToKeep(text); got != want {
			t.Errorf("%q asks to be kept: %v, want %v", text, got, want)
		}
	}
}

func TestAsksToKeepBefore(t *testing.T) {
	for text, want := range map[string]bool{
		"Please remember that.":             true,
		"Don't forget it!":                  true,
		"Keep this in mind, please.":        true,
		"Could you make a note of that":     true,
		"Could you remember that?":          true,
		"帮我记一下。":                            true,
		"请记住这个！":                            true,
		"Remember that?":                    false,
		"Remember this:":                    false,
		"请记住：":                              false,
		"Remember that I hate olives.":      false,
		"记住我不吃香菜。":                          false,
		"I remember that.":                  false,
		"Save the date.":                    false,
		"Don't forget that the lease ends.": false,
	} {
		if got := conversation.AsksToKeepBefore(text); got != want {
			t.Errorf("%q asks only to keep what was said: %v, want %v", text, got, want)
		}
	}
}
