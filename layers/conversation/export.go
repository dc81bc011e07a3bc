package conversation

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// Lines of exported and copied chats, beside those of transcripts. A name is up to
// forty letters, digits and signs; what may as well be a list of what is done when is
// weak: see evident.
var (
	// stampHead says when and by whom what stands below was said: "2024-03-05 10:02:11
	// 小红", "[10:02 AM] Anna Smith". Groups: stamp, name.
	stampHead = lazy.MustCompile(`^\s*(?:[\[(](` + stamp + `)[\])]|(` + datedStamp + `))\s*[-–—|,]?\s*` + speakerName + `(?:\s*[(<][^()<>]{1,60}[)>])?\s*$`)

	// clockHead is a name and an hour, with what is said below: 小红 10:02.
	clockHead = lazy.MustCompile(`^\s*` + speakerName + `,?\s+(` + clock + `)\s*$`)

	// tabLine is a line of LINE: "10:02\tHana\tI play the koto." Without a name the chat
	// itself speaks.
	tabLine = lazy.MustCompile(`^\s*(` + clock + `)\t([^\t]*)(?:\t(.*))?$`)

	// bracketLine is a line of KakaoTalk: [민수] [오전 10:02] 안녕.
	bracketLine = lazy.MustCompile(`^\s*\[` + exportName + `\]\s*\[(` + stamp + `)\]\s+(.*)$`)

	// ircLine is "<Anna> hi", with a stamp before it.
	ircLine = lazy.MustCompile(`^\s*(?:[\[(]?(` + stamp + `)[\])]?\s*)?<[@+~&% ]?([\p{L}_][^<>\s/=]{0,30}(?: [^<>\s/=]{1,30})?)>\s+(\S.*)$`)

	// handleLine has a name with dots inside, as accounts have: "ben.k: hi".
	handleLine = lazy.MustCompile(`^\s*(?:[\[(]?(` + stamp + `)[\])]?\s*)?([\p{L}][\p{L}\d_-]*(?:\.[\p{L}\d_-]+)+)[:：]\s+(\S.*)$`)

	nameAlone  = lazy.MustCompile(`^\s*` + speakerName + `[:：]?\s*$`)
	stampAlone = lazy.MustCompile(`^\s*[-–—]?\s*` + nearDay + `[\[(]?(` + stamp + `)[\])]?\s*$`)
	dashAlone  = lazy.MustCompile(`^\s*[-–—•·]\s*$`)

	// dayLine is a line that says on which day the lines below it were said.
	dayLine = lazy.MustCompile(`^\s*(?:[-–—=]{2,}\s*)?(?:(?i:` + weekday + `),? )?(` + day + `)(?:\s*[(（]?(?:\p{Han}{1,3}|\p{Hangul}{1,3}|\p{L}{2,9})[)）]?)?(?:\s*[-–—=]{2,})?\s*$`)
)

// maxStamped is where the time or the sign of a line that opens a turn stands at the
// latest, in bytes.
const maxStamped = 120

// chatHead reads a line that opens a turn in a shape of chat programs; nil for any
// other.
func chatHead(line string) *head {
	if !strings.ContainsAny(line[:min(len(line), maxStamped)], "0123456789<") {
		return nil
	}
	if m := dayLine.FindStringSubmatch(line); m != nil {
		return &head{notice: true, day: m[1]}
	}
	if m := bracketLine.FindStringSubmatch(line); m != nil && isSpeaker(m[1]) {
		return &head{name: strings.TrimSpace(m[1]), stamp: m[2], words: m[3], weak: true}
	}
	if m := tabLine.FindStringSubmatch(line); m != nil {
		name := strings.TrimSpace(m[2])
		if m[3] == "" || name == "" {
			return &head{notice: true, stamp: m[1], weak: true}
		}
		if isSpeaker(name) {
			return &head{name: name, stamp: m[1], words: strings.Trim(m[3], ` "`), weak: true}
		}
	}
	if m := ircLine.FindStringSubmatch(line); m != nil && isSpeaker(m[2]) {
		return &head{name: m[2], stamp: m[1], words: m[3]}
	}
	if m := stampHead.FindStringSubmatch(line); m != nil && isPerson(m[3]) {
		return &head{name: strings.TrimSpace(m[3]), stamp: m[1] + m[2], weak: true}
	}
	if m := clockHead.FindStringSubmatch(line); m != nil && isPerson(m[1]) {
		return &head{name: strings.TrimSpace(m[1]), stamp: m[2], weak: true}
	}
	return nil
}

// split finds names that stand on a line of their own, with the time on the next:
// "Anna", "10:02 AM", "I play the violin." Then a time alone is of whom spoke before.
func split(lines []string, heads []*head) {
	found := false
	for i := range lines {
		at := i + 1
		if at < len(lines) && dashAlone.MatchString(lines[at]) {
			at++
		}
		if heads[i] != nil || at >= len(lines) || len(lines[i]) > maxStamped || len(lines[at]) > maxStamped {
			continue
		}
		name, when := nameAlone.FindStringSubmatch(lines[i]), stampAlone.FindStringSubmatch(lines[at])
		if name == nil || when == nil || !isPerson(name[1]) {
			continue
		}
		heads[i] = &head{name: strings.TrimSpace(name[1]), stamp: when[1], weak: true, below: at - i}
		for k := i + 1; k <= at; k++ {
			heads[k] = &head{part: true}
		}
		found = true
	}
	for i, line := range lines {
		if found && heads[i] == nil && stampAlone.MatchString(line) {
			heads[i] = &head{part: true}
		}
	}
}

// handles adds turns of names with dots inside, where others speak too: alone such a
// line may be of a file.
func handles(lines []string, heads []*head) {
	named := false
	for _, h := range heads {
		named = named || h != nil && h.name != ""
	}
	for i, line := range lines {
		if !named || heads[i] != nil {
			continue
		}
		if m := handleLine.FindStringSubmatch(line); m != nil && isSpeaker(m[2]) {
			heads[i] = &head{name: m[2], stamp: m[1], words: m[3]}
		}
	}
}

// near is how far apart two turns of a chat are at most, in minutes, that tell it from
// a list of what is done when.
const near = 15

// evident reports whether lines that are weak by themselves are a chat: one speaks
// twice, two speak at nearly the same time, or other lines show it.
func evident(heads []*head) bool {
	names := map[string]bool{}
	last := -1
	for _, h := range heads {
		switch {
		case h == nil || h.part:
			continue
		case h.name != "" && !h.weak || h.day != "":
			return true
		case h.name == "":
			continue
		case names[h.name]:
			return true
		}
		names[h.name] = true
		at := minutes(h.stamp)
		if last >= 0 && at >= last && at-last <= near {
			return true
		}
		last = at
	}
	return false
}

var clockParts = lazy.MustCompile(`(` + halfBefore + `)? ?(\d{1,2}):(\d\d)(?::\d\d)?(?: ?([AaPp])\.? ?[Mm])?`)

// minutes is the time of day of a stamp; -1 where it has none.
func minutes(stamp string) int {
	m := clockParts.FindStringSubmatch(stamp)
	if m == nil {
		return -1
	}
	return hourOf(m[2], m[1], m[4])*60 + number(m[3])
}

// isPerson reports whether words look like the name of a person: one that speaks, and
// written as names are.
func isPerson(name string) bool {
	name = strings.TrimSpace(name)
	if !isSpeaker(name) {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) && !unicode.IsLower(r) {
		return utf8.RuneCountInString(name) <= 6 && !strings.Contains(name, " ") // 小红, 민수
	}
	words := strings.Fields(name)
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) && !particles[w] {
			return len(words) == 1 && strings.ContainsAny(w, "_0123456789")
		}
	}
	return len(words) <= 3
}

// particles stand in names in small letters.
var particles = wordSet("van von de der den da di del la le al el bin ibn dos du")

// dated gives the turns of a chat the day of the line above them, where they have none.
func dated(heads []*head) {
	day := ""
	for _, h := range heads {
		switch {
		case h == nil:
		case h.day != "":
			day = h.day
		case day != "" && h.stamp != "" && stampParts.FindStringSubmatch(isoMonth(h.stamp)) == nil:
			h.stamp = day + " " + h.stamp
		}
	}
}

// latestFirst turns a chat round that was exported with its last message first.
func latestFirst(turns []Turn) {
	var last time.Time
	fell := false
	for _, t := range turns {
		switch {
		case t.Time.IsZero():
			continue
		case !last.IsZero() && t.Time.After(last):
			return
		}
		fell = fell || t.Time.Before(last)
		last = t.Time
	}
	if fell {
		slices.Reverse(turns)
	}
}
