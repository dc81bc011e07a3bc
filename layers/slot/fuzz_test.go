package slot

import (
	"testing"
	"unicode/utf8"
)

func seed(f *testing.F) {
	for _, s := range []string{
		"", "home_city", "the user's favourite colour preference", "最喜欢的首选颜色偏好", "the the x's's",
		"I", "İ", "ǰ̌", "ﬁ", "Ω", "½ a the x.", "“a 'the x'.”", "\u00ad-\u200b_", "a\u0301\u0323", "が", "ͅΑ", "\xff\xfe", "fav fav preferred",
	} {
		f.Add(s)
	}
}

func FuzzCanonical(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		a := Canonical(s)
		if again := Canonical(a.Name); again.Name != a.Name || !a.Negative && again != a {
			t.Errorf("%q: %v, then %v", s, a, again)
		}
		if utf8.ValidString(s) && !utf8.ValidString(a.Name) {
			t.Errorf("%q: invalid name %q", s, a.Name)
		}
		Kinds(a, s)
	})
}

func FuzzEntity(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		display, key := Entity(s)
		again, same := Entity(display)
		if again != display || same != key {
			t.Errorf("%q: %q, %q, of the display %q, %q", s, display, key, again, same)
		}
		if _, of := Entity(key); of != key {
			t.Errorf("%q: key %q, of the key %q", s, key, of)
		}
		if utf8.ValidString(s) && !(utf8.ValidString(display) && utf8.ValidString(key)) {
			t.Errorf("%q: invalid %q, %q", s, display, key)
		}
	})
}

func FuzzValue(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		v := Value(s)
		if again := Value(v); again != v {
			t.Errorf("%q: %q, then %q", s, v, again)
		}
		if None(s) != None(v) {
			t.Errorf("%q: none is %v, of its value %v", s, None(s), None(v))
		}
		if utf8.ValidString(s) && !utf8.ValidString(v) {
			t.Errorf("%q: invalid %q", s, v)
		}
	})
}
