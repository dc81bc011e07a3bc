package lazy

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestRegexp_AnswersAsOneCompiledAtOnce(t *testing.T) {
	const pattern, s = `(?P<key>\w+)=(?P<value>\d+)`, "a=1, b=22; c=x"
	want := regexp.MustCompile(pattern)
	got := MustCompile(pattern)
	upper := func(re interface {
		ReplaceAllStringFunc(string, func(string) string) string
	}) string {
		return re.ReplaceAllStringFunc(s, strings.ToUpper)
	}
	match := want.FindStringSubmatchIndex(s)
	for name, pair := range map[string][2]any{
		"String":                     {got.String(), want.String()},
		"MatchString":                {got.MatchString(s), want.MatchString(s)},
		"FindString":                 {got.FindString(s), want.FindString(s)},
		"FindStringIndex":            {got.FindStringIndex(s), want.FindStringIndex(s)},
		"FindStringSubmatch":         {got.FindStringSubmatch(s), want.FindStringSubmatch(s)},
		"FindStringSubmatchIndex":    {got.FindStringSubmatchIndex(s), match},
		"FindAllString":              {got.FindAllString(s, 1), want.FindAllString(s, 1)},
		"FindAllStringIndex":         {got.FindAllStringIndex(s, -1), want.FindAllStringIndex(s, -1)},
		"FindAllStringSubmatch":      {got.FindAllStringSubmatch(s, -1), want.FindAllStringSubmatch(s, -1)},
		"FindAllStringSubmatchIndex": {got.FindAllStringSubmatchIndex(s, -1), want.FindAllStringSubmatchIndex(s, -1)},
		"ReplaceAllString":           {got.ReplaceAllString(s, "$value"), want.ReplaceAllString(s, "$value")},
		"ReplaceAllLiteralString":    {got.ReplaceAllLiteralString(s, "$value"), want.ReplaceAllLiteralString(s, "$value")},
		"ReplaceAllStringFunc":       {upper(got), upper(want)},
		"ExpandString":               {got.ExpandString(nil, "$key!", s, match), want.ExpandString(nil, "$key!", s, match)},
		"Split":                      {got.Split(s, -1), want.Split(s, -1)},
		"SubexpIndex":                {got.SubexpIndex("value"), want.SubexpIndex("value")},
		"SubexpNames":                {got.SubexpNames(), want.SubexpNames()},
	} {
		if fmt.Sprintf("%#v", pair[0]) != fmt.Sprintf("%#v", pair[1]) {
			t.Errorf("%s = %#v, want %#v", name, pair[0], pair[1])
		}
	}
}

func TestRegexp_IsCompiledByTheFirstUseAlone(t *testing.T) {
	broken := MustCompile(`(`)
	for range 2 { // a second use says it too, and does not go on with nothing
		if said := panicOf(func() { broken.MatchString("") }); !strings.Contains(said, "`(`") {
			t.Errorf("use of a broken pattern panics with %q, want one that names it", said)
		}
	}
}

// panicOf returns what a function panics with; "" where it does not.
func panicOf(f func()) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

func TestRegexp_ManyMayUseItFirst(t *testing.T) {
	re := MustCompile(`^(?:tea|茶)$`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if !re.MatchString("茶") {
				t.Error("no match")
			}
		})
	}
	wg.Wait()
}

func TestAll_HoldsWhatWasDeclared(t *testing.T) {
	declared := MustCompile(`declared`)
	for re := range All() {
		if re == declared {
			return
		}
	}
	t.Error("All does not have an expression that was declared")
}

func BenchmarkRegexp(b *testing.B) {
	const pattern = `^tea$`
	for name, re := range map[string]interface{ MatchString(string) bool }{
		"lazy": MustCompile(pattern), "at once": regexp.MustCompile(pattern),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				re.MatchString("tea")
			}
		})
	}
}
