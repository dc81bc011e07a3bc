package extract_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/worth"
)

// BenchmarkRules reads and judges a talk of twenty turns by words, and one of a
// single turn of 66,000 bytes.
func BenchmarkRules(b *testing.B) {
	var talk []conversation.Turn
	for range 5 {
		talk = append(talk, users("I'm a veterinary nurse and I live in Utrecht.", "How do I centre a div in CSS?", "我不喜欢会议安排在周五下午，因为通常很堵车。", "Turns out the cheap cable was the problem.")...)
	}
	for name, turns := range map[string][]conversation.Turn{"talk": talk, "long turn": users(strings.Repeat("What is the weather like in the valley of stones today? ", 1200))} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				extract.Rules(worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{}), extract.RuleOptions{})
			}
		})
	}
}
