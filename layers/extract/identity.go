package extract

import "mcp-memory/internal/lazy"

var (
	professional = lazy.MustCompile(`(?i)\b(?:work|job|teacher|teach|nurse|engineer|developer|manager|student|study|studying|degree|shop|company|business|founder|chair|retired|freelance\w*|self-employed|career|office|run a|own a)\b|上班|工作|老师|教师|医生|护士|工程师|程序员|学生|读研|读博|退休|开店|开了家|公司|行业|职业|做.{1,8}的|当.{1,8}(?:年|师)`)
	demographic  = lazy.MustCompile(`(?i)\b(?:live|living|from|born|grew up|years old|year-old|age|married|single|divorced|widow\w*|citizen|native|nationality|speak|religio\w+|muslim|christian|jewish|hindu|buddhist)\b|住|出生|长大|老家|来自|岁|结婚|离婚|单身|国籍|人$|人，|母语|信(?:教|佛)`)
	bond         = lazy.MustCompile(`(?i)\bmy (` + relation + `|dog|cat|pet)\b|(?:我)(老公|老婆|妈妈?|爸爸?|女儿|儿子|媳妇|婆婆|公公|岳父|岳母|爷爷|奶奶|外公|外婆|哥哥?|姐姐?|弟弟?|妹妹?|室友|同事|对象|男朋友|女朋友)`)
)

// identity fills a record of who somebody is.
func identity(p *passage, m *Memory) {
	kind := "personal"
	switch {
	case professional.MatchString(p.text):
		kind = "professional"
	case demographic.MatchString(p.text):
		kind = "demographic"
	}
	d := map[string]any{"description": m.Text, "type": kind}
	if b := bond.FindStringSubmatch(p.text); b != nil {
		d["relationship"] = b[1] + b[2]
	}
	if since := p.since(); !since.IsZero() {
		d["since"] = stamp(since)
		if m.ValidFrom.IsZero() {
			m.ValidFrom = since
		}
	}
	m.Detail = detail(d)
	if m.Category == "" {
		m.Category = "fact"
		if d["relationship"] != nil {
			m.Category = "relationship"
		}
	}
}
