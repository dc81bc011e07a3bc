package conversation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// Jest is what a turn owns to have said in jest.
type Jest struct {
	// About are the words that name what it was: "tiger" of "just kidding about the
	// tiger". None: what its speaker said just before.
	About []string
}

// maxAbout bounds the words that name what a joke was about.
const maxAbout = 5

// JestOf returns what the words of a turn take back as a joke, and false where they
// own to none, or to one in the same words: "I own a tiger, just kidding!"
func JestOf(words string) (Jest, bool) {
	s := plainSigns.Replace(words)
	for _, re := range jests[script(s)] {
		m := re.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		about, ok := aboutOf(s, re, m)
		before := text.Fold(s[:m[0]])
		switch {
		case !ok || len(about) > maxAbout || ofOthers(s, re, m):
		case len(about) > 0 && !(&Jest{about}).Of(before):
			return Jest{about}, true
		case len(about) == 0 && opened.MatchString(s[:m[0]]):
			return Jest{}, true
		}
	}
	return Jest{}, false
}

// ofOthers reports whether it is somebody else who joked: "My boss was only joking about
// the budget", 他是开玩笑的.
func ofOthers(s string, re *lazy.Regexp, m []int) bool {
	if script(s) != "en" {
		i := re.SubexpIndex("about")
		return i >= 0 && m[2*i] >= 0 && jester.MatchString(s[m[2*i]:m[2*i+1]])
	}
	before := s[:m[0]]
	if strings.IndexByte(".!?,;", s[m[0]]) < 0 {
		before = before[strings.LastIndexAny(before, ".!?,;\n")+1:]
		return !opened.MatchString(joinedOn.ReplaceAllLiteralString(before, ""))
	}
	return false
}

// aboutOf are the words of a match that name what was said in jest. It reports false
// where they may name anything: 彼の話は嘘だ tells of another's words.
func aboutOf(s string, re *lazy.Regexp, m []int) (out []string, ok bool) {
	about := ""
	for i, name := range re.SubexpNames() {
		if name == "about" && m[2*i] >= 0 {
			about = text.Fold(s[m[2*i]:m[2*i+1]])
		}
	}
	if script(s) != "en" {
		for {
			bare := strings.Trim(aboutHan.ReplaceAllString(about, ""), edges)
			if bare == about {
				break
			}
			about = bare
		}
		if utf8.RuneCountInString(about) < 2 { // one letter stands in many a word
			return nil, about == ""
		}
		return []string{about}, true
	}
	for _, w := range strings.FieldsFunc(about, notOfWord) {
		if !aboutNone.MatchString(w) {
			out = append(out, w)
		}
	}
	return out, true
}

// Of reports whether folded words hold all that a joke was about.
func (j *Jest) Of(folded string) bool {
	var words []string
	for _, w := range strings.FieldsFunc(folded, notOfWord) {
		words = append(words, stem(w))
	}
	for _, w := range j.About {
		if spaced := script(folded) == "en"; spaced && !slices.Contains(words, stem(w)) || !spaced && !strings.Contains(folded, w) {
			return false
		}
	}
	return len(j.About) > 0
}

func notOfWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }

// stem is a word without the endings that it may have in one place and not in another:
// of "age" stands nothing in "language".
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	for _, end := range []string{"ing", "s"} {
		if bare := strings.TrimSuffix(w, end); len(bare) > 2 {
			w = bare
		}
	}
	return w
}

// Owning to a joke, and what names it.
const (
	jestEn    = `\b(?:(?:i was|i'm|im|i am|was|just|only)(?: only| just| totally| obviously| clearly| of course| so)* (?:kidding|joking|messing(?: around)?(?: with you)?|pulling your leg|teasing(?: you)?|trolling(?: you)?)|jk|i (?:was )?(?:made|making) (?:that|it|this|all (?:of )?(?:that|it)) up|i (?:wasn't|was not) (?:being )?serious|i lied)\b`
	jokeEn    = `\b(?:that|it|this|which) (?:was|is)(?: all| just| only| obviously| totally| of course)* (?:a joke|made up|not true)\b`
	bareEn    = `\b(?:that|it|this) was(?: all| just| only| obviously| totally| of course)* (?:a joke|made up)\b`
	earlierEn = `(?: earlier| before| just now| yesterday| in my last message)*`
	denyEn    = `(?:(?:i|we)(?: do| did| have| am)?(?: (?:obviously|actually|really|of course))*(?: don't|'m not| am not| do not| didn't| never| haven't| have not)(?: (?:actually|really|even|obviously))*|(?:i have|i've got|i own|there(?:'s| is| was)) no\b)`
	jestZh    = `(?:开(?:个|了个)?玩笑|逗(?:你|大家)(?:玩)?|骗你|瞎说|胡说|说着玩|闹着玩|乱说|编)(?:的|呢|啦|哈)*`
	jestJa    = `(?:ただの|全部|もちろん)?(?:冗談|嘘|うそ|ウソ|ネタ)(?:です|でした|だよ|だった|だ|なんです|だったんです|を言いました)?(?:よ|ね)*(?:$|[。！!、, ])`
)

// jests are how a joke is owned to, by script.
var jests = map[string][]*lazy.Regexp{
	"en": {
		lazy.MustCompile(`(?i)(?:` + jestEn + `)` + earlierEn + ` (?:about|with|regarding|when i (?:said|told you|claimed|mentioned)(?: that| about)?) (?P<about>[^,.;!?]+)`),
		lazy.MustCompile(`(?i)\b(?:the|that|my) (?:(?:thing|bit|part|story|stuff|comment|one) (?:about|with) (?P<about>[^,.;!?]{2,40}?)|(?P<about>[^,.;!?]{2,40}?) (?:thing|bit|part|story|stuff|comment)) (?:was|is)(?: just| only| all| obviously| of course)* a joke(?:$|[,.;!?:…)–—-]| (?:by the way|btw|of course|obviously|lol|haha|earlier))`),
		lazy.MustCompile(`(?i)(?:` + jestEn + `|` + jokeEn + `)` + earlierEn + `[,.;! –—-]+(?:but |and |so |of course |obviously |actually )*` + denyEn + ` (?P<about>[^,.;!?]+)`),
		lazy.MustCompile(`(?i)(?:^|[.!?,;] *)` + denyEn + ` (?P<about>[^,.;!?]+)[,.;! –—-]+(?:` + jestEn + `|` + jokeEn + `)`),
		lazy.MustCompile(`(?i)(?:` + jestEn + `|` + bareEn + `)` + earlierEn + `(?:\s*(?:$|[,.;!?:…)–—-])|\s+(?:about|when|lol|haha|of course|obviously)\b)`),
	},
	"zh": {
		lazy.MustCompile(`(?P<about>[^，。！；,!]{1,16}?)(?:这事儿?|那事儿?|的事情?儿?|的话|那句话?|那段|这话)?(?:都|只|其实|纯属|全)*(?:是)(?:在|跟你|和你|我|随便)*` + jestZh),
		lazy.MustCompile(jestZh + `[，。！, ]+(?:我)?(?:其实|根本|才|并|可)*(?:没有?|不是|不)(?P<about>[^，。！；,!]{1,12})`),
		lazy.MustCompile(`(?:^|[，。！,\s])(?:我)?(?:刚才|刚刚|之前|前面|上次)?(?:是|只是|都是)?(?:在|跟你|和你)*` + jestZh),
	},
	"ja": {
		lazy.MustCompile(`(?P<about>[^、。！,!]{1,20}?)(?:の話|の件|のこと|って(?:言った|いう)の|というの|と言ったの|ってやつ)?は、?` + jestJa),
		lazy.MustCompile(jestJa + `[。、！, ]*(?:本当は|実は|もちろん)?、?(?P<about>[^、。！,!]{1,12}?)(?:は|なんて|なんか|に|には)(?:飼って|持って|住んで|働いて|食べて)?い?(?:ません|ない|ないです|いません)`),
		lazy.MustCompile(jestJa),
	},
}

var (
	// opened matches what may stand before what owns to a joke about what was said before.
	opened = lazy.MustCompile(`(?i)^(?:(?:ok|okay|haha+|lol|sorry|i'm sorry|yes|yeah|also|look|listen|honestly|to be honest|tbh|for the record|update|i (?:must |have to |should )?(?:admit|confess|say)(?: that)?|no|oh|btw|hey|by the way|actually|well|and|ah|hm+|wait|nah|of course|obviously|earlier|哈+|嘿+|嗯|哦|不|对了|好吧|其实|刚才|刚刚|之前|さっきの?は?|すみません|ごめん|あ|いや|実は|[\pP\pS\s]))*$`)
	// joinedOn matches what goes before a clause of its own: "I live in Bonn, and".
	joinedOn = lazy.MustCompile(`(?i)^.*\b(?:and|but|although|though)\s+$`)
	// jester matches whom a sentence of Chinese or Japanese names as who jokes.
	jester = lazy.MustCompile(`^(?:我们?的?|私の|うちの)?(?:他|她|人家|对方|大家|老板|上司|经理|领导|同事|朋友|同学|老师|医生|爸爸?|妈妈?|父亲|母亲|老公|老婆|丈夫|妻子|儿子|女儿|哥哥?|姐姐?|弟弟?|妹妹?|室友|彼|彼女|社長|部長|課長|店長|先生|先輩|後輩|同僚|友達|友人|父|母|妻|夫|兄|姉|弟|妹|息子|娘|みんな)(?:们|たち)?(?:刚才|昨天|也|都|只|其实)*$`)
	// aboutNone matches words that name nothing: of what was said they tell no more than
	// that it was.
	aboutNone = lazy.MustCompile(`^(?:the|an?|my|our|your|that|this|it|those|these|what|i|we|me|having|have|had|has|own|owned|owning|being|be|am|is|was|were|are|live|lived|living|work|worked|working|do|did|don't|at|in|on|of|for|as|to|with|and|or|with|from|thing|bit|part|story|stuff|comment|whole|earlier|before|really|actually|any|no|one|said|last|message|said|like|liking|love|loving|eat|eating|keep|keeping|got|get|all|just|only|first|'m|'ve)$`)
	aboutHan  = lazy.MustCompile(`^(?:我|刚才|刚刚|之前|前面|上次|那个|这个|关于|说的?|讲的?|其实|真的?|没有?|什么|さっき|先ほど|前|昨日|の|私|僕|俺|が|は|、)+|^(?:养了?|有|住在?|在|是|叫|吃|爱|喜欢|当)+(?:一?[个只条头匹名])?|(?:的|那|这|の|を飼って|を飼っている|に住んで|に住んでいる|で働いて|で働いている)$`)
)
