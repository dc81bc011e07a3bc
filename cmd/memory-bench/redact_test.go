package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLeakedTo(t *testing.T) {
	long := secretText{Text: "my key is qZ8<vT3xW9", Secret: "qZ8<vT3xW9"}
	short := secretText{Text: "the pin is 4821, keep it", Secret: "4821"}
	last := secretText{Text: "the code\nis 737", Secret: "737"}
	tests := []struct {
		name   string
		secret secretText
		file   string
		leaked bool
	}{
		{"a long one as it is", long, "...qZ8<vT3xW9...", true},
		{"a long one as JSON for HTML has it", long, "...qZ8\\u003cvT3xW9...", true},
		{"a part of a long one", long, "...qZ8<vT3x...", false},
		{"a short one in its text", short, `{"text":"the pin is 4821, keep it"}`, true},
		{"a short one as a value", short, `{"value":"4821"}`, true},
		{"a short one by chance in a hash", short, `"9f4821ac"`, false},
		{"a short one by chance as a length", short, "$4821\r\n", false},
		{"a short one by chance as a process", short, "pid=4821 ", false},
		{"a short one at the end of a text", last, `{"text":"the code\nis 737"}`, true},
		{"a short one by chance in a time", last, "03:11:40.737Z", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.secret.leakedTo([]byte(tt.file)); got != tt.leaked {
				t.Errorf("leakedTo(%q) = %v, want %v; traces %q", tt.file, got, tt.leaked, tt.secret.traces())
			}
		})
	}
}

// corpus of two texts with secrets and three without, two of which differ in
// case alone.
func smallCorpus(t *testing.T, positive string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"positive.jsonl": positive,
		"negative.txt":   "Password: required\npassword: required\nI forgot my password\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const twoSecrets = `{"text": "the wifi password is Blue{{sep}}Tiger77", "secret": "Blue{{sep}}Tiger77", "kind": "password"}
{"text": "the wifi password is Red{{sep}}Heron31", "secret": "Red{{sep}}Heron31", "kind": "password"}
`

// TestRedact_SearchesWhatTheRealServerWrote runs the command on five texts.
func TestRedact_SearchesWhatTheRealServerWrote(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"redact", "--check", "--json", "--corpus", smallCorpus(t, twoSecrets)}, &out, &bytes.Buffer{}); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var r redactReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Positives != 2 || r.Negatives != 3 || len(r.Leaks)+len(r.Unnamed)+len(r.Touched) != 0 {
		t.Errorf("found %+v", r)
	}
	if r.Files < 2 || r.Marks < 2 {
		t.Errorf("searched %d files with %d marks, want the store with both texts, and stderr", r.Files, r.Marks)
	}
}

// TestRedact_FindsWhatIsNoSecretToTheServer proves that the search finds: the
// corpus calls a secret what the server must keep.
func TestRedact_FindsWhatIsNoSecretToTheServer(t *testing.T) {
	var out bytes.Buffer
	positive := `{"text": "I live beside the lighthouse", "secret": "lighthouse", "kind": "password"}`
	err := run(t.Context(), []string{"redact", "--check", "--corpus", smallCorpus(t, positive)}, &out, &bytes.Buffer{})
	if !errors.Is(err, errLimits) {
		t.Errorf("run = %v, want %v", err, errLimits)
	}
	for _, want := range []string{
		`- in data/memory.db: "I live beside the lighthouse"`, `- not named: "I live beside the lighthouse"`,
		"| 1 | **no** |", "0 marks of 1 texts | **no** |",
	} {
		if !strings.Contains(filepath.ToSlash(out.String()), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestReadSecrets_RefusesATextWithoutItsSecret(t *testing.T) {
	path := write(t, "positive.jsonl", `{"text": "nothing here", "secret": "BlueTiger77", "kind": "password"}`)
	if _, err := readSecrets(path); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("readSecrets = %v, want an error that names the line", err)
	}
}

func TestRedactMarkdown_ListsWhatWasTouched(t *testing.T) {
	r := redactReport{Positives: 1, Marks: 1, Negatives: 3, Touched: []string{"I forgot my password"}}
	r.Limits = checkRedaction(&r)
	for _, want := range []string{"| of them changed | 1 |", `- changed: "I forgot my password"`, "| no text without a secret that is changed | 1 | **no** |"} {
		if !strings.Contains(r.markdown(), want) {
			t.Errorf("the report lacks %q:\n%s", want, r.markdown())
		}
	}
}
