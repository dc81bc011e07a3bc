package conversation

import (
	"regexp"
	"strings"
)

// toKeep matches the request to remember that stands before what is to be
// remembered.
var toKeep = regexp.MustCompile(`(?i)^\W*(?:(?:please|pls|also|and|oh|ok|okay|btw|so|by the way|can you|could you|would you|will you|i want you to|i'd like you to|i need you to|you should|you must|you need to|just)[, ]+)*(?:(?:always )?remember(?: this| that)?|don'?t forget(?: that)?|(?:keep|bear) in mind(?: that)?|(?:make|take) a note(?: that|:)?|note(?: that|:)|note to self(?:,? and (?:you|others))?|for the record|fyi|btw|by the way)\s*[,:]?\s+(?:that\s+)?|` +
	`^(?:请|麻烦|帮我|给我|你|您|好|那|对了|，|,|另外|顺便|一定|务必|也|要|得|能不能|能否|可不可以|可以|能)*(?:记住|记得|记一下|记下|帮我记一下|帮我记|别忘了|备忘)[，,：:\s]*`)

// WithoutRequest returns a text without the request to remember it that it begins
// with: "Remember that I hate olives." is "I hate olives.". A text that is nothing
// but the request stays.
func WithoutRequest(s string) string {
	if rest := toKeep.ReplaceAllString(s, ""); strings.TrimSpace(rest) != "" {
		return rest
	}
	return s
}
