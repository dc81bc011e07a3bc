package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// soakFlags is the command line of memory-bench soak.
type soakFlags struct {
	printing
	options soakOptions
}

// soakOptions say how long which server is put to use.
type soakOptions struct {
	server   string        // built binary; empty: build this checkout's
	length   time.Duration // how long
	clients  int           // processes on one data directory
	keep     int           // memories that each client keeps alive
	pause    time.Duration // of a client between two calls
	embedder string
	seed     uint64
}

// minSoak is below how long growth cannot be told from warming up.
const minSoak = 30 * time.Second

func newSoak() *cobra.Command {
	f := soakFlags{}
	cmd := f.command("soak", "Let several processes mix all tools on one data directory, and watch goroutines, memory and files",
		func(cmd *cobra.Command) (printable, error) {
			o := f.options
			if o.clients < 1 || o.keep < 1 || o.pause < 0 {
				return nil, errors.New("--clients and --keep must be at least 1, --pause at least 0")
			}
			if o.length < minSoak {
				return nil, errors.New("--for must be at least 30s: growth cannot be told from warming up before")
			}
			r, err := measureSoak(cmd.Context(), o, cmd.ErrOrStderr())
			if err != nil {
				return nil, err
			}
			r.Machine = thisMachine(time.Now())
			if f.check {
				r.Limits = checkSoak(r)
			}
			return r, nil
		})
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&o.server, "server", "", "built mcp-memory `binary`; default: build this checkout's")
	flags.DurationVar(&o.length, "for", 10*time.Minute, "how long")
	flags.IntVar(&o.clients, "clients", 8, "processes, each with a client of its own")
	flags.IntVar(&o.keep, "keep", 200, "memories that each client keeps; older ones it erases or forgets")
	flags.DurationVar(&o.pause, "pause", 50*time.Millisecond, "of each client between two calls")
	flags.StringVar(&o.embedder, "embedder", "builtin", "the servers' `embedder`: builtin or off")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of what is called")
	return cmd
}
