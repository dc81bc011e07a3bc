package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// demoLimit bounds the whole demo, so that a server that hangs fails it. The demo
// takes some seconds, and many of them on a machine that has much else to do.
const demoLimit = 3 * time.Minute

func newDemo(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on a temporary folder, with a real server",
		Long: "demo starts this program as a server, speaks MCP to it as a client would, and checks\n" +
			"every answer. It touches nothing but a temporary folder. Exit code 0: all checks held.",
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context()) },
	}
}

// demo tells a small story to a child process and checks what it remembers.
func (a *app) demo(ctx context.Context) (err error) {
	ctx, stop := untilSignal(ctx)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, demoLimit)
	defer cancel()
	dir, err := os.MkdirTemp("", "mcp-memory-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &demo{page: a.newPage(), dir: dir, env: demoEnvironment(a.env)}
	d.zone = time.UTC // the story gives its times in UTC
	defer func() { err = errors.Join(err, d.stop()) }()
	start := time.Now()
	if err := d.play(ctx); err != nil {
		return fmt.Errorf("demo, step %d: %w%s", d.number, err, d.childLog())
	}
	return d.line("\n%s in %.1f s.", d.green(fmt.Sprintf("All %d checks held", d.checks)), time.Since(start).Seconds())
}

// demo is a running demo.
type demo struct {
	page
	dir    string
	env    []string
	child  *child
	number int // of the step that runs
	checks int // that held
}

// demoEnvironment is env without our own settings: the demo is the same for all.
func demoEnvironment(env environment) []string {
	var kept []string
	for _, line := range env.list() {
		if !strings.HasPrefix(line, envPrefix) {
			kept = append(kept, line)
		}
	}
	return kept
}

func (d *demo) play(ctx context.Context) error {
	for _, step := range d.story() {
		d.number++
		if err := d.line("\n%s", d.bold(fmt.Sprintf("%d  %s", d.number, step.title))); err != nil {
			return err
		}
		if err := step.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// check counts what held, and names what did not.
func (d *demo) check(held bool, format string, args ...any) error {
	if !held {
		return fmt.Errorf("check failed: "+format, args...)
	}
	d.checks++
	return nil
}

// start starts a server on the demo's folder.
func (d *demo) start(ctx context.Context) (err error) {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	d.child, err = startChild(ctx, exe, d.dir, d.env)
	return err
}

func (d *demo) stop() error {
	if d.child == nil {
		return nil
	}
	err := d.child.stop()
	d.child = nil
	return err
}

// childLog is what the server wrote to stderr, to explain a failure.
func (d *demo) childLog() string {
	log, err := os.ReadFile(filepath.Join(d.dir, childLogName))
	if err != nil || len(log) == 0 {
		return ""
	}
	return "\nthe server's log:\n" + string(log)
}
