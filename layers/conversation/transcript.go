package conversation

import (
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// speakerLine matches "Name: words" and "[10:02] Name: words", as transcripts are
// written, with a stamp before the name or in brackets after it. A name is up to four
// words without a full stop inside, so that a sentence with a colon is none. Groups:
// stamp, name, stamp, the first letter of the words.
var speakerLine = lazy.MustCompile(`^\s*(?:[\[(（]?(` + stamp + `)[\])）]?\s*[-–—|,]?\s*)?(?:\*\*|__)?` + speakerName + `(?:\*\*|__)?\s*(?:[\[(（](` + stamp + `)[\])）]\s*|[(（][\p{L} ]{1,30}[)）]\s*)?[:：](?:\*\*|__)?(?:\s+|$|([^\s/\d]))`)

// headLine matches a line that says no more than who speaks, and when: "Ana  10:02 AM",
// "Ana — Today at 10:02 AM", 小红 2024/3/5 10:02:33. What was said stands below. Groups:
// name, stamp.
var headLine = lazy.MustCompile(`^\s*` + speakerName + `,?\s+(?:[-–—]\s*)?(?:` + nearDay + `[\[(（]?(` + datedStamp + `|` + clock12 + `|\d{1,2}:\d\d:\d\d)[\])）]?|` + nearDay[:len(nearDay)-1] + `(` + clock + `))\s*$`)

// exportLine matches a line of an exported chat: "[13.03.24, 10:02:11] Ana: words" and
// "12/03/2024, 10:02 - Ana: words". Behind so much of a stamp a name may be a number
// or hold signs. Where nobody is named the chat itself says something: "Ben left".
// Groups: stamp in brackets, stamp before a dash, name, words; name and words are empty
// where nobody is named.
var exportLine = lazy.MustCompile(`^\s*(?:\[(` + datedStamp + `)\]|(` + datedStamp + `)\s+[-–—])\s+(?:` + exportName + `:(?:\s+(.*)|$))?`)

const exportName = `((?:[\p{L}\p{M}\p{N}\p{So}+~'’"& _()-]|\.(?:\s|$)){1,40}?)`

// roleHead matches a heading that names a role: "## User", "**Assistant**".
var roleHead = lazy.MustCompile(`^\s*(?:#{1,6}\s+(?:\*\*)?|\*\*|__)([\p{L}]+)\s*[:：]?\s*(?:\*\*|__)?\s*[:：]?\s*$`)

const speakerName = `@?((?:(?:Dr|Mr|Mrs|Ms|Prof)\. )?[\p{L}][\p{L}\p{M}\d'’ _-]{0,39}?)`

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

// notNames open lines that are headed by a day, a meal, a field or an entry of a list,
// alone or with what follows them: "Monday", "Step 2", "Meeting".
var notNames = wordSet(`
	monday tuesday wednesday thursday friday saturday sunday weekdays weekend weekends
	today tomorrow yesterday tonight morning afternoon evening night noon daily weekly monthly
	breakfast lunch dinner snack snacks brunch supper
	hobby hobbies job jobs work home city country age birthday email e-mail mail phone mobile tel website occupation profession education
	skills skill languages language likes dislikes allergies allergy pets family favourites favorites interests contact location place time
	goal goals plan plans deadline status priority budget cost total task tasks agenda topic topics decision decisions action actions result results
	pros cons pro con ingredients steps step chapter part section version day week month year item option phase stage room line
	meeting meetings standup review call appointment flight train bus event events lecture class lesson
	lunes martes miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi dimanche
	lunedì martedì mercoledì giovedì venerdì sabato domenica segunda terça quarta quinta sexta segunda-feira terça-feira quarta-feira quinta-feira sexta-feira
	月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 월요일 화요일 수요일 목요일 금요일 토요일 일요일
	montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen abends frühstück mittagessen abendessen beruf wohnort hobbys
	周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 今天 明天 昨天 早上 上午 中午 下午 晚上 早餐 午餐 晚餐
	爱好 职业 工作 城市 年龄 生日 邮箱 电话 手机 学历 专业 兴趣 籍贯 性别 时间 地点 计划 截止日期 优点 缺点 步骤 材料 任务 状态 价格 预算 会议`)

// openers are words that open a sentence or a field where more follows: "My job",
// "I like".
var openers = wordSet("my your our their his her its the this these those it i we there what when where why how who mein meine")

// betweenNames are words that no name holds between others: "Flight to Berlin".
var betweenNames = wordSet("to at in on from with for the and or is was are as")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// fieldRoles are roles that head fields as well ("Model: X200", 系统：Windows): one
// line under them is no turn yet.
var fieldRoles = wordSet("model system tool function prompt you ai bot 系统 工具")

// minSpeakerLines is how many lines must name a speaker before a text counts as
// a transcript: a single "Remember: …" is none. Of lines under a role ("User: …") or
// the user's own name one is enough.
const minSpeakerLines = 2

// ParseText reads plain text as turns. Where its lines name their speakers
// ("Anna: …", "User: …", 用户：…), or stand under such names, every such line opens a
// turn and the lines after it belong to it; people have role user and their name. A
// date and time that a line gives is the turn's, in loc. Other text is one turn of the
// user, who may have names.
func ParseText(s string, loc *time.Location, users ...string) []Turn {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	lines := strings.Split(exportSigns.Replace(s), "\n")
	heads := headsOf(lines)
	if !transcript(lines, heads, users) {
		return []Turn{{Role: User, Content: s}}
	}
	order := dayOrder(heads)
	var out []Turn
	for i, line := range lines {
		switch h := heads[i]; {
		case h != nil && h.part:
		case h != nil && h.notice:
			out = append(out, Turn{Role: System, Content: line})
		case h != nil:
			t := turnOf(h.name, h.words)
			t.Time = stampTime(h.stamp, order, loc)
			out = append(out, t)
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

// exportSigns are signs that exports put between words and that nobody sees.
var exportSigns = strings.NewReplacer("\ufeff", "", "\u200e", "", "\u200f", "", "\u202f", " ", "\u00a0", " ", "\r\n", "\n")

// head is what a line that opens a turn says. A notice is of the chat itself and of
// nobody.
type head struct {
	name, words, stamp string
	notice             bool
	day                string // of a notice that says the day of what follows
	weak               bool   // it may be no head by itself
	below              int    // how many lines after it belong to it
	part               bool   // it is such a line, and nothing is said in it
}

// headsOf reads each line that opens a turn; nil stands for the others.
func headsOf(lines []string) []*head {
	out := make([]*head, len(lines))
	for i, line := range lines {
		out[i] = speaks(line)
	}
	split(lines, out)
	handles(lines, out)
	for i := range out { // a name alone opens a turn where something is said below
		if h := out[i]; h != nil && !h.notice && !h.part && h.words == "" && h.stamp != "" && !saidAt(lines, out, i+1+h.below) {
			out[i] = nil
		}
	}
	if !evident(out) {
		for i := range out {
			if h := out[i]; h != nil && (h.weak || h.part) {
				out[i] = nil
			}
		}
	}
	dated(out)
	return out
}

// saidAt reports whether a line says something and opens no turn.
func saidAt(lines []string, heads []*head, at int) bool {
	return at < len(lines) && heads[at] == nil && strings.TrimSpace(lines[at]) != ""
}

// maxPreamble is how many lines a chat may have before its first turn: what it is, and
// when it was saved.
const maxPreamble = 3

// transcript reports whether lines are turns: notices apart the first that says anything
// names a speaker, and so do at least two and a third of all, or each names one that is
// known. Where lines say when they were said, one is enough, and something may stand
// before it.
func transcript(lines []string, heads []*head, users []string) bool {
	named, filled, roles, known, stamped, before := 0, 0, 0, 0, 0, 0
	for i, line := range lines {
		h := heads[i]
		if strings.TrimSpace(line) == "" || h != nil && (h.notice || h.part) {
			continue
		}
		if filled++; h == nil {
			if named == 0 {
				before++
			}
			continue
		}
		named++
		name := strings.ToLower(h.name)
		_, role := roleNames[name]
		if role {
			roles++
		}
		if role && !fieldRoles[name] || slices.ContainsFunc(users, func(u string) bool { return text.Fold(u) == text.Fold(h.name) }) {
			known++
		}
		if h.stamp != "" && !bareClock.MatchString(line) {
			stamped++
		}
	}
	switch {
	case stamped >= minSpeakerLines && before <= maxPreamble:
		return true
	case before > 0 || named == 0:
		return false
	}
	return (named >= minSpeakerLines || stamped > 0) && (named*3 >= filled || roles == named) || known == named
}

// bareClock matches a line that begins with an hour and no more of a stamp: what is
// done then may follow as well as who speaks.
var bareClock = lazy.MustCompile(`^\s*\d{1,2}:\d\d(?::\d\d)?(?: ?` + half12 + `)?[^\t\d\])]`)

// speaks reads a line that opens a turn; nil for any other.
func speaks(line string) *head {
	if m := roleHead.FindStringSubmatch(line); m != nil {
		if _, ok := roleNames[strings.ToLower(m[1])]; ok {
			return &head{name: m[1]}
		}
	}
	if m := headLine.FindStringSubmatch(line); m != nil && isSpeaker(m[1]) {
		return &head{name: strings.TrimSpace(m[1]), stamp: m[2] + m[3]}
	}
	if m := exportLine.FindStringSubmatch(line); m != nil {
		return exported(m)
	}
	title := strings.TrimLeft(line, "# ") // "### Human: hi"
	m := speakerLine.FindStringSubmatchIndex(title)
	if m == nil {
		return chatHead(line)
	}
	if _, role := roleNames[strings.ToLower(title[m[4]:m[5]])]; strings.HasPrefix(line, "#") && !role {
		return nil
	}
	line = title
	group := func(n int) string {
		if m[2*n] < 0 {
			return ""
		}
		return line[m[2*n]:m[2*n+1]]
	}
	if !isSpeaker(group(2)) {
		return nil
	}
	from := m[1]
	if m[8] >= 0 { // the first letter of the words was matched
		from = m[8]
	}
	return &head{name: strings.TrimSpace(group(2)), words: strings.TrimSpace(line[from:]), stamp: group(1) + group(3)}
}

// exported reads a line of an exported chat.
func exported(m []string) *head {
	name := strings.TrimLeft(m[3], "~ ") // "~ Ana" is one whom the owner of the export does not know
	if !isSpeaker(name) {
		return &head{stamp: m[1] + m[2], notice: true}
	}
	return &head{name: strings.TrimSpace(name), words: strings.TrimSpace(m[4]), stamp: m[1] + m[2]}
}

func isSpeaker(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	words := strings.Fields(name)
	if notSpeakers[name] || len(words) == 0 || len(words) > 4 || notNames[words[0]] || len(words) > 1 && openers[words[0]] {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w string) bool { return betweenNames[w] })
}

func turnOf(name, words string) Turn {
	if role, ok := roleNames[strings.ToLower(name)]; ok {
		return Turn{Role: role, Content: words}
	}
	return Turn{Role: User, Name: name, Content: words}
}
