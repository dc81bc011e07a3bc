package text

import "strings"

// englishStem returns the stem of a lower-case word without apostrophes by
// Snowball's English algorithm as of version 3.1 (Porter 2, Porter 2001,
// https://snowballstem.org/algorithms/english/stemmer.html), byte for byte what
// its generated stemmers answer. Written out because the Go ports stop at
// version 2, which has "organization" and "organ", "internal" and "intern" as
// one word. Words with letters beyond ASCII come back as they are.
func englishStem(word string) string {
	if len(word) < 3 || !isASCII(word) {
		return word
	}
	if stem, ok := englishExceptions[word]; ok {
		return stem
	}
	var buffer [maxTerm]byte
	s := englishWord{letters: append(buffer[:0], word...)}
	s.markConsonantY()
	s.markRegions(englishRegion(word))
	s.plural()
	s.past()
	s.finalY()
	s.derivation()
	s.adjective()
	s.residue()
	s.finalE()
	s.unmarkY()
	if string(s.letters) == word {
		return word
	}
	return string(s.letters)
}

var englishExceptions = map[string]string{
	"andes": "andes", "atlas": "atlas", "bias": "bias", "cosmos": "cosmos", "early": "earli",
	"gently": "gentl", "howe": "howe", "idly": "idl", "news": "news", "only": "onli",
	"singly": "singl", "skies": "sky", "skis": "ski", "sky": "sky", "ugly": "ugli",
}

// englishRegion returns the length of a beginning after which R1 starts at
// once, since the rule would cut into it; 0 for other words.
func englishRegion(word string) int {
	for _, start := range [...]string{"arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers"} {
		if word[0] == start[0] && strings.HasPrefix(word, start) {
			return len(start)
		}
	}
	return 0
}

// englishWord is a word being stemmed. A consonant y is written Y meanwhile.
type englishWord struct {
	letters []byte
	r1, r2  int // where the regions R1 and R2 start
}

// vowel tells whether the letter at i is a vowel; Y and what lies outside are none.
func (s *englishWord) vowel(i int) bool {
	return i >= 0 && i < len(s.letters) && isVowel(s.letters[i])
}

// consonant tells whether there is a letter at i and it is no vowel.
func (s *englishWord) consonant(i int) bool {
	return i >= 0 && i < len(s.letters) && !s.vowel(i)
}

func (s *englishWord) markConsonantY() {
	for i, letter := range s.letters {
		if letter == 'y' && (i == 0 || s.vowel(i-1)) {
			s.letters[i] = 'Y'
		}
	}
}

func (s *englishWord) unmarkY() {
	for i, letter := range s.letters {
		if letter == 'Y' {
			s.letters[i] = 'y'
		}
	}
}

func (s *englishWord) markRegions(r1 int) {
	if r1 == 0 {
		r1 = s.region(0)
	}
	s.r1, s.r2 = r1, s.region(r1)
}

// region returns the place after the first consonant that follows a vowel.
func (s *englishWord) region(from int) int {
	for i := from + 1; i < len(s.letters); i++ {
		if s.vowel(i-1) && !s.vowel(i) {
			return i + 1
		}
	}
	return len(s.letters)
}

func (s *englishWord) ends(suffix string) bool {
	start := len(s.letters) - len(suffix)
	return start >= 0 && string(s.letters[start:]) == suffix
}

// replace puts to in place of the last n letters.
func (s *englishWord) replace(n int, to string) {
	s.letters = append(s.letters[:len(s.letters)-n], to...)
}

func (s *englishWord) hasVowel(before int) bool {
	for i := range before {
		if s.vowel(i) {
			return true
		}
	}
	return false
}

// short tells whether the first n letters end in a short syllable.
func (s *englishWord) short(n int) bool {
	if strings.HasSuffix(string(s.letters[:n]), "past") {
		return true
	}
	if !s.consonant(n-1) || !s.vowel(n-2) {
		return false
	}
	last := s.letters[n-1]
	return n == 2 || s.consonant(n-3) && last != 'w' && last != 'x' && last != 'Y'
}

// plural is step 1a.
func (s *englishWord) plural() {
	n := len(s.letters)
	switch {
	case s.ends("sses"):
		s.replace(2, "")
	case s.ends("ied") || s.ends("ies"):
		if n >= 5 {
			s.replace(3, "i")
		} else {
			s.replace(3, "ie")
		}
	case s.ends("us") || s.ends("ss"):
	case s.ends("s") && s.hasVowel(n-2):
		s.replace(1, "")
	}
}

// past is step 1b.
func (s *englishWord) past() {
	n := len(s.letters)
	switch {
	case s.ends("eedly"):
		s.proceed(5)
	case s.ends("eed"):
		s.proceed(3)
	case s.ends("ing"):
		s.progressive(n - 3)
	case s.ends("ingly"):
		s.cutEnding(5)
	case s.ends("edly"):
		s.cutEnding(4)
	case s.ends("ed"):
		s.cutEnding(2)
	}
}

// proceed makes eed and eedly ee, except in proceed, exceed and succeed.
func (s *englishWord) proceed(n int) {
	start := len(s.letters) - n
	switch string(s.letters[:start]) {
	case "succ", "proc", "exc":
		return
	}
	if s.r1 <= start {
		s.replace(n, "ee")
	}
}

// progressive takes ing off the letters before start: dying is die, evening
// and outing are words of their own.
func (s *englishWord) progressive(start int) {
	switch string(s.letters[:start]) {
	case "even", "cann", "inn", "earr", "herr", "out":
		return
	}
	if start == 2 && s.letters[1] == 'y' && s.consonant(0) {
		s.replace(4, "ie")
		return
	}
	s.cutEnding(3)
}

// cutEnding takes the last n letters off where a vowel stays, and repairs what
// is left: hoped is hope, hopped is hop.
func (s *englishWord) cutEnding(n int) {
	rest := len(s.letters) - n
	if !s.hasVowel(rest) {
		return
	}
	s.replace(n, "")
	switch {
	case s.ends("at") || s.ends("bl") || s.ends("iz"):
		s.replace(0, "e")
	case s.isDoubled(rest):
		if rest != 3 || strings.IndexByte("aeo", s.letters[0]) < 0 {
			s.replace(1, "")
		}
	case rest == s.r1 && s.short(rest):
		s.replace(0, "e")
	}
}

func (s *englishWord) isDoubled(n int) bool {
	return n >= 2 && s.letters[n-1] == s.letters[n-2] && strings.IndexByte("bdfgmnprt", s.letters[n-1]) >= 0
}

// finalY is step 1c.
func (s *englishWord) finalY() {
	n := len(s.letters)
	if n >= 3 && (s.letters[n-1] == 'y' || s.letters[n-1] == 'Y') && s.consonant(n-2) {
		s.replace(1, "i")
	}
}
