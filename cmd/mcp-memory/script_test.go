package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcp-memory": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TZ", "UTC")
			env.Values[holderKey{}] = &holder{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"hold":   hold,
			"ask":    ask,
			"let-go": letGo,
			"save":   save,
			"same":   same,
			"settle": settle,
			"mode":   mode,
		},
	})
}

// save NAME REGEXP FILE sets NAME to the first group of what matches in FILE.
func save(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: save NAME REGEXP FILE")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile(args[2]))
	if len(found) < 2 {
		ts.Fatalf("no match for %s in %s", args[1], args[2])
	}
	ts.Setenv(args[0], found[1])
}

// same FILE FILE compares two JSON files as values.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	var values [2]any
	for i, name := range args {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(name)), &values[i]))
	}
	if !reflect.DeepEqual(values[0], values[1]) {
		ts.Fatalf("%s and %s differ:\n%s\n%s", args[0], args[1], ts.ReadFile(args[0]), ts.ReadFile(args[1]))
	}
}

// mode PERM PATH… checks permissions, written as in 0600.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mode PERM PATH…")
	}
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%#o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", name, got, args[0])
		}
	}
}
