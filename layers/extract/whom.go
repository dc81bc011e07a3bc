package extract

import (
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

// relation are the words for people of the speaker's that may be what a sentence
// is about.
const relation = `mum|mom|mother|dad|father|sister|brother|son|daughter|wife|husband|partner|girlfriend|boyfriend|fiancée?|fiance|aunt|uncle|cousin|grandma|grandpa|gran|nan|granny|grandmother|grandfather|nephew|niece|flatmate|roommate|housemate|boss|manager|friend|mate|colleague|coworker|neighbou?r|landlord|landlady|stepson|stepdaughter|mother-in-law|father-in-law|brother-in-law|sister-in-law|son-in-law|daughter-in-law|teacher|tutor|supervisor|client`

var (
	// ownPerson matches "my flatmate Bruno is", "Mum's got" at the begin of a text.
	ownPerson = lazy.MustCompile(`^(?i:(?:and|but|so|also|well|oh|btw)[, ]+)*(?:(?i:my|our)\s+(?:(?i:little|big|older|younger|eldest|youngest|twin|best|good|old|new|ex|late|step)[- ]?\s*)*((?i:` + relation + `))|(?i:(mum|mom|dad|granny|grandma|grandpa|nan)))\b(?:,?\s+(\p{Lu}[\p{L}'-]+))?`)

	// namedPerson matches "Karim is", "Theo turns" at the begin of a text: one or
	// two names before a verb of the third person.
	namedPerson = lazy.MustCompile(`^(\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)(?:'s| is| has| was| lives| works| likes| loves| hates| prefers| turns| moved| got| wants| needs| said| just| can't| doesn't| never| always)\b`)

	// notNames are words that begin a sentence with a capital letter and are none.
	notNames = lazy.MustCompile(`^(?:The|This|That|It|He|She|We|They|There|Here|What|My|Our|Today|Tomorrow|Yesterday|Work|Everyone|Everything|Nothing|Nobody|Something|Someone|Life|Dinner|Lunch|Breakfast|Coffee|Tea|Interview|Deadline|Project|Budget|Visa|School|Class|Training|Note|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Finished|Turns|One|Two|Three|Christmas|Easter)\b`)

	// ownPersonZh matches 我老婆, 女儿 at the begin of a text, and a given name after
	// 小, 老 or 阿.
	ownPersonZh = lazy.MustCompile(`^(?:对了|另外|还有|，|今天|昨天|明天|刚|刚才|昨晚|其实|听说)*(?:(?:我|我们|我们家|我家|咱|咱家)(?:的)?)?(老公|老婆|丈夫|妻子|太太|先生|爱人|老伴|对象|前妻|前夫|儿媳妇?|女婿|养父|养母|继父|继母|学生|学长|学姐|学弟|学妹|徒弟|师父|发小|妈妈|爸爸|妈|爸|老妈|老爸|女儿|儿子|闺女|媳妇|婆婆|公公|岳父|岳母|丈母娘|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥哥|姐姐|弟弟|妹妹|哥|姐|弟|妹|表[哥弟姐妹]|侄子|侄女|室友|同事|闺蜜|男朋友|女朋友|男友|女友|导师|房东|孙子|孙女|外甥|老板|领导|二宝|大宝|老大|老二)`)
	namedZh     = lazy.MustCompile(`^([小老阿][\p{Han}])(?:[^\p{Han}]|是|在|要|说|今|昨|下|的|跟|和|也|已|刚|去|来|喜|爱|讨|对|从|住|做|换)`)
	selfZh      = lazy.MustCompile(`^.{0,12}(?:我|咱|俺)(?:要|得|去|把|在|和|跟|给|带|陪|想|已|刚|也|就|是|的)`)
)

// abstract matches nouns that are no names though they begin a sentence.
var abstract = lazy.MustCompile(`(?i)(?:tion|ment|ness|ing|ity|ship|ance|ence|age|ics|ism|day|work)s?$`)

// office matches people of whom one speaks because of what they do to oneself:
// what goes on with them is the speaker's own situation.
var office = lazy.MustCompile(`^(?:boss|manager|landlord|landlady|client|teacher|tutor|supervisor|房东|老板|领导|导师)$`)

// aboutWhom returns whom a text is about: the speaker, unless it begins with
// another person.
func aboutWhom(text, speaker string, layer storage.Layer) string {
	who := otherPerson(text)
	if who != "" && !(office.MatchString(who) && layer != storage.Identity) {
		return who
	}
	if speaker == "" {
		return conversation.User
	}
	return speaker
}

// otherPerson returns the person that a text begins with, "" for none.
func otherPerson(text string) string {
	if m := ownPerson.FindStringSubmatch(text); m != nil {
		return firstOf(m[3], strings.ToLower(m[1]), strings.ToLower(m[2]))
	}
	if m := namedPerson.FindStringSubmatch(text); m != nil && !notNames.MatchString(text) && !abstract.MatchString(m[1]) && !orders(text) {
		return m[1]
	}
	if m := ownPersonZh.FindStringSubmatch(text); m != nil && !selfZh.MatchString(text[len(m[0]):]) {
		return m[1]
	}
	if m := namedZh.FindStringSubmatch(text); m != nil && !orders(text) {
		return m[1]
	}
	return ""
}

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
