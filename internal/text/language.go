package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Language guesses the language of s as a BCP 47 code: by script, by letters
// that only some languages write, and by frequent words. It returns "" when
// unsure, as it mostly is about a text of one or two Latin words. A script that
// several languages share counts as its most spoken one unless something
// speaks against it: Cyrillic ru, Arabic ar, Devanagari hi.
func Language(s string) string {
	pieces := scan(normalise(s))
	script := mainScript(pieces)
	switch script {
	case "Latn":
		return latinLanguage(pieces)
	case "Cyrl", "Arab":
		return sharedScript(script, pieces)
	}
	return script
}

// wordLanguages guesses the language of a text's Latin words ("en" when
// unsure, and for what mixes into Chinese) and of its other words ("" for none).
func wordLanguages(pieces []piece) (latin, other string) {
	latin = latinLanguage(pieces)
	if latin == "" {
		latin = "en"
	}
	for _, p := range pieces {
		if p.class != classWord || isASCII(p.text) {
			continue
		}
		switch script := scriptOf(p); script {
		case "", "Latn":
			continue
		case "Cyrl", "Arab":
			return latin, sharedScript(script, pieces)
		default:
			return latin, script
		}
	}
	return latin, ""
}

// scripts names each script by the language that stands for it, the shared
// ones by ISO 15924.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latn", unicode.Latin}, {"Cyrl", unicode.Cyrillic}, {"Arab", unicode.Arabic},
	{"zh", unicode.Han}, {"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul},
	{"el", unicode.Greek}, {"he", unicode.Hebrew}, {"hi", unicode.Devanagari}, {"th", unicode.Thai},
	{"bn", unicode.Bengali}, {"ta", unicode.Tamil}, {"te", unicode.Telugu}, {"gu", unicode.Gujarati},
	{"kn", unicode.Kannada}, {"ml", unicode.Malayalam}, {"pa", unicode.Gurmukhi}, {"si", unicode.Sinhala},
	{"ka", unicode.Georgian}, {"hy", unicode.Armenian}, {"am", unicode.Ethiopic}, {"lo", unicode.Lao},
	{"my", unicode.Myanmar}, {"km", unicode.Khmer},
}

// scriptOf returns the script of a piece by its first letter, "" for digits
// and emoji.
func scriptOf(p piece) string {
	r, _ := utf8.DecodeRuneInString(p.text)
	if r < utf8.RuneSelf {
		if isDigit(byte(r)) {
			return ""
		}
		return "Latn"
	}
	for _, script := range scripts {
		if unicode.Is(script.table, r) {
			return script.name
		}
	}
	return ""
}

// unitWeight is how many letters of an alphabet one Han character, kana or
// Hangul syllable is worth when scripts are weighed against each other: the
// names of tools in a Chinese sentence do not make it English.
const unitWeight = 3

// kanaShare is the share of kana among kana and Han from which a text is
// Japanese: real ones have half, Chinese ones now and then a の.
const kanaShare = 0.2

// mainScript returns the script in which most of the text is written. Codes
// and numbers are written alike everywhere and do not count.
func mainScript(pieces []piece) string {
	amount := map[string]int{}
	kana := 0
	for _, p := range pieces {
		runes := utf8.RuneCountInString(p.text)
		switch p.class {
		case classHan:
			amount["zh"] += unitWeight * runes
			kana += countKana(p.text)
		case classHangul:
			amount["ko"] += unitWeight * runes
		case classWord, classCluster:
			if !strings.ContainsAny(p.text, codeSigns) {
				amount[scriptOf(p)] += runes
			}
		}
	}
	delete(amount, "")
	if float64(kana*unitWeight) > kanaShare*float64(amount["zh"]) {
		amount["ja"] = amount["zh"]
		delete(amount, "zh")
	}
	return greatest(amount)
}

func countKana(s string) int {
	n := 0
	for _, r := range s {
		if isKana(r) {
			n++
		}
	}
	return n
}

// greatest returns the key of the greatest amount, the alphabetically first of
// several, "" for none.
func greatest(amount map[string]int) string {
	best := ""
	for name, n := range amount {
		if best == "" || n > amount[best] || n == amount[best] && name < best {
			best = name
		}
	}
	return best
}
