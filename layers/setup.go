package layers

import (
	"fmt"
	"strings"

	"mcp-memory/layers/redact"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// SetupQuestion is one question of a cold start: what is asked, and the statement
// that an answer becomes.
type SetupQuestion struct {
	Key       string // as a profile file calls it
	Ask       string
	Layer     storage.Layer
	Attribute string // of the user; "" where an answer is a statement of its own
	Category  string
	Many      bool   // several answers hold at once
	Lines     bool   // answers that may hold commas: one a line
	sentence  string // what is remembered, with a %s for the answer
}

// SetupQuestions lists what a memory that knows nothing of its user asks first.
// Their answers go straight into semantic memory; nothing has to be learned from
// conversations for them.
func SetupQuestions() []SetupQuestion {
	return []SetupQuestion{
		{Key: "name", Ask: "What is your name?", Layer: storage.Identity, Attribute: "name", Category: "fact", sentence: "The user's name is %s."},
		{Key: "form_of_address", Ask: "How do you want to be addressed?", Layer: storage.Preference, Attribute: "form of address", Category: "preference", sentence: "The user wants to be addressed as %s."},
		{Key: "pronouns", Ask: "Your pronouns?", Layer: storage.Identity, Attribute: "pronouns", Category: "fact", sentence: "The user's pronouns are %s."},
		{Key: "birthday", Ask: "When is your birthday?", Layer: storage.Identity, Attribute: "birthday", Category: "fact", sentence: "The user's birthday is %s."},
		{Key: "home_city", Ask: "In which city do you live?", Layer: storage.Identity, Attribute: "home city", Category: "fact", sentence: "The user lives in %s."},
		{Key: "time_zone", Ask: "What is your time zone?", Layer: storage.Identity, Attribute: "time zone", Category: "fact", sentence: "The user's time zone is %s."},
		{Key: "languages", Ask: "Which languages do you speak?", Layer: storage.Identity, Attribute: "languages", Category: "skill", Many: true, sentence: "The user speaks %s."},
		{Key: "job_title", Ask: "What do you do for a living?", Layer: storage.Identity, Attribute: "job title", Category: "fact", sentence: "The user's job title is %s."},
		{Key: "employer", Ask: "For whom do you work?", Layer: storage.Identity, Attribute: "employer", Category: "fact", sentence: "The user works for %s."},
		{Key: "skills", Ask: "What are you good at?", Layer: storage.Identity, Attribute: "skills", Category: "skill", Many: true, sentence: "The user is skilled in %s."},
		{Key: "hobbies", Ask: "Your hobbies?", Layer: storage.Identity, Attribute: "hobbies", Category: "fact", Many: true, sentence: "A hobby of the user's: %s."},
		{Key: "allergies", Ask: "Are you allergic to anything?", Layer: storage.Identity, Attribute: "allergies", Category: "fact", Many: true, sentence: "The user is allergic to %s."},
		{Key: "answer_language", Ask: "In which language do you want to be answered?", Layer: storage.Preference, Attribute: "answer language", Category: "preference", sentence: "The user wants answers in this language: %s."},
		{Key: "answer_style", Ask: "How should answers be (short, with examples, formal …)?", Layer: storage.Preference, Attribute: "answer style", Category: "preference", sentence: "The user wants answers in this style: %s."},
		{Key: "tech_stack", Ask: "Which tools or technologies do you work with?", Layer: storage.Identity, Attribute: "tech stack", Category: "fact", Many: true, sentence: "The user works with %s."},
		{Key: "preferences", Ask: "Other preferences, in whole sentences (I prefer …, I never want …)?", Layer: storage.Preference, Category: "preference", Many: true, Lines: true, sentence: "%s"},
		{Key: "goals", Ask: "What are your goals?", Layer: storage.Identity, Attribute: "goals", Category: "goal", Many: true, Lines: true, sentence: "A goal of the user's: %s."},
	}
}

// Memorandum is the statement that an answer becomes.
func (q *SetupQuestion) Memorandum(answer string) Memorandum {
	answer = strings.TrimSpace(answer)
	m := Memorandum{
		Text: fmt.Sprintf(q.sentence, answer), Layer: q.Layer, Tier: storage.Semantic, Category: q.Category,
		Reason: "answered when the memory was set up",
	}
	if q.sentence != "%s" {
		m.Text = strings.TrimRight(fmt.Sprintf(q.sentence, strings.TrimRight(answer, ".。")), " ")
	}
	if q.Attribute != "" {
		m.Entity, m.Attribute, m.Value = userEntity, q.Attribute, answer
	}
	return m
}

// Shown is the statement that an answer becomes as it will be stored, without secrets,
// and the kinds of what was taken out.
func (q *SetupQuestion) Shown(answer string) (m Memorandum, redacted []string) {
	m = q.Memorandum(answer)
	m.Text, redacted = redact.Redact(m.Text)
	m.Value = withoutSecrets(m.Value)
	return m, redacted
}

// Split parts the answer to a question that takes several, as a person types them on
// one line.
func (q *SetupQuestion) Split(answer string) []string {
	parts := []string{answer}
	if q.Many && !q.Lines {
		parts = strings.FieldsFunc(answer, func(r rune) bool { return strings.ContainsRune(",;，；、\n", r) })
	}
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// SetupQuestionOf returns the question whose attribute a label names, in any of the
// names that the table of slots knows: "Employer", "lives in", 所在城市.
func SetupQuestionOf(label string) (SetupQuestion, bool) {
	name := slot.Canonical(label).Name
	for _, q := range SetupQuestions() {
		if q.Attribute != "" && q.Attribute == name {
			return q, true
		}
	}
	return SetupQuestion{}, false
}
