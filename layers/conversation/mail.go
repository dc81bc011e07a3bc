package conversation

import (
	"strings"

	"mcp-memory/internal/lazy"
)

// paste is a stretch that was pasted with its beginning: a mail with its header, a
// command with what it printed. A command ends with an empty line, and so does a mail
// after its body, if it is none with a greeting or an end of its own. What is headed as
// a mail that is answered or passed on goes on to a ruled line.
type paste struct {
	kind  Kind // Stated: none is open
	why   string
	body  bool // of a mail: a line after its header was seen
	whole bool // it goes on after empty lines
	after int  // so much of the message comes after it; -1: unknown
}

// takes reports whether a line belongs to a paste, which it may begin. rest is
// what follows the line.
func (p *paste) takes(line, rest string) bool {
	empty := strings.TrimSpace(line) == ""
	switch {
	case p.kind == Stated:
		p.opens(line, rest)
	case p.kind == Quoted && (p.after >= 0 && len(rest) < p.after || ruled.MatchString(line)):
		*p = paste{}
		p.opens(line, rest)
	case p.kind == Quoted && (empty && !p.body || mailHead.MatchString(line)):
		// between header and body, or still in the header
	case empty && !p.whole:
		*p = paste{}
	case p.kind == Quoted && !p.body:
		p.body, p.whole = true, p.whole || greeting.MatchString(line)
	}
	return p.kind != Stated
}

// opens reads a line that may begin a paste.
func (p *paste) opens(line, rest string) {
	switch {
	case wroteLine.MatchString(line):
		*p = paste{kind: Quoted, why: whyForward, whole: true, after: -1}
	case mailHead.MatchString(line) && mailHead.MatchString(rest):
		*p = paste{kind: Quoted, why: "a pasted mail", after: afterMail(line, rest)}
		p.whole = p.after >= 0
	case shellLine.MatchString(line):
		*p = paste{kind: Code, why: "a log or output", after: -1}
	}
}

// afterMail is how many bytes come after the end of a mail, which its closing words
// or the name of its sender alone tell; -1 where nothing does.
func afterMail(line, rest string) int {
	end := -1
	if all := signOff.FindAllStringIndex(rest, -1); len(all) > 0 {
		end = all[len(all)-1][1]
	}
	if m := sender.FindStringSubmatch(line + "\n" + rest); m != nil {
		name := "\n" + m[1]
		for _, close := range []string{name + "\n", name} {
			at := strings.LastIndex(rest, close)
			if at >= 0 && (close != name || at+len(name) == len(rest)) {
				end = max(end, at+len(name))
			}
		}
	}
	if end < 0 {
		return -1
	}
	return len(rest) - end
}

var (
	mailHead = lazy.MustCompile(`^\s*(?i:from|to|cc|bcc|subject|date|sent|reply-to|发件人|收件人|抄送|主题|寄件者|收件者|主旨|日期|发送时间)\s*[:：]\s*\S`)
	// greeting and signOff are how the text of a mail begins and ends.
	greeting = lazy.MustCompile(`(?i)^\s*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|liebe[rs]?|hallo|chers?|chère|bonjour|hola|estimad[oa]|ciao|caro|cara)\b[^,.!?\n]{0,40}[,:!]?|(?:尊敬的|亲爱的)?[^，。\n]{1,12}(?:你好|您好)?[，,：:！!])\s*$`)
	signOff  = lazy.MustCompile(`(?im)^\s*(?:(?:(?:best|kind|kindest|warm) )?(?:regards|wishes)|best|cheers|yours(?: \w+)?|sincerely|love|(?:many )?thanks|mit freundlichen grüßen|viele grüße|cordialement|saludos|此致|敬礼|祝好|顺祝[^\n]{1,10})[,，.!！]?\s*$(?:\n\s*\S[^\n]{0,40}$)?`)
	sender   = lazy.MustCompile(`(?im)^\s*(?:from|发件人|寄件者)\s*[:：]\s*"?([\p{L}]+)`)

	shellLine = lazy.MustCompile(shellPrompt)
	ruled     = lazy.MustCompile(`^\s*(?:[-=_*]{3,}|[—–]{2,})\s*$`)

	// wroteLine is how mail programs of several countries head the mail that is answered.
	wroteLine = lazy.MustCompile(`^\s*(?:[-–_ ]*(?i:original message|forwarded message|begin forwarded message|ursprüngliche nachricht|message d'origine|mensaje original|原始邮件|原郵件)[-–_: ]*|(?i:on .{5,80} wrote|am .{5,80} schrieb .{1,60}|le .{5,80} a écrit|el .{5,80} escribió|il .{5,80} ha scritto|em .{5,80} escreveu|op .{5,80} schreef .{1,60})\s?:|[在于].{4,60}写道[：:]|.{1,40}[于在] ?\d{4}.{4,30}写道[：:])\s*$`)
)

// shellPrompt begins a command that was pasted: "$ ls", "amy@host:~$ ls".
const shellPrompt = `^\s*\$ \S|^\s*\S+@\S+:\S*[$#] `
