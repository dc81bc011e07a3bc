package structure

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
)

// isThing reports whether a value is a noun phrase as far as its words tell:
// no pronoun, nothing that points to what stands elsewhere, no verb of its own.
func (k *check) isThing(v stretch) bool {
	s := v.of(k.c)
	if !k.fits(v, maxWords) || k.l.begins("deictic", s) || k.l.is("no thing", s) || k.l.suffix("unsettled end", s) > 0 || strings.ContainsAny(s, "\"“”") {
		return false
	}
	if !k.l.spaced {
		return !k.l.verbal(s) && !relating.MatchString(s)
	}
	words := strings.Fields(s)
	verbal := slices.ContainsFunc(words, func(w string) bool { return k.l.is("verbal", w) })
	return !verbal && !k.l.is("dangling", words[len(words)-1])
}

// relating matches what tells when or in whose place something is, no name of a thing:
// Vimの代わりにEmacs.
var relating = lazy.MustCompile(`的时候|の(?:代|か)わりに`)

// verbal reports whether Chinese words hold a pronoun, a particle or the like.
// What only looks so (他 in 吉他) does not count.
func (l *language) verbal(s string) bool {
	if l.code == japaneseCode {
		return l.clausal(s)
	}
	for _, w := range l.lists["harmless"] {
		s = strings.ReplaceAll(s, w, "")
	}
	return l.contains("verbal", s)
}

// pointsAt reports whether a value is a thing that stands before the speaker
// ("the colours"), not one in general ("the sea").
func (l *language) pointsAt(s string) bool {
	const the = "the "
	if len(s) < len(the) || !strings.EqualFold(s[:len(the)], the) {
		return false
	}
	rest := s[len(the):]
	n := l.prefix("noble", rest)
	known := n > 0 && (n == len(strings.TrimRight(rest, around)) || strings.HasSuffix(rest[:n], " of"))
	return !isCapital(rest) && !known
}

// restricted reports whether a liking is only of some of a kind ("stories that
// tackle it"), or breaks off in a list of properties ("a safe, quiet place").
func (l *language) restricted(s string) bool {
	if l.contains("restricting", s) {
		return true
	}
	head, _, comma := strings.Cut(" "+s, ",")
	return comma && slices.ContainsFunc([]string{" a ", " an ", " the "}, func(w string) bool { return strings.Contains(head, w) })
}

// isNoun reports whether a value can stand after "favourite".
func (k *check) isNoun(v stretch) bool {
	s := v.of(k.c)
	return !k.l.is("no favourite", s) && !k.l.is("verbal", s) && !k.l.begins("deictic", s)
}

// isJob reports whether a value ends with an occupation, or has one before "of".
func (k *check) isJob(v stretch) bool {
	s := v.of(k.c)
	if !k.isThing(v) || k.l.begins("amateur", s) || k.l.isHonoured(s) {
		return false
	}
	if head, _, ok := strings.Cut(s, " of "); ok {
		return k.l.suffix("occupation", head) > 0 || k.l.suffix("heads", head) > 0
	}
	return k.l.suffix("occupation", s) > 0
}

// isAnimal reports whether a value is an animal, with its looks before it.
func (k *check) isAnimal(v stretch) bool {
	s := v.of(k.c)
	if !k.isThing(v) || k.l.begins("no animal", s) || k.l.suffix("animal", s) == 0 && k.l.suffix("animal", strings.TrimSuffix(s, "s")) == 0 {
		return false
	}
	if !k.l.spaced || k.l.is("animal", s) {
		return true
	}
	words := strings.Fields(s)
	return !slices.ContainsFunc(words[:len(words)-1], func(w string) bool {
		return !isCapital(w) && !k.l.is("petadj", w) && !k.l.is("animal", w) && !k.l.is("count", w)
	})
}

// pastime takes the verb that goes with it off a Chinese pastime (弹 in 弹钢琴).
func (k *check) pastime(v stretch) stretch {
	s := v.of(k.c)
	if k.l.spaced || k.l.is("pastime", s) || k.l.is("able", s) {
		return v
	}
	if n := k.l.prefix("hobbyverb", s); n < len(s) {
		v.start += n
	}
	return v
}

// maxPastime is the longest pastime, in words, and where words have no blanks
// the longest that is known only by its ending, in signs.
const maxPastime = 4

// isPastime reports whether a value is a sport, a game, an instrument or another
// pastime. In Chinese, 想学钢琴 must not pass for one by its ending.
func (k *check) isPastime(v stretch) bool {
	s := v.of(k.c)
	if !k.isThing(v) {
		return false
	}
	if !k.l.spaced {
		verb := v.start > 0 && k.l.is("hobbyverb", k.before(v))
		return k.l.is("pastime", s) || verb && utf8.RuneCountInString(s) <= maxPastime && k.l.plays(s)
	}
	if strings.Contains(s, " of ") || strings.Contains(s, " my ") || k.size(v) > maxPastime {
		return false
	}
	return k.l.plays(s) || k.l.suffix("pastime", s) > 0 || k.l.suffix("activity", s) > 0
}

// maxClub is the longest name of what one is a member of, in words.
const maxClub = 4

// isClub reports whether a value is something that one belongs to, or goes to again
// and again, by its last word: a choir, the chess club.
func (k *check) isClub(v stretch, list string) bool {
	return k.isThing(v) && k.fits(v, maxClub) && k.l.suffix(list, v.of(k.c)) > 0 && !(k.l.spaced && partly.MatchString(v.of(k.c)))
}

// before returns the sign before a value.
func (k *check) before(v stretch) string {
	_, size := utf8.DecodeLastRuneInString(k.c.text[:v.start])
	return k.c.text[v.start-size : v.start]
}

// isAble reports whether a value is something that one can or cannot do.
func (k *check) isAble(v stretch) bool {
	return k.l.is("able", v.of(k.c)) || k.isPastime(v)
}

// plays reports whether a value is a sport, a game or an instrument by slot's
// tables.
func (l *language) plays(s string) bool {
	return slices.ContainsFunc(l.kinds(s), func(kind string) bool {
		return kind == "sport" || kind == "game" || kind == "instrument"
	})
}

func (k *check) isDate(v stretch) bool {
	s := v.of(k.c)
	if !k.fits(v, maxWords) {
		return false
	}
	digit := strings.IndexFunc(s, unicode.IsDigit) >= 0
	return digit || k.l.contains("calendar", s) || len(dates.Find(s, k.s.in.ObservedAt)) > 0
}

func (k *check) isWhen(v stretch) bool {
	s := v.of(k.c)
	return k.fits(v, maxWords) && (k.l.contains("calendar", s) || strings.IndexFunc(s, unicode.IsDigit) >= 0)
}

// isDeed reports whether a value may be what somebody does or wants to do.
func (k *check) isDeed(v stretch) bool {
	s := v.of(k.c)
	return k.fits(v, maxAim) && !strings.ContainsAny(s, "\"“”") && !k.l.begins("deictic", s)
}

// isStyle reports whether a value tells how something is worded.
func (k *check) isStyle(v stretch) bool {
	s := v.of(k.c)
	return k.fits(v, maxAim) && k.l.contains("style", s) && !k.l.begins("pronoun", s) && !strings.ContainsAny(s, "\"“”")
}

func (k *check) isLesson(v stretch) bool {
	return k.fits(v, maxAim) && k.size(v) > 2 && !k.l.contains("no lesson", v.of(k.c))
}

// maxLabel is the longest label before a lesson, in bytes.
const maxLabel = 24

// unlabelled takes a label (教训：) off a lesson.
func (k *check) unlabelled(v stretch) stretch {
	if at := strings.Index(v.of(k.c), "："); at >= 0 && at < maxLabel {
		v.start += at + len("：")
	}
	return v
}
