package main

import (
	_ "embed"
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// Where the data lie beside a checkout. Its licence keeps LoCoMo out of the
// repository.
const (
	locomoData   = "../shared/data/locomo/locomo10.json"
	locomoGolden = "../shared/retrieval/golden_lexical.jsonl"
)

// nonsense are questions, one a line, about nothing that LoCoMo talks of.
//
//go:embed testdata/nonsense.txt
var nonsense string

func newLocomo() *cobra.Command {
	var p printing
	o := locomoOptions{nonsense: strings.Split(strings.TrimSpace(nonsense), "\n")}
	verbose, words, model := false, false, ""
	cmd := p.command("locomo", "Measure recall on LoCoMo's questions, beside plain BM25", func(cmd *cobra.Command) (printable, error) {
		if p.check && o.golden == "" {
			return nil, errors.New("--check needs the golden rankings (--golden)")
		}
		if !words {
			var err error
			if o.embedder, err = openCached(model); err != nil {
				return nil, err
			}
		}
		r, err := measureLocomo(cmd.Context(), o, cmd.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		if r.verbose = verbose; p.check {
			r.Limits = checkLocomo(&r)
		}
		return &r, nil
	})
	flags := cmd.Flags()
	flags.StringVar(&o.data, "data", locomoData, "`file` of LoCoMo's conversations")
	flags.StringVar(&o.golden, "golden", locomoGolden, "`file` of the reference program's rankings; empty: compare with none")
	flags.BoolVar(&words, "words", false, "measure words alone, without vectors")
	flags.StringVar(&model, "embed-file", "", "model `file` in place of the built-in one")
	flags.BoolVar(&verbose, "verbose", false, "list the questions whose ranking differs from the golden one")
	return cmd
}
