package conversation

import (
	"regexp"
	"strings"
)

// speakerLine matches "Name: words" and "[10:02] Name: words", as transcripts are
// written. A name is up to four words without a full stop inside, so that a
// sentence with a colon is none.
var speakerLine = regexp.MustCompile(`^\s*(?:[\[(（]?\d{1,4}[-/.:\d\sTAPMapm]{3,20}[\])）]?\s*[-–]?\s*)?(?:\*\*|__)?([\p{L}][\p{L}\p{M}\d'’ _-]{0,39}?)(?:\*\*|__)?\s*[:：](?:\*\*|__)?(?:\s+|$|([^\s/\d]))`)

// roleNames are the speakers that are roles rather than people.
var roleNames = map[string]string{
	"user": User, "human": User, "me": User, "you": User, "prompt": User, "用户": User, "我": User, "人类": User, "ユーザー": User,
	"assistant": Assistant, "ai": Assistant, "bot": Assistant, "chatgpt": Assistant, "claude": Assistant, "gpt": Assistant, "model": Assistant,
	"copilot": Assistant, "gemini": Assistant, "助手": Assistant, "助理": Assistant, "机器人": Assistant, "アシスタント": Assistant,
	"system": System, "系统": System, "tool": Tool, "function": Tool, "工具": Tool,
}

// notSpeakers are words before a colon that open a note or a field, not a turn.
var notSpeakers = map[string]bool{
	"note": true, "ps": true, "p.s": true, "todo": true, "edit": true, "update": true, "subject": true, "re": true, "from": true, "to": true, "cc": true,
	"date": true, "example": true, "question": true, "answer": true, "q": true, "a": true, "http": true, "https": true, "error": true, "warning": true,
	"info": true, "summary": true, "title": true, "name": true, "address": true, "tip": true, "reminder": true, "fact": true, "remember": true,
	"记住": true, "注意": true, "备注": true, "标题": true, "主题": true, "问题": true, "答案": true, "日期": true, "姓名": true, "地址": true, "总结": true, "例如": true, "比如": true, "目标": true,
}

// minSpeakerLines is how many lines must name a speaker before a text counts as
// a transcript: a single "Remember: …" is none.
const minSpeakerLines = 2

// ParseText reads plain text as turns. Where its lines name their speakers
// ("Anna: …", "User: …", 用户：…) every such line opens a turn and the lines
// after it belong to it; people have role user and their name. Other text is one
// turn of the user.
func ParseText(s string) []Turn {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	if !transcript(lines) {
		return []Turn{{Role: User, Content: s}}
	}
	var out []Turn
	for _, line := range lines {
		name, words, ok := speaks(line)
		switch {
		case ok:
			out = append(out, turnOf(name, words))
		case len(out) > 0:
			last := &out[len(out)-1]
			last.Content += "\n" + line
		case strings.TrimSpace(line) != "": // before the first speaker
			out = append(out, Turn{Role: System, Content: line})
		}
	}
	for i := range out {
		out[i].Content = strings.TrimSpace(out[i].Content)
	}
	return out
}

// transcript reports whether lines are turns: the first that says anything names
// a speaker, and so do at least two and a third of all.
func transcript(lines []string) bool {
	named, filled := 0, 0
	first := false
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		_, _, ok := speaks(line)
		if ok {
			named++
		}
		if filled == 0 {
			first = ok
		}
		filled++
	}
	return first && named >= minSpeakerLines && named*3 >= filled
}

func speaks(line string) (name, words string, ok bool) {
	m := speakerLine.FindStringSubmatchIndex(line)
	if m == nil {
		return "", "", false
	}
	name = strings.TrimSpace(line[m[2]:m[3]])
	if notSpeakers[strings.ToLower(name)] || len(strings.Fields(name)) > 4 {
		return "", "", false
	}
	from := m[1]
	if m[4] >= 0 { // the first letter of the words was matched
		from = m[4]
	}
	return name, strings.TrimSpace(line[from:]), true
}

func turnOf(name, words string) Turn {
	if role, ok := roleNames[strings.ToLower(name)]; ok {
		return Turn{Role: role, Content: words}
	}
	return Turn{Role: User, Name: name, Content: words}
}
