package slot

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ given, name string }{
		{"home city", "home city"},
		{"home_city", "home city"},
		{"Home-City", "home city"},
		{"  HOME   city ", "home city"},
		{"homeCity", "home city"},
		{"ｈｏｍｅ ｃｉｔｙ", "home city"},
		{"lives in", "home city"},
		{"所在城市", "home city"},
		{"the user's home city", "home city"},
		{"my name", "name"},
		{"我的名字", "name"},
		{"works at", "employer"},
		{"公司", "employer"},
		{"职位", "job title"},
		{"date of birth", "birthday"},
		{"favorite color", "favourite colour"},
		{"favourite colour", "favourite colour"},
		{"favoriteColor", "favourite colour"},
		{"最喜欢的颜色", "favourite colour"},
		{"favorite movie", "favourite film"},
		{"favourite pastime", "favourite pastime"},
		{"favourite spirit animal", "favourite spirit animal"},
		{"drink preference", "preferred drink"},
		{"饮品偏好", "preferred drink"},
		{"首选编辑器", "preferred editor"},
		{"preferred programming language", "preferred programming language"},
		{"eye color", "eye colour"},
		{"license", "licence"},
		{"allergy", "allergies"},
		{"hobby", "hobbies"},
		{"language", "languages"},
		{"child", "children"},
		{"neighbor", "neighbours"},
		{"cousins", "cousin"},
		{"爱好", "hobbies"},
		{"技术栈", "tech stack"},
		{"parking_spot", "parking spot"},
		{"API-Key owner", "api key owner"},
		{"GitHub", "github"},
		{"the", "the"},
		{"", ""},
	} {
		if got := Canonical(c.given).Name; got != c.name {
			t.Errorf("%q: got %q, want %q", c.given, got, c.name)
		}
	}
}

// What a person could hold with different values at one time must stay apart:
// a wrong merge supersedes what is still true.
func TestCanonical_KeepsApart(t *testing.T) {
	for _, pair := range [][2]string{
		{"job title", "employer"}, {"job title", "occupation"}, {"job title", "role"},
		{"home city", "hometown"}, {"home city", "birthplace"}, {"home city", "home country"},
		{"home city", "home address"}, {"home city", "home port"}, {"home address", "address"},
		{"email address", "work email"}, {"phone number", "mobile number"}, {"phone", "phone number"},
		{"wife", "spouse"}, {"partner", "spouse"}, {"girlfriend", "partner"}, {"best friend", "friend"},
		{"name", "surname"}, {"name", "nickname"}, {"name", "full name"}, {"given name", "name"},
		{"native language", "language"}, {"programming language", "language"}, {"answer language", "language"},
		{"preferred language", "language"}, {"editor", "preferred editor"}, {"favourite drink", "preferred drink"},
		{"goal", "plan"}, {"plan", "plans"}, {"project", "projects"}, {"bank", "banks"},
		{"release date", "deadline"}, {"status", "state"}, {"port", "home port"},
		{"older brother", "younger brother"}, {"theme", "topic"}, {"hobbies", "interests"},
		{"interest", "interest rate"}, {"seat", "seats"}, {"favourite city", "home city"},
	} {
		if a, b := Canonical(pair[0]), Canonical(pair[1]); a.Name == b.Name {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], a.Name)
		}
	}
}

func TestCanonical_Cardinality(t *testing.T) {
	single := `employer, job title, home city, name, surname, status, favourite colour,
		favorite tree, preferred drink, preferred anything, preferred units, birthday, shoe size, port, office,
		gym, bank, seat, locker, motto, blood type, mother, wife, best friend, oldest daughter, best work friend,
		address, business, bus, gas, class, process, focus, bonus, progress, diagnosis, news,
		basis, canvas, version series, dns, os, kubernetes, office hours, visiting hours, pronouns,
		parking spot, backup medium, rounding rule, test score, heating day, sauna temperature,
		programme paper, spirit animal, occupation, answer style, answer length, weekday, crop,
		note 5, deploy key, account, state, kind, number of children, status of servers, cousin's school,
		plan, project, 状态, 生日, 公司`
	for name := range strings.SplitSeq(single, ",") {
		if a := Canonical(strings.TrimSpace(name)); a.Multi {
			t.Errorf("%q holds many", a.Name)
		}
	}
	multi := `languages, language, allergies, allergy, pets, pet, hobbies, hobby, likes, dislikes,
		tech stack, children, child, friends, friend, siblings, cousin, cousins, work friend, old colleague,
		brother, nephew, skills, goals, goal, lucky numbers, names of cats, favourite films, instrument,
		people, topics, menus, clinics, preference, food preferences, plans, 朋友, 孩子, 爱好, 老师们`
	for name := range strings.SplitSeq(multi, ",") {
		if a := Canonical(strings.TrimSpace(name)); !a.Multi {
			t.Errorf("%q holds one", a.Name)
		}
	}
}

func TestCanonical_DislikeIsNegativeLike(t *testing.T) {
	for _, name := range []string{"dislikes", "dislike", "hates", "hate", "讨厌", "不喜欢"} {
		if got, want := Canonical(name), (Attribute{Name: "likes", Multi: true, Negative: true}); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"likes", "like", "loves", "love", "enjoys", "喜欢"} {
		if got, want := Canonical(name), (Attribute{Name: "likes", Multi: true}); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	tab := tables() // refuses a name that stands there twice
	names := map[string]bool{}
	for known, a := range tab.attributes {
		names[a.Name] = true
		if got := Canonical(known); got != a {
			t.Errorf("%q: got %v, the table says %v", known, got, a)
		}
	}
	if len(names) < 60 {
		t.Errorf("%d attributes, want 60 at least", len(names))
	}
	for name := range names {
		if got := Canonical(name); got.Name != name || got.Negative {
			t.Errorf("canonical %q is mapped to %v", name, got)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tab.attributes)) {
		for _, p := range tab.patterns {
			if noun, ok := p.noun(name); ok && name != "preferred pronouns" {
				t.Errorf("%q is also %q of %q", name, p.name, noun)
			}
		}
	}
	for name := range tab.generic {
		if got := Canonical(name).Name; got != name {
			t.Errorf("kinds.txt: attribute %q is %q", name, got)
		}
	}
	for word := range tab.words {
		if got := headOf(Value(word)); got != word && word != "ruby on rails" {
			t.Errorf("kinds.txt: word %q is compared as %q", word, got)
		}
	}
}

func TestParse_RefusesWhatItCannotRead(t *testing.T) {
	for _, c := range []struct{ name, attributes, kinds string }{
		{"too few columns", "name | single", ""},
		{"too many columns", "name | single | a | b", ""},
		{"an unknown cardinality", "name | few | ", ""},
		{"a name twice", "name | single | called\nnick | single | called", ""},
		{"an inflected name twice", "pets | multi |\npet | single |", ""},
		{"a kind without columns", "", "drink"},
	} {
		if _, err := parse(c.attributes, c.kinds); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}

func TestEntity(t *testing.T) {
	for _, c := range []struct{ given, display, key string }{
		{"I", "user", "user"},
		{"me", "user", "user"},
		{"My", "user", "user"},
		{"User", "user", "user"},
		{"the user", "user", "user"},
		{"the user's", "user", "user"},
		{"我", "user", "user"},
		{"用户", "user", "user"},
		{"Marta", "user", "user"},
		{" MARTA kowalska", "user", "user"},
		{"Aunt  Olga ", "Aunt Olga", "aunt olga"},
		{"aunt Olga's", "aunt Olga's", "aunt olga"},
		{"Aunt Olga’s", "Aunt Olga’s", "aunt olga"},
		{"The Nightly Build", "The Nightly Build", "nightly build"},
		{"nightly_build", "nightly_build", "nightly build"},
		{"nightly-build", "nightly-build", "nightly build"},
		{"ＡＢＣ", "ＡＢＣ", "abc"},
		{"Zoë", "Zoë", "zoe"},
		{"ZOE", "ZOE", "zoe"},
		{"Straße", "Straße", "strasse"},
		{"İzmir", "İzmir", "izmir"},
		{"かき", "かき", "かき"},
		{"がき", "がき", "がき"},
		{"the", "the", "the"},
		{"'s", "'s", "'s"},
		{"", "", ""},
	} {
		display, key := Entity(c.given, "Marta", "Marta Kowalska", "")
		if display != c.display || key != c.key {
			t.Errorf("%q: got %q, %q, want %q, %q", c.given, display, key, c.display, c.key)
		}
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Tea", "tea", true},
		{"tea.", "tea", true},
		{"茶。", "茶", true},
		{"a  cat", "cat", true},
		{"The Netherlands", "netherlands", true},
		{`"vim"`, "vim", true},
		{"ｖｉｍ", "vim", true},
		{"Yahoo!", "yahoo", true},
		{"co\u00adop", "coop", true},
		{"server A12", "server A13", false},
		{"Kowalska", "Kowalski", false},
		{"80", "80.0", false},
		{"80", "81", false},
		{"v1.8", "v1.9", false},
		{"A 12", "12", false},
		{"a b", "b", false},
		{"C", "C++", false},
		{"résumé", "resume", false},
		{"-5", "5", false},
		{"...", "", false},
	} {
		if got := Value(c.a) == Value(c.b); got != c.same {
			t.Errorf("%q and %q: %q and %q", c.a, c.b, Value(c.a), Value(c.b))
		}
	}
}

func TestNone(t *testing.T) {
	for _, v := range []string{"none", "None.", "nothing", "N/A", "n.a.", "no longer", "Not any more", "nobody", "无", "没有", "没有了", "不再"} {
		if !None(v) {
			t.Errorf("%q is no none", v)
		}
	}
	for _, v := range []string{"", "no", "0", "false", "unknown", "nonesuch", "none of these", "没有糖", "-"} {
		if None(v) {
			t.Errorf("%q is none", v)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct{ attribute, value, want string }{
		{"likes", "coffee", "drink"},
		{"likes", "Black Coffee", "drink"},
		{"likes", "drinking cola", "drink"},
		{"likes", "drinking kvass", "drink"},
		{"likes", "coffee with milk", "drink"},
		{"likes", "mineral water", "drink"},
		{"likes", "coffee tables", ""},
		{"likes", "steak", "food"},
		{"likes", "noodles", "food"},
		{"likes", "cherry tomatoes", "food"},
		{"likes", "water polo", "sport"},
		{"likes", "喝咖啡", "drink"},
		{"likes", "茶", "drink"},
		{"likes", "黑咖啡", "drink"},
		{"likes", "咖啡桌", ""},
		{"likes", "working in the darkroom", ""},
		{"likes", "", ""},
		{"dislikes", "beer", "drink"},
		{"hobby", "tennis", "sport"},
		{"hobby", "chess", "game"},
		{"preference", "dark mode", "theme"},
		{"tech stack", "MariaDB", "database"},
		{"tech stack", "TiDB", "database"},
		{"tech stack", "Redis", "cache"},
		{"preferred drink", "anything", "drink"},
		{"favorite movie", "Heat", ""},
		{"favourite food", "coffee", "food"},
		{"editor", "helix", "editor"},
		{"preferred editor", "ed", "editor"},
		{"home city", "Oslo", "city"},
		{"hometown", "Oslo", ""},
		{"languages", "Basque", "language"},
		{"shoe size", "43", ""},
	} {
		got := strings.Join(Kinds(Canonical(c.attribute), c.value), ",")
		if got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.attribute, c.value, got, c.want)
		}
	}
}
