package text

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

//go:embed languages.txt
var languagesFile string

// languageNames maps the folded name of a language to its tag.
var languageNames = sync.OnceValue(func() map[string]string {
	tags := map[string]string{}
	for line := range strings.Lines(languagesFile) {
		tag, names, ok := strings.Cut(line, " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.SplitSeq(names, ",") {
			tags[Fold(name)] = tag
		}
	}
	return tags
})

// maxTag is the longest tag or name that is read, in bytes: longer than any in use.
const maxTag = 64

// LanguageTag returns the BCP 47 tag that s stands for, written as is usual
// (zh-Hant for ZH_hant): s is a tag, or the name of a language in English, in the
// language itself or in Chinese. It returns "" for what names no language.
func LanguageTag(s string) string {
	if len(s) > maxTag { // parsing takes the square of the length
		return ""
	}
	if tag := languageNames()[Fold(s)]; tag != "" {
		return tag
	}
	tag, err := language.Parse(strings.TrimSpace(s))
	if base, _, _ := tag.Raw(); err != nil || base.String() == "und" {
		return ""
	}
	return tag.String()
}
