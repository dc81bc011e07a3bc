package recall

import (
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// order is a way to address a model rather than tell of the user: to have it drop
// or reveal its instructions, play another role, act in secret, use a tool, or do
// something when it reads this, or the marks of a prompt.
type order struct {
	// cues are small letters of which a text that matches holds one at least: every
	// match of a recall is looked at, and most hold none.
	cues    []string
	pattern *lazy.Regexp
}

func newOrder(pattern string, cues ...string) order {
	return order{cues, lazy.MustCompile(`(?i)` + pattern)}
}

// orders are those that are known. Their Han characters are simplified ones, as
// those are of what they are matched with. In other languages than English and
// Chinese they are orders to drop all instructions or the former ones.
var orders = []order{
	newOrder(`\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|constraints?)\b`,
		"ignore", "disregard", "forget", "override", "bypass"),
	newOrder(`\b(?:reveal|print|show|output|repeat|leak|expose|send|post|upload|exfiltrate)\b[^.!?\n]{0,40}\b(?:system prompt|hidden prompt|your (?:instructions|prompt|rules)|(?:all|every|stored|user'?s) (?:memor(?:y|ies)|passwords?|secrets?|keys?|credentials?))\b`,
		"prompt", "instructions", "rules", "memor", "password", "secret", "key", "credential"),
	newOrder(`\b(?:ignore|disregard|forget)\b (?:all |everything |anything )?(?:of )?(?:the |that is |that was |said |written |which is )*(?:above|before this|so far)\b`,
		"ignore", "disregard", "forget"),
	newOrder(`\byou (?:are|act) now\b[^.!?\n]{0,40}\b(?:DAN|assistant|model|agent|administrator|root|jailbroken|unrestricted)\b`,
		"you are now", "you act now"),
	newOrder(`\bfrom now on,? you (?:are|must|will|should)\b`,
		"from now on"),
	newOrder(`\b(?:do not|don't|never) (?:tell|inform|warn|mention (?:this )?to) the user\b`,
		"the user"),
	newOrder(`\bwithout (?:telling|informing|asking) the user\b`,
		"the user"),
	newOrder(`(?:(?:^|[.!?:;,])\s*|\b(?:must|please|always|first|then|should)\s+)(?:call|invoke|use|run|execute) (?:the |your )?["'\x60]?(?:remember|recall|extract|forget|memory)["'\x60]? (?:tool|function)\b`,
		"tool", "function"),
	newOrder(`\b(?:when(?:ever)?|if|once|after|as soon as|every time) you (?:see|read|recall|retrieve|receive|find|load|process) this (?:memory|note|message|text|record|entry|instruction)\b`,
		"you "),
	newOrder(`\bif you(?:['’]re| are) an? (?:AI|LLM|(?:large )?language model|(?:AI )?assistant|chatbot)\b`,
		"if you"),
	newOrder(`\b(?:note|message|memo|reminder|attention|instructions?|orders?|commands?) (?:to|for) (?:the |any |all |every )?(?:AI|LLM|language model|assistant|chatbot)s?(?: model| assistant| agent)?s?\s?:`,
		" ai", " llm", "language model", "assistant", "chatbot"),
	newOrder(`\b(?:delete|erase|forget|wipe|purge)\b (?:all|every|everything)\b[^.!?\n]{0,25}(?:\bmemor(?:y|ies)|\byou (?:know|remember|stored|learned))\b`,
		"memor", "you know", "you remember", "you stored", "you learned"),
	newOrder(`\bbefore (?:you )?(?:answer|respond|reply|using (?:this|any|the) tool)(?:ing)?(?: the user| to the user)?\s?[,:] ?(?:you must |always |first |please )?(?:call|read|send|fetch|execute|run|include|append|upload)\b`,
		"before"),
	newOrder(`\b(?:send|forward|post|upload|e-?mail) (?:all |every |any |all of )?(?:the )?user['’]s\b[^.!?\n]{0,40}\bto\b`,
		"user"),
	newOrder(`(?:^|\n)\s*(?:system|assistant|developer)\s*(?:prompt|message|override)?\s*:`,
		"system", "assistant", "developer"),
	newOrder(`</?(?:system|instructions?|assistant|memories)>|<\|im_(?:start|end)\|>|\[/?INST\]|###\s*(?:system|instruction)`,
		"<", "[", "###"),
	// German
	newOrder(`\b(?:ignorier|missacht|vergiss|vergesst|vergessen sie|umgeh)\pL*[^.!?\n]{0,15}\b(?:all|vorherig|vorangegangen|bisherig|früher|obig|deine|eure|ihre)\pL*[^.!?\n]{0,25}(?:anweisung|instruktion|vorgabe|regel|richtlinie|prompt)`,
		"anweisung", "instruktion", "vorgabe", "regel", "richtlinie", "prompt"),
	// Spanish, Portuguese, Italian
	newOrder(`\b(?:ignor|olvid|omit|esque[cç]|desconsider|dimentic)\pL*[^.!?\n]{0,15}\b(?:tod[ao]s?|tutt[eio]|tus?|suas?|seus?|tue|tuoi)\b[^.!?\n]{0,25}(?:instruc|instruç|istruzion|indicacion|diretri|directri|direttiv|órdenes|regla|regra|regol|prompt)`,
		"ignor", "olvid", "omit", "esquec", "esqueç", "desconsider", "dimentic"),
	newOrder(`\b(?:ignor|olvid|omit|esque[cç]|desconsider|dimentic)\pL*[^.!?\n]{0,25}(?:instruc|instruç|istruzion|indicacion|diretri|directri|direttiv|órdenes|regla|regra|regol|prompt)\pL*[^.!?\n]{0,10} (?:anterior|previ|precedent|de arriba|acima|sopra)`,
		"ignor", "olvid", "omit", "esquec", "esqueç", "desconsider", "dimentic"),
	// French
	newOrder(`\b(?:ignore|oublie|néglige|contourne)\pL*[^.!?\n]{0,15}\b(?:toutes|tous|tes|vos)\b[^.!?\n]{0,25}(?:instruction|consigne|directive|règle|prompt)`,
		"ignore", "oublie", "néglige", "contourne"),
	newOrder(`\b(?:ignore|oublie|néglige|contourne)\pL*[^.!?\n]{0,25}(?:instruction|consigne|directive|règle|prompt)s?[^.!?\n]{0,10} (?:précédent|antérieur|ci-dessus)`,
		"ignore", "oublie", "néglige", "contourne"),
	// Russian
	newOrder(`(?:игнорируй|проигнорируй|забудь|отбрось|обойди|не обращай)\pL*[^.!?\n]{0,20}(?:все|предыдущ|прежн|свои|твои|ваши|эти)\pL*[^.!?\n]{0,25}(?:инструкци|указани|правил|промпт|ограничени)`,
		"игнорируй", "забудь", "отбрось", "обойди", "не обращай"),
	// Japanese
	newOrder(`(?:指示|命令|规则|ルール|プロンプト|制约|制限|设定)[^。！？\n]{0,15}(?:无视し(?:て|ろ|な)|无视せよ|忘れ[てろ]|破弃し[てろ])`,
		"无视", "忘れ", "破弃"),
	// Korean
	newOrder(`(?:지시|명령|규칙|프롬프트|지침)[^.!?\n]{0,15}(?:무시(?:해|하고|하세요|하라|하십)|잊(?:어|으|고))`,
		"무시", "잊"),
	// Arabic
	newOrder(`(?:تجاهل|انس|تجاوز)[^.!؟\n]{0,20}(?:جميع|كل|كافة|السابقة)[^.!؟\n]{0,20}(?:تعليمات|الأوامر|القواعد|الإرشادات)|(?:تجاهل|انس|تجاوز)[^.!؟\n]{0,20}(?:تعليمات|الأوامر|القواعد|الإرشادات)[^.!؟\n]{0,10}السابقة`,
		"تجاهل", "انس", "تجاوز"),
	// Chinese
	newOrder(`(?:忽略|无视|忘记|忘掉|不要理会|绕过)[^。！？\n]{0,20}(?:指令|指示|提示词?|规则|限制|要求|设定)`,
		"忽略", "无视", "忘记", "忘掉", "不要理会", "绕过"),
	newOrder(`(?:透露|泄露|输出|显示|打印|告诉我|发送)[^。！？\n]{0,15}(?:系统提示|提示词|系统指令|所有记忆|密码|密钥)`,
		"系统提示", "提示词", "系统指令", "所有记忆", "密码", "密钥"),
	newOrder(`(?:回答|回复|答复)(?:用户)?(?:之前|前|以前)[，,]?[^。！？\n]{0,6}(?:读取|调用|发送|执行|上传|运行)`,
		"回答", "回复", "答复"),
	newOrder(`(?:看到|读到|读取|检索到)(?:这条|此条|本条|该条|该)(?:记忆|消息|笔记|记录)(?:时|后|之后|的时候)`,
		"记忆", "消息", "笔记", "记录"),
	newOrder(`(?:删除|清除|清空|抹掉)(?:全部|所有|一切)的?(?:其他|其它)?的?记忆|调用\s?["“'\x60]?(?:remember|recall|extract|forget)`,
		"记忆", "调用"),
	newOrder(`(?:不要|别|切勿)告诉用户|从现在(?:起|开始)[，,]?你(?:是|必须|要|将)|你现在是`,
		"告诉用户", "从现在", "你现在是"),
}

// InstructionLike reports whether a text reads like an order to a model. It marks,
// it hides nothing: what is stored comes back as data either way.
func InstructionLike(s string) bool {
	s = text.Simplified(s)
	small := strings.ToLower(strings.ToUpper(s)) // ſ is a small s, which ToLower leaves
	for _, o := range orders {
		if o.mayBe(small) && o.pattern.MatchString(s) {
			return true
		}
	}
	return false
}

// mayBe reports whether a text in small letters holds one of the cues.
func (o *order) mayBe(small string) bool {
	for _, cue := range o.cues {
		if strings.Contains(small, cue) {
			return true
		}
	}
	return false
}
