package builtin

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// window is what the model reads at once: up to positions − 2 tokens of a text,
// between <s> and </s>. A longer text is cut into windows without overlap.
type window struct {
	text int     // index of its text
	ids  []int32 // without <s> and </s>
	mean []float32
}

// tokens counts the window's tokens with <s> and </s>.
func (w window) tokens() int { return len(w.ids) + 2 }

// stretchBytes is how much of a text is tokenized at once. It bounds the
// tokenizer's memory and how long a cancelled call goes on (some 20 ms).
const stretchBytes = 32 << 10

// cut splits off a text's first stretch. It cuts at a space, which is lost: the
// rest's first piece then begins a word, as it would have in the whole text, so
// that the tokens are those of the whole. Only where a stretch holds no such
// space does it cut between characters.
func cut(text string) (stretch, rest string) {
	if len(text) <= stretchBytes {
		return text, ""
	}
	for end := min(stretchBytes, len(text)-2); end > stretchBytes/2; end-- {
		if text[end] == ' ' && endsWord(text[:end]) {
			return text[:end], text[end+1:]
		}
	}
	end := stretchBytes
	for end > stretchBytes-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], text[end:]
}

// endsWord says whether text ends in a character that is no kind of space: one
// space of several must not be taken out, since the tokenizer makes them one.
func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r)
}

// passTokens bounds the tokens that short windows share a pass for; a longer
// window has a pass of its own. Six texts of 10 tokens cost 10 % (AVX2) to 30 %
// (AVX-512) less together than apart, since weights are unpacked once; from some
// 50 tokens on there is nothing more to win.
const passTokens = 64

// splitTokens is the least number of tokens worth a pass of their own when work
// is spread over cores: below it, unpacking the weights counts.
const splitTokens = 32

// pack groups windows, in their order, into passes for so many workers.
func pack(windows []window, workers int) [][]window {
	total := 0
	for _, w := range windows {
		total += w.tokens()
	}
	budget := min(max(total/workers, splitTokens), passTokens)
	var passes [][]window
	first, tokens := 0, 0
	for i, w := range windows {
		if i > first && tokens+w.tokens() > budget {
			passes = append(passes, windows[first:i])
			first, tokens = i, 0
		}
		tokens += w.tokens()
	}
	return append(passes, windows[first:])
}

// join makes a text's vector from the means of its windows, each weighing as
// many as it has tokens: their sum, at unit length. It reports whether there is
// one, which only a model with absurd weights denies.
func join(windows []window) ([]float32, bool) {
	sum := windows[0].mean
	if len(windows) > 1 {
		sum = make([]float32, len(sum))
		for _, w := range windows {
			weight := float32(max(len(w.ids), 1))
			for i, v := range w.mean {
				sum[i] += weight * v
			}
		}
	}
	return sum, normalize(sum)
}

// normalize scales v to unit length and reports whether it has a length.
func normalize(v []float32) bool {
	squares := 0.0
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return length > 0 && !math.IsInf(length, 1)
}
