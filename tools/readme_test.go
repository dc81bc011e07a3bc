package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
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

// The README names every resource, prompt and argument of a prompt.
func TestReadme_NamesResourcesAndPrompts(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	srv := serve(&fake{})
	for _, method := range []string{"resources/list", "resources/templates/list", "prompts/list"} {
		answer, err := json.Marshal(srv.HandleMessage(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q}`, method)))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Result struct {
				Resources         []struct{ URI string }
				ResourceTemplates []struct{ URITemplate string }
				Prompts           []struct {
					Name      string
					Arguments []struct{ Name string }
				}
			}
		}
		if err := json.Unmarshal(answer, &m); err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Result.Resources {
			names = append(names, strings.TrimPrefix(r.URI, "memory://"))
		}
		for _, r := range m.Result.ResourceTemplates {
			names = append(names, strings.TrimPrefix(r.URITemplate, "memory://"))
		}
		for _, p := range m.Result.Prompts {
			names = append(names, p.Name)
			for _, a := range p.Arguments {
				names = append(names, a.Name)
			}
		}
	}
	if len(names) < 15 {
		t.Fatalf("the server lists %v only", names)
	}
	section := regexp.MustCompile(`(?m)^Resources: .*$`).FindString(string(readme))
	for _, name := range names {
		if !strings.Contains(section, "`"+name+"`") && !strings.Contains(section, "`memory://"+name+"`") {
			t.Errorf("README.md does not name %s", name)
		}
	}
}
