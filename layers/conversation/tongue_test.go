package conversation_test

import (
	"testing"

	"mcp-memory/layers/conversation"
)

// said reads what a user says after a greeting of the assistant.
func said(content string) *conversation.Talk {
	return conversation.Read([]conversation.Turn{{Role: conversation.User, Content: content}}, conversation.Options{})
}

func TestRead_OtherLanguages(t *testing.T) {
	for _, c := range []struct {
		language, text string
		want           conversation.Kind
	}{
		{"de", "Ich wohne seit einem Jahr in Kiel.", conversation.Stated},
		{"de", "Am 3. Mai fahren wir nach Graz.", conversation.Stated},
		{"de", "Nenn mich bitte immer Toni.", conversation.Stated},
		{"de", "Erklär mir den Satz des Thales.", conversation.Asked},
		{"de", "Wie lange backt man einen Zopf", conversation.Asked},
		{"de", "Wenn ich in Wien leben würde, ginge ich in die Oper.", conversation.Fiction},
		{"de", "Man sagt, dass der Wirt bald aufhört.", conversation.Quoted},
		{"de", "Ich bin gerade total müde.", conversation.Transient},
		{"de", "Merk dir das bitte nicht: ich bin pleite.", conversation.Confidential},
		{"fr", "J'habite à Nantes depuis un an.", conversation.Stated},
		{"fr", "Si j'habitais à Toulon, j'irais à la plage.", conversation.Fiction},
		{"fr", "Explique-moi la photosynthèse, je n'y comprends rien.", conversation.Asked},
		{"fr", "On dit que la boulangère va partir.", conversation.Quoted},
		{"es", "Soy alérgico al polen desde niño.", conversation.Stated},
		{"es", "Si tuviera un perro, saldría más.", conversation.Fiction},
		{"es", "Explícame la fotosíntesis, no la entiendo.", conversation.Asked},
		{"it", "Abito a Pisa da un anno con mia moglie.", conversation.Stated},
		{"it", "Se avessi un cane, uscirei di più.", conversation.Fiction},
		{"it", "Spiegami la fotosintesi, non la capisco.", conversation.Asked},
		{"pt", "Moro no Porto há um ano com a minha mulher.", conversation.Stated},
		{"pt", "Se eu tivesse um cão, saía mais.", conversation.Fiction},
		{"ru", "Я живу в Перми уже год.", conversation.Stated},
		{"ru", "Если бы у меня была собака, я бы больше гулял.", conversation.Fiction},
		{"ru", "Говорят, пекарь скоро уедет.", conversation.Quoted},
		{"ko", "저는 대전에 살고 있어요.", conversation.Stated},
		{"ko", "만약 내가 개를 키운다면 더 많이 걸었을 거야.", conversation.Fiction},
		{"ko", "광합성을 설명해 줘.", conversation.Asked},
	} {
		for _, s := range said(c.text).Sentences {
			if s.Kind != c.want || s.Kind == conversation.Stated && s.Language != c.language {
				t.Errorf("%q is %v in %q, want %v in %q", s.Text, s.Kind, s.Language, c.want, c.language)
			}
		}
	}
}

func TestRead_AScrapIsInTheLanguageOfItsTalk(t *testing.T) {
	turns := []conversation.Turn{
		{Role: conversation.User, Content: "Ich wohne in Kiel und arbeite dort im Hafen."},
		{Role: conversation.Assistant, Content: "Und wann?"},
		{Role: conversation.User, Content: "Spätschicht"},
	}
	talk := conversation.Read(turns, conversation.Options{})
	if s := talk.Sentences[len(talk.Sentences)-1]; s.Language != "de" || s.Kind != conversation.Stated {
		t.Errorf("%q is %v in %q", s.Text, s.Kind, s.Language)
	}
}

func TestRead_OfTheSpeaker(t *testing.T) {
	for text, want := range map[string]bool{
		"Die Elbe entspringt im Riesengebirge und mündet ins Meer.": false,
		"Ich mag die Berge in der Schweiz.":                         true,
		"Le Rhône prend sa source en Suisse.":                       false,
		"De Rijn stroomt door Nederland en Duitsland.":              true, // nothing is known of Dutch
		"한라산은 한국에서 가장 높은 산이다.":                                      true, // Korean leaves the speaker out
		"Antworte mir ab jetzt immer in ganzen Sätzen.":             true,
		"A partir de ahora, solo respuestas muy cortas.":            true,
		"El Teide es la montaña más alta de toda España.":           false,
	} {
		for _, s := range said(text).Sentences {
			if s.Personal != want {
				t.Errorf("%q: personal %v, want %v", s.Text, s.Personal, want)
			}
		}
	}
}

func TestAsksToKeep_OtherLanguages(t *testing.T) {
	for text, want := range map[string]bool{
		"Merk dir, dass ich samstags nie arbeite.": true, "Bitte merk dir: kein Koriander.": true,
		"Retiens que je ne mange pas de porc.": true, "Recuerda que soy celíaca.": true,
		"Ricordati che sono celiaca.": true, "Lembre-se de que sou celíaca.": true,
		"Запомни, что у меня диабет.": true, "내가 당뇨가 있다는 걸 기억해 줘.": true,
		"Ich merke mir das.": false, "Je retiens que c'est difficile.": false, "Не помню, что там было.": false,
	} {
		if got := conversation.AsksToKeep(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestEvent_OtherLanguages(t *testing.T) {
	for text, want := range map[string]bool{
		"Ab jetzt bitte nur noch kurze Antworten für mich.": true, "Je m'appelle Odile et j'ai un chien.": true,
		"Меня зовут Олег, я из Перми.": true, "Das Wetter ist heute wirklich schön.": false,
	} {
		if _, ok := conversation.Event([]conversation.Turn{{Role: conversation.User, Content: text}}); ok != want {
			t.Errorf("%q: %v, want %v", text, ok, want)
		}
	}
}
