package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// addSettings adds the flags of the settings that concern every verb, or those
// of serve alone. Defaults are merged later, so that a flag that was not given
// leaves room for environment and file.
func addSettings(flags *pflag.FlagSet, serving bool) {
	addTable(flags, slices.DeleteFunc(slices.Clone(settingTable), func(s setting) bool { return s.serving != serving }))
}

// addModelSettings adds the flags of what extract goes by, for a verb that extracts
// and keeps nothing: working memory is not among it.
func addModelSettings(flags *pflag.FlagSet) {
	addTable(flags, slices.DeleteFunc(modelSettings(), func(s setting) bool { return s.key == "working_turns" }))
}

func addTable(flags *pflag.FlagSet, table []setting) {
	for _, s := range table {
		usage := s.usage
		if s.value != "" {
			usage += " (default " + s.value + ")"
		}
		flags.String(s.flag(), "", usage)
		// SetAnnotation fails only for a flag that does not exist.
		_ = flags.SetAnnotation(s.flag(), settingFlag, []string{s.key})
	}
}

// flagError turns an unknown flag's error into one that names the valid flags.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	var valid []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			valid = append(valid, "--"+f.Name)
		}
	})
	return unknownName("flag", "--"+strings.TrimLeft(unknown.GetSpecifiedName(), "-"), valid)
}

// kind is how an argument's flag is read.
type kind int

const (
	textArg kind = iota
	listArg      // repeatable
	integerArg
	decimalArg
	toggleArg
)

// argument is one argument of a tool, given to a verb as a flag.
type argument struct {
	name  string // as the tool calls it; the flag has dashes
	kind  kind
	usage string
	flag  string // the flag's name where it differs
}

func (a argument) flagName() string {
	if a.flag != "" {
		return a.flag
	}
	return strings.ReplaceAll(a.name, "_", "-")
}

func addArguments(flags *pflag.FlagSet, arguments []argument) {
	for _, a := range arguments {
		switch a.kind {
		case textArg:
			flags.String(a.flagName(), "", a.usage)
		case listArg:
			flags.StringArray(a.flagName(), nil, a.usage+" (repeatable)")
		case integerArg:
			flags.Int(a.flagName(), 0, a.usage)
		case decimalArg:
			flags.Float64(a.flagName(), 0, a.usage)
		case toggleArg:
			flags.Bool(a.flagName(), false, a.usage)
		}
	}
}

// unknownVerb refuses a first word that is no verb.
func unknownVerb(words []string, verbs []*cobra.Command) error {
	if len(words) == 0 {
		return nil
	}
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.Name()
	}
	return unknownName("verb", words[0], names)
}

// nameUnknown has cobra's own verbs refuse what they do not know: they would show a
// help in its place, as if all were well.
func nameUnknown(root *cobra.Command, verbs []*cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, words []string) error {
				if found, _, err := root.Find(words); err != nil || found == root {
					return unknownVerb(words, verbs)
				}
				return nil
			}
		case "completion":
			cmd.RunE = func(*cobra.Command, []string) error { return errNoShell }
			cmd.Args = func(*cobra.Command, []string) error { return errNoShell }
		}
	}
}

var errNoShell = usageError{errors.New("completion needs a shell: bash, fish, powershell or zsh")}

// takes wants between least and most words after a verb, and says what they are.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		switch {
		case len(given) < least:
			return usageError{fmt.Errorf("%s needs %s", cmd.Name(), what)}
		case len(given) > most:
			return usageError{fmt.Errorf("%s takes %s, and no more: %q is one too many", cmd.Name(), what, given[most])}
		}
		return nil
	}
}

// noWords refuses words after a verb that takes none.
func noWords(cmd *cobra.Command, words []string) error {
	if len(words) > 0 {
		return usageError{fmt.Errorf("%s takes no words, but was given %q", cmd.Name(), words[0])}
	}
	return nil
}
