package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "mcp-memory/"

// graph is the allowed import graph between our packages, without tests; what each
// hides stands in ARCHITECTURE.md. A package that is not a key may not exist, nor a
// key that is no package; an import that is not in its list may not be made. Arrows
// point down.
var graph = map[string][]string{
	"cmd/mcp-memory": {"tools", "tools/remote", "tools/relay", "layers", "layers/gatekeeper", "layers/llm", "storage", "storage/bunt",
		"vector", "vector/file", "vector/embed", "vector/embed/builtin", "vector/embed/endpoint", "internal/openai"},
	"cmd/memory-bench": {"tools", "layers", "layers/conversation", "layers/extract", "layers/gatekeeper", "layers/gatekeeper/judge", "layers/worth", "layers/recall", "layers/slot", "layers/structure", "layers/structure/judge",
		"storage", "storage/bunt", "storage/bunt/crashtest", "storage/keyword",
		"vector", "vector/file", "vector/vectortest", "vector/embed", "vector/embed/builtin", "vector/embed/builtin/kernel", "vector/embed/builtin/wheel", "vector/embed/endpoint", "internal/text", "internal/openai"},

	"tools":        {"layers", "layers/gatekeeper", "layers/llm", "storage", "internal/jsonrpc", "internal/text"},
	"tools/relay":  {"tools", "layers", "storage", "internal/files", "internal/jsonrpc"},
	"tools/remote": {"tools", "layers", "storage", "internal/jsonrpc"},

	"layers": {"layers/conversation", "layers/structure", "layers/slot", "layers/redact", "layers/gatekeeper", "layers/extract", "layers/worth", "layers/recall",
		"layers/llm", "storage", "storage/keyword", "vector", "vector/embed", "internal/text", "internal/dates", "internal/lazy"},
	"layers/conversation":     {"internal/text", "internal/lazy"},
	"layers/structure":        {"layers/conversation", "layers/slot", "storage", "internal/text", "internal/lazy", "internal/dates"},
	"layers/structure/judge":  {"layers/structure", "layers/slot"}, // measures it; for tests and memory-bench
	"layers/slot":             {"storage", "internal/text"},
	"layers/redact":           {"internal/text", "internal/lazy"},
	"layers/gatekeeper":       {"layers/conversation", "layers/worth", "layers/llm", "storage", "internal/text"},
	"layers/extract":          {"layers/conversation", "layers/structure", "layers/slot", "layers/worth", "layers/llm", "storage", "internal/text", "internal/lazy", "internal/dates"},
	"layers/worth":            {"layers/conversation", "layers/slot", "layers/structure", "storage", "internal/text", "internal/lazy"},
	"layers/worth/train":      {"layers/conversation", "layers/recall", "layers/worth", "layers/gatekeeper", "layers/gatekeeper/judge", "layers/extract", "storage", "vector/embed", "vector/embed/builtin"}, // makes the weights
	"layers/gatekeeper/judge": {"layers/conversation", "layers/worth", "layers/gatekeeper", "layers/extract", "storage", "internal/text"},                                                                    // measures them,
	"layers/recall":           {"layers/structure", "layers/slot", "storage", "internal/text", "internal/lazy", "internal/dates"},
	"layers/llm":              {"internal/openai", "internal/text", "internal/lazy"},

	"storage":                {},
	"storage/bunt":           {"storage", "internal/files"},
	"storage/bunt/crashtest": {"storage", "storage/bunt"}, // what crashes leave; for tests and memory-bench
	"storage/keyword":        {"internal/text"},
	"storage/storagetest":    {"storage"},
	"vector":                 {},
	"vector/file":            {"vector", "internal/files"},
	"vector/vectortest":      {"vector"}, // the suite of indexes; for tests and memory-bench
	"vector/embed":           {},

	"vector/embed/builtin":           {"vector/embed", "vector/embed/builtin/kernel", "vector/embed/builtin/modelfile"},
	"vector/embed/builtin/kernel":    {},
	"vector/embed/builtin/modelfile": {"vector/embed/builtin/kernel"},
	"vector/embed/builtin/mkmodel":   {"vector/embed/builtin/modelfile", "vector/embed/builtin/kernel", "vector/embed/builtin/wheel"},
	"vector/embed/builtin/wheel":     {},
	"vector/embed/endpoint":          {"vector/embed", "internal/openai"},
	"vector/embed/embedtest":         {"vector/embed"}, // the suite of embedders; for tests

	"internal/text":     {},
	"internal/lazy":     {},
	"internal/files":    {},
	"internal/dates":    {},
	"internal/openai":   {},
	"internal/jsonrpc":  {},
	"internal/leaktest": {}, // for tests
}

// homes says which of our packages may import a module of others, tests apart.
var homes = map[string][]string{
	"github.com/mark3labs/mcp-go":       {"tools", "tools/remote", "tools/relay", "cmd/mcp-memory", "cmd/memory-bench"},
	"github.com/tidwall/buntdb":         {"storage/bunt"},
	"github.com/gofrs/flock":            {"storage/bunt"},
	"github.com/coder/hnsw":             {"vector", "cmd/memory-bench"},
	"github.com/sashabaranov/go-openai": {"internal/openai"},
	"github.com/spf13/cobra":            {"cmd/mcp-memory", "cmd/memory-bench"},
	"github.com/spf13/pflag":            {"cmd/mcp-memory", "cmd/memory-bench"},
	"github.com/knadh/koanf":            {"cmd/mcp-memory"},
	"go.opentelemetry.io":               {"cmd/mcp-memory"},
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImports_FollowTheGraph(t *testing.T) {
	packages := listPackages(t)
	if len(packages) == 0 {
		t.Fatal("go list names no package")
	}
	missing := maps.Clone(graph)
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module)
		delete(missing, name)
		allowed, ok := graph[name]
		if !ok {
			t.Errorf("package %s is not in the graph", name)
			continue
		}
		for _, imported := range p.Imports {
			checkImport(t, name, allowed, imported)
		}
	}
	for name := range missing {
		t.Errorf("the graph has %s, which is no package", name)
	}
}

func checkImport(t *testing.T, name string, allowed []string, imported string) {
	t.Helper()
	if ours, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(allowed, ours) {
		t.Errorf("%s imports %s, which the graph does not allow", name, ours)
	}
	for home, owners := range homes {
		if (imported == home || strings.HasPrefix(imported, home+"/")) && !slices.Contains(owners, name) {
			t.Errorf("%s imports %s, which only %s may", name, imported, strings.Join(owners, ", "))
		}
	}
}

// listPackages asks the go command for every package of the module.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("decode go list: %v", err)
		}
		packages = append(packages, p)
	}
}

func TestImports_TheGraphIsWholeAndHasNoCycle(t *testing.T) {
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		if slices.Contains(path, name) {
			t.Errorf("the graph has a cycle: %s", strings.Join(append(path, name), " → "))
			return
		}
		below, ok := graph[name]
		if !ok {
			t.Errorf("%s is allowed as an import of %s, but is no package of the graph", name, path[len(path)-1])
		}
		for _, next := range below {
			visit(next, append(slices.Clone(path), name))
		}
	}
	for name := range graph {
		visit(name, nil)
	}
}
