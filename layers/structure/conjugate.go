package structure

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The forms of a Japanese verb that patterns ask for ("住む~ing"), each plain and
// polite: 住む, 住んだ, 住んでいる, 住んでいた, 住まない, 住んでいない, 住まなくなった,
// 住んで, 住めば is none of them. What only the speaker wishes (住みたい) never is one.
var verbForms = map[string]func(*verb) []string{
	"do": func(v *verb) []string {
		return v.after(v.plain, "", "んだ", "んです").and(v.after(v.polite, "ます", "まして"))
	},
	"did": func(v *verb) []string {
		return v.past("", "んだ", "んです").and(v.after(v.polite, "ました", "まして")).and([]string{v.te})
	},
	"ing": func(v *verb) []string { return v.after(v.te, lasting...) },
	"was": func(v *verb) []string {
		return v.after(v.te, "いた", "た", "いました", "ました", "いたんです", "いたんだ")
	},
	"not": func(v *verb) []string {
		return v.after(v.negative, "ない", "ないです", "ないんです", "なくて", "ず").and(v.after(v.polite, "ません"))
	},
	"isnot": func(v *verb) []string { return v.after(v.te, lastingNot...) },
	"nomore": func(v *verb) []string {
		return v.after(v.negative, "なくなった", "なくなりました", "ないことにした", "ないことにしました", "ないようにした", "ないようにしました", "ないようにしている", "ないようにしています")
	},
	"te": func(v *verb) []string { return []string{v.te} },
	"ta": func(v *verb) []string { return v.past("") },
}

// Endings of what goes on, after the form in て.
var (
	lasting = []string{
		"いる", "る", "います", "ます", "おります", "おり", "いて", "て", "いまして", "いるんです", "るんです", "いるんだ", "るんだ", "いるの", "るの",
		"きた", "きました",
	}
	lastingNot = []string{"いない", "ない", "いません", "ません", "いないです", "ないです", "おりません", "いないんです", "ないんです"}
)

// verb holds what the forms of a verb are made of.
type verb struct {
	plain    string // 住む
	te       string // 住んで
	polite   string // 住み
	negative string // 住ま
}

// forms is a list of forms that can be joined.
type forms []string

func (f forms) and(more []string) forms { return append(f, more...) }

// after returns the endings behind a stem.
func (v *verb) after(stem string, endings ...string) forms {
	out := make(forms, len(endings))
	for i, e := range endings {
		out[i] = stem + e
	}
	return out
}

// past returns the form in た with endings behind it.
func (v *verb) past(endings ...string) forms {
	ta := strings.TrimSuffix(v.te, "て") + "た"
	if stem, ok := strings.CutSuffix(v.te, "で"); ok {
		ta = stem + "だ"
	}
	return v.after(ta, endings...)
}

// stems are the endings of a verb's stems by the last sign of its plain form: of the
// form in て, the polite and the negative one.
var stems = map[string][3]string{
	"う": {"って", "い", "わ"}, "つ": {"って", "ち", "た"}, "る": {"って", "り", "ら"}, "む": {"んで", "み", "ま"}, "ぶ": {"んで", "び", "ば"},
	"ぬ": {"んで", "に", "な"}, "く": {"いて", "き", "か"}, "ぐ": {"いで", "ぎ", "が"}, "す": {"して", "し", "さ"},
}

// oneStem are the verbs in る that lose it and change no further, by how they end.
var oneStem = []string{
	"べる", "める", "ける", "える", "せる", "てる", "ねる", "れる", "げる", "きる", "じる", "ちる", "みる", "いる", "りる", "びる", "ぎる", "でる",
	"見る", "着る", "寝る", "出る", "得る",
}

// verbOf returns the stems of a verb in its plain form.
func verbOf(plain string) (verb, error) {
	_, size := utf8.DecodeLastRuneInString(plain)
	stem, last := plain[:len(plain)-size], plain[len(plain)-size:]
	switch {
	case strings.HasSuffix(plain, "する"):
		stem = strings.TrimSuffix(plain, "する")
		return verb{plain, stem + "して", stem + "し", stem + "し"}, nil
	case strings.HasSuffix(plain, "来る"):
		return verb{plain, stem + "て", stem, stem}, nil
	case strings.HasSuffix(plain, "行く"), strings.HasSuffix(plain, "いく"):
		return verb{plain, stem + "って", stem + "き", stem + "か"}, nil
	case slices.ContainsFunc(oneStem, func(end string) bool { return strings.HasSuffix(plain, end) }):
		return verb{plain, stem + "て", stem, stem}, nil
	}
	ends, ok := stems[last]
	if !ok || stem == "" {
		return verb{}, fmt.Errorf("%q is no plain form of a verb", plain)
	}
	return verb{plain, stem + ends[0], stem + ends[1], stem + ends[2]}, nil
}

// conjugate returns a form of a verb, in all that is said for it.
func conjugate(plain, form string) ([]string, error) {
	of, ok := verbForms[form]
	if !ok {
		return nil, fmt.Errorf("unknown form of a verb %q", form)
	}
	v, err := verbOf(plain)
	if err != nil {
		return nil, err
	}
	return of(&v), nil
}
