package tools_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"mcp-memory/tools"
)

// The README's table of tools names exactly the tools that are served.
func TestReadme_NamesTheTools(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile(`(?s)\n## Tools\n(.*?)\n\n[^|]`).FindSubmatch(readme)
	if section == nil {
		t.Fatal("README.md has no section Tools")
	}
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllSubmatch(section[1], -1) {
		named = append(named, string(row[1]))
	}
	var served []string
	for name := range tools.NewServer(tools.Options{Ready: tools.Loaded(nil)}).ListTools() {
		served = append(served, name)
	}
	slices.Sort(named)
	slices.Sort(served)
	if !slices.Equal(named, served) {
		t.Errorf("README names %v, the server has %v", named, served)
	}
}
