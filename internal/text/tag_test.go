package text

import (
	"strings"
	"testing"
)

func TestLanguageTag(t *testing.T) {
	for in, want := range map[string]string{
		"en": "en", "EN": "en", " de ": "de", "zh-Hant": "zh-Hant", "ZH_hant_tw": "zh-Hant-TW", "pt-BR": "pt-BR", "tlh": "tlh", "yue": "yue",
		"German": "de", "german": "de", "Deutsch": "de", "德语": "de", "德語": "de", "中文": "zh", "繁體中文": "zh-Hant", "Traditional Chinese": "zh-Hant",
		"日本語": "ja", "한국어": "ko", "русский": "ru", "Español": "es", "espanol": "es", "Tiếng Việt": "vi", "العربية": "ar",
		"": "", "klingon": "", "xx": "", "und": "", "x-secret": "", "e": "", "english please": "", "en; drop": "", "123": "", "-": "", "🇩🇪": "", "en-": "",
	} {
		if got := LanguageTag(in); got != want {
			t.Errorf("LanguageTag(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every tag of the table is one, and no name stands for two.
func TestLanguageTag_TableIsSound(t *testing.T) {
	names := 0
	for line := range strings.Lines(languagesFile) {
		tag, list, ok := strings.Cut(line, " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if got := LanguageTag(tag); got != tag {
			t.Errorf("the tag %q is read as %q", tag, got)
		}
		for name := range strings.SplitSeq(list, ",") {
			names++
			if got := LanguageTag(name); got != tag {
				t.Errorf("%q is read as %q, want %q", name, got, tag)
			}
		}
	}
	if len(languageNames()) > names || len(languageNames()) < names*9/10 { // some fold to one: 中文 has one form, Malti another
		t.Errorf("%d names of %d are known", len(languageNames()), names)
	}
}

func FuzzLanguageTag(f *testing.F) {
	for _, s := range []string{"en", "zh-Hant-TW", "de-DE-u-co-phonebk", "sl-rozaj-biske-1994", "klingon", "Deutsch", "\xff", "x-a", "i-klingon", "en-x-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag := LanguageTag(s)
		if tag != "" && LanguageTag(tag) != tag {
			t.Errorf("LanguageTag(%q) = %q, which is read as %q", s, tag, LanguageTag(tag))
		}
	})
}
