package conversation

import (
	"regexp"
	"strings"
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
var labelled = regexp.MustCompile(`^\s*(?:(?:\*\*)?(\p{Lu}[\p{Ll}'’]{1,11}(?: \p{Lu}[\p{L}.'’]{0,14})?)(?:\*\*)?|([小老阿]\p{Han}|[` + surnames + `]\p{Han}{1,2})|([\p{Han}\p{Katakana}ー]{1,8}(?:さん|くん|君|ちゃん|様)|\p{Katakana}[\p{Katakana}ー]{1,7}))\s*[:：]\s*` +
	`(?:((?:I|I'm|I’m|I've|I’ve|My|my|We|Our)\b.*)|((?:我|咱|俺).*)|((?:私|僕|俺|わたし).*))$`)

// noPerson matches what heads a line without being a name, though it is written like
// one.
var noPerson = regexp.MustCompile(`(?i)^(?:about|also|actually|again|anyway|and|background|basics?|bio|btw|but|caveat|claim|clue|comment|context|correct|diary|diet|disclosure|draft|extra|faith|first|second|third|food|fun|fyi|header|health|hello|hey|hi|hint|hook|intro|issue|joke|last|lesson|line|letter|marriage|me|memo|message|mood|motto|my|new|news|next|now|ok|okay|other|paragraph|past|pets?|poem|post|prefs?|preference|problem|profile|prompt|quick|quote|reason|religion|reply|riddle|rule|script|secret|self|sidenote|so|song|sorry|spoiler|sport|sports|statement|story|style|text|then|thing|thought|thoughts|travel|truth|tweet|user|verse|voice|well|wish|yes|no|body|essay|cv|resume|hook|opening|caption|client|customer|patient|teacher|student|mom|mum|dad|boss|host|guest|interviewer|narrator)$|(?:ion|ions|ment|ments|ness|ity|ing|ings|ance|ence|ism|ship|ly|ure|ical|ive|ous|note|fact|line)$|^(?:高兴|常用|方法|安排|平时|成绩|宁愿|于是|何时|万一|方案|白天|安全|习惯|简介|简历|小结|小说|小事|老家|老师)`)
