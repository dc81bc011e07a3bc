// Package text turns what people write into what can be compared: folded text,
// index terms, words, sentences, and a guess at the language. It is pure: the
// same text always gives the same answer, and any byte sequence is taken,
// invalid UTF-8 and NUL included.
//
// How a text becomes terms:
//
//	text ── normalise ──> scan ──┬─ chunk    "ADR-086"  ──> adr, 086, adr-086
//	                             ├─ run      "喜欢茶"    ──> 喜, 欢, 茶, 喜欢, 欢茶
//	                             └─ emoji    "👍"
//
// A chunk is a word or a code of several words. Runs are scripts that set no
// spaces (Han, kana, Thai …) or glue particles to words (Hangul): their units
// and pairs of units are the terms, so that a word is found without a
// dictionary.
//
// What it does not promise: lemmas, word segmentation by meaning, or a right
// language for a text of two words.
package text
