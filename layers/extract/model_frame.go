package extract

import (
	"embed"
	"fmt"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// frame holds what all layers are told, and guides what each is.
var (
	frame  = llm.MustPrompt(promptText("frame"))
	guides = newGuides()
)

// guide is a layer's part of the prompt, a file of its own.
type guide struct{ version, text string }

func promptText(name string) string {
	file, err := promptFiles.ReadFile("prompts/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return string(file)
}

func newGuides() map[storage.Layer]guide {
	all := map[storage.Layer]guide{}
	for _, layer := range singleLayers {
		head, text, _ := strings.Cut(promptText(string(layer)), "\n")
		version, ok := strings.CutPrefix(strings.TrimSpace(head), "version: ")
		if !ok {
			panic(fmt.Sprintf("prompts/%s.txt begins with no version", layer))
		}
		all[layer] = guide{version, strings.TrimSpace(text)}
	}
	return all
}

// fillFrame puts a layer's prompt for a piece of the conversation into a request; no
// layer means all.
func fillFrame(r *llm.Request, layer storage.Layer, in *ModelInput, w window) error {
	err := frame.Fill(r, map[string]any{
		"Layer":        string(layer),
		"Guide":        guideOf(layer),
		"Detail":       detailWords(layer),
		"User":         userWords(in.UserNames),
		"Language":     wantedLanguage(in),
		"Known":        knownLines(layer, in.Known),
		"Now":          nowWords(in.ObservedAt),
		"Conversation": llm.Data("conversation", w.lines(in)),
	})
	r.Version += "+single"
	if layer != "" {
		r.Version = frame.Version + "+" + guides[layer].version
	}
	return err
}

func guideOf(layer storage.Layer) string {
	if layer != "" {
		return guides[layer].text
	}
	var all []string
	for _, l := range singleLayers {
		all = append(all, guides[l].text)
	}
	return strings.Join(all, "\n\n")
}

func userWords(names []string) string {
	if len(names) == 0 {
		return `The user is who has the role "user".`
	}
	return fmt.Sprintf("The user is %s.", oneLineOf(strings.Join(names, ", also ")))
}

func wantedLanguage(in *ModelInput) string {
	if in.Language != "" {
		return oneLineOf(in.Language)
	}
	return in.Talk.Language
}

func nowWords(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("Monday, 2006-01-02 15:04 -07:00")
}

// Limits of what is shown of the records that stand.
const (
	maxKnown     = 40  // lines
	maxKnownLine = 300 // bytes
)

// knownLines shows a layer's records: the slot and value, so that an update can name
// the same slot, and the text.
func knownLines(layer storage.Layer, known []Known) string {
	var lines []string
	for _, k := range known {
		if layer != "" && k.Layer != "" && k.Layer != layer || len(lines) == maxKnown {
			continue
		}
		line := oneLineOf(k.Text)
		if k.Attribute != "" {
			line = oneLineOf(fmt.Sprintf("%s · %s · %s: %s", k.Entity, k.Attribute, k.Value, k.Text))
		}
		lines = append(lines, "- "+text.Shorten(line, maxKnownLine))
	}
	if len(lines) == 0 {
		return ""
	}
	return llm.Data("existing", strings.Join(lines, "\n"))
}

// lines are the turns of a piece.
func (w window) lines(in *ModelInput) string {
	lines := make([]string, len(w))
	for i, e := range w {
		lines[i] = e.utterance(in).String()
	}
	return strings.Join(lines, "\n")
}

func (e *excerpt) utterance(in *ModelInput) llm.Utterance {
	t := &in.Talk.Turns[e.turn]
	u := llm.Utterance{N: e.turn, Who: t.Role, Text: e.text}
	if t.Name != "" {
		u.Who += " (" + text.Shorten(oneLineOf(t.Name), maxKnownLine) + ")"
	}
	if e.context {
		u.Who += ", context"
	}
	if !t.Time.IsZero() {
		u.When = t.Time.Format("Mon 2006-01-02T15:04:05Z07:00")
	}
	return u
}

func oneLineOf(s string) string { return strings.Join(strings.Fields(s), " ") }
