package structure_test

import (
	"testing"

	"mcp-memory/layers/structure"
)

func TestParse_BoundsOfWhatHeldForATime(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"I worked at Hooli last year.", "user · employer · Hooli · identity · ended · from 2023-01-01 · to 2024-01-01"},
		{"I lived in Kobe in 2012.", "user · home city · Kobe · identity · ended · from 2012-01-01 · to 2013-01-01"},
		{"I lived in Kobe from 2010 to 2015.", "user · home city · Kobe · identity · ended · from 2010-01-01 · to 2015-01-01"},
		{"I lived in Kobe until 2015.", "user · home city · Kobe · identity · ended · to 2015-01-01"},
		{"I quit Hooli in March 2022.", "user · employer · Hooli · identity · ended · to 2022-03-01"},
		{"I worked at Hooli from 2015 to 2010.", "user · employer · Hooli · identity · ended · to 2010-01-01"},
		{"I quit Hooli at the end of 2022.", "user · employer · Hooli · identity · ended · to 2023-01-01"},
		{"I work at Hooli until March.", "user · employer · Hooli · identity · to 2025-03-01"},
		{"I work at Hooli until next month.", "user · employer · Hooli · identity · to 2024-06-01"},
		{"I have lived in Kobe since 2010.", "user · home city · Kobe · identity · from 2010-01-01"},
		{"我从2010年到2015年住在神户。", "user · home city · 神户 · identity · ended · from 2010-01-01 · to 2015-01-01"},
		{"我从2010年起住在神户。", "user · home city · 神户 · identity · from 2010-01-01"},
	} {
		t.Run(test.text, func(t *testing.T) {
			if got := describe(structure.Parse(structure.Input{Text: test.text, ObservedAt: observed})); got != test.want {
				t.Errorf("%s\n\tgot  %s\n\twant %s", test.text, got, test.want)
			}
		})
	}
}
