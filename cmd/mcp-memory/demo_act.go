package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-memory/layers"
)

// asked prints what the client asks, came what the server answers.
func (d *demo) asked(format string, args ...any) error {
	return d.line("   %s %s", d.cyan("›"), fmt.Sprintf(format, args...))
}

func (d *demo) came(format string, args ...any) error {
	return d.line("     %s", fmt.Sprintf(format, args...))
}

// arguments is the statement as remember takes it.
func (s statement) arguments() map[string]any {
	return map[string]any{
		"text": s.text, "entity": s.entity, "attribute": s.attribute, "value": s.value,
		"layer": s.layer, "observed_at": s.day,
	}
}

// remember stores statements in one call and checks that each got the status.
func (d *demo) remember(ctx context.Context, statements []statement, status string) ([]layers.Remembered, error) {
	memories := make([]any, len(statements))
	for i, s := range statements {
		memories[i] = s.arguments()
	}
	var out layers.RememberOutput
	if err := d.child.call(ctx, "remember", map[string]any{"memories": memories}, &out); err != nil {
		return nil, err
	}
	if err := d.check(len(out.Memories) == len(statements), "%d answers to %d statements", len(out.Memories), len(statements)); err != nil {
		return nil, err
	}
	for i, m := range out.Memories {
		if err := d.rememberedOne(statements[i], m, status); err != nil {
			return nil, err
		}
	}
	return out.Memories, nil
}

func (d *demo) rememberedOne(s statement, m layers.Remembered, status string) error {
	if err := d.asked("%s  %s", s.day, s.text); err != nil {
		return err
	}
	what := d.green(m.Status) + " " + d.dim(slot(m.Entity, m.Attribute, m.Value))
	if n := len(m.Supersedes); n > 0 {
		what += d.yellow(fmt.Sprintf("  replaces %d older", n))
	}
	if err := d.came("%s", what); err != nil {
		return err
	}
	return d.check(m.Status == status, "%q is %s, not %s", s.text, m.Status, status)
}

// question is one recall and what its first answer must and no answer may hold.
type question struct {
	ask, entity, attribute string
	asOf                   string
	explain                bool
	want, never            string
	gone                   bool // no answer at all is right
}

func (q question) arguments() map[string]any {
	args := map[string]any{"limit": 3}
	for name, value := range map[string]string{"query": q.ask, "entity": q.entity, "attribute": q.attribute, "as_of": q.asOf} {
		if value != "" {
			args[name] = value
		}
	}
	if q.explain {
		args["explain"] = true
	}
	return args
}

func (q question) String() string {
	words := q.ask
	if words == "" {
		words = q.entity + " · " + q.attribute
	}
	return nonEmpty(", as of ", words, q.asOf)
}

// ask recalls, prints the first answer and why it is first, and checks it.
func (d *demo) ask(ctx context.Context, q question) error {
	var out layers.RecallOutput
	if err := d.child.call(ctx, "recall", q.arguments(), &out); err != nil {
		return err
	}
	if err := d.asked("%s", q); err != nil {
		return err
	}
	if len(out.Matches) == 0 {
		if err := d.came("%s", d.yellow("nothing found")); err != nil {
			return err
		}
		return d.check(q.gone, "%s: nothing found, where %q was wanted", q, q.want)
	}
	return d.answered(q, out.Matches)
}

func (d *demo) answered(q question, matches []layers.Match) error {
	first := matches[0]
	if err := d.came("%s  %s", d.bold(oneLine(first.Text)), d.dim("said "+first.ObservedAt[:len("2006-01-02")])); err != nil {
		return err
	}
	if q.explain {
		if err := d.came("%s", d.cyan(fmt.Sprintf("why: score %.2f from %s", first.Score, signals(first.Signals)))); err != nil {
			return err
		}
		if err := d.check(len(first.Signals) > 0, "%s: no reason given", q); err != nil {
			return err
		}
	}
	if err := d.check(strings.Contains(first.Text, q.want), "%s: %q does not hold %q", q, first.Text, q.want); err != nil {
		return err
	}
	unwanted := slices.ContainsFunc(matches, func(m layers.Match) bool { return q.never != "" && strings.Contains(m.Text, q.never) })
	return d.check(!unwanted, "%s: an answer still holds %q", q, q.never)
}

// forget asks for what would go, shows it, and confirms with the token.
func (d *demo) forget(ctx context.Context, args map[string]any) (layers.ForgetOutput, error) {
	var out layers.ForgetOutput
	if err := d.child.call(ctx, "forget", args, &out); err != nil {
		return out, err
	}
	if err := d.asked("forget %v", args["query"]); err != nil {
		return out, err
	}
	for _, m := range out.Matched {
		if err := d.came("would go: %s", oneLine(m.Text)); err != nil {
			return out, err
		}
	}
	if err := d.check(out.Forgotten == 0 && out.Confirm != "", "a wide forget ran without being confirmed"); err != nil {
		return out, err
	}
	token := out.Confirm
	out = layers.ForgetOutput{}
	err := d.child.call(ctx, "forget", withArgument(args, "confirm", token), &out)
	if err != nil {
		return out, err
	}
	return out, d.asked("yes, with the token it gave")
}

// restart ends the server as a client does, and starts it again.
func (d *demo) restart(ctx context.Context) error {
	if err := d.stop(); err != nil {
		return fmt.Errorf("stop the server: %w", err)
	}
	return d.start(ctx)
}

func containsAll(have []string, want ...string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}
