package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// seedFlags is the command line of memory-bench seed.
type seedFlags struct {
	printing
	seedOptions
	model modelFlags
}

// seedOptions say what is measured and by which rules. They hold for all schemes
// alike.
type seedOptions struct {
	data      string   // folder of the chats that fill the document up
	scenarios []string // empty: all
	languages []string
	recent    int // last turns that every scheme gives
	top       int // memories that every scheme gives beside them, at most
	tokens    int // that these may take
	verbose   bool
}

// seedChats is where the chats lie beside a checkout.
const seedChats = "../shared/data"

func newSeed() *cobra.Command {
	var f seedFlags
	cmd := f.command("seed", "Compare a window with vectors (A), summaries on top (B) and our layers (C) on documents, tasks and preferences",
		func(cmd *cobra.Command) (printable, error) {
			if err := f.valid(); err != nil {
				return nil, err
			}
			asked, err := f.model.open()
			if err != nil {
				return nil, err
			}
			if asked != nil {
				defer asked.close()
			}
			m := seedMeasure{seedOptions: f.seedOptions, model: asked, progress: cmd.ErrOrStderr()}
			if m.embedder, err = openCached(""); err != nil {
				return nil, err
			}
			r, err := m.run(cmd.Context())
			if err != nil {
				return nil, err
			}
			if f.check {
				r.Limits = checkSeed(&r)
			}
			return &r, nil
		})
	cmd.Long = `Compare three ways to keep a conversation:
  A  the last turns, and vectors of all turns and paragraphs
  B  A, and a summary of every ten turns among the vectors
  C  working memory, extract by rules, and recall
No model judges: a question counts as answered where the words that answer it are
in what the scheme would give to a model. All schemes have the same embedder, the
same number of last turns, of memories beside them, and of tokens for these.
Tokens are an estimate: one for each letter of Han, kana or Hangul, one for four
others. With --base-url and --model B's summaries are the model's, and its answers
are counted beside.`
	flags := cmd.Flags()
	flags.StringVar(&f.data, "data", seedChats, "`folder` with evercore-chats and memorybank, whose chats fill the document up to 50,000 characters")
	flags.StringSliceVar(&f.scenarios, "scenarios", nil, "`names` among document, task, preferences; default all")
	flags.StringSliceVar(&f.languages, "languages", nil, "`languages` among en, zh; default both")
	flags.IntVar(&f.recent, "recent", 5, "last turns that every scheme gives")
	flags.IntVar(&f.top, "top", 5, "memories that every scheme gives at most")
	flags.IntVar(&f.tokens, "tokens", 600, "tokens that these may take")
	flags.BoolVar(&f.verbose, "verbose", false, "tell on stderr which questions were not answered")
	f.model.register(flags)
	return cmd
}

// valid refuses what cannot be measured, and fills in what was left out.
func (f *seedFlags) valid() error {
	if f.recent < 1 || f.top < 1 || f.top > 100 || f.tokens < 100 {
		return errors.New("--recent and --top are 1 or more (--top up to 100), --tokens 100 or more")
	}
	for _, list := range []struct {
		flag  string
		given *[]string
		known []string
	}{{"--scenarios", &f.scenarios, seedScenarios}, {"--languages", &f.languages, seedLanguages}} {
		for _, s := range *list.given {
			if !slices.Contains(list.known, s) {
				return fmt.Errorf("%s has %q; there are %v", list.flag, s, list.known)
			}
		}
		if len(*list.given) == 0 {
			*list.given = list.known
		}
	}
	if f.check && (len(f.scenarios) < len(seedScenarios) || len(f.languages) < len(seedLanguages)) {
		return errors.New("--check needs every scenario in every language")
	}
	return nil
}

// checkSeed holds that scheme C gives more answers by 1,000 tokens than A and B,
// everywhere.
func checkSeed(r *seedReport) (out []verdict) {
	for _, scenario := range seedScenarios {
		for _, language := range seedLanguages {
			ours, best := r.row(scenario, language, "C"), r.best(scenario, language)
			out = append(out, verdict{
				fmt.Sprintf("%s, %s: answers by 1,000 tokens, C over %s > 1", scenario, language, best.Scheme),
				fmt.Sprintf("%.3f", ours.PerThousand/cmp.Or(best.PerThousand, 1e-9)), ours.PerThousand > best.PerThousand,
			})
		}
	}
	return out
}
