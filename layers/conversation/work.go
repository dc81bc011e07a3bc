package conversation

import (
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// Matter is what a sentence settles of a work that people do together. Words of
// the moment, thoughts and proposals settle nothing.
type Matter uint8

// The matters. What they look like stands in words/work_<language>.txt.
const (
	Unsettled Matter = iota
	Decision         // what is to be: "let's go with Postgres", 我们决定用
	Duty             // who does what
	Limit            // a number that holds: a budget, so many guests
	Day              // when something is, or is moved to
	Due              // until when something is to be done
	Place            // where something is, addresses, ports, names
	Custom           // how it is done here
	Progress         // how far something lasting is: signed, blocked on legal
	Ban              // what is out of the question
	Answer           // what was asked about the work
	Consent          // a proposal that was agreed to
)

// Plain reports whether a sentence says by its own words what it settles of a work.
// People answer, and agree on, what is none: their dinner too.
func (m Matter) Plain() bool { return m != Unsettled && m != Answer && m != Consent }

// matters are the lists of words/work_<language>.txt that a matter is known by.
var matters = []struct {
	list   string
	matter Matter
}{
	{"day", Day}, {"due", Due}, {"decision", Decision}, {"duty", Duty}, {"limit", Limit},
	{"place", Place}, {"custom", Custom}, {"status", Progress}, {"ban", Ban},
}

// Macros of words/work_<language>.txt.
var workMacros = strings.NewReplacer(
	"{day}", `(monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|(the )?\d{1,2}(st|nd|rd|th)?( of)? (`+monthsEn+`)|(`+monthsEn+`)( \d{1,2})?|the \d{1,2}(st|nd|rd|th)|\d{4}-\d\d-\d\d|week|month|quarter|year|spring|summer|autumn|q[1-4]|noon|(the )?(end|beginning|start|middle) of|\d{1,2}(:\d\d)? ?(am|pm)|\d{1,2}:\d\d)\b`,
)

const monthsEn = `january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec`

var workMacrosZh = strings.NewReplacer(
	"{day}", `((本|这|下|下下|每)?(周|星期|礼拜)[一二三四五六日天末]|\d{1,2}月(\d{1,2}[号日]?|底|初|中旬|上旬|下旬)?|[一二三四五六七八九十]{1,2}月([一二三四五六七八九十]{1,3}[号日]|底|初|中旬)?|\d{1,2}[号日]|明天|后天|大后天|下个?月(初|底)?|月底|月初|年底|年初|\d{4}-\d\d-\d\d|(早上|上午|中午|下午|晚上)?[一二三四五六七八九十\d]{1,3}点|暑假|国庆|元旦|春节前?|五一|下季度|明年)`,
	"{who}", `(我|我们|`+otherZh+`)`,
	"{other}", otherZh,
	"{num}", `[€$¥￥]?([\d.,]+|[一二两三四五六七八九十百千万]{1,8})`,
)

// otherZh is one who works with the speaker, by name or office.
const otherZh = `([小老阿]\p{Han}|\p{Han}(工|总|姐|哥|老师|经理|主任|师傅|博士|律师|会计)|[` + surnames + `]\p{Han}{1,2}|[A-Z][a-z]+|(法务|财务|运维|测试|设计|市场|前端|后端|产品|行政|人事|安全)(组|部|团队|那边|同事)?|志愿者|实习生|外包|供应商)`

const surnames = `王李张刘陈杨赵黄周吴徐孙胡朱林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范石姚谭廖邹熊陆郝孔崔邱秦江顾侯邵孟龙雷钱汤尹黎易武乔贺赖龚`

// workLead is what may stand before what a sentence settles.
var workLead = lazy.MustCompile(`(?i)^(?:(?:ok|okay|so|then|and|but|well|yes|yeah|good|great|fine|right|alright|all right|also|btw|by the way|hm+|oh|now|anyway|update|fyi|note|for the record|remember|one more thing|change of plan|quick update|heads up|perfect|cool|sure|thanks|no|correction|actually|in the end)\b[ ,:.!–—-]*)+|^(?:好的?|嗯|那|对了|另外|还有|顺便(?:说|提)(?:一下|一句)?|然后|所以|不过|但是|但|行|哦|先说一下|记一下|提醒一下|更新一下|最后|目前|因为|其实|通知一下|补充一下)[，,：: ]*`)

// workPart is what stands between parts of a sentence that may each settle
// something.
var workPart = lazy.MustCompile(`[,;:–—]\s+|\s[-–—]\s|[，；：。、]|\s(?:and|but|so)\s|而且|但是`)

// matterOf returns what a sentence settles by its own words.
func (t tongue) matterOf(s string) Matter {
	if t.code != "en" && t.code != "zh" || t.has("unsettled", s) {
		return Unsettled
	}
	rest := t.plain(s) // once: a sentence may have thousands of parts
	for {
		if m := t.matterAt(rest); m != Unsettled {
			return m
		}
		cut := workPart.FindStringIndex(rest)
		if cut == nil || cut[1] == 0 {
			return Unsettled
		}
		rest = rest[cut[1]:]
	}
}

// What leads to a matter is short: "ok, so, then, ok, …" without end leads to none,
// and is not read again at each of its parts.
const (
	leadBytes = 256
	leads     = 4
)

// matterAt looks at the begin of a stretch of plain words.
func (t tongue) matterAt(s string) Matter {
	for range leads {
		for _, m := range matters {
			if t.starts(m.list, s) && (m.matter != Duty || !t.starts("nobody", s)) {
				return m.matter
			}
		}
		led := workLead.FindString(s[:min(len(s), leadBytes)])
		if led == "" || len(led) == len(s) {
			return Unsettled
		}
		s = s[len(led):]
	}
	return Unsettled
}

// Settles reports whether a text that was kept of a conversation says by its own
// words what its people settle at work.
func Settles(s string) bool {
	for _, at := range text.Sentences(s) {
		if part := strings.TrimSpace(s[at.Start:at.End]); tongueOf(part).settles(part) {
			return true
		}
	}
	return false
}

// settles reports whether a sentence settles something, though it may look like a
// request: "let's go with Postgres", "move the demo to Thursday".
func (t tongue) settles(s string) bool { return t.matterOf(s) != Unsettled }

// consent makes the proposal of the turn before that a user's turn agrees to the
// user's own word, with those of his that agree. It reports whether there is one.
func (r *reader) consent(before *Turn, said []Sentence, from int) bool {
	s := &r.talk.Sentences[from]
	t := tongueOf(s.Text)
	accepts := t.is("accept", s.Text)
	if before.Role != Assistant || !accepts && !t.is("bare", s.Text) {
		return false
	}
	proposal := proposed(said)
	if proposal == "" || !accepts && !tongueOf(proposal).has("dated", proposal) {
		return false
	}
	s.Kind, s.Why, s.Matter = Stated, "", Consent
	s.Prompted = proposal
	s.Said = proposal + " " + s.Text
	return true
}

// proposed returns the one proposal that a turn of the assistant makes, "" where
// there is none, or several to choose from.
func proposed(said []Sentence) string {
	found := ""
	for _, s := range said {
		t := tongueOf(s.Text)
		if s.Kind != Claimed || !t.begins("proposal", s.Text) {
			continue
		}
		if t.begins("offer", s.Text) || found != "" || choice.MatchString(s.Text) || !concrete.MatchString(s.Text) {
			return ""
		}
		found = collapse(s.Text)
	}
	return found
}

var (
	// choice matches what leaves open which of several is meant.
	choice = lazy.MustCompile(`(?i)\bor\b|\beither\b|还是|或者?`)
	// concrete matches what names a thing, a time or a number.
	concrete = lazy.MustCompile(`\d|\p{Ll}[^.!?]{0,4}[ "“]\p{Lu}|["“《「]|(?i:\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|one|two|three|four|five|six|seven|eight|nine|ten|` + monthsEn + `|weekly|monthly|daily)\b)|[一二三四五六七八九十两]+(?:月|号|点|天|个|章|次|周|份|批|人|桌|万|千|百|轮|期)|(?:周|星期)[一二三四五六日天末]|[A-Z][A-Za-z0-9+#.-]{1,}`)
)

// inquired makes an answer to a question about the work one of its matters.
func (r *reader) inquired(s *Sentence, question string) {
	q, t := tongueOf(question), tongueOf(s.Text)
	if !q.has("inquiry", question) || t.has("unsettled", s.Text) || !concrete.MatchString(s.Text) && !properName.MatchString(s.Text) {
		return
	}
	s.Matter = Answer
}

var properName = lazy.MustCompile(`\b\p{Lu}\p{Ll}{2,}|[小老阿]\p{Han}`)
