package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// isTerminal reports whether stream is a character device other than the null
// device: near enough to a terminal for a prompt or a colour.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// ask asks a person on the terminal, and reads a line.
func (a *app) ask(format string, args ...any) (string, error) {
	fmt.Fprintf(a.stderr, format, args...)
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read answer: %w", err)
	}
	return strings.TrimSpace(answer), nil
}

// palette paints words for a terminal. The zero palette leaves them plain.
type palette struct{ colour bool }

// newPalette paints on terminals, unless NO_COLOR is set (no-color.org) or the
// terminal is dumb.
func newPalette(out any, env environment) palette {
	return palette{colour: isTerminal(out) && env["NO_COLOR"] == "" && env["TERM"] != "dumb"}
}

func (p palette) bold(s string) string   { return p.paint("1", s) }
func (p palette) dim(s string) string    { return p.paint("2", s) }
func (p palette) green(s string) string  { return p.paint("32", s) }
func (p palette) yellow(s string) string { return p.paint("33", s) }
func (p palette) cyan(s string) string   { return p.paint("36", s) }

func (p palette) paint(code, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// printable makes stored text safe to show: control characters, with which a
// memory could move the cursor or recolour the screen, become spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, s)
}

// oneLine is s on a single line.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }
