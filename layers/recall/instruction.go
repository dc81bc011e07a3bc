package recall

import "regexp"

// instructionLike finds texts that address a model rather than tell of the user:
// orders to drop or reveal its instructions, to play another role, to act in
// secret, and the marks of a prompt. It marks, it hides nothing: what is stored
// comes back as data either way.
var instructionLike = regexp.MustCompile(`(?i)` +
	`\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b[^.!?\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|constraints?)\b` +
	`|\b(?:reveal|print|show|output|repeat|leak|expose|send|post|upload|exfiltrate)\b[^.!?\n]{0,40}\b(?:system prompt|hidden prompt|your (?:instructions|prompt|rules)|(?:all|every|stored|user'?s) (?:memor(?:y|ies)|passwords?|secrets?|keys?|credentials?))\b` +
	`|\byou (?:are|act) now\b[^.!?\n]{0,40}\b(?:DAN|assistant|model|agent|administrator|root|jailbroken|unrestricted)\b` +
	`|\bfrom now on,? you (?:are|must|will|should)\b` +
	`|\b(?:do not|don't|never) (?:tell|inform|warn|mention (?:this )?to) the user\b` +
	`|\bwithout (?:telling|informing|asking) the user\b` +
	`|(?:^|\n)\s*(?:system|assistant|developer)\s*(?:prompt|message|override)?\s*:` +
	`|</?(?:system|instructions?|assistant|memories)>|<\|im_(?:start|end)\|>|\[/?INST\]|###\s*(?:system|instruction)` +
	`|(?:忽略|无视|忘记|忘掉|不要理会|绕过)[^。！？\n]{0,20}(?:指令|指示|提示词?|规则|限制|要求|设定)` +
	`|(?:透露|泄露|输出|显示|打印|告诉我|发送)[^。！？\n]{0,15}(?:系统提示|提示词|系统指令|所有记忆|密码|密钥)` +
	`|(?:不要|别|切勿)告诉用户|从现在(?:起|开始)[，,]?你(?:是|必须|要|将)|你现在是`)

// InstructionLike reports whether a text reads like an order to a model.
func InstructionLike(text string) bool { return instructionLike.MatchString(text) }
