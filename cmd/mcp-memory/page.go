package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

func addJSON(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print the answer as JSON, as a client gets it")
}

// printJSON prints v as a client gets it, but for line breaks.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// page prints answers for a person.
type page struct {
	palette
	out  io.Writer
	zone *time.Location
}

func (a *app) newPage() page {
	return page{palette: newPalette(a.stdout, a.env), out: a.stdout, zone: a.set.Location}
}

// line prints one line.
func (p page) line(format string, args ...any) error {
	_, err := fmt.Fprintf(p.out, format+"\n", args...)
	return err
}

// time shows an RFC 3339 time in the set zone, to the minute; "" stays "".
func (p page) time(rfc string) string {
	t, err := time.Parse(time.RFC3339, rfc)
	if err != nil {
		return rfc
	}
	return t.In(p.zone).Format("2006-01-02 15:04")
}

// slot shows what a statement is about: "user · favourite_drink = tea".
func slot(entity, attribute, value string) string {
	name := oneLine(entity)
	if attribute != "" {
		name += " · " + oneLine(attribute)
	}
	if value != "" {
		name += " = " + oneLine(value)
	}
	return name
}

// state is a word for a match that is not simply current.
func state(m layers.Match) string {
	var words []string
	for _, flag := range m.Flags {
		words = append(words, strings.ReplaceAll(flag, "_", " "))
	}
	if m.SupersededBy != "" && len(words) == 0 {
		words = append(words, "superseded")
	}
	return strings.Join(words, ", ")
}

// count says "1 record", "2 records".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// nonEmpty joins the words that are there.
func nonEmpty(sep string, words ...string) string {
	var kept []string
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, sep)
}
