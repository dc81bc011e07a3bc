package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The README's table of settings names exactly the settings there are.
func TestReadme_NamesTheSettings(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(readme), "\n## Settings\n")
	if !ok {
		t.Fatal("README.md has no section Settings")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(section, -1) {
		for _, name := range strings.Split(row[1], ", ") {
			named = append(named, strings.Trim(name, "`"))
		}
	}
	var known []string
	for _, s := range settingTable {
		known = append(known, s.key)
	}
	slices.Sort(named)
	slices.Sort(known)
	if !slices.Equal(named, known) {
		t.Errorf("README names %v, the settings are %v", named, known)
	}
}

// Every verb is shown by the README.
func TestReadme_ShowsTheVerbs(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range newRoot(&app{}).Commands() {
		if cobraOwn := verb.Name() == "help" || verb.Name() == "completion"; cobraOwn {
			continue
		}
		if !regexp.MustCompile(`mcp-memory ` + verb.Name() + `\b`).Match(readme) {
			t.Errorf("README.md does not show mcp-memory %s", verb.Name())
		}
	}
}
