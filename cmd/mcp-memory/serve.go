package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/spf13/cobra"

	"mcp-memory/tools"
	"mcp-memory/tools/remote"
)

// closeWait bounds how long a stopping server waits for its store, so that it
// is gone 2 s after its client, calls in flight included.
const closeWait = 400 * time.Millisecond

func newServe(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP on stdin and stdout, or over HTTP",
		Args:  noWords,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context()) },
	}
	addSettings(cmd.Flags(), true)
	return cmd
}

// serve answers until its client is gone or ctx ends. The memory is opened
// meanwhile, so that initialize waits for nothing.
func (a *app) serve(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	log := a.newLogger(a.set.Log)
	log.Info("mcp-memory serves", keyVersion, version(), keyTransport, a.set.Transport, keyDir, a.set.Dir, keyPID, os.Getpid())
	mem := &opening{log: log, open: func() (*memory, error) { return openMemory(ctx, a.set, forServing, log) }}
	listen, err := a.listener(mem, log)
	if err != nil {
		return err
	}
	if _, err := mem.begin(); err != nil {
		return err
	}
	err = listen(ctx)
	stop()
	return errors.Join(err, mem.close(closeWait))
}

// listener returns what serves the set transport. Its mistakes show before the
// memory is opened.
func (a *app) listener(mem *opening, log *slog.Logger) (func(context.Context) error, error) {
	opts := tools.Options{
		Version: version(), Ready: mem.ready, Log: log, Reaches: a.set.Extraction.On,
		Sampling: a.set.Extraction.Sampling, SamplingWait: a.set.Extraction.Config.Default.Timeout,
	}
	if a.set.Transport == transportStdio {
		opts.User = a.user
		return func(ctx context.Context) error { return a.listenStdio(ctx, tools.NewServer(opts), log) }, nil
	}
	http, err := remote.New(remote.Options{
		Server: tools.NewServer(opts), Transport: a.set.Transport, Addr: a.set.Addr,
		Tokens: a.set.Tokens, DefaultUser: a.set.User, Log: log,
	})
	if err != nil {
		return nil, err
	}
	return http.Serve, nil
}

func (a *app) listenStdio(ctx context.Context, srv *server.MCPServer, log *slog.Logger) error {
	if isTerminal(a.stdin) {
		fmt.Fprintln(a.stderr, "waiting for an MCP client to speak JSON-RPC on standard input; mcp-memory help lists what a person can do here, Ctrl-C ends")
	}
	ctx, gone := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer gone()
	watch.Go(func() {
		watchParent(ctx, os.Getppid, time.NewTicker(parentPoll), func() {
			log.Info("the parent process is gone; stopping")
			gone()
		})
	})
	err := tools.ServeStdio(ctx, srv, a.stdin, a.stdout)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
