package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

// initOptions are the flags of init.
type initOptions struct {
	from           string
	dryRun, asJSON bool
}

func newInit(a *app) *cobra.Command {
	var opts initOptions
	cmd := &cobra.Command{
		Use:   "init [--from profile.yaml | --from about.md]",
		Short: "Tell the memory who you are, what you prefer and what your goals are",
		Long: "init asks on the terminal, or reads a file, and remembers the answers as standing\n" +
			"statements. Run again it changes only what is answered otherwise.\n\n" +
			"A .yaml or .yml file holds answers by key: " + strings.Join(profileKeys(), ", ") + ".\n" +
			"A .md or .txt file holds sentences about you, or lines such as \"Employer: Acme\".",
		Example: "  mcp-memory init\n  mcp-memory init --from profile.yaml --dry-run",
		Args:    noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.init(cmd, opts)
		},
	}
	cmd.Flags().StringVar(&opts.from, "from", "", "`file` with a profile (.yaml) or a text about you (.md, .txt)")
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "only show what would be remembered")
	addJSON(cmd, &opts.asJSON)
	return cmd
}

// initOutput is what init remembered.
type initOutput struct {
	Memories []layers.Remembered   `json:"memories"`
	Extract  *layers.ExtractOutput `json:"extract,omitempty"` // of a text
}

func (a *app) init(cmd *cobra.Command, opts initOptions) error {
	if opts.from == "" {
		answers, err := a.interview()
		if err != nil {
			return err
		}
		return a.introduce(cmd, answers, opts)
	}
	raw, err := a.readInput(opts.from)
	if err != nil {
		return err
	}
	switch ext := strings.ToLower(filepath.Ext(opts.from)); ext {
	case ".yaml", ".yml":
		answers, err := parseProfile(raw)
		if err != nil {
			return usageError{fmt.Errorf("%s: %w", opts.from, err)}
		}
		return a.introduce(cmd, answers, opts)
	case ".md", ".markdown", ".txt":
		return a.background(cmd, parseBackground(string(raw)), opts)
	default:
		return usageError{fmt.Errorf("--from %s: a file that ends in .yaml, .yml, .md, .markdown or .txt is wanted", opts.from)}
	}
}

// answer is one answer to a question.
type answer struct {
	question layers.SetupQuestion
	value    string
}

// maxAnswers is how many memories one call of remember takes, so that a profile is
// stored as a whole or not at all.
const maxAnswers = 100

// introduce remembers answers.
func (a *app) introduce(cmd *cobra.Command, answers []answer, opts initOptions) error {
	if len(answers) > maxAnswers {
		return usageError{tooManyAnswers(answers)}
	}
	if opts.dryRun || len(answers) == 0 {
		return a.introduced(initOutput{Memories: preview(answers)}, opts)
	}
	return a.with(cmd.Context(), func(t toolbox) error {
		out, err := t.answered(cmd.Context(), answers)
		if err != nil {
			return err
		}
		if err := a.introduced(initOutput{Memories: out}, opts); err != nil {
			return err
		}
		a.hintName(answers)
		return nil
	})
}

func tooManyAnswers(answers []answer) error {
	return fmt.Errorf("there are %d answers; at most %d are taken at once", len(answers), maxAnswers)
}

// answered remembers answers, all or none.
func (t toolbox) answered(ctx context.Context, answers []answer) ([]layers.Remembered, error) {
	memories := make([]any, len(answers))
	for i, a := range answers {
		m := a.question.Memorandum(a.value)
		memory := map[string]any{"text": m.Text, "layer": string(m.Layer), "tier": string(m.Tier), "category": m.Category, "reason": m.Reason}
		if m.Attribute != "" {
			memory["entity"], memory["attribute"], memory["value"] = m.Entity, m.Attribute, m.Value
		}
		memories[i] = memory
	}
	var out layers.RememberOutput
	if err := t.call(ctx, "remember", map[string]any{"memories": memories}, &out); err != nil {
		return nil, byKey(err, answers)
	}
	return out.Memories, nil
}

// hintName says how statements about the user's name come to be about the user.
func (a *app) hintName(answers []answer) {
	if a.set.UserName != "" {
		return
	}
	for _, given := range answers {
		if given.question.Key == "name" {
			fmt.Fprintf(a.stderr, "say --user-name %q to the server too, or user_name in its settings: statements about %[1]s are then about you\n", oneLine(given.value))
		}
	}
}

// wouldStore is the status of what a dry run shows.
const wouldStore = "would store"

// preview shows what would be remembered.
func preview(answers []answer) []layers.Remembered {
	out := []layers.Remembered{}
	for _, a := range answers {
		m, redacted := a.question.Shown(a.value)
		out = append(out, layers.Remembered{
			Status: wouldStore, Text: m.Text, Layer: string(m.Layer), Tier: string(m.Tier), Entity: m.Entity, Attribute: m.Attribute, Value: m.Value,
			Supersedes: []string{}, Redacted: append([]string{}, redacted...),
		})
	}
	return out
}

// memoryField is how remember names what is wrong.
var memoryField = regexp.MustCompile(`^memories\[(\d+)\]\.(\w+)`)

// byKey names the answer that an error of remember is about.
func byKey(err error, answers []answer) error {
	found := memoryField.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	n, scanned := strconv.Atoi(found[1])
	if scanned != nil || n >= len(answers) {
		return err
	}
	return usageError{fmt.Errorf("%s: its %s%s; nothing was stored", answers[n].question.Key, found[2], err.Error()[len(found[0]):])}
}

// introduced prints what was remembered.
func (a *app) introduced(out initOutput, opts initOptions) error {
	if out.Memories == nil {
		out.Memories = []layers.Remembered{}
	}
	if opts.asJSON {
		return a.printJSON(out)
	}
	p := a.newPage()
	if len(out.Memories) == 0 {
		return p.line("%s", p.yellow("nothing new to remember was found"))
	}
	if err := p.remembered(layers.RememberOutput{Memories: out.Memories}); err != nil {
		return err
	}
	if out.Extract != nil && out.Extract.Status != layers.JobComplete {
		return fmt.Errorf("reading the text is %s; mcp-memory init with the same file runs again what failed", out.Extract.Status)
	}
	return nil
}
