package recall

import (
	"regexp"

	"mcp-memory/internal/text"
)

// instructionLike finds texts that address a model rather than tell of the user:
// orders to drop or reveal its instructions, to play another role, to act in
// secret, and the marks of a prompt. It marks, it hides nothing: what is stored
// comes back as data either way. Its Han characters are simplified ones, as those
// are of what it is matched with.
var instructionLike = regexp.MustCompile(`(?i)` +
	`\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|constraints?)\b` +
	`|\b(?:reveal|print|show|output|repeat|leak|expose|send|post|upload|exfiltrate)\b[^.!?\n]{0,40}\b(?:system prompt|hidden prompt|your (?:instructions|prompt|rules)|(?:all|every|stored|user'?s) (?:memor(?:y|ies)|passwords?|secrets?|keys?|credentials?))\b` +
	`|\b(?:ignore|disregard|forget)\b (?:all |everything |anything )?(?:of )?(?:the |that is |that was |said |written |which is )*(?:above|before this|so far)\b` +
	`|\byou (?:are|act) now\b[^.!?\n]{0,40}\b(?:DAN|assistant|model|agent|administrator|root|jailbroken|unrestricted)\b` +
	`|\bfrom now on,? you (?:are|must|will|should)\b` +
	`|\b(?:do not|don't|never) (?:tell|inform|warn|mention (?:this )?to) the user\b` +
	`|\bwithout (?:telling|informing|asking) the user\b` +
	`|(?:^|\n)\s*(?:system|assistant|developer)\s*(?:prompt|message|override)?\s*:` +
	`|</?(?:system|instructions?|assistant|memories)>|<\|im_(?:start|end)\|>|\[/?INST\]|###\s*(?:system|instruction)` +
	// German, Spanish with Portuguese and Italian, French, Russian: an order to drop all or the former ones
	`|\b(?:ignorier|missacht|vergiss|vergesst|vergessen sie|umgeh)\pL*[^.!?\n]{0,15}\b(?:all|vorherig|vorangegangen|bisherig|früher|obig|deine|eure|ihre)\pL*[^.!?\n]{0,25}(?:anweisung|instruktion|vorgabe|regel|richtlinie|prompt)` +
	`|\b(?:ignor|olvid|omit|esque[cç]|desconsider|dimentic)\pL*[^.!?\n]{0,15}\b(?:tod[ao]s?|tutt[eio]|tus?|suas?|seus?|tue|tuoi)\b[^.!?\n]{0,25}(?:instruc|instruç|istruzion|indicacion|diretri|directri|direttiv|órdenes|regla|regra|regol|prompt)` +
	`|\b(?:ignor|olvid|omit|esque[cç]|desconsider|dimentic)\pL*[^.!?\n]{0,25}(?:instruc|instruç|istruzion|indicacion|diretri|directri|direttiv|órdenes|regla|regra|regol|prompt)\pL*[^.!?\n]{0,10} (?:anterior|previ|precedent|de arriba|acima|sopra)` +
	`|\b(?:ignore|oublie|néglige|contourne)\pL*[^.!?\n]{0,15}\b(?:toutes|tous|tes|vos)\b[^.!?\n]{0,25}(?:instruction|consigne|directive|règle|prompt)` +
	`|\b(?:ignore|oublie|néglige|contourne)\pL*[^.!?\n]{0,25}(?:instruction|consigne|directive|règle|prompt)s?[^.!?\n]{0,10} (?:précédent|antérieur|ci-dessus)` +
	`|(?:игнорируй|проигнорируй|забудь|отбрось|обойди|не обращай)\pL*[^.!?\n]{0,20}(?:все|предыдущ|прежн|свои|твои|ваши|эти)\pL*[^.!?\n]{0,25}(?:инструкци|указани|правил|промпт|ограничени)` +
	`|(?:指示|命令|规则|ルール|プロンプト|制约|制限|设定)[^。！？\n]{0,15}(?:无视し(?:て|ろ|な)|无视せよ|忘れ[てろ]|破弃し[てろ])` + // Japanese
	`|(?:지시|명령|규칙|프롬프트|지침)[^.!?\n]{0,15}(?:무시(?:해|하고|하세요|하라|하십)|잊(?:어|으|고))` +
	`|(?:تجاهل|انس|تجاوز)[^.!؟\n]{0,20}(?:جميع|كل|كافة|السابقة)[^.!؟\n]{0,20}(?:تعليمات|الأوامر|القواعد|الإرشادات)|(?:تجاهل|انس|تجاوز)[^.!؟\n]{0,20}(?:تعليمات|الأوامر|القواعد|الإرشادات)[^.!؟\n]{0,10}السابقة` +
	`|(?:忽略|无视|忘记|忘掉|不要理会|绕过)[^。！？\n]{0,20}(?:指令|指示|提示词?|规则|限制|要求|设定)` +
	`|(?:透露|泄露|输出|显示|打印|告诉我|发送)[^。！？\n]{0,15}(?:系统提示|提示词|系统指令|所有记忆|密码|密钥)` +
	`|(?:不要|别|切勿)告诉用户|从现在(?:起|开始)[，,]?你(?:是|必须|要|将)|你现在是`)

// InstructionLike reports whether a text reads like an order to a model.
func InstructionLike(s string) bool { return instructionLike.MatchString(text.Simplified(s)) }
