package text

import (
	"slices"
	"strings"
	"testing"
)

// samples are a few sentences in each language that is told apart.
var samples = []struct{ language, text string }{
	{"en", "I moved to Lisbon last spring because the winters were too long."},
	{"en", "I like dark roast coffee"},
	{"en", "My favorite color is blue"},
	{"en", "We met at a café in München and talked about the résumé."},
	{"de", "Ich heiße Jürgen und wohne seit drei Jahren in München."},
	{"de", "Meine Schwester hat eine Allergie gegen Nüsse, und wir kaufen keine mehr."},
	{"fr", "J'habite à Paris avec ma femme et nos deux enfants."},
	{"es", "Me gusta el café por la mañana, pero no me gusta el té."},
	{"it", "Mia sorella vive a Milano e lavora in una banca con il suo amico."},
	{"pt", "A minha irmã mora em São Paulo e não gosta de café."},
	{"nl", "Mijn zus woont in Utrecht en ze houdt niet van koffie."},
	{"sv", "Min syster bor i Göteborg och hon tycker inte om kaffe."},
	{"da", "Min søster bor i Aarhus, og hun kan ikke lide kaffe, så hvad nu?"},
	{"fi", "Minun siskoni asuu Turussa ja hän ei juo kahvia, mutta minä juon."},
	{"hu", "A nővérem Budapesten él, és nem szereti a kávét."},
	{"tr", "Kız kardeşim İzmir'de yaşıyor ve kahve içmiyor ama çay için her şey yapar."},
	{"pl", "Moja siostra mieszka w Krakowie i nie lubi kawy, ale ja się cieszę."},
	{"cs", "Moje sestra bydlí v Praze a nemá ráda kávu, ale já ji mám rád."},
	{"ro", "Sora mea locuiește în Cluj și nu îi place cafeaua, dar mie îmi place."},
	{"id", "Saya tinggal di Jakarta dengan adik saya dan kami tidak suka kopi."},
	{"vi", "Tôi sống ở Hà Nội và không thích uống cà phê."},
	{"ru", "Моя сестра живёт в Москве и не любит кофе."},
	{"uk", "Моя сестра живе у Києві і не любить каву."},
	{"bg", "Сестра ми живее в София и не обича кафе, защото е горчиво."},
	{"el", "Η αδερφή μου μένει στην Αθήνα και δεν πίνει καφέ."},
	{"ar", "تعيش أختي في القاهرة ولا تحب القهوة."},
	{"fa", "خواهرم در تهران زندگی می\u200cکند و قهوه دوست ندارد."},
	{"he", "אחותי גרה בתל אביב והיא לא אוהבת קפה."},
	{"hi", "मेरी बहन दिल्ली में रहती है और उसे कॉफ़ी पसंद नहीं है।"},
	{"th", "พี่สาวของฉันอยู่ที่กรุงเทพและไม่ชอบกาแฟ"},
	{"zh", "我姐姐住在北京，不喜欢喝咖啡。"},
	{"zh", "我们使用 Kubernetes 部署 ADR-086 和 v1.8"},
	{"zh", "我喜歡臺灣の茶"},
	{"ja", "姉は東京に住んでいて、コーヒーが好きではありません。"},
	{"ko", "언니는 서울에 살고 커피를 좋아하지 않아요."},
}

func TestLanguage(t *testing.T) {
	for _, sample := range samples {
		if got := Language(sample.text); got != sample.language {
			t.Errorf("Language(%q) = %q, want %q", sample.text, got, sample.language)
		}
	}
}

func TestLanguage_IsUnsureAboutLittle(t *testing.T) {
	for _, in := range []string{"", "42", "👍", "ok", "hola", "mi casa", "ADR-086", "Kubernetes", "die", "Lisbon Oslo"} {
		if got := Language(in); got != "" && got != "en" {
			t.Errorf("Language(%q) = %q, want unsure", in, got)
		}
	}
}

func TestLanguage_EnglishProseIsNeverTakenForAnother(t *testing.T) {
	for _, in := range []string{
		"Die Hard was on TV", "Man, that was a hit", "Max is in Den Haag", "I am also fond of Art Deco",
		"Nice to meet you, Per!", "She said no", "Do more", "Van Gogh, de Kooning", "See you in an hour",
		"I have a dog named Rex.", "I have a cat named Mochi.", "My son has a hat", "I sold the sea view, alas",
	} {
		if got := Language(in); got != "" && got != "en" {
			t.Errorf("Language(%q) = %q", in, got)
		}
	}
}

func TestTerms_AQueryOfOneWordFindsTheTextThatHoldsIt(t *testing.T) {
	for _, sample := range samples {
		held := Terms(sample.text)
		for _, word := range strings.Fields(sample.text) {
			word = strings.Trim(word, ".,!?。，।")
			if isAnyStopWord(word) {
				continue
			}
			finds := slices.ContainsFunc(QueryTerms(word), func(term string) bool { return slices.Contains(held, term) })
			if !finds {
				t.Errorf("%q does not find %q: %q, %q", word, sample.text, QueryTerms(word), held)
			}
		}
	}
}

// isAnyStopWord tells whether some language leaves a word, or a part of it, out.
func isAnyStopWord(word string) (found bool) {
	see := func(part string) {
		found = found || stops().words[part].stop != 0 || stops().units[part] || len(part) == 1
	}
	for _, p := range scan(normalise(word)) {
		switch p.class {
		case classWord:
			parts(p.text, func(part string) { see(foldRunes(part)) })
		case classEmoji:
		default:
			for _, unit := range units(p) {
				see(unit)
			}
		}
	}
	return found
}

func TestStops_EachLanguageHasAList(t *testing.T) {
	for _, code := range slices.Concat(stopLanguages, unitLanguages) {
		if len(stopList(code)) < 15 {
			t.Errorf("the stop list of %s has %d words", code, len(stopList(code)))
		}
	}
}

func TestStemmer_EachIsOfALanguageThatIsToldApart(t *testing.T) {
	for _, code := range stopLanguages {
		stem := stemmer(code)
		if stem == nil {
			continue
		}
		if got := stemIn(stem, "x"); got != "x" {
			t.Errorf("the stem of x in %s is %q", code, got)
		}
	}
}
