package structure_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/structure"
)

// What is said of the speaker and another is said of each.
func TestParts_TogetherWithAnother(t *testing.T) {
	for said, want := range map[string]string{
		"My wife and I both work at Siemens.":   "user·employer·Siemens·I work at Siemens. wife·employer·Siemens·My wife works at Siemens.",
		"My wife and I live in Bonn.":           "user·home city·Bonn·I live in Bonn. wife·home city·Bonn·My wife lives in Bonn.",
		"Me and my brother both live in Bonn.":  "user·home city·Bonn·I live in Bonn. brother·home city·Bonn·My brother lives in Bonn.",
		"Both my sister and I are vegetarian.":  "user·diet·vegetarian·I am vegetarian. sister·diet·vegetarian·My sister is vegetarian.",
		"My husband and I are both from Chile.": "user·hometown·Chile·I am from Chile. husband·hometown·Chile·My husband is from Chile.",
		"Anna and I both work at Siemens.":      "user·employer·Siemens·I work at Siemens. Anna·employer·Siemens·Anna works at Siemens.",
		"我和我老婆都在腾讯上班。":                          "user·employer·腾讯·我在腾讯上班。 老婆·employer·腾讯·我老婆在腾讯上班。",
		"我妻子和我都住在成都。":                           "user·home city·成都·我住在成都。 妻子·home city·成都·我妻子住在成都。",
		"私と妻は二人ともトヨタで働いています。":                   "user·employer·トヨタ·私はトヨタで働いています。 妻·employer·トヨタ·妻はトヨタで働いています。",
		"妻も私もトヨタで働いています。":                       "user·employer·トヨタ·私はトヨタで働いています。 妻·employer·トヨタ·妻はトヨタで働いています。",
	} {
		var got []string
		for _, p := range structure.Parts(structure.Input{Text: said}) {
			got = append(got, strings.Join([]string{p.Entity, p.Attribute, p.Value, p.Text}, "·"))
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%q is\n%s, want\n%s", said, all, want)
		}
		if st, ok := structure.Parse(structure.Input{Text: said}); !ok || st.Entity != "user" {
			t.Errorf("Parse(%q) = %q %v, want the user's", said, st.Entity, ok)
		}
	}
	for _, said := range []string{"My colleagues and I all work at Siemens.", "My family and I live in Bonn.", "我和同事都在腾讯上班。"} {
		if got := structure.Parts(structure.Input{Text: said}); len(got) > 1 {
			t.Errorf("Parts(%q) = %v, want no part of several people", said, got)
		}
		if st, ok := structure.Parse(structure.Input{Text: said}); !ok || st.Entity != "user" {
			t.Errorf("Parse(%q) = %q %v, want the user's", said, st.Entity, ok)
		}
	}
}
