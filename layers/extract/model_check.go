package extract

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"mcp-memory/internal/text"
	"mcp-memory/layers/llm"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// Limits of a memory by a model, in bytes. They are below those of a record: a
// memory is a statement, and what is longer is a summary or a copy.
const (
	maxModelText   = 2000
	maxModelName   = 200 // entity, attribute
	maxModelValue  = 1000
	maxModelReason = 1000
	maxModelQuote  = 1000
	maxModelTag    = 64
	maxModelTags   = 8   // number
	maxDrop        = 200 // of a dropped text, as it is shown
	maxModelCount  = 50  // memories of an answer; more come from a model that repeats itself
)

// What a memory has where the model says nothing of use.
const (
	modelImportance = 4
	modelConfidence = 0.8
)

// modelCategories are those of a record.
var modelCategories = []string{"fact", "preference", "goal", "plan", "event", "skill", "relationship"}

// modelCheck holds a model's memories against the turns. It serves one conversation.
type modelCheck struct {
	in     *ModelInput
	turns  []turnView
	spoken map[int]*spokenTimes // by turn, as they are asked for
	seen   map[string]bool      // texts and statements that were taken, folded
}

func newModelCheck(in *ModelInput) *modelCheck {
	return &modelCheck{in: in, turns: turnViews(in), spoken: map[int]*spokenTimes{}, seen: map[string]bool{}}
}

// memories checks an answer about a piece of the conversation.
func (c *modelCheck) memories(layer storage.Layer, w window, raws []json.RawMessage) (result ModelResult) {
	for i, raw := range raws {
		if i == maxModelCount {
			result.Drops = append(result.Drops, Drop{Reason: fmt.Sprintf("the model gives %d memories for one piece of conversation; those after the first %d are left out", len(raws), maxModelCount)})
			break
		}
		m, reason := c.memory(layer, w, raw)
		if reason != "" {
			result.Drops = append(result.Drops, Drop{Text: rawText(raw), Reason: reason})
			continue
		}
		for _, note := range m.Notes {
			result.Drops = append(result.Drops, Drop{Text: text.Shorten(m.Text, maxDrop), Reason: "kept without a part: " + note})
		}
		result.Memories = append(result.Memories, m)
	}
	return result
}

// candidate is a memory on its way through the checks.
type candidate struct {
	Memory
	fields map[string]any // as the model wrote them
	window window
}

// step is one check: it fills in what it finds good, and returns why the memory is
// dropped, or "".
type step func(c *modelCheck, m *candidate) (reason string)

var steps = []step{
	(*modelCheck).text, (*modelCheck).place, (*modelCheck).origin, (*modelCheck).slot, (*modelCheck).subject,
	(*modelCheck).rest, (*modelCheck).times, (*modelCheck).writtenDates, (*modelCheck).detail, (*modelCheck).novelty,
}

func (c *modelCheck) memory(layer storage.Layer, w window, raw json.RawMessage) (Memory, string) {
	fields, ok := memoryFields(raw)
	if !ok {
		return Memory{}, "is no object"
	}
	if name := llm.Twice(raw); name != "" {
		return Memory{}, fmt.Sprintf("gives %q twice, and not the same", text.Shorten(name, maxModelTag))
	}
	m := &candidate{Memory: Memory{Layer: layer}, fields: fields, window: w}
	for _, step := range steps {
		if reason := step(c, m); reason != "" {
			return Memory{}, reason
		}
	}
	return m.Memory, ""
}

// memoryFields reads a memory: an object, or a bare sentence.
func memoryFields(raw json.RawMessage) (map[string]any, bool) {
	if fields, err := llm.Fields(raw); err == nil && fields != nil {
		return fields, true
	}
	var sentence string
	if json.Unmarshal(raw, &sentence) == nil {
		return map[string]any{"text": sentence}, true
	}
	return nil, false
}

// rawText is the text of a memory that is dropped, as far as it has one.
func rawText(raw json.RawMessage) string {
	fields, _ := memoryFields(raw)
	s, _ := llm.AsString(fields["text"])
	return text.Shorten(oneLineOf(s), maxDrop)
}

// word returns a field's text on one line, "" where there is none.
func (m *candidate) word(name string) string {
	s, _ := llm.AsString(single(m.fields[name]))
	if s = oneLineOf(s); strings.EqualFold(s, "null") {
		return ""
	}
	return s
}

// single is the one element of a list with one, else the value.
func single(v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		return list[0]
	}
	return v
}

// noText says what stands in place of a field's text: a number, a list …; "" where it is
// a text or left out.
func (m *candidate) noText(name string) string {
	switch single(m.fields[name]).(type) {
	case nil, string:
		return ""
	case json.Number:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	}
	return "an object"
}

// note says that a part of the answer was left out.
func (m *candidate) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// text wants a sentence that is a statement.
func (c *modelCheck) text(m *candidate) string {
	s := m.word("text")
	if other := m.noText("text"); other != "" {
		return fmt.Sprintf("has no text: where it should be stands %s", other)
	}
	switch {
	case !strings.ContainsFunc(s, unicode.IsLetter):
		return "has no text"
	case len(s) > maxModelText:
		return fmt.Sprintf("its text has %d bytes; a statement has %d at most", len(s), maxModelText)
	case llm.IsRefusal(s):
		return "is the model's refusal, not a statement"
	case saysNothing(s), unknown(s, m.word("quote")):
		return "says that there is nothing to remember"
	}
	m.Text = s
	return ""
}

// place wants a memory of the layer that was asked for, where it says one at all: another
// one's extractor reads the same turns.
func (c *modelCheck) place(m *candidate) string {
	layer := storage.Layer(strings.ToLower(m.word("layer")))
	if layer != m.Layer && slices.Contains(singleLayers, layer) {
		return fmt.Sprintf("the model puts it into the layer %s; it was asked for %s", layer, m.Layer)
	}
	return ""
}

// slot takes entity, attribute and value where they make a statement.
func (c *modelCheck) slot(m *candidate) string {
	if other := m.noText("entity"); other != "" {
		return fmt.Sprintf("is about nobody that can be named: where its entity should be stands %s", other)
	}
	entity, attribute, value := m.word("entity"), m.word("attribute"), m.word("value")
	if m.noText("attribute") != "" {
		attribute = ""
	}
	if len(entity) > maxModelName || len(attribute) > maxModelName || len(value) > maxModelValue {
		m.note("entity, attribute or value is too long to be one; the text stands without them")
		entity, attribute, value = "", "", ""
	}
	if entity = c.entity(m, entity); entity == "" {
		return "is about nobody that can be named"
	}
	m.Entity = entity
	switch {
	case attribute == "" && value == "":
	case value == "" || !hasWord(attribute) || slot.Value(value) == "":
		m.note("attribute and value do not make a statement: one of them says nothing")
	case slot.None(value):
		m.Attribute, m.Value = attribute, "none"
	case saysNothing(value):
		m.note("attribute and value do not make a statement: the value says that it is not known")
	default:
		m.Attribute, m.Value = attribute, value
	}
	return ""
}

// rest takes the fields that are good in themselves.
func (c *modelCheck) rest(m *candidate) string {
	m.Reason = text.Shorten(m.word("reason"), maxModelReason)
	if category := strings.ToLower(m.word("category")); slices.Contains(modelCategories, category) {
		m.Category = category
	}
	m.Importance = modelImportance
	if x, ok := m.number("importance"); ok {
		m.Importance = int(math.Round(min(max(x, 1), 5)))
	}
	m.Confidence = modelConfidence
	if x, ok := m.number("confidence"); ok {
		m.Confidence = min(max(x, 0), 1)
	}
	m.Tags = modelTags(m.fields["tags"])
	if m.Language = text.Language(m.Text); m.Language == "" {
		m.Language = wantedLanguage(c.in)
	}
	return ""
}

// number is a field's number; what is none is told.
func (m *candidate) number(name string) (x float64, ok bool) {
	given := single(m.fields[name])
	if x, ok = llm.AsNumber(given); !ok && m.word(name) != "" || m.noText(name) == "an object" || m.noText(name) == "a list" {
		m.note("%s is no number and is left out", name)
	}
	return x, ok
}

// betweenTags are the marks between tags that were written as one text.
const betweenTags = ",;#，、；"

// modelTags are the tags in a list, or in a text that lists them.
func modelTags(v any) []string {
	if s, ok := v.(string); ok {
		var list []any
		for _, tag := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(betweenTags, r) }) {
			list = append(list, tag)
		}
		v = list
	}
	var tags []string
	for _, tag := range llm.AsStrings(v) {
		tag = oneLineOf(tag)
		if tag != "" && len(tag) <= maxModelTag && len(tags) < maxModelTags && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// novelty drops what was said twice in an answer, and what the model merely repeats of
// the records it was shown.
func (c *modelCheck) novelty(m *candidate) string {
	if m.Trust == storage.Inferred && c.repeatsKnown(m) {
		return "repeats what is known, and no turn says it"
	}
	keys := []string{"text " + text.Fold(m.Text)}
	if m.Attribute != "" {
		keys = append(keys, statementKey(c.in, m.Entity, m.Attribute, m.Value))
	}
	for _, key := range keys {
		if c.seen[string(m.Layer)+" "+key] {
			return "says the same as another one of this answer"
		}
	}
	for _, key := range keys {
		c.seen[string(m.Layer)+" "+key] = true
	}
	return ""
}

func (c *modelCheck) repeatsKnown(m *candidate) bool {
	said, statement := text.Fold(m.Text), statementKey(c.in, m.Entity, m.Attribute, m.Value)
	return slices.ContainsFunc(c.in.Known, func(k Known) bool {
		return text.Fold(k.Text) == said ||
			m.Attribute != "" && statementKey(c.in, k.Entity, k.Attribute, k.Value) == statement
	})
}

// statementKey compares statements as the fold does.
func statementKey(in *ModelInput, entity, attribute, value string) string {
	_, key := slot.Entity(entity, in.UserNames...)
	attr := slot.Canonical(attribute)
	return fmt.Sprintf("statement %s|%s|%t|%s", key, attr.Name, attr.Negative, slot.Value(value))
}

// hasWord reports whether a text says anything.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
