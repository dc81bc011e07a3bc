package bunt_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"mcp-memory/internal/leaktest"
)

// A test that needs another process starts this binary again with childRole
// set, and the directory in childDir.
const (
	childRole = "BUNT_TEST_CHILD"
	childDir  = "BUNT_TEST_DIR"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(runChild(role, os.Getenv(childDir)))
	}
	// BuntDB's own goroutine notices up to a second later that its database
	// was closed, and offers nothing to wait for.
	leaktest.Main(m, goleak.IgnoreAnyFunction("github.com/tidwall/buntdb.(*DB).backgroundManager"))
}
