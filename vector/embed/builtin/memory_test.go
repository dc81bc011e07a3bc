package builtin

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin/kernel"
)

// maxGrowth is by how much resident memory may grow from before New to after a
// thousand texts, in bytes, with the pages of the binary that are touched: where
// pages are given back, and where they are not. A small Go process has 2 to 3 MB
// before it, so 70 MB are kept; memory-bench measures that of a process which does
// nothing else.
const (
	maxGrowth     = 45_000_000
	maxGrowthKept = 67_000_000
)

// embedsEnv makes this test binary a process that embeds so many texts and
// prints by how much its resident memory grew.
const embedsEnv = "MCP_MEMORY_TEST_EMBEDS"

func TestResidentMemory(t *testing.T) {
	if count := os.Getenv(embedsEnv); count != "" {
		embedAndReport(t, count)
		return
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("resident memory is read from /proc, which this system has not")
	}
	if raceEnabled || kernel.Best().Name == "go" {
		t.Skip("the race detector has memory of its own, and plain Go takes half a minute; neither is what is promised")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestResidentMemory$", "-test.v")
	cmd.Env = append(os.Environ(), embedsEnv+"=1000")
	cmd.Stdin = strings.NewReader(allWords(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := regexp.MustCompile(`grew by (-?\d+) kB`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("no figure in\n%s", out)
	}
	grown, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kB more after 1000 texts", grown)
	limit := maxGrowthKept
	if returnable(embeddedBytes()) != nil {
		limit = maxGrowth
	}
	if grown*1024 > limit {
		t.Errorf("resident memory grew by %d bytes, want %d at most", grown*1024, limit)
	}
}

// allWords is every word of the golden texts, of all languages.
func allWords(t *testing.T) string {
	var words strings.Builder
	for _, c := range readGolden(t) {
		words.WriteString(c.text() + " ")
	}
	return words.String()
}

// embedAndReport embeds texts mixed from the words on stdin, so that many rows of
// the word table are touched.
func embedAndReport(t *testing.T, count string) {
	n, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(in))
	before := residentKB(t)
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprint(words[i%len(words)], " ", words[(i*31+7)%len(words)], " ", i)
		embedOne(t, e, embed.Passage, text)
	}
	fmt.Printf("grew by %d kB\n", residentKB(t)-before)
}

// residentKB reads this process's resident memory.
func residentKB(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmRSS in\n%s", status)
	}
	kB, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kB
}
