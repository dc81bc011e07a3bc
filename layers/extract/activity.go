package extract

import (
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
)

// activity fills a record of something that happens at a time: when, with whom,
// where, and whether it is still to come.
func activity(p *passage, m *Memory) {
	start, end := p.event()
	d := map[string]any{"narrative": m.Text, "status": p.status(start)}
	if !start.IsZero() {
		d["starts_at"] = stamp(start)
	}
	if !end.IsZero() {
		d["ends_at"] = stamp(end)
	}
	if with := companions(p.text); len(with) > 0 {
		d["participants"] = with
	}
	if at := places(p.text); len(at) > 0 {
		d["locations"] = at
	}
	m.Detail = detail(d)
	if m.Category == "" {
		m.Category = "event"
		if d["status"] == "planned" {
			m.Category = "plan"
		}
	}
	if d["status"] == "completed" && m.Importance == Kept {
		m.Importance = Passed
	}
	m.ValidFrom, m.ValidTo = time.Time{}, time.Time{} // an event's time is in its detail
}

// event returns when the event of a passage begins and ends: the first time that
// is still to come, else the first; and the end of a stretch if it is one.
func (p *passage) event() (start, end time.Time) {
	var at []dates.Found
	for i, f := range p.times() {
		if !f.Duration && !(f.Role == dates.Since && i == 0 && f.Relative) && !p.during(f) {
			at = append(at, f)
		}
	}
	if len(at) == 0 {
		return start, end
	}
	first := max(0, slices.IndexFunc(at, func(f dates.Found) bool { return f.Range.From.After(p.at) }))
	start = at[first].Range.From
	if at[first].Role == dates.After {
		start = at[first].Range.To
	}
	if r := at[first].Range; r.Unit == dates.Day && r.To.After(r.From.AddDate(0, 0, 1)) { // some days on end
		end = r.To
	}
	if next := first + 1; next < len(at) && at[next].Role == dates.Until && at[next].Range.To.After(start) {
		end = at[next].Range.To
	}
	return start, end
}

// during reports whether a time is a month or more that is going on (今年): what is
// said of it begins on no day of it that is known.
func (p *passage) during(f dates.Found) bool {
	return f.Role == dates.At && f.Range.Unit >= dates.Month && f.Range.From.Before(p.at) && f.Range.To.After(p.at)
}

var (
	pastEn   = lazy.MustCompile(`(?i)\b(?:went|had|got|did|was|were|came|finished|passed|signed|bought|sold|met|saw|ran|won|lost|moved|quit|took|made|visited|attended|completed|submitted|graduated|married|left|flew|drove|ate|gave|i've|we've|just)\b`)
	futureEn = lazy.MustCompile(`(?i)\b(?:will|i'll|we'll|going to|gonna|tomorrow|next|planning|booked for|is on|are on|starts?|leaving|flying|moving|coming)\b`)
	pastZh   = lazy.MustCompile(`了|过|刚|昨|前天|上周|上个?月|去年`)
	futureZh = lazy.MustCompile(`要|准备|打算|将|约了|订了|定了|明天|后天|下周|下个?月|明年`)
)

// status says whether an event is planned or completed: by its time, else by how
// it is said; "" where neither tells.
func (p *passage) status(start time.Time) string {
	if !start.IsZero() && !p.at.IsZero() {
		day := time.Date(p.at.Year(), p.at.Month(), p.at.Day(), 0, 0, 0, 0, p.at.Location())
		switch {
		case start.Before(day):
			return "completed"
		case !start.Before(day.AddDate(0, 0, 1)):
			return "planned"
		}
	}
	if p.meant > 0 { // German asks with "was"
		return ""
	}
	past, future := pastEn.MatchString(p.text) || pastZh.MatchString(p.text), futureEn.MatchString(p.text) || futureZh.MatchString(p.text)
	switch {
	case future && !past:
		return "planned"
	case past && !future:
		return "completed"
	}
	return ""
}

var (
	withEn = lazy.MustCompile(`\bwith ((?:my |our )?(?:` + relation + `|kids|children|parents|family|friends|team)\b(?: \p{Lu}\p{Ll}+)?|\p{Lu}\p{Ll}+(?:(?:,| and|, and) \p{Lu}\p{Ll}+)*)`)
	withZh = lazy.MustCompile(`(?:跟|和|带|陪|约了?|同)((?:我)?(?:老公|老婆|妈妈?|爸爸?|女儿|儿子|孩子|爸妈|父母|婆婆|公公|岳父|岳母|爷爷|奶奶|外公|外婆|同事|朋友|室友|闺蜜|男友|女友|男朋友|女朋友|导师|老板|客户|家人|全家)|[小老阿][\p{Han}])`)
	whereE = lazy.MustCompile(`\b(?:in|at|to|near|from) ((?:the )?\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,3})`)
	whereZ = lazy.MustCompile(`(?:去|到|飞|在|回)([\p{Han}]{2,4}?)(?:出差|旅游|旅行|玩|开会|参加|见|面试|看|爬|住|待|办|聚|，|。|、|$)`)
	noSpot = lazy.MustCompile(`(?i)^(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|i|i'm|christmas|easter)\b|^(?:周|星期|礼拜|上午|下午|晚上|早上|中午|明天|后天|今天|下周|[一二三四五六七八九十]+[点月号])|^(?:公司|家里?|学校|医院|那里?|这里?|一起|外面|网上)$`)
)

// companions are the people an event is said to be with.
func companions(text string) []string {
	var out []string
	for _, m := range withEn.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Split(listed.Replace(m[1]), ",")...)
	}
	for _, m := range withZh.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// listed puts commas between the names of a list.
var listed = strings.NewReplacer(", and ", ",", " and ", ",", ", ", ",")

// places are the places that an event is said to be at: names after in, at, to.
func places(text string) []string {
	var out []string
	for _, re := range []*lazy.Regexp{whereE, whereZ} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if !noSpot.MatchString(m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}
