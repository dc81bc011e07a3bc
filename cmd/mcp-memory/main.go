// Command mcp-memory gives any MCP client a long-term memory.
//
// Without a verb it serves the Model Context Protocol on stdin and stdout, as a
// client starts it. Its other verbs work on the same memory from a shell:
// remember, recall, forget, list, show, history, undo, receipts, stats and init;
// backup, restore and doctor look after its files. gate-eval judges the gatekeeper
// on saved conversations, and demo shows the main job in a few seconds, each on a
// folder of its own.
//
// Only answers go to stdout. Exit codes: 0 done; 1 failed, or the memory refused what it
// was told; 2 the command line, a setting or a file of input is wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	_ "time/tzdata" // time zones by name also where the machine has none

	"github.com/spf13/cobra"

	"mcp-memory/layers"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp-memory:", err)
	}
	os.Exit(exitCode(err))
}

// run is the whole program but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a := &app{env: newEnvironment(os.Environ()), stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRoot(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.started {
		return usageError{err}
	}
	return err
}

// app is what the verbs share: the outside world, and the settings once they
// are read.
type app struct {
	env     environment
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	started bool // the command line was understood
	set     settings
}

func newRoot(a *app) *cobra.Command {
	root := newServe(a)
	root.Use = "mcp-memory"
	root.Short = "Long-term memory for any MCP client"
	root.Long = "mcp-memory gives any MCP client (Claude Desktop, Claude Code, Cursor, VS Code, …)\n" +
		"a long-term memory. Without a verb it serves on stdin and stdout."
	root.Version = version()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = a.start
	addSettings(root.PersistentFlags(), false)
	verbs := []*cobra.Command{newServe(a), newRemember(a), newRecall(a), newForget(a), newList(a), newShow(a),
		newHistory(a), newUndo(a), newStats(a), newInit(a), newGateEval(a), newBackup(a), newRestore(a), newDoctor(a), newReceipts(a), newDemo(a)}
	root.AddCommand(verbs...)
	nameUnknown(root, verbs)
	root.Args = func(_ *cobra.Command, words []string) error { return unknownVerb(words, verbs) }
	return root
}

// start reads the settings before a verb runs.
func (a *app) start(cmd *cobra.Command, _ []string) (err error) {
	a.started = true
	a.set, err = loadSettings(cmd.Flags(), a.env)
	return err
}

// exitCode maps what a run returned to what the shell is told.
func exitCode(err error) int {
	var usage usageError
	var invalid *layers.InvalidError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage), errors.As(err, &invalid):
		return 2
	}
	return 1
}

// release is the version of a released binary, set by the linker.
var release string

// version is the release, else the module's version as the toolchain knows it.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
