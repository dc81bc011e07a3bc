package text

import "strings"

// isJoiner tells the signs that hold a chunk together. The backtick is one
// since it stands for an apostrophe on some keyboards.
func isJoiner(b byte) bool {
	switch b {
	case '-', '\'', '`', '_', '@', '&', '+', '#', '.', ':', ',', '"':
		return true
	}
	return false
}

// joinerAfter returns the place of the first joiner from a place on, the
// chunk's length when there is none.
func joinerAfter(chunk string, from int) int {
	for from < len(chunk) && !isJoiner(chunk[from]) {
		from++
	}
	return from
}

// codeSigns make a chunk with joiners a code, which is looked for as one.
const codeSigns = "_@.:0123456789"

// parts yields the words of a chunk, which keep their case: "user@host" is
// user, host and getUserName is get, User, Name. C++ and C# are one word.
func parts(chunk string, yield func(string)) {
	if isLanguageName(chunk) {
		yield(chunk)
		return
	}
	for from := 0; from < len(chunk); {
		end := joinerAfter(chunk, from)
		if end > from {
			humps(chunk[from:end], yield)
		}
		from = end + 1
	}
}

func isLanguageName(chunk string) bool {
	return strings.HasSuffix(chunk, "+") || strings.HasSuffix(chunk, "#")
}

// humps yields the words of a camelCase identifier. Only those that begin with
// two lower-case letters are cut: iPhone, YouTube and McDonald are names.
func humps(word string, yield func(string)) {
	if !isCamel(word) {
		yield(word)
		return
	}
	from := 0
	for i := 1; i < len(word); i++ {
		if isUpper(word[i]) && isLower(word[i-1]) {
			yield(word[from:i])
			from = i
		}
	}
	yield(word[from:])
}

func isCamel(word string) bool {
	if len(word) < 4 || !isLower(word[0]) || !isLower(word[1]) || !isASCII(word) {
		return false
	}
	for i := 2; i < len(word); i++ {
		if isUpper(word[i]) && isLower(word[i-1]) {
			return true
		}
	}
	return false
}

func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isVowel(b byte) bool {
	switch b {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// whole returns the folded form under which a chunk is found as one, "" where
// its parts say it all: well-known needs none, ADR-086, node.js, getName,
// O'Brien and e-mail do. 1,000 is 1000 and U.S.A. is usa.
func whole(chunk string) string {
	if isLanguageName(chunk) {
		return ""
	}
	if joinerAfter(chunk, 0) == len(chunk) {
		if isCamel(chunk) {
			return foldRunes(chunk)
		}
		return ""
	}
	return wholeCode(foldRunes(chunk))
}

// wholeCode is whole for a folded chunk that has a joiner.
func wholeCode(chunk string) string {
	switch {
	case isThousands(chunk):
		return strings.ReplaceAll(chunk, ",", "")
	case isAcronym(chunk):
		return strings.ReplaceAll(chunk, ".", "")
	case strings.ContainsAny(chunk, codeSigns) || losesPart(chunk):
		return chunk
	}
	return ""
}

func isThousands(chunk string) bool {
	return strings.Contains(chunk, ",") && strings.Trim(chunk, "0123456789,.") == ""
}

// isAcronym tells single letters with dots between: u.s.a
func isAcronym(chunk string) bool {
	if len(chunk)%2 == 0 {
		return false
	}
	for i := 0; i < len(chunk); i++ {
		if i%2 == 0 && !isLower(chunk[i]) || i%2 == 1 && chunk[i] != '.' {
			return false
		}
	}
	return true
}

// losesPart tells whether a part of the chunk is a single letter, which is no
// term inside a chunk. What an apostrophe cuts off (don't, Ann's, I'm, l'eau) is a
// particle and no loss, except in names such as O'Brien.
func losesPart(chunk string) bool {
	for from := 0; from < len(chunk); {
		end := joinerAfter(chunk, from)
		if end-from == 1 && (chunk[from] == 'o' || !besideApostrophe(chunk, from)) {
			return true
		}
		from = end + 1
	}
	return false
}

func besideApostrophe(chunk string, at int) bool {
	return at > 0 && isApostrophe(chunk[at-1]) || at+1 < len(chunk) && isApostrophe(chunk[at+1])
}

func isApostrophe(b byte) bool { return b == '\'' || b == '`' }
