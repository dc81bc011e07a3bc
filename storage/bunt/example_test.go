package bunt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "memory")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := rememberTea(context.Background(), dir); err != nil {
		fmt.Println(err)
	}
	// Output: The user likes tea
}

// rememberTea stores a record, opens the store anew and prints it.
func rememberTea(ctx context.Context, dir string) (err error) {
	s, err := bunt.Open(ctx, bunt.Options{Dir: dir})
	if err != nil {
		return err
	}
	tea := storage.Record{ID: "R1", User: "ann", Layer: storage.Preference, Text: "The user likes tea"}
	op := storage.Op{User: "ann", At: time.Now().UTC().Truncate(time.Microsecond), Put: []storage.Record{tea}}
	if err := errors.Join(s.Apply(ctx, op), s.Close()); err != nil {
		return err
	}
	if s, err = bunt.Open(ctx, bunt.Options{Dir: dir}); err != nil {
		return err
	}
	e, err := s.Get(ctx, "R1")
	fmt.Println(e.Text)
	return errors.Join(err, s.Close())
}
