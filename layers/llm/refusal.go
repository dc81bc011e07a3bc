package llm

import (
	"encoding/json"
	"strings"

	"mcp-memory/internal/lazy"
)

// What a model that declines says it cannot or will not do. A person who cannot eat
// nuts, or is sorry to have missed a train, says none of it.
const (
	cannotEn = `(?:can['’]?t|cannot|can not|won['’]?t|will not|(?:am |are |['’]m |['’]re )?(?:unable|not able|not allowed|not permitted|not comfortable)|do not feel comfortable|must decline|have to decline|must refuse|decline)`
	helpEn   = `(?:assist|help|comply|fulfil|provid|process|complete|extract|generat|produc|engag|discuss|do (?:that|this|so)\b|continu|answer|support|shar|creat|analy|respond|participat|handl|access|stor|summari)`
	helpZh   = `(?:协助|提供|满足|处理|完成|回答|执行|参与|讨论|帮助|帮您|帮你|帮到|提取|继续|协助|回应|总结|協助|滿足|處理|執行|參與|討論|幫)`
	modelZh  = `(?:AI|人工智能|人工智慧|(?:大)?语言模型|大模型|語言模型)(?:助手|助理|语言模型|模型|程序)*`
	cannotZh = `(?:无法|不能|没办法|没有办法|没法|不便|不可以|难以|不予|無法|沒辦法|難以)`
)

// refusalPattern finds a text that begins with a refusal: an excuse, or what it is,
// then that it cannot, then what.
var refusalPattern = lazy.MustCompile(`(?i)^(?:` +
	`(?:(?:i['’]?m|i am|we['’]re|we are) (?:\w+ )?sorry|sorry|i apologi[sz]e|(?:my )?apologies|unfortunately|regrettably)\b[^.!?\n]{0,40}\b(?:i|we)\b ?` + cannotEn + `[^.!?\n]{0,30}\b` + helpEn +
	`|(?:as|i['’]?m|i am) (?:just |only )?an? (?:ai|artificial intelligence|(?:large )?language model)(?: assistant| model| language model| chatbot)*\b[^.!?\n]{0,40}\b(?:i|we)\b ?` + cannotEn +
	`|(?:i|we) ?` + cannotEn + `,? (?:to |in good conscience )?(?:\w+ )?` + helpEn + `[^.!?\n]{0,20}\b(?:with (?:that|this|your|the)|that|this|your|the (?:request|content|conversation)|in)\b` +
	`|(?:i|we) ?` + cannotEn + `,? (?:to |in good conscience )?(?:assist|help|comply|engage|continue|do (?:that|this|so))[.!]?\s*$` +
	`|(?:this|that|the|your) (?:request|content|conversation|prompt) (?:violates|goes against|is against|contains content)\b` +
	`|(?:非常|很|十分|实在)?(?:抱歉|对不起|不好意思|遗憾|對不起)[^。！？\n]{0,12}` + cannotZh + `[^。！？\n]{0,8}` + helpZh +
	`|(?:作为|作為|身为|我是|我只是)(?:一个|一個|一名|一款|个)?` + modelZh + `[^。！？\n]{0,12}` + cannotZh +
	`|(?:我|本模型)?` + cannotZh + helpZh + `(?:您|你|这|该|此|相关|任何|這|該|请求)` +
	`|(?:大変)?(?:申し訳(?:ありません|ございません)|恐れ入りますが|すみません)[^。！？\n]{0,40}(?:できません|できかねます|いたしかねます)` +
	`)`)

// IsRefusal reports whether a text is a model's refusal rather than an answer.
func IsRefusal(s string) bool {
	s = strings.TrimLeft(strings.TrimSpace(s), "*_#>\"'“「 ")
	return refusalPattern.MatchString(s)
}

// refusalKeys name what an object holds where it is a refusal in JSON.
var refusalKeys = []string{"refusal", "error", "message", "response", "answer", "reason", "note"}

// declines reports whether an object that is not the answer is a refusal.
func declines(object json.RawMessage) bool {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return false
	}
	for _, key := range refusalKeys {
		s, ok := fields[key].(string)
		if ok && (IsRefusal(s) || key == "refusal" && s != "") {
			return true
		}
	}
	return false
}
