package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcp-memory/layers"
)

var (
	errNobodyToAsk = usageError{errors.New("init asks its questions on a terminal, and standard input is none; give --from FILE (a profile.yaml, or a .md or .txt file about you)")}
	errNotFinished = errors.New("the answers were not confirmed; nothing was stored")
)

// interview asks the questions of a cold start. Nothing is stored meanwhile, and
// another process may use the memory.
func (a *app) interview() ([]answer, error) {
	if !isTerminal(a.stdin) {
		return nil, errNobodyToAsk
	}
	i := interviewer{in: bufio.NewReader(a.stdin), out: a.stderr}
	i.say("A few questions; Enter skips one. Nothing is stored before you have seen it all.\n\n")
	var answers []answer
	for _, q := range layers.SetupQuestions() {
		values, err := i.ask(&q)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			answers = append(answers, answer{q, v})
		}
	}
	if len(answers) == 0 {
		return nil, nil
	}
	return answers, i.confirm(answers)
}

// interviewer asks a person at a terminal. What it says is no answer of the program,
// so it goes to stderr.
type interviewer struct {
	in  *bufio.Reader
	out io.Writer
}

func (i *interviewer) say(format string, args ...any) { fmt.Fprintf(i.out, format, args...) }

// ask returns the answers to one question; none where it is skipped.
func (i *interviewer) ask(q *layers.SetupQuestion) ([]string, error) {
	if !q.Lines {
		hint := ""
		if q.Many {
			hint = " (several with commas)"
		}
		i.say("%s%s ", q.Ask, hint)
		line, err := i.line()
		return q.Split(line), err
	}
	i.say("%s (one a line; an empty line goes on)\n", q.Ask)
	var values []string
	for {
		i.say("  ")
		line, err := i.line()
		if err != nil || line == "" {
			return values, err
		}
		values = append(values, q.Split(line)...)
	}
}

// line reads one line. The end of the input is an error: nobody has confirmed.
func (i *interviewer) line() (string, error) {
	line, err := i.in.ReadString('\n')
	switch {
	case errors.Is(err, io.EOF):
		return "", errNotFinished
	case err != nil:
		return "", fmt.Errorf("read answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// confirm shows what the answers become, and asks whether to store it.
func (i *interviewer) confirm(answers []answer) error {
	i.say("\n")
	for _, a := range answers {
		m, _ := a.question.Shown(a.value)
		i.say("  %s\n", oneLine(m.Text))
	}
	i.say("\nRemember %s? [Y/n] ", count(len(answers), "statement"))
	line, err := i.line()
	if err != nil {
		return err
	}
	if word := strings.ToLower(line); word != "" && word != "y" && word != "yes" {
		return errNotFinished
	}
	return nil
}
