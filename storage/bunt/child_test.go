package bunt_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// runChild is what a child process does, and its exit code.
func runChild(role, dir string) int {
	roles := map[string]func(*bunt.Store) error{"hold": hold, "write": writeOn, "limit": hitLimit}
	s, err := bunt.Open(context.Background(), bunt.Options{Dir: dir})
	if err == nil {
		err = roles[role](s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// hold keeps the store open until stdin ends.
func hold(s *bunt.Store) error {
	fmt.Println("open")
	_, err := io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, s.Close())
}

// writeOn applies operations for ever, and names each once it is acknowledged.
func writeOn(s *bunt.Store) error {
	for n := len(childIDs(s)) + 1; ; n++ {
		op := putOp(n)
		if err := s.Apply(context.Background(), op); err != nil {
			return err
		}
		fmt.Println(op.Put[0].ID)
	}
}

func childIDs(s *bunt.Store) []string {
	var all []string
	s.Scan(context.Background(), func(e storage.Entry) error {
		all = append(all, e.ID)
		return nil
	})
	return all
}

// child is a running child process.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, role, dir string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0], "child")}
	c.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(err, outErr, c.Start()); err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	return c
}

// line returns the child's next line, or ends the test.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatalf("child ended early: %v", c.Wait())
	}
	return c.out.Text()
}

func TestOpen_NamesTheProcessThatHoldsTheStore(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, "hold", dir)
	c.line(t)
	_, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Wait: -1})
	if !errors.Is(err, storage.ErrLocked) {
		t.Fatalf("open: error %v, want %v", err, storage.ErrLocked)
	}
	for _, want := range []string{fmt.Sprintf("held by another process: pid %d (", c.Process.Pid), " child) since 20"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	c.in.Close()
	if err := c.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
	openDir(t, dir)
}

func TestOpen_WaitsForTheHolder(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, "hold", dir)
	c.line(t)
	c.in.Close()
	o := options(dir)
	o.Wait = time.Minute // the child may take its time to end
	if s := open(t, o); len(ids(t, s)) != 0 {
		t.Error("an empty store has records")
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
}

func TestKill_LosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	var acknowledged []string
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		c := startChild(t, "write", dir)
		for range 1 + random.IntN(200) { // at a random moment of 200 writes
			acknowledged = append(acknowledged, c.line(t))
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for c.out.Scan() { // what it said before it died
			acknowledged = append(acknowledged, c.out.Text())
		}
		c.Wait()
		s := openDir(t, dir)
		got := ids(t, s)
		closeStore(t, s)
		if len(got) < len(acknowledged) || !slices.Equal(got[:len(acknowledged)], acknowledged) {
			t.Fatalf("round %d: %d records, want the %d acknowledged first", round, len(got), len(acknowledged))
		}
		if len(got) > len(acknowledged)+1 {
			t.Fatalf("round %d: %d records, but only %d acknowledged", round, len(got), len(acknowledged))
		}
		acknowledged = got
	}
}
