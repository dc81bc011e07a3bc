package dates_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/dates"
)

func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{
		"english": "I'm flying to Reykjavik on June 3rd and have a dentist appointment tomorrow at 3pm.",
		"chinese": "从下个月起我在无锡上班，上周三下午三点去面试了。",
		"none":    "The staging server listens on port 8443 and I really like green tea these days.",
		"long":    strings.Repeat("The keeper wrote down the wind and the ships that passed, in 2019 as on any day. ", 600),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dates.Find(text, ref)
			}
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	years := []int{2022, 2023}
	b.ReportAllocs()
	for b.Loop() {
		dates.Query("What did the board approve in May 2023?", ref, years)
	}
}
