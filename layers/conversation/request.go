package conversation

import (
	"strings"

	"mcp-memory/internal/lazy"
)

// What may stand before the words of a request to remember.
const (
	leadEn = `(?i)^\W*(?:(?:please|pls|also|and|oh|ok|okay|btw|so|hey|can you|could you|would you|will you|i want you to|i'd like you to|i need you to|you should|you must|you need to|just|by the way)[, ]+)*`
	leadZh = `^(?:请|麻烦|帮我|给我|你|您|好|那|对了|，|,|另外|顺便|一定|务必|也|要|得|能不能|能否|可不可以|可以|能)*`
)

// toKeep matches the request to remember that stands before what is to be
// remembered.
var toKeep = lazy.MustCompile(leadEn + `(?:(?:always )?remember(?: this| that)?|don'?t forget(?: that)?|(?:keep|bear) in mind(?: that)?|(?:make|take) a note(?: that|:)?|note(?: that|:)|note to self(?:,? and (?:you|others))?|for the record|fyi|btw|by the way)\s*[,:]?\s+(?:that\s+)?|` +
	leadZh + `(?:记住|记得|记一下|记下|帮我记一下|帮我记|别忘了|备忘)[，,：:\s]*|` +
	`^(?:(?:ちなみに|あと|それと|次のこと[はを]|以下[はを]|これ[はを]|一応|念のため)、?)*(?:覚えて|覚えといて|記憶して|メモして|記録して|忘れないで)(?:おいて)?(?:ください|下さい|ほしいのですが|ほしいんですが|ね)?[、。：:，！!\s]+`)

// keptAtEnd matches the request that stands behind it, as in Japanese:
// 京都に住んでいることを覚えておいてください.
var keptAtEnd = lazy.MustCompile(`(?:(?:という|っていう)?(?:こと|の)[をは]|って|と)?、?(?:覚えて|覚えといて|記憶して|メモして|記録して|忘れないで)(?:おいて)?(?:ください|下さい|ほしいです|ほしい|欲しい|くださいね|ね)?[。！!]*$`)

// WithoutRequest returns a text without the request to remember it that it begins
// or ends with: "Remember that I hate olives." is "I hate olives.". A text that is nothing
// but the request stays.
func WithoutRequest(s string) string {
	if rest := keptAtEnd.ReplaceAllString(toKeep.ReplaceAllString(s, ""), ""); strings.TrimSpace(rest) != "" {
		return rest
	}
	return s
}

// keeping matches what asks to keep something, wherever the words for that may
// stand. It is narrower than toKeep, which is looked for before a statement alone:
// "by the way" asks nothing, and who remembers asks nothing either.
var keeping = lazy.MustCompile(leadEn + `(?:remember(?: that| this|:| my| i| we|,)|don'?t forget(?: that| i|:| my)|keep in mind|bear in mind|make a note|take a note|note(?::| that| to self| for (?:later|next time|the record))|for the record|write (?:this|that|it) down|save this|from now on|going forward)|` +
	`\b(?:write (?:this|that|it) down|make a note of (?:this|that|it)|remember (?:this|that) please)\b|` +
	leadZh + `(?:记住|记得(?:，|,|：|:|我)|记一下|记下|帮我记|别忘了(?:，|,|：|:|我)|备忘)|从(?:现在|今|此)(?:起|开始|以后|往后)|从此以后|以后(?:都|请|一律)|覚えて(?:おいて|ください|ね|。|、)|(?:メモ|記録|記憶)して(?:おいて|ください|。)|忘れないで(?:ください|ね|。|、)`)

// AsksToKeep reports whether a sentence asks to remember what it says: "Please
// remember that I hate olives.", 记住，我不吃香菜.
func AsksToKeep(sentence string) bool {
	return keeping.MatchString(sentence) || keepingOther.MatchString(sentence)
}

// keepingOther is keeping for the languages of which only words are known.
var keepingOther = lazy.MustCompile(`(?i)^\P{L}*(?:(?:bitte|s'il te plaît|stp|por favor|per favore|пожалуйста),? )?(?:` +
	`merke? dir(?: bitte)?(?::|,? (?:dass|ich|mein|wir)\P{L})|vergiss (?:bitte )?nicht,? dass (?:ich|mein|wir)\P{L}|` +
	`retiens (?:bien )?(?:que |qu'|: ?)|(?:n'oublie pas|souviens-toi) (?:que (?:je|mon|ma|mes|nous|on) |que j'|qu'on )|` +
	`recuerda(?: que |: ?)|no (?:te )?olvides (?:de )?que |anota que |` +
	`ricorda(?:ti)?(?: che |: ?)|non dimenticare che |lembr(?:a|e)(?:-te|-se)?(?: de)?(?: que |: ?)|não (?:se )?esqueç?[ac]s? (?:de )?que |` +
	`запомни(?:те)?(?:,| что|:)|не забудь,? что |учти(?:те)?,? что )|기억해 ?(?:줘|주세요|둬)|잊지 ?(?:마|말아)`)

// bare matches a sentence that is nothing but the request to remember what was said.
// One that ends in a colon speaks of what comes.
var bare = lazy.MustCompile(leadEn + `(?:remember|don'?t (?:you )?forget|keep (?:this|that|it) in mind|(?:make|take) a note(?: of)?|note|write (?:this|that|it) down|save)(?: this| that| it| all (?:this|that))?(?:,? (?:please|ok|okay|for (?:me|later|next time)))*[ .!]*$|` +
	leadZh + `(?:记住|记得|记一下|记下来?|别忘了?|备忘)(?:这个|这些|这一点|这点|这件事|哦|啊|吧|了)*[ 。！!.]*$|` +
	`^(?:じゃあ|では)?、?(?:これ|それ|このこと|そのこと|今の)?[もをは]?、?(?:覚えて|メモして|記録して|記憶して)(?:おいて)?(?:ください|ほしい|ほしいです|ね)?[ 。！!.]*$`)

// AsksToKeepBefore reports whether a sentence only asks to remember what was said
// before it: "Please remember that.", 帮我记一下。
func AsksToKeepBefore(sentence string) bool {
	words, asks := strings.CutSuffix(strings.TrimSpace(sentence), "?")
	return bare.MatchString(words) && (!asks || canYou.MatchString(words))
}

// canYou tells "Could you remember that?" from "Remember that?", which reminds.
var canYou = lazy.MustCompile(`(?i)\b(?:can|could|would|will) you\b`)
