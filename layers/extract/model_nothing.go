package extract

import "mcp-memory/internal/lazy"

// What a model writes where it should have given an empty list: that there is none,
// or that nobody mentioned any. A user who has no preference between two things, or
// no allergies, says something else: that is a statement about him, not about what was
// said.
const (
	soughtEn = `(?:preferences?|activit(?:y|ies)|contexts?|experiences?|identit(?:y|ies)|information|memor(?:y|ies)|facts?|data|details?|statements?|goals?|plans?|events?|insights?|lessons?)`
	foundEn  = `(?:found|mentioned|stated|expressed|provided|identified|detected|extracted|given|present|available|disclosed|shared|discussed|specified|indicated|noted|learned)`
	toldEn   = `(?:mentioned|stated|expressed|provided|identified|detected|extracted|disclosed|discussed|specified|indicated|noted)`
	ofUserEn = `(?:the user['’]s|user['’]s|their|his|her)`
	talkEn   = `(?:the |this )?(?:user|speaker|conversation|dialogue|text|message|messages|turns?|transcript)`
	soughtZh = `(?:偏好|身份|活动|經歷|经历|经验|情境|情景|背景|信息|資訊|记忆|記憶|内容|喜好|事实|目标|计划|活動)`
	foundZh  = `(?:提及|提到|表达|表達|发现|發現|涉及|包含|检测到|识别到|表明|透露|说明|提取到)`
)

var nothingPattern = lazy.MustCompile(`(?i)^(?:` +
	`(?:none|n/?a|null|nil|nothing|unknown|empty|not applicable|not available|not mentioned|not specified|无|無|没有|沒有|暂无|未知|不适用|未提及|未提供|なし|該当なし|特になし)` +
	`|(?:there (?:is|are|was|were) )?(?:no|not any) (?:[\w-]+,? ){0,4}` + soughtEn + `(?: (?:or|and|about|of|regarding|from|for|related|to|in|on|that|which|the|this|user|conversation|` + soughtEn + `)){0,6} (?:(?:was|were|is|are|has been|have been|could be|can be|to be) )?` + foundEn + `(?: (?:in|by|from|during|here|for|about)\b[^.!?]*)?` +
	`|` + ofUserEn + ` (?:[\w-]+ ){1,6}(?:is|are|was|were|has been|have been)(?: currently| still)? (?:not|never|un)[ -]?(?:explicitly |clearly |directly )?` + toldEn + `(?: (?:here|(?:in|by|from|during) ` + talkEn + `))?` +
	`|(?:用户|用戶)的?[^，。,.]{1,12}?未(?:被)?(?:明确)?(?:提及|提到|说明|透露|提供|指定)` +
	`|(?:there (?:is|are|was|were) )?(?:no|nothing) (?:[\w-]+ ){0,4}to (?:extract|remember|store|record|save)(?: [^.!?]*)?` +
	`|` + talkEn + ` (?:does not|did not|doesn['’]t|didn['’]t|do not|don['’]t|has not|hasn['’]t) (?:explicitly |clearly |directly )?(?:mention|express|state|specify|indicate|contain|provide|reveal|share|disclose)(?:ed|d)? (?:any|an explicit|explicit|specific|enough|a clear|clear)\b[^.!?]*` +
	`|(?:用户|使用者|对话|對話|该对话|本次对话|文本|消息)?(?:中|里)?(?:没有|沒有|未|并未|並未|尚未|暂未)(?:明确|具体|直接)?` + foundZh + `[^。！？]{0,12}` + soughtZh + `[^。！？]{0,4}` +
	`|(?:没有|沒有|暂无|无|無)(?:任何|明确|具体|相关|可|需要|值得|新的?)*(?:提取|记录|记住|保存)?的?` + soughtZh +
	`)[.。!！]?$`)

// saysNothing reports whether a text only says that there is nothing to remember.
func saysNothing(s string) bool { return nothingPattern.MatchString(s) }

// unknownPattern matches what says of something about the user that it is not known,
// which may be a statement where it was spoken of: an unknown father.
var unknownPattern = lazy.MustCompile(`(?i)^(?:` +
	ofUserEn + ` ((?:[\w-]+ ){1,6})(?:is|are|was|were|has been|have been)(?: currently| still)? (?:unknown|unclear|(?:not|never|un)[ -]?(?:explicitly |clearly |directly )?(?:known|clear|given|available|found|present|shared|learned))(?: (?:in|by|from|during|here)\b[^.!?]*)?` +
	`|(?:用户|用戶)的?([^，。,.]{1,12}?)(?:未知|不详|不明|不清楚)` +
	`)[.。!！]?$`)

// unknown reports whether a text only says that something is not known of which its quote
// says nothing.
func unknown(s, quote string) bool {
	found := unknownPattern.FindStringSubmatch(s)
	if found == nil {
		return false
	}
	said := map[string]bool{}
	for _, term := range contentTerms(quote) {
		said[term] = true
	}
	return sharedOf(contentTerms(found[1]+found[2]), said) == 0
}
