package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Trait is what a text looks like, as far as questions ask for it.
type Trait uint8

// The traits of a text.
const (
	Asks          Trait = 1 << iota // holds a question mark
	ShortQuestion                   // ends with one and has at most 25 words
	HasTime                         // holds an expression of time
	HasName                         // holds a capitalised word inside a sentence
)

// shortQuestionWords is how long a question is that says nothing itself.
const shortQuestionWords = 25

// Traits reads a text's traits.
func Traits(text string) Trait {
	var t Trait
	if strings.ContainsAny(text, "?？") {
		t |= Asks
		if end := strings.TrimSpace(text); (strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？")) && len(strings.Fields(end)) <= shortQuestionWords {
			t |= ShortQuestion
		}
	}
	if hasTime(text) {
		t |= HasTime
	}
	if hasName(text) {
		t |= HasName
	}
	return t
}

// timeWords say a time by themselves; timeUnits do behind last, next, past,
// previous or this. March and May are left out: they are other words too often.
var (
	timeWords = wordSet(`yesterday tonight tomorrow ago monday tuesday wednesday thursday friday saturday sunday
		january february april june july august september october november december`)
	timeLeads = wordSet(`last next past previous this`)
	timeUnits = wordSet(`week weeks weekend weekends month months year years summer winter spring fall night
		mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday`)
	timeHan = []string{"年", "月", "日", "周一", "周二", "周三", "周四", "周五", "周六", "周日", "周天", "星期", "昨天", "今天", "明天", "上午", "下午", "晚上", "早上", "点"}
)

func wordSet(s string) map[string]bool { return Set(strings.Fields(s)) }

func hasTime(text string) bool {
	prev, beforePrev := "", ""
	for word := range latinWords(text) {
		w := strings.ToLower(word)
		switch {
		case timeWords[w], timeLeads[prev] && timeUnits[w], isYear(w):
			return true
		case w == "day" && prev == "other" && beforePrev == "the":
			return true
		}
		prev, beforePrev = w, prev
	}
	for _, mark := range timeHan {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

func isYear(w string) bool {
	return len(w) == 4 && (strings.HasPrefix(w, "19") || strings.HasPrefix(w, "20")) && isDigit(w[2]) && isDigit(w[3])
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// latinWords yields the runs of ASCII letters and digits.
func latinWords(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(text); i++ {
			inside := i < len(text) && (isDigit(text[i]) || 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z')
			switch {
			case inside && start < 0:
				start = i
			case !inside && start >= 0:
				if !yield(text[start:i]) {
					return
				}
				start = -1
			}
		}
	}
}

// hasName reports whether a capitalised word stands inside a sentence.
func hasName(text string) bool {
	for i := 1; i < len(text)-1; i++ {
		if text[i] < 'A' || text[i] > 'Z' || text[i+1] < 'a' || text[i+1] > 'z' {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); unicode.IsLetter(before) || unicode.IsDigit(before) || before == '_' {
			continue
		}
		if i >= 2 && text[i-1] == ' ' && strings.IndexByte(".!?", text[i-2]) >= 0 {
			continue
		}
		return true
	}
	return false
}
