package llm

import (
	"fmt"
	"strings"
	"text/template"
)

// Prompt is a prompt's file: its version, the instructions, and the data they are
// about.
//
//	version: gate/1
//	--- system
//	You decide …
//	--- prompt
//	{{.Conversation}}
//
// The version goes up with every change of its words, so that a trace tells which
// one an answer came from. Instructions hold no text of people.
type Prompt struct {
	Version        string
	system, prompt *template.Template
}

const (
	versionLine  = "version: "
	systemBorder = "\n--- system\n"
	promptBorder = "\n--- prompt\n"
)

// MustPrompt reads an embedded file, and panics where it is not one: a test of its
// package finds that.
func MustPrompt(file string) *Prompt {
	p, err := parsePrompt(file)
	if err != nil {
		panic(err)
	}
	return p
}

func parsePrompt(file string) (*Prompt, error) {
	file = strings.ReplaceAll(file, "\r\n", "\n")
	head, rest, ok := strings.Cut(file, systemBorder)
	version, versioned := strings.CutPrefix(strings.TrimSpace(head), versionLine)
	if !ok || !versioned || version == "" {
		return nil, fmt.Errorf("prompt: begins with no %q and %q", versionLine, strings.TrimSpace(systemBorder))
	}
	system, prompt, ok := strings.Cut(rest, promptBorder)
	if !ok {
		return nil, fmt.Errorf("prompt %s: has no %q", version, strings.TrimSpace(promptBorder))
	}
	p := &Prompt{Version: version}
	var err error
	if p.system, err = template.New(version).Option("missingkey=error").Parse(strings.TrimSpace(system)); err != nil {
		return nil, fmt.Errorf("prompt %s: %w", version, err)
	}
	if p.prompt, err = template.New(version).Option("missingkey=error").Parse(strings.TrimSpace(prompt)); err != nil {
		return nil, fmt.Errorf("prompt %s: %w", version, err)
	}
	return p, nil
}

// Fill puts the prompt with its values into a request.
func (p *Prompt) Fill(r *Request, values any) error {
	var system, prompt strings.Builder
	if err := p.system.Execute(&system, values); err != nil {
		return fmt.Errorf("fill prompt %s: %w", p.Version, err)
	}
	if err := p.prompt.Execute(&prompt, values); err != nil {
		return fmt.Errorf("fill prompt %s: %w", p.Version, err)
	}
	r.System, r.Prompt, r.Version = system.String(), prompt.String(), p.Version
	return nil
}
