package extract

import (
	"strings"
	"time"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// What of a common work a sentence gives a day: "move the demo to Thursday", "the
// demo is on Tuesday", 演示改到周四.
var (
	dayMoved = lazy.MustCompile(`(?i)\b(?:move|push|shift|postpone|reschedule|bring|delay) (?:the|our) ([\p{L}' -]{3,30}?) (?:forward |back |out |on )?(?:to|until|till)\b`)
	daySaid  = lazy.MustCompile(`(?i)^(?:\P{L}|(?:ok|okay|so|and|but|then|well|also|now|update|note)\b)*(?:the|our) ([\p{L}' -]{3,30}?) (?:is|are|has been|have been|was|were|got|gets|will be|moves|moved|slips|slipped|shifts|starts|begins|takes place)\b`)
	daySetZh = lazy.MustCompile(`(?:^|[，。；：])(?:那|把|好的?|所以|对了)*(\p{Han}{2,8}?)(?:也|就|又|还是|已经|要|得)?(?:改到|改|推迟到|推到|延期到|延到|延后到|提前到|挪到|顺延到|改期到|调到|定在|安排在|改在|定于)`)

	// otherClause matches what follows with a subject of its own: the day may be its.
	otherClause = lazy.MustCompile(`(?i),? (?:and|but|so) (?:I|we|he|she|they|my|our|the)\b`)

	// manyDays are words for what there are many of: which one is meant is not sure.
	manyDays = lazy.MustCompile(`(?i)^(?:.* )?(?:meeting|call|appointment|session|lesson|class|lunch|dinner|breakfast|sync|date|time|day|thing|one|rest|event|visit|interview|game|match|train|flight|slot|shift|others?|whole thing|it)s?$|会议|开会|例会|时间|日期|见面|电话|面试|时候|约会|吃饭|课$|^(?:他们|我们|大家|这个|那个|这次|下次|客户|老板)`)
)

// day returns the statement of a sentence that gives something a day, so that a
// later one takes its place; nil where it is not sure what, or which day.
func (e *extraction) day(i int, p *passage) *structure.Statement {
	if e.Talk.Sentences[i].Matter != conversation.Day || p.at.IsZero() {
		return nil
	}
	what := dated(p.text)
	start, _ := p.event()
	if what == "" || start.IsZero() || len(p.times()) != 1 {
		return nil
	}
	return &structure.Statement{
		Entity: what, Attribute: "date", Value: dayValue(start.In(p.at.Location())),
		Layer: storage.Activity, Category: "event", Confidence: dayConfidence,
	}
}

// dayConfidence is how sure the day of a thing is that is named by one word.
const dayConfidence = 0.85

// dated returns what a sentence gives a day, "" where that is not sure.
func dated(text string) string {
	text = withoutFormerDay(text)
	for _, re := range []*lazy.Regexp{dayMoved, daySaid, daySetZh} {
		if m := re.FindStringSubmatch(text); m != nil {
			what := strings.ToLower(m[1])
			if otherClause.MatchString(text) || manyDays.MatchString(what) || len(strings.Fields(what)) > 3 {
				return ""
			}
			return what
		}
	}
	return ""
}

// dayValue writes a day, with the time of day where one was said.
func dayValue(t time.Time) string {
	if t.Hour() == 0 && t.Minute() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04")
}
