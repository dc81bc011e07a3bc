package worth_test

import (
	"slices"
	"testing"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

func TestJudge_LanguagesWithoutRulesByMeaning(t *testing.T) {
	for said, want := range map[string]storage.Layer{
		"Ich wohne seit einem Jahr in Kiel und arbeite dort im Hafen.": storage.Identity,
		"Ich hasse Rosinen, bitte nie wieder Rezepte mit Rosinen.":     storage.Preference,
		"Nächsten Freitag um neun habe ich eine Prüfung in Chemie.":    storage.Activity,
		"Je m'appelle Odile et je suis professeure à Nantes.":          storage.Identity,
		"Me llamo Pilar y vivo en Gijón con mis dos hijos.":            storage.Identity,
		"Я живу в Перми и работаю учителем.":                           storage.Identity,
		"저는 대전에 살고 간호사로 일해요.":                                          storage.Identity,

		"Der Inn entspringt in der Schweiz und mündet in die Donau.":  "",
		"Adoro fare la coda in posta, è la mia vita.":                 "",
		"J'adore faire la queue à la mairie.":                         "",
		"Ho sentito dire che il bar chiude a maggio.":                 "",
		"Verbeter deze zin: \"Ik ben bakker en ik drink geen wijn.\"": "",
		"Uwielbiam stać w korkach.":                                   "",
		"Я как верблюд: горбатый и никуда не спешу.":                  "",
		"Wenn ich in Wien leben würde, ginge ich in die Oper.":        "",
		"Erklär mir den Satz des Thales.":                             "",
		"Je reprends la deuxième version, elle est mieux.":            "",
		"Я очень устал и хочу спать.":                                 "",
	} {
		j := judgeMeant(t, nil, said)
		sure := j.Turns[0].Score >= worth.Sure
		switch {
		case want == "" && sure:
			t.Errorf("%q is kept: %s", said, j.Turns[0].Why)
		case want != "" && (!sure || j.Turns[0].Scores.Of(want) < j.Limits.Any):
			t.Errorf("%q is %d: %s; want %s", said, j.Turns[0].Score, j.Turns[0].Why, want)
		}
	}
}

// What words say plainly needs no vectors; the rest is told by them, and says so.
func TestJudge_LanguagesWithoutRulesNeedVectors(t *testing.T) {
	const plain, meant = "Ich wohne seit einem Jahr in Kiel.", "Seit drei Wochen räume ich den Keller meiner verstorbenen Tante aus."
	for said, want := range map[string]int{plain: worth.Sure, meant: worth.Nothing} {
		turns := []conversation.Turn{{Role: conversation.User, Content: said}}
		j := worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{})
		if j.Turns[0].Score != want {
			t.Errorf("%q is %d without vectors: %s; want %d", said, j.Turns[0].Score, j.Turns[0].Why, want)
		}
	}
	if j := judgeMeant(t, nil, plain); j.ByMeaning(0) != "" || !j.Sentences[0].Plain {
		t.Errorf("%q is told by its meaning: %s", plain, j.Turns[0].Why)
	}
	if j := judgeMeant(t, nil, meant); j.ByMeaning(0) != "de" || j.Sentences[0].Plain {
		t.Errorf("%q is not told by its meaning: %s", meant, j.Turns[0].Why)
	}
}

// What a sentence of a language without rules says plainly, and what its words take
// back; without vectors, so that nothing else lifts it.
func TestJudge_PlainInLanguagesWithoutRules(t *testing.T) {
	for said, want := range map[string]storage.Layer{
		"Ich bin gegen Haselnüsse allergisch.":                       storage.Identity,
		"Bitte antworte mir ab jetzt immer auf Englisch.":            storage.Preference,
		"Am 3. Oktober habe ich einen Termin beim Augenarzt.":        storage.Activity,
		"Bitte keine Emojis mehr.":                                   storage.Preference,
		"Danke, ich wohne in Kiel.":                                  storage.Identity,
		"No me gusta el cilantro.":                                   storage.Preference,
		"J'ai deux chats, Pacha et Mina.":                            storage.Identity,
		"У нас две кошки, Муся и Буся.":                              storage.Identity,
		"Je suis allergique au pollen.":                              storage.Identity,
		"À partir de maintenant, réponds-moi en deux phrases.":       storage.Preference,
		"J'habite à Rennes depuis mars.":                             storage.Identity,
		"Me gusta mucho el té verde.":                                storage.Preference,
		"A partir de ahora contéstame siempre en inglés.":            storage.Preference,
		"El 5 de mayo tengo una operación de rodilla.":               storage.Activity,
		"Abito a Parma con mia sorella.":                             storage.Identity,
		"Moro em Braga há dois anos.":                                storage.Identity,
		"Меня зовут Глеб, я инженер.":                                storage.Identity,
		"У меня аллергия на кошек.":                                  storage.Identity,
		"С этого момента отвечай только по-английски.":               storage.Preference,
		"저는 울산에 살아요.":                                                storage.Identity,
		"저는 복숭아 알레르기가 있어요.":                                          storage.Identity,
		"앞으로는 영어로 대답해 주세요.":                                          storage.Preference,
		"Ik woon in Breda.":                                          storage.Identity,
		"Mam alergię na mleko krowie i jestem z tego powodu smutny.": storage.Identity,

		"Ich mag den Ton nicht, mach es freundlicher.":                 "",
		"Ab heute gilt das neue Gesetz, sagt das Radio.":               "",
		"Nimm die Rolle eines Arztes ein. Ich bin 80 und habe Asthma.": "",
		"Meine Figur heißt Tom und wohnt in Graz.":                     "",
		"Boah, bin ich grad müde.":                                     "",
		"Je n'aime pas le ton, refais-le.":                             "",
		"Devine qui je suis : j'habite dans la mer.":                   "",
		"Pff, quelle journée, je suis crevé là.":                       "",
		"No vivo en ningún sitio que tú sepas, jaja.":                  "",
		"Adivina quién soy: vivo en el mar y tengo ocho brazos.":       "",
		"Il mio personaggio si chiama Ugo e vive a Lecce.":             "",
		"Digamos que eu moro em Roma e sou alérgico a pólen.":          "",
		"Моего героя зовут Иван, он живёт в Туле.":                     "",
		"내가 로마에 살고 꽃가루 알레르기가 있다고 치자.":                                  "",
	} {
		turns := []conversation.Turn{{Role: conversation.User, Content: said}}
		j := worth.Judge(conversation.Read(turns, conversation.Options{}), worth.Options{})
		got, p := j.Turns[0].Scores.Best()
		if p < j.Limits.Gate[0] {
			got = ""
		}
		if got != want {
			t.Errorf("%q is %q: %s; want %q", said, got, j.Turns[0].Why, want)
		}
	}
}

func TestForeign_RoundTrip(t *testing.T) {
	f := &worth.Foreign{Model: "m", Bias: worth.Scores{-1.25, 0, 1, 2, 3}, Vector: []worth.Scores{{0.5, 0, 0, 0, -0.001}}}
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := worth.DecodeForeign(b)
	if err != nil || got.Model != f.Model || got.Bias != f.Bias || !slices.Equal(got.Vector, f.Vector) {
		t.Errorf("read back %+v, %v", got, err)
	}
	if _, err := worth.DecodeForeign([]byte("[")); err == nil {
		t.Error("half a file is read without an error")
	}
}
