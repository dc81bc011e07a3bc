package conversation

import (
	"strings"

	"mcp-memory/internal/lazy"
)

// label takes the name of who speaks off a sentence that opens a line with it, "Anna: I
// live in Leeds.", and returns who speaks there; what follows on the line is his too. ""
// is who speaks in the turn. before is who spoke in the sentence before it.
func (r *reader) label(t *Turn, p *piece, before string) string {
	if t.Role != User || t.Name != "" {
		return ""
	}
	if lead := strings.TrimRight(t.Content[:p.start], " \t"); lead != "" && !strings.HasSuffix(lead, "\n") {
		return before
	}
	if p.kind != Stated {
		return ""
	}
	m := labelled.FindStringSubmatchIndex(t.Content[p.start:p.end])
	if m == nil {
		return ""
	}
	name := t.Content[p.start+max(m[2], m[4], m[6]) : p.start+max(m[3], m[5], m[7])]
	if !isSpeaker(name) || noPerson.MatchString(name) || roleNames[strings.ToLower(name)] != "" {
		return ""
	}
	p.start += max(m[8], m[10], m[12])
	return r.speaker(&Turn{Role: User, Name: name})
}

// labelled matches a name before a colon and words of the first person. Groups: the
// name in three scripts, the words likewise.
var labelled = lazy.MustCompile(`^\s*(?:(?:\*\*)?(\p{Lu}[\p{Ll}'’]{1,11}(?: \p{Lu}[\p{L}.'’]{0,14})?)(?:\*\*)?|([小老阿]\p{Han}|[` + surnames + `]\p{Han}{1,2})|([\p{Han}\p{Katakana}ー]{1,8}(?:さん|くん|君|ちゃん|様)))\s*[:：]\s*` +
	`(?:((?:I|I'm|I’m|I've|I’ve|My|my|We|Our)\b.*)|((?:我|咱|俺).*)|((?:私|僕|俺|わたし).*))$`)

// noPerson matches what heads a line without being a name, though it is written like
// one.
var noPerson = lazy.MustCompile(`(?i)^(?:(?:hey|hi|hello|dear|ok|okay|so|and|to|for|at|in|on|my|the|a|this|that|about) .*$|` + topics + `)$|^(?:` + topicsHan + `)|^(?:about|also|actually|again|anyway|and|background|basics?|bio|btw|but|caveat|claim|clue|comment|context|correct|diary|diet|disclosure|draft|extra|faith|first|second|third|food|fun|fyi|header|health|hello|hey|hi|hint|hook|intro|issue|joke|last|lesson|line|letter|marriage|me|memo|message|mood|motto|my|new|news|next|now|ok|okay|other|paragraph|past|pets?|poem|post|prefs?|preference|problem|profile|prompt|quick|quote|reason|religion|reply|riddle|rule|script|secret|self|sidenote|so|song|sorry|spoiler|sport|sports|statement|story|style|text|then|thing|thought|thoughts|travel|truth|tweet|user|verse|voice|well|wish|yes|no|body|essay|cv|resume|hook|opening|caption|client|customer|patient|teacher|student|mom|mum|dad|boss|host|guest|interviewer|narrator)$|(?:ion|ions|ment|ments|ness|ity|ing|ings|ance|ence|ism|ship|ly|ure|ical|ive|ous|note|fact|line)$|^(?:高兴|常用|方法|安排|平时|成绩|宁愿|于是|何时|万一|方案|白天|安全|习惯|简介|简历|小结|小说|小事|老家|老师)`)

// topics are what a line may be about, when it was, and whom it calls.
const (
	topics = `spring|summer|autumn|fall|winter|(?:early |late |last |next |this )?(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|weekdays?|weekends?|yesterday|today|tonight|tomorrow|mornings?|afternoons?|evenings?|nights?|days?|weeks?|months?|years?|childhood|school|college|work|job|jobs|career|office|home|house|flat|family|kids|children|friends|health|diets?|drinks?|coffee|tea|wine|beer|meals?|breakfast|lunch|dinner|snacks?|weather|music|movies?|films?|books?|games?|hobby|hobbies|interests?|skills?|languages?|tools?|editor|laptop|phone|car|money|budget|salary|location|place|city|town|country|address|names?|age|birthday|goals?|plans?|dreams?|fears?|likes|dislikes|loves|hates|pros|cons|needs?|wants?|must|todo|tasks?|ideas?|answer|questions?|summary|result|example|details?|extras?|misc|general|personal|stack|backend|frontend|deploy|update|edit|warning|important|reminder|status|purpose|role|task|format|input|output|tone|goal|` +
		`english|german|french|spanish|italian|dutch|chinese|japanese|korean|math|maths|history|art|chess|yoga|tennis|football|sleep|mornings|exercise|fitness|garden|kitchen|alexa|siri|claude|chatgpt|gpt|gemini|copilot|assistant|bot|computer|google|cortana|grok|llama|mistral`
	topicsHan = `周[一二三四五六日末天]|星期|金融|张贴|高考|高中|初中|小学|大学|夏天|冬天|春天|秋天|夏季|冬季|常住|马上|计划|项目|工作|职业|家庭|家里|家乡|住址|住处|住所|健康|过敏|饮食|爱好|兴趣|音乐|天气|语言|年龄|生日|目标|应该|姓名|名字|个人|时间|地点|城市|公司|上周|上午|中午|下午|晚上|早上|今天|明天|昨天|经历|经验|背景|任务|任何|江湖|温馨|毛病|钱包|孙子|关于|元旦|国庆|连续|向来|别人|水果|车子|房子|小孩|小时|小狗|小猫|小区|小组|老公|老婆|老板|老妈|老爸|老王说|阿姨`
)
