package dates_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/internal/dates"
)

// checkSpans fails if anything found breaks what Found promises.
func checkSpans(t interface{ Fatalf(string, ...any) }, text string, found []dates.Found, alternatives bool) {
	end := 0
	for i, f := range found {
		if alternatives && i > 0 && f.Open == found[i-1].Open && f.Close == found[i-1].Close {
			if !found[i-1].Range.From.Before(f.Range.From) {
				t.Fatalf("alternatives of %q are not in order of time: %+v", text, found)
			}
		} else if f.Open < end {
			t.Fatalf("spans of %q overlap: %+v", text, found)
		}
		end = f.Close
		if f.Open > f.Start || f.Start >= f.End || f.End > f.Close || f.Close > len(text) {
			t.Fatalf("span out of order in %q: %+v", text, f)
		}
		for _, at := range []int{f.Open, f.Start, f.End, f.Close} {
			if at < len(text) && utf8.ValidString(text) && !utf8.RuneStart(text[at]) {
				t.Fatalf("span of %q cuts a rune: %+v", text, f)
			}
		}
		if f.Range.IsZero() != (f.Recurring || f.Duration && f.Role != dates.Since) {
			t.Fatalf("%q: %+v has a range where it should have none, or none", text, f)
		}
		if !f.Range.IsZero() && !f.Range.From.Before(f.Range.To) {
			t.Fatalf("range of %q is empty: %+v", text, f)
		}
	}
}

var pieces = []string{"last", "next", "this", "tuesday", "week", "month", "year", "2023", "5", "3rd", "May", "june", "ago",
	"two", "in", "on", "since", "until", "by", "from", "to", "the", "end of", "at", "3pm", "15:30", ",", ".", "-", "/", "'s",
	"every", "summer", "Q3", "before", "day", "上", "下", "周", "三", "五", "年", "月", "日", "前", "后", "昨天", "明天", "2023年",
	"个月", "从", "起", "到", "底", "每", "半", "下午", "点", "了", "\n\n", "x", "\xff", "İ", "2023-05-03", "T10:00", "z"}

func TestFind_KeepsItsPromisesOnAnyWords(t *testing.T) {
	zones := []*time.Location{time.UTC, time.FixedZone("", 14*3600), time.FixedZone("", -12*3600)}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "words")
		text := strings.Join(words, rapid.SampledFrom([]string{"", " "}).Draw(t, "separator"))
		seconds := rapid.Int64Range(-2e9, 1e10).Draw(t, "seconds")
		moment := time.Unix(seconds, 0).In(rapid.SampledFrom(zones).Draw(t, "zone"))
		years := rapid.SliceOfN(rapid.IntRange(1990, 2030), 0, 3).Draw(t, "years")

		found := dates.Find(text, moment)
		checkSpans(t, text, found, false)
		asked := dates.Query(text, moment, years)
		checkSpans(t, text, asked, true)
		if diff := cmp.Diff(found, dates.Find(text, moment)); diff != "" {
			t.Fatalf("Find(%q) is not the same twice:\n%s", text, diff)
		}
	})
}

func addSeeds(f *testing.F) {
	for _, s := range []string{"last tuesday at 3pm", "from 2018 to 2020", "上周三下午三点", "三天前", "2023-05-03T10:00:00Z",
		"the Sunday before October 25, 2022", "12 mai 2023", "每周五", "\xff昨天\xfe", "in 2 hours", "May 3-5, 2023"} {
		f.Add(s, int64(1715738400))
	}
}

func FuzzFind(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		moment := time.Unix(seconds%1e11, 0).UTC()
		found := dates.Find(text, moment)
		checkSpans(t, text, found, false)
	})
}

func FuzzQuery(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string, seconds int64) {
		moment := time.Unix(seconds%1e11, 0).UTC()
		found := dates.Query(text, moment, []int{moment.Year(), moment.Year() - 1})
		checkSpans(t, text, found, true)
	})
}
