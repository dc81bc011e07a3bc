package worth

import (
	"embed"
	"strings"
	"sync"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
)

// sureFiles hold, by language, what sure.txt holds for English and Chinese. A line is
//
//	layer: regular expression, over folded text, of whole words
//	but: the same, which unmakes all the others where it stands anywhere
//	{name}: what {name} stands for in the lines below; {w} is a word
//
// A line matches where a clause begins: what stands in the midst of one may be of
// somebody else.
//
//go:embed sure/*.txt
var sureFiles embed.FS

// foreignPlainly are the expressions of each language without rules.
var foreignPlainly = sync.OnceValue(func() map[string]func() plainly {
	files, err := sureFiles.ReadDir("sure")
	if err != nil {
		panic(err)
	}
	out := map[string]func() plainly{}
	for _, f := range files {
		code := strings.TrimSuffix(f.Name(), ".txt")
		out[code] = sync.OnceValue(func() plainly {
			b, err := sureFiles.ReadFile("sure/" + code + ".txt")
			if err != nil {
				panic(err)
			}
			return mustSure("sure/"+f.Name(), string(b), foreignForm(code != "ko"))
		})
	}
	return out
})

const (
	foreignWord  = `[\p{L}\p{N}'-]+`
	foreignBegin = `(?:^|[,;:.!–—-] *| (?:und|et|y|e|и|а|i|en|aber|mais|pero|ma|mas|но|denn|car|porque|weil|also) )`
	foreignLead  = `(?:(?:und|also|ja|hallo|hi|ach|übrigens|bitte|nein|gut|ok|okay|merk dir|ahora|bon|bonjour|salut|oui|non|au fait|hola|sí|bueno|vale|por favor|por cierto|ciao|sì|comunque|allora|per favore|oi|olá|sim|aliás|por favor|привет|да|кстати|ну|пожалуйста|안녕하세요|안녕|네|참|그리고|사실|hoi|cześć|proszę|à propos|eigentlich|en fait|en realidad|in realtà|na verdade|вообще|на самом деле|moi|yo|io|eu|я),? )*`
)

// foreignForm is the form of a file of sureFiles. Languages whose words take endings as
// they come have no ends of words.
func foreignForm(words bool) sureForm {
	form := sureForm{fold: foldExpression, defined: []string{"{w}", "(?:" + foreignWord + ")"}, lead: foreignBegin + text.Fold(foreignLead)}
	if words {
		form.begin, form.end = `(?:^|[^\p{L}\p{N}])`, `(?:$|[^\p{L}\p{N}])`
	}
	return form
}

// foldExpression folds an expression but for its class of letters.
func foldExpression(s string) string {
	return strings.ReplaceAll(text.Fold(s), `\p{l}`, `\p{L}`)
}

// quotes matches what may hold the words of others: in a language of which no words
// are known nothing else tells them.
var quotes = lazy.MustCompile(`["“”„«»]|: `)

// saysPlainly returns the scores of the layers that a unit of a sentence in a language
// without rules says plainly; nothing of a unit that is a whole turn.
func (j *Judgement) saysPlainly(u unit, language string) (z Scores, ok bool) {
	read := foreignPlainly()[language]
	if read == nil || u.sentence < 0 || !conversation.KnowsWords(language) && quotes.MatchString(u.text) {
		return z, false
	}
	p := read()
	z = p.raise(u.text, z)
	return z, z != Scores{}
}

// plainIn reports whether a sentence of a turn is said plainly.
func (j *Judgement) plainIn(turn int) bool {
	for i := range j.Talk.Sentences {
		if s := &j.Talk.Sentences[i]; s.Turn == turn && s.Kind == conversation.Stated && j.Sentences[i].Plain {
			return true
		}
	}
	return false
}

// unmade reports whether words of a text take back what it would say plainly.
func unmade(s, language string) bool {
	read := foreignPlainly()[language]
	return read != nil && read().but.MatchString(text.Fold(s))
}
