package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// manyFlags is the command line of memory-bench many.
type manyFlags struct {
	printing
	options manyOptions
}

// manyOptions say how many processes do what, how often.
type manyOptions struct {
	server    string // built binary; empty: build this checkout's
	rounds    int
	processes int
	remembers int // of each process, all at once
	embedder  string
	seed      uint64
	check     bool // go on where a limit of time does not hold yet
}

func newMany() *cobra.Command {
	f := manyFlags{}
	cmd := f.command("many", "Start several processes on one data directory at once, kill the owner while all remember, and count",
		func(cmd *cobra.Command) (printable, error) {
			o := f.options
			o.check = f.check
			if o.rounds < 1 || o.processes < 2 || o.remembers < 1 {
				return nil, errors.New("--rounds and --remembers must be at least 1, --processes at least 2")
			}
			r, err := measureMany(cmd.Context(), o, cmd.ErrOrStderr())
			if err != nil {
				return nil, err
			}
			r.Machine = thisMachine(time.Now())
			if f.check {
				r.Limits = checkMany(r)
			}
			return r, nil
		})
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&o.server, "server", "", "built mcp-memory `binary`; default: build this checkout's")
	flags.IntVar(&o.rounds, "rounds", 20, "how often, each on a directory of its own")
	flags.IntVar(&o.processes, "processes", 8, "processes, each with a client of its own")
	flags.IntVar(&o.remembers, "remembers", 50, "calls of each client, all at once")
	flags.StringVar(&o.embedder, "embedder", "builtin", "the servers' `embedder`: builtin or off")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of when the owner is killed")
	return cmd
}
