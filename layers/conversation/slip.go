package conversation

import (
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// Sentences returns where the sentences of a text are. One that only owns to a slip, or
// says what is not so, is one with the few words after it that say what is: "No, not
// Acme. Globex.", 说错了。是蓝色。
//
// One that changes its language between two clauses is one in each ([ByTongue]).
func Sentences(s string) []text.Span {
	all := byTongue(s, text.Sentences(s))
	out := all[:0]
	for _, at := range all {
		if n := len(out); n > 0 && slips(s[out[n-1].Start:out[n-1].End]) && amends(s[at.Start:at.End]) {
			out[n-1].End = at.End
			continue
		}
		out = append(out, at)
	}
	return out
}

// byTongue cuts the sentences that change their language.
func byTongue(s string, all []text.Span) []text.Span {
	if script(s) == "en" {
		return all
	}
	var out []text.Span
	for _, at := range all {
		for i, half := range ByTongue(s[at.Start:at.End]) {
			start, end := trimmed(s, at.Start+half.Start, at.Start+half.End)
			if i > 0 {
				start += len(joining.FindString(s[start:end]))
			}
			if start < end {
				out = append(out, text.Span{Start: start, End: end})
			}
		}
	}
	return out
}

// joining matches what joins a clause to one of another language.
var joining = lazy.MustCompile(`^(?:(?i:but|and|so|while)\s+|(?:但是|但|不过|而且|然后|可是|でも|しかし|そして|それに)[、，, ]*)`)

// slip matches a whole sentence that owns to a slip or denies, and says no more.
var slip = lazy.MustCompile(`(?i)^\W*(?:(?:no|oh|sorry|wait|oops|actually|hang on|hold on)[,.!; ]+)*(?:(?:scratch|strike) that|typo|correction|my mistake|my bad|i misspoke|no,? wait|wait,? no|not (?:(?:at|in|the|a|my) )*(?-i:[\p{Lu}\d])[^,;:.!?]{0,30}|not [a-z]+)\s*[.!]+\s*$` +
	`|^\s*(?:(?:不对|不對|哦不|啊不|抱歉|不好意思)[，, ]*)*(?:不对|不對|哦不|啊不|口误|口誤|更正|我?[说說打写寫记記弄搞][错錯]字?了?|我?不是(?:在|住在|叫)?[^，。！？,]{1,12})[。！.!]+\s*$` +
	`|^\s*(?:(?:あ|いや|すみません|すいません|ごめん(?:なさい)?|失礼|失礼しました)[、，,。！ ]*)*(?:(?:言い|書き|打ち)?間違え(?:ました|た|てました)|(?:言い|書き|打ち)?間違い(?:です|でした)|勘違い(?:です|でした|してました)|訂正(?:です|します|させてください)|違いました|違った|誤字(?:です|でした))[。！!]+\s*$`)

// Words of what amends a slip.
const (
	amendWords = 5
	amendRunes = 12
)

func slips(s string) bool { return slip.MatchString(s) }

// amends reports whether a sentence is so short that it may be no more than what should
// have been said.
func amends(s string) bool {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(s, "?？") {
		return false
	}
	if script(s) == "en" {
		return len(strings.Fields(s)) <= amendWords
	}
	return utf8.RuneCountInString(s) <= amendRunes
}
