package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/tools"
	"mcp-memory/tools/relay"
	"mcp-memory/tools/remote"
)

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

// serve answers until its client is gone or ctx ends: as the owner of the store,
// or passing on to it.
func (a *app) serve(ctx context.Context) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	log := a.newLogger(a.set.Log)
	if a.set.Transport == transportStdio {
		a.logServing(log)
		seat := a.newSeat(a.owning(log), log)
		err := a.serveStdio(ctx, seat, log)
		stop()
		return errors.Join(err, seat.Close())
	}
	return a.serveHTTP(ctx, log)
}

// logServing says that nothing is in the way of serving any more.
func (a *app) logServing(log *slog.Logger) {
	log.Info("mcp-memory serves", keyVersion, version(), keyTransport, a.set.Transport, keyDir, a.set.Dir, keyPID, os.Getpid())
	if named := a.set.Extraction.Unserved; named != "" {
		log.Warn("a model is named and no server, so that rules read conversations; set llm_base_url too, or llm to off", keySetting, named)
	}
}

// serveHTTP serves sessions of its own. Their calls are done here if this process
// owns the store, else passed on to the owner; when that is gone, this process is
// the owner or passes on to the next.
func (a *app) serveHTTP(ctx context.Context, log *slog.Logger) (err error) {
	var mine atomic.Pointer[opening] // set before the seat says that it owns
	seat := a.newSeat(func(ctx context.Context) (relay.Owned, error) {
		owned, mem, err := a.own(ctx, log)
		mine.Store(mem)
		return owned, err
	}, log)
	defer func() { err = errors.Join(err, seat.Close()) }()
	users := relay.NewUsers(seat)
	defer users.Close()
	ready := func(ctx context.Context) (tools.Memory, error) { return mine.Load().ready(ctx) }
	http, err := remote.New(remote.Options{
		Server: a.server(ready, users, log), Transport: a.set.Transport, Addr: a.set.Addr,
		Tokens: a.set.Tokens, DefaultUser: a.set.User, Log: log,
	})
	if err != nil {
		return err
	}
	a.logServing(log)
	var standing sync.WaitGroup
	defer standing.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	standing.Go(func() { // so that this process is the owner, or stands by to be
		if err := users.Open(tools.WithUser(ctx, a.set.User)); err != nil && ctx.Err() == nil {
			log.Warn("the memory is not reached yet; the next call tries again", keyError, err)
		}
	})
	return http.Serve(ctx)
}

func (a *app) serveStdio(ctx context.Context, seat *relay.Seat, log *slog.Logger) error {
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
	err := seat.Relay(ctx, a.set.User, a.stdin, a.stdout)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
