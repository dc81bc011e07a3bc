//go:build unix

package bunt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// hitLimit writes against a limit of the file's size, and goes on once the
// limit is lifted.
func hitLimit(s *bunt.Store) error {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	if err := s.Apply(ctx, putOp(1)); err != nil {
		return err
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	tight := old
	tight.Cur = uint64(s.Stats().FileBytes + 100)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &tight); err != nil {
		return err
	}
	for range 3 {
		if err := s.Apply(ctx, putOp(2)); !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrReadOnly) {
			return fmt.Errorf("apply at the limit: error %v, want only %v", err, storage.ErrUnavailable)
		}
	}
	if got := len(childIDs(s)); got != 1 {
		return fmt.Errorf("%d records after the refused one, want 1", got)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := s.Apply(ctx, putOp(3)); err != nil {
		return fmt.Errorf("apply after the limit: %w", err)
	}
	fmt.Println(strings.Join(childIDs(s), " "))
	return s.Close()
}

func TestApply_FailedWriteLeavesNothingAndLaterOnesWork(t *testing.T) {
	dir := t.TempDir()
	c := startChild(t, "limit", dir)
	if got, want := c.line(t), "R0001 R0003"; got != want {
		t.Errorf("the child saw %q, want %q", got, want)
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
	s := openDir(t, dir)
	if got := strings.Join(ids(t, s), " "); got != "R0001 R0003" || s.Stats().Salvage != nil {
		t.Errorf("after a reopen %q, salvage %v; want both records and none", got, s.Stats().Salvage)
	}
}

// What is written to a file without a name is gone when the process ends.
func TestApply_RefusesWhenTheFileWasDeleted(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	if err := os.Remove(dbPath(dir)); err != nil {
		t.Fatal(err)
	}
	err := s.Apply(t.Context(), putOp(1))
	if !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("apply: %v, want ErrReadOnly", err)
	}
}
