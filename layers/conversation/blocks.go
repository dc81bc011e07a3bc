package conversation

import (
	"encoding/json"
	"strings"

	"mcp-memory/internal/lazy"
)

// block is a stretch of a turn's content that is read in one way.
type block struct {
	start, end int
	kind       Kind // Stated for prose, that is still to be read
	why        string
}

// blocks cuts a content into prose and what is none, in order. Every byte that
// is not white space lies in one of them.
func blocks(content string) []block {
	var out []block
	for _, b := range memories(content) {
		if b.kind != Stated {
			out = append(out, b)
			continue
		}
		out = append(out, lineBlocks(content, b.start, b.end)...)
	}
	return out
}

// fence is what a line of three ticks or tildes opens and closes.
var fence = lazy.MustCompile("^\\s*(?:```|~~~)")

// lineBlocks reads a stretch line by line: fenced code, lines of logs and code,
// quoted lines, and a whole value of JSON. Prose lines that follow each other are
// one block.
func lineBlocks(content string, from, to int) []block {
	if isJSON(content[from:to]) {
		return []block{{from, to, Code, "data, not speech"}}
	}
	var out []block
	fenced := false
	var pasted paste
	talk := talkFrom(content[from:to])
	for at := from; at < to; {
		end := lineEnd(content, at, to)
		line := content[at:end]
		kind, why := lineKind(line)
		switch {
		case fence.MatchString(line):
			fenced = !fenced
			kind, why = Code, "fenced code"
		case fenced:
			kind, why = Code, "fenced code"
		case pasted.takes(line, content[min(end+1, to):to]):
			kind, why = pasted.kind, pasted.why
		case talk >= 0 && at-from >= talk && kind == Stated:
			kind, why = Quoted, whyTalk
		}
		if strings.TrimSpace(line) != "" {
			out = joined(out, block{at, end, kind, why})
		}
		at = end + 1
	}
	return out
}

const whyTalk = "a line of another talk or text"

// talkFrom returns where the talk of other people begins that stands in a stretch, with
// its names and times; -1 for none.
func talkFrom(s string) int {
	if len(clocks.FindAllStringIndex(s, minSpeakerLines)) < minSpeakerLines {
		return -1
	}
	lines := strings.Split(s, "\n")
	first, stamped, at := -1, 0, 0
	for i, h := range headsOf(lines) {
		if h != nil && h.name != "" && h.stamp != "" && !bareClock.MatchString(lines[i]) {
			if stamped++; first < 0 {
				first = at
			}
		}
		at += len(lines[i]) + 1
	}
	if stamped < minSpeakerLines {
		return -1
	}
	return first
}

var clocks = lazy.MustCompile(`\d:\d\d`)

// joined adds a block to those before it, which the last of the same kind takes in.
func joined(out []block, b block) []block {
	if n := len(out); n > 0 && out[n-1].kind == b.kind && out[n-1].why == b.why {
		out[n-1].end = b.end
		return out
	}
	return append(out, b)
}

func lineEnd(s string, at, to int) int {
	if i := strings.IndexByte(s[at:to], '\n'); i >= 0 {
		return at + i
	}
	return to
}

// lineKind judges a line by its look alone.
func lineKind(line string) (Kind, string) {
	switch {
	case quoteMark.MatchString(line):
		return Quoted, "a quoted line"
	case chatLine.MatchString(line) && !ownHead.MatchString(line):
		return Quoted, whyTalk
	case logLine.MatchString(line):
		return Code, "a log or output"
	case codeLine.MatchString(line):
		return Code, "code"
	}
	return Stated, ""
}

var (
	quoteMark = lazy.MustCompile(`^\s*(?:>|&gt;|》|\|)\s?`)

	// chatLine matches a line that was pasted with who said it, or with its heading:
	// "[10:02] Mark: …", 【小杜】…. ownHead matches what people head their own lines with.
	chatLine = lazy.MustCompile(`^\s*\[\d{1,2}:\d\d(?::\d\d)?\]\s*\S|^\s*【[^】\n]{1,24}】\s*\S`)
	ownHead  = lazy.MustCompile(`^\s*【[^】\n]*(?:记住|记一下|备忘|重要|注意|提醒|我)[^】\n]*】`)

	// logLine matches what programs print: a time stamp or a level first, traces,
	// exit states, prompts of a shell, diffs.
	logLine = lazy.MustCompile(`^\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|^\s*\[?\d\d:\d\d:\d\d\b|` +
		`^\s*(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d\b|^\s*\[(?:cron|systemd|kernel|nginx|docker|ci|build|deploy|bot|job|worker|main)\b[^\]]*\]|` +
		`^\s*\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL|FAIL|PASS|OK)\]?[:\s]|^\s*(?:npm|yarn|pip|make|cargo|go)\s*(?:ERR!|WARN|error:)|` +
		`(?i)\btraceback \(most recent|^\s*at \S+\(.*:\d+\)|^\s*File ".*", line \d+|\bexit (?:status|code) \d|^\s*@@ |^\s*[+-]{3} \S|` +
		`\b[A-Za-z.]+(?:Exception|Error): |\bHTTP/\d|\bpanic: |\bsegmentation fault|^\s*[│├└║═]+|` + shellPrompt)

	// codeLine matches source code and markup. A line of prose may end in a
	// semicolon, but not in one after a bracket.
	codeLine = lazy.MustCompile(`^(?:\s{2,}|\t)(?:#|//)\s|^\s*(?://|/\*|<!--)\s*\S|^\s*(?:import \w+|from \S+ import |package \w+$|func \w*\(|def \w+\(|class \w+[:({]|return\b.*;$|#include|using namespace|(?:public|private|static|const|let|var) \w+.*[=;{]|SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|CREATE TABLE|</?\w+[^>]*>\s*$|<\w+ \w+=)|` +
		`^\s*\{.*["'”]\s*:|[)\]}];\s*$|\{\s*$|^\s*[})\]]+[;,]?\s*$|=>|\w+\(\)[;.]|^\s*[\w.]+\s*=\s*[\w"'\[{].*[;\])}"']\s*$|^\s*"?\w+"?:\s*[\[{"].*[,\]}]\s*$|^\s*(?:if|for|while)\b.*:\s*\w*.*[\]\[=<>].*$|^\s*(?:/[\w.-]+){2,}\s*$|^\s*[A-Z]:\\`)
)

// isJSON reports whether a stretch is a JSON object or array with something in
// it: what tools answer.
func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != '{' && s[0] != '[' {
		return false
	}
	return json.Valid([]byte(s))
}

// Frames that recalled memories come in. The first is what recall renders with
// format "context"; the others are those that clients put around such lists.
var (
	frameOpen  = lazy.MustCompile(`(?i)<\s*(?:\w+[_-])?(?:memor(?:y|ies)|recall(?:ed)?|remembered|context_from_memory)(?:[_-]\w+)?[^>\n]{0,80}>`)
	frameClose = lazy.MustCompile(`(?i)</\s*(?:\w+[_-])?(?:memor(?:y|ies)|recall(?:ed)?|remembered|context_from_memory)(?:[_-]\w+)?\s*>`)
	// listHead opens a list without a frame; the list ends with an empty line or
	// the first line that is no item where it has items.
	listHead = lazy.MustCompile(`(?im)^\s*(?:#+ |\*\*|\[)?(?:relevant |recalled |stored |saved |retrieved |user |known |related |past |previous |long-term )*(?:memor(?:y|ies)|facts about the user|user facts|user profile|what is remembered about[^\n]*|what i (?:know|remember) about (?:you|the user))[^\n:]{0,40}:|` +
		`(?m)^\s*(?:#+ |\*\*|【|\[)?(?:相关|已有|已知|检索到的?|召回的?|历史|用户|长期)*(?:记忆|用户画像|用户档案|用户信息)(?:如下|内容|列表|】|\]|\*\*)*\s*[：:】]`)
	item = lazy.MustCompile(`^\s*(?:[-*•·]|\d+[.)、])\s`)
)

// memories cuts out the recalled memories of a content; the rest is Stated.
func memories(content string) []block {
	const why = "a memory that was recalled"
	var out []block
	for at := 0; at < len(content); {
		start, end := nextMemories(content, at)
		if start > at {
			out = append(out, block{start: at, end: start})
		}
		if end > start {
			out = append(out, block{start, end, Recalled, why})
		}
		at = max(end, start)
	}
	return out
}

// nextMemories returns the next stretch of recalled memories at or after at, or
// an empty one at the end of the content. A frame that is never closed goes on to
// the end: a transcript may be cut.
func nextMemories(content string, at int) (start, end int) {
	rest := content[at:]
	open, head := frameOpen.FindStringIndex(rest), listHead.FindStringIndex(rest)
	switch {
	case open != nil && (head == nil || open[0] <= head[0]):
		end = len(content)
		if c := frameClose.FindStringIndex(rest[open[1]:]); c != nil {
			end = at + open[1] + c[1]
		}
		return at + open[0], end
	case head != nil:
		return at + head[0], listEnd(content, at+head[1])
	}
	return len(content), len(content)
}

// listEnd returns where a list that starts after its head at from ends.
func listEnd(content string, from int) int {
	end := lineEnd(content, from, len(content))
	items := false
	for at := end + 1; at < len(content); {
		next := lineEnd(content, at, len(content))
		line := content[at:next]
		switch {
		case item.MatchString(line):
			items = true
		case items || strings.TrimSpace(line) == "":
			return end
		}
		end, at = next, next+1
	}
	return min(end, len(content))
}
