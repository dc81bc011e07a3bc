package llm_test

import (
	"strings"
	"testing"

	"mcp-memory/layers/llm"
)

func TestPrompt_FillsARequest(t *testing.T) {
	p := llm.MustPrompt("version: x/2\n--- system\nBe {{.How}}.\n\n--- prompt\n{{.What}}\n")
	var r llm.Request
	if err := p.Fill(&r, map[string]string{"How": "brief", "What": "<tea>"}); err != nil {
		t.Fatal(err)
	}
	if r.System != "Be brief." || r.Prompt != "<tea>" || r.Version != "x/2" {
		t.Errorf("%+v", r)
	}
	if err := p.Fill(&r, map[string]string{"How": "brief"}); err == nil || !strings.Contains(err.Error(), "fill prompt x/2") {
		t.Errorf("a value that is missing: %v", err)
	}
}

func TestMustPrompt_PanicsOnWhatIsNone(t *testing.T) {
	for _, file := range []string{"", "version: x\n", "version: x\n--- system\na", "--- system\na\n--- prompt\nb", "version: x\n--- system\n{{\n--- prompt\nb"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken for a prompt", file)
				}
			}()
			llm.MustPrompt(file)
		}()
	}
}
