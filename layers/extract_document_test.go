package layers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
)

func TestExtract_ADocumentKeepsItsPlaces(t *testing.T) {
	h := open(t)
	filler := strings.Repeat("The harbour was quiet and the wind came from the west.\n\n", 400)
	doc := "The first lamp was brought by Captain Solveig Aune.\n\n" + filler + "In the great storm a cormorant broke the pane.\n\n" + filler + "The last keeper left the keys with the pharmacist."
	if out := h.extracts(layers.ExtractInput{Text: doc, Source: "document", SourceID: "book"}); out.Counts.Stored != 4 {
		t.Errorf("counts %+v, want the three paragraphs and the filler, which is always the same", out.Counts)
	}
	for query, want := range map[string]string{"Solveig Aune lamp": "paragraph 1 of", "cormorant pane": "paragraph 402 of", "keys pharmacist": "paragraph 803 of 803"} {
		found := h.recalled(layers.RecallInput{Query: query, Tiers: []string{"episodic"}, Limit: ptr(3)}).Matches
		if len(found) == 0 || !strings.Contains(found[0].Reason, want) {
			t.Errorf("%s: %+v, want its place %q", query, found, want)
		}
	}
	before := len(h.texts())
	h.extracts(layers.ExtractInput{Text: doc, Source: "document", SourceID: "book"})
	if after := len(h.texts()); after != before {
		t.Errorf("%d records, after the same document again %d", before, after)
	}
}

// Bytes are those of the document as it was given, whatever ends its lines, and a
// paragraph begins with its first word.
func TestExtract_ADocumentTellsWhereAParagraphBegins(t *testing.T) {
	for name, doc := range map[string]string{
		"unix":    "The lamp was lit in May.\n\n\nThe keys\nare with the pharmacist.\n\nThe boat is at the pier.",
		"windows": "The lamp was lit in May.\r\n\r\n\r\nThe keys\r\nare with the pharmacist.\r\n\r\nThe boat is at the pier.",
	} {
		h := open(t)
		h.extracts(layers.ExtractInput{Text: doc, Source: "document", SourceID: "book"})
		for first, number := range map[string]int{"The lamp": 1, "The keys": 2, "The boat": 3} {
			want := fmt.Sprintf("paragraph %d of 3, from byte %d", number, strings.Index(doc, first))
			found := h.recalled(layers.RecallInput{Query: first, Tiers: []string{"episodic"}}).Matches
			if len(found) == 0 || found[0].Reason != want {
				t.Errorf("%s: %q is found as %+v, want %q", name, first, found, want)
			}
		}
	}
}

// An edited paragraph of a document is read when the document comes again; the others
// are not, wherever they stand by now.
func TestExtract_ReadsWhatWasEditedInADocument(t *testing.T) {
	h := open(t)
	send := func(paragraphs ...string) layers.ExtractOutput {
		h.pass(time.Minute)
		return h.extracts(layers.ExtractInput{Text: strings.Join(paragraphs, "\n\n"), Source: "document", SourceID: "notes"})
	}
	lamp, keys := "The lamp was brought in May.", "The keys are with the pharmacist."
	send(lamp, "I live in Lille.", keys)
	before := len(h.texts())
	if out := send("A new preface.", lamp, "I live in Lyon.", keys); out.Counts.Stored != 3 || out.Counts.Superseded != 1 { // preface, edit, fact
		t.Errorf("counts %+v, dropped %+v", out.Counts, out.Dropped)
	}
	got := h.texts()
	if n := len(got) - before; n != 2 {
		t.Errorf("%d texts more, want the preface and the edited paragraph: %q", n, got)
	}
	for _, m := range h.recalled(layers.RecallInput{Attribute: "home city", Tiers: []string{"semantic"}}).Matches {
		if m.Value != "Lyon" {
			t.Errorf("home city %q", m.Value)
		}
	}
	if out := send("A new preface.", lamp, "I live in Lyon.", keys); out.Counts.Stored != 0 {
		t.Errorf("the same again: counts %+v", out.Counts)
	}
	if out := send(keys, lamp); out.Counts.Stored != 0 {
		t.Errorf("in another order: counts %+v", out.Counts)
	}
}

// A document that goes back to what it said before is read again where that changes
// what is current, and only there.
func TestExtract_ADocumentGoesBack(t *testing.T) {
	h := open(t)
	send := func(source, text string) layers.ExtractOutput {
		h.pass(time.Minute)
		return h.extracts(layers.ExtractInput{Text: text, Source: "document", SourceID: source})
	}
	city := func() string {
		return h.recalled(layers.RecallInput{Attribute: "home city", Tiers: []string{"semantic"}}).Matches[0].Value
	}
	first, second := "I live in Lille.\n\nI work at Initech.", "I live in Lyon.\n\nI work at Initech."
	send("notes", first)
	send("notes", second)
	if out := send("notes", first); city() != "Lille" || out.Counts.Superseded != 1 || out.Counts.Stored != 1 {
		t.Errorf("home city %s, counts %+v, dropped %+v", city(), out.Counts, out.Dropped)
	}
	if out := send("notes", first); out.Counts.Stored+out.Counts.Reinforced != 0 {
		t.Errorf("the same again: counts %+v", out.Counts)
	}
	if send("notes", second); city() != "Lyon" {
		t.Errorf("home city %s after the second version came again", city())
	}
	send("letters", "I live in Nantes.")
	if out := send("notes", second); city() != "Nantes" || out.Counts.Stored != 0 {
		t.Errorf("home city %s, counts %+v: what was not edited takes nothing back", city(), out.Counts)
	}
	if send("notes", first); city() != "Lille" {
		t.Errorf("home city %s: what was edited does", city())
	}
}

// A document without a name and a date is known by its words.
func TestExtract_ADocumentWithoutASourceIsReadOnce(t *testing.T) {
	h := open(t)
	in := layers.ExtractInput{Text: "The lamp was lit in May.\n\nThe keys are with the pharmacist.", Source: "document"}
	if out := h.extracts(in); out.Counts.Stored != 2 {
		t.Errorf("counts %+v, want 2 paragraphs stored", out.Counts)
	}
	h.pass(time.Hour)
	if out := h.extracts(in); out.Counts.Stored != 0 || len(h.texts()) != 2 {
		t.Errorf("again: counts %+v, %d records", out.Counts, len(h.texts()))
	}
}
