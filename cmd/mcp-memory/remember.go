package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

// rememberArguments are the arguments of remember that are flags; text is
// given as words, memories as a file.
var rememberArguments = []argument{
	{name: "layer", usage: "activity, context, experience, identity, preference or fact"},
	{name: "tier", usage: "semantic; episodic: as it was said; working: the state of a session, for a while"},
	{name: "entity", usage: "whom or what it is about; user is you"},
	{name: "attribute", usage: "what about it, like \"favourite drink\""},
	{name: "value", usage: "its value; \"none\" ends what held"},
	{name: "category", usage: "fact, preference, goal, plan, event, skill or relationship"},
	{name: "reason", usage: "why it is remembered"},
	{name: "tags", flag: "tag", kind: listArg, usage: "a `tag`"},
	{name: "importance", kind: integerArg, usage: "1 to 5"},
	{name: "confidence", kind: decimalArg, usage: "0 to 1"},
	{name: "observed_at", usage: "when it was said (RFC 3339, or a date)"},
	{name: "valid_from", usage: "from when it is true"},
	{name: "valid_to", usage: "until when it is true"},
	{name: "project", usage: "the project it belongs to"},
	{name: "source_id", usage: "id of what it comes from"},
	{name: "session_id", usage: "the conversation it comes from"},
	{name: "speaker", usage: "who said it"},
	{name: "role", usage: "user, assistant, system or tool"},
	{name: "quote", usage: "the words it rests on"},
	{name: "detail", usage: "a JSON object with the layer's own fields"},
	{name: "on_conflict", usage: "supersede, keep_both or reject"},
	{name: "idempotency_key", usage: "a retry with the same key stores nothing twice"},
}

func newRemember(a *app) *cobra.Command {
	var file string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "remember TEXT… | - | --json-input FILE",
		Short: "Store a statement; a newer one about the same thing replaces the older",
		Example: "  mcp-memory remember I prefer tea now --entity user --attribute 'favourite drink' --value tea\n" +
			"  echo 'The wifi password is on the fridge' | mcp-memory remember -",
		RunE: func(cmd *cobra.Command, words []string) error {
			args := given(cmd.Flags(), rememberArguments)
			if err := a.addText(args, words, file); err != nil {
				return err
			}
			return a.remember(cmd, args, asJSON)
		},
	}
	addArguments(cmd.Flags(), rememberArguments)
	cmd.Flags().StringVar(&file, "json-input", "", "`file` with a JSON array of memories (- is standard input)")
	addJSON(cmd, &asJSON)
	return cmd
}

// addText puts what is to be remembered into args: the words, standard input
// or a file of memories, and only one of them.
func (a *app) addText(args map[string]any, words []string, file string) error {
	switch {
	case (len(words) > 0) == (file != ""):
		return usageError{fmt.Errorf("give the text to remember, - to read it from standard input, or --json-input FILE")}
	case file != "":
		memories, err := a.readMemories(file)
		args["memories"] = memories
		return err
	case len(words) == 1 && words[0] == "-":
		in, err := a.readInput("-")
		args["text"] = strings.TrimRight(string(in), "\r\n")
		return err
	}
	args["text"] = strings.Join(words, " ")
	return nil
}

// maxInput bounds what is read from a file or standard input: a hundred
// memories of the largest size.
const maxInput = 100 * 32 << 10

// readInput reads a file, or standard input for "-".
func (a *app) readInput(file string) ([]byte, error) {
	if file == "-" {
		return readBounded(a.stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, errors.Unwrap(err))
	}
	raw, err := readBounded(f)
	return raw, errors.Join(err, f.Close())
}

func readBounded(in io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	if len(raw) > maxInput {
		return nil, fmt.Errorf("the input has more than %d bytes; give it in several calls", maxInput)
	}
	return raw, nil
}

func (a *app) readMemories(file string) ([]any, error) {
	raw, err := a.readInput(file)
	if err != nil {
		return nil, err
	}
	var memories []any
	if err := json.Unmarshal(raw, &memories); err != nil {
		return nil, usageError{fmt.Errorf("read memories from %s: %s; a JSON array of objects is wanted", file, notMemories(err))}
	}
	return memories, nil
}

// notMemories says what stands in the place of a list, without Go's words for it.
func notMemories(err error) string {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		kind, _, _ := strings.Cut(other.Value, " ") // "number 5" is a number
		return "it is no list (but: " + kind + ")"
	}
	return "it is not JSON: " + err.Error()
}

func (a *app) remember(cmd *cobra.Command, args map[string]any, asJSON bool) error {
	return a.with(cmd.Context(), func(t toolbox) error {
		var out layers.RememberOutput
		if err := t.call(cmd.Context(), "remember", args, &out); err != nil {
			return err
		}
		if asJSON {
			return a.printJSON(out)
		}
		return a.newPage().remembered(out)
	})
}
