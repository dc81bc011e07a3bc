package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
	"mcp-memory/layers/gatekeeper"
)

// background is a text about the user: what stands in it as "Employer: Acme", and
// the paragraphs that are left, which extract reads.
type background struct {
	answers    []answer
	paragraphs []string
}

// parseBackground reads plain text or Markdown.
func parseBackground(text string) background {
	var b background
	for _, p := range splitParagraphs(text) {
		if answers := labelled(p); answers != nil {
			b.answers = append(b.answers, answers...)
			continue
		}
		b.paragraphs = append(b.paragraphs, p)
	}
	return b
}

// listMark is what a line of a list or a heading begins with.
var listMark = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6})\s+`)

// splitParagraphs cuts a text at empty lines, headings and the items of lists, joins
// lines that were only wrapped, and keeps code as one piece.
func splitParagraphs(text string) []string {
	var out, lines []string
	flush := func(joint string) {
		if p := strings.TrimSpace(strings.Join(lines, joint)); p != "" {
			out = append(out, p)
		}
		lines = nil
	}
	fenced := false
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")) {
		line = strings.TrimRight(line, "\n")
		mark, fence := listMark.FindString(line), strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fenced:
			if lines = append(lines, line); fence {
				flush("\n")
				fenced = false
			}
		case fence:
			flush(" ")
			lines, fenced = append(lines, line), true
		case strings.TrimSpace(line) == "":
			flush(" ")
		case mark != "":
			flush(" ")
			lines = append(lines, line[len(mark):])
			if strings.Contains(mark, "#") { // a heading ends with its line
				flush(" ")
			}
		case isLabelled(line):
			flush(" ")
			lines = append(lines, line)
			flush(" ")
		default:
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if fenced { // code without an end
		flush("\n")
	}
	flush(" ")
	return out
}

func isLabelled(line string) bool { return labelled(line) != nil }

// maxLabel bounds a label, in bytes: what is longer is a sentence with a colon in it.
const maxLabel = 40

// labelled reads "Languages: Portuguese, English"; nil where the text is none of the
// questions' labels with an answer.
func labelled(p string) []answer {
	p = strings.NewReplacer("**", "", "__", "", "：", ":").Replace(p)
	label, value, ok := strings.Cut(p, ":")
	if !ok || len(label) > maxLabel || strings.ContainsAny(value, "\n") {
		return nil
	}
	q, known := layers.SetupQuestionOf(label)
	if !known {
		return nil
	}
	var answers []answer
	for _, v := range q.Split(value) {
		answers = append(answers, answer{q, v})
	}
	return answers
}

// backgroundSource is what extract knows a background text by.
const backgroundSource = "background"

// messages are the paragraphs as extract takes them: what was read once is known
// again by its words, in whatever file it stands.
func (b background) messages() []any {
	out := make([]any, len(b.paragraphs))
	for i, p := range b.paragraphs {
		sum := sha256.Sum256([]byte(p))
		out[i] = map[string]any{"id": hex.EncodeToString(sum[:16]), "role": "user", "content": p}
	}
	return out
}

// background remembers a text about the user: labelled lines as answers, the rest
// through the rules or the models of extract.
func (a *app) background(cmd *cobra.Command, b background, opts initOptions) error {
	if len(b.answers) > maxAnswers {
		return usageError{tooManyAnswers(b.answers)}
	}
	return a.withMeaning(cmd.Context(), func(t toolbox) error {
		out := initOutput{}
		if opts.dryRun {
			out.Memories = preview(b.answers)
		} else if len(b.answers) > 0 {
			var err error
			if out.Memories, err = t.answered(cmd.Context(), b.answers); err != nil {
				return err
			}
		}
		if len(b.paragraphs) > 0 {
			if err := readBackground(cmd.Context(), t, b, opts, &out); err != nil {
				return err
			}
		}
		return a.introduced(out, opts)
	})
}

// readBackground extracts who the user is and what they prefer from the
// paragraphs.
func readBackground(ctx context.Context, t toolbox, b background, opts initOptions, out *initOutput) error {
	out.Extract = &layers.ExtractOutput{}
	args := map[string]any{
		"messages": b.messages(), "source": backgroundSource, "source_id": backgroundSource, "layers": []any{"identity", "preference"}, "dry_run": opts.dryRun,
	}
	if err := t.call(ctx, "extract", args, out.Extract); err != nil {
		return err
	}
	var ids []any
	for _, l := range gatekeeper.Layers {
		for _, memory := range out.Extract.Layers[string(l)].Memories {
			if opts.dryRun { // texts
				out.Memories = append(out.Memories, layers.Remembered{Status: wouldStore, Text: memory, Layer: string(l), Supersedes: []string{}, Redacted: []string{}})
				continue
			}
			ids = append(ids, memory)
		}
	}
	return t.extracted(ctx, ids, out)
}

// extracted adds what was stored, as it is remembered now.
func (t toolbox) extracted(ctx context.Context, ids []any, out *initOutput) error {
	for len(ids) > 0 {
		n := min(len(ids), maxAnswers)
		var found layers.RecallOutput
		if err := t.call(ctx, "recall", map[string]any{"ids": ids[:n]}, &found); err != nil {
			return err
		}
		ids = ids[n:]
		for _, m := range found.Matches {
			status := layers.StatusStored
			if m.Reinforced > 0 {
				status = layers.StatusReinforced
			}
			out.Memories = append(out.Memories, layers.Remembered{
				ID: m.ID, Status: status, Text: m.Text, Layer: m.Layer, Tier: m.Tier, Entity: m.Entity, Attribute: m.Attribute, Value: m.Value,
				Supersedes: []string{}, Redacted: []string{},
			})
		}
	}
	return nil
}
