package worth

import "regexp"

// kana matches Japanese, of which the classifier has learned nothing: what it sees
// there is what kanji mean in Chinese, and names and numbers.
var kana = regexp.MustCompile(`[\p{Hiragana}\p{Katakana}]`)

func japanese(s string) bool { return kana.MatchString(s) }

// Of Japanese the classifier counts only where it is sure, and of sentences alone:
// what the structurer reads and what sure.txt matches tells the rest.
const (
	sureOfJapanese = 0.8
	doubtful       = 0.3 // the share of a lower score that is left
)

// doubted lowers what the classifier thinks of a unit of Japanese.
func (u *unit) doubted(z Scores) Scores {
	if !japanese(u.text) {
		return z
	}
	for i := range z {
		if u.sentence < 0 || z[i] < sureOfJapanese {
			z[i] *= doubtful
		}
	}
	return z
}
