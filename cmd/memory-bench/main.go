// Command memory-bench measures mcp-memory. Where time and files count it starts
// the built server as a client would and speaks MCP to it (latency, redact, model,
// many, soak); where answers count it opens a memory itself, whose clock it sets
// (locomo, meaning, structure, gate, seed), and where calls wait for each other
// (erase). The built-in embedder (sts, embed) and the vector engines (vectors) are
// measured alone, and so is what crashes leave of a store (crash). Run it from a
// checkout: by default it builds the server and finds its data there.
//
// Exit codes: 0 done, 1 failed or a limit does not hold.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "memory-bench:", err)
		stop()
		os.Exit(1)
	}
}

// run is the whole program but for the process around it. Results go to
// stdout, progress to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	root := &cobra.Command{
		Use:           "memory-bench",
		Short:         "Measure mcp-memory",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(args)
	root.AddCommand(newLatency(), newLocomo(), newMeaning(), newStructure(), newRedact(), newGate(), newSeed(), newModel(), newSTS(), newEmbed(), newEmbedChild(), newVectors(), newMany(), newSoak(), newErase(), newCrash())
	return root.ExecuteContext(ctx)
}
