package redact

import (
	"slices"
	"strings"

	"mcp-memory/internal/lazy"
)

// layouts are the ways in which the digits of a card are printed, by the sizes
// of their groups: ISO/IEC 7812 numbers of 16 and 19 digits, American Express,
// Diners Club. A single group may have any length that its issuer uses.
var layouts = [][]int{{4, 4, 4, 4, 3}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}, {6, 13}}

// issuer is a range of leading digits (ISO/IEC 7812-1 IIN, from the card
// schemes' public tables) and the lengths of its numbers.
type issuer struct {
	low, high string // same length, inclusive
	lengths   []int
}

// issuers are the schemes in use. Lengths that a scheme allows but hardly
// issues are left out: Visa's 13 digits look like the barcode of a German
// product, 19 digits beginning with a 4 like a 64-bit number.
var issuers = []issuer{
	{"4", "4", []int{16}},                   // Visa
	{"51", "55", []int{16}},                 // Mastercard
	{"2221", "2720", []int{16}},             // Mastercard
	{"34", "34", []int{15}},                 // American Express
	{"37", "37", []int{15}},                 // American Express
	{"300", "305", []int{14, 16}},           // Diners Club
	{"36", "36", []int{14}},                 // Diners Club
	{"38", "39", []int{14}},                 // Diners Club
	{"6011", "6011", []int{16}},             // Discover
	{"644", "659", []int{16}},               // Discover, RuPay
	{"3528", "3589", []int{16}},             // JCB
	{"62", "62", []int{16, 17, 18, 19}},     // UnionPay
	{"81", "82", []int{16}},                 // UnionPay, RuPay
	{"60", "60", []int{16}},                 // RuPay
	{"2200", "2204", []int{16}},             // Mir
	{"9792", "9792", []int{16}},             // Troy
	{"5018", "5018", []int{13, 16, 18, 19}}, // Maestro
	{"5020", "5020", []int{13, 16, 18, 19}}, // Maestro
	{"5038", "5038", []int{13, 16, 18, 19}}, // Maestro
	{"5893", "5893", []int{13, 16, 18, 19}}, // Maestro
	{"6304", "6304", []int{13, 16, 18, 19}}, // Maestro
	{"6759", "6763", []int{13, 16, 18, 19}}, // Maestro
	{"506", "509", []int{16, 18, 19}},       // Verve, Elo
}

// group is one run of digits.
type group struct{ start, end int }

// findCard looks for a card number that starts with the digit t.raw[at].
func findCard(t text, at int) []span {
	if !opensCard(t.raw[:at]) {
		return nil
	}
	groups, sep := digitGroups(t.raw, at)
	if n := groups[0].end - at; n >= 13 && isCard(t.raw[at:groups[0].end]) && closesCard(t.raw[groups[0].end:]) {
		return withCheckCode(t.raw, at, groups[0].end)
	}
	for _, layout := range layouts {
		if end, ok := matches(t.raw, groups, layout, sep); ok {
			return withCheckCode(t.raw, at, end)
		}
	}
	return nil
}

// checkCode matches a check code behind a card number, with the expiry date
// between them or not: three digits (four on American Express) that are no
// amount and count nothing.
var checkCode = lazy.MustCompile(`^[\s,;/|]{1,3}(?:(?:exp[a-z.]*:?\s?)?\d\d ?/ ?(?:20)?\d\d[\s,;/|]{1,3})?(\d{3,4})(?:$|[.,;|)\]"'](?:\D|$)|\s*(?:[\r\n]|$)|\s(?:exp|\d\d ?/ ?(?:20)?\d\d\b))`)

// withCheckCode returns the card at s[start:end], and the check code beside it.
func withCheckCode(s string, start, end int) []span {
	out := []span{{start, end, Card, rankPlace}}
	found := checkCode.FindStringSubmatchIndex(s[end:min(len(s), end+48)])
	if found == nil {
		return out
	}
	code := span{end + found[2], end + found[3], Card, rankPlace}
	amex := s[start] == '3' && (s[start+1] == '4' || s[start+1] == '7')
	if (code.end-code.start == 4) != amex {
		return out
	}
	return append(out, code)
}

// matches reports where a card printed in the layout ends. Behind it a group
// may follow after a blank (the expiry date), but not after the card's own dash.
func matches(s string, groups []group, layout []int, sep string) (end int, ok bool) {
	if len(groups) < len(layout) {
		return 0, false
	}
	var digits strings.Builder
	for i, size := range layout {
		if g := groups[i]; g.end-g.start != size {
			return 0, false
		}
		digits.WriteString(s[groups[i].start:groups[i].end])
	}
	end = groups[len(layout)-1].end
	more := len(groups) > len(layout) && sep != " " && sep != "\u00a0"
	return end, !more && isCard(digits.String()) && closesCard(s[end:])
}

// digitGroups reads runs of digits from at, at most six, with one and the same
// separator between them.
func digitGroups(s string, at int) (groups []group, sep string) {
	for len(groups) < 6 {
		end := at
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		groups = append(groups, group{at, end})
		next := separator(s[end:])
		if next == "" || sep != "" && next != sep {
			return groups, sep
		}
		if at = end + len(next); at >= len(s) || !isDigit(s[at]) {
			return groups, sep
		}
		sep = next
	}
	return groups, sep
}

// separator returns what may stand between two groups at the start of s.
func separator(s string) string {
	for _, sep := range []string{" ", "-", ".", "\u00a0"} {
		if strings.HasPrefix(s, sep) {
			return sep
		}
	}
	return ""
}

// opensCard says whether a card number may start after before: not within a
// word, a number, a path, a phone number, a negative number
// or an order number such as "PO-4111".
func opensCard(before string) bool {
	if before == "" {
		return true
	}
	last := before[len(before)-1]
	switch {
	case isWord(last), last == '/', last == '+':
		return len(before) > 1 && before[len(before)-2] == '\\'
	case last == '-':
		return false
	case last == '.':
		return len(before) == 1 || !isWord(before[len(before)-2])
	}
	return true
}

// closesCard says whether a card number may end before after.
func closesCard(after string) bool {
	if after == "" {
		return true
	}
	if (after[0] == '-' || after[0] == '.') && len(after) > 1 {
		return !isWord(after[1])
	}
	return !isWord(after[0])
}

// isCard says whether digits are a number of a known issuer whose check digit
// is right.
func isCard(digits string) bool {
	return luhn(digits) && slices.ContainsFunc(issuers, func(i issuer) bool {
		n := len(i.low)
		return len(digits) > n && i.low <= digits[:n] && digits[:n] <= i.high && slices.Contains(i.lengths, len(digits))
	})
}

// luhn checks the last digit by the formula of ISO/IEC 7812-1 annex B.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
