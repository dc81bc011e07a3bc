package worth

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
)

// File is the content of weights.bin: what the classifier knows. Its layout, in
// little endian:
//
//	"worth1\n" | length of the header, 4 bytes | header, JSON | weights
//
// The weights are signed bytes, in this order and for each the layers one after
// the other: words set, then both set; in each the grams, in the order of the
// header's count, then the cues; in the both set also the dimensions of the
// vector. Before them stand the hashes of the grams, 4 bytes each, ascending, and
// the mean vector, 4 bytes a number. A weight is its byte times the set's step
// for its part.
type File struct {
	Model string    // that the vectors come from
	Mean  []float32 // of the vectors
	Grams []uint32  // ascending
	Words Set
	Both  Set
}

// Set is one classifier: its weights are [feature][layer].
type Set struct {
	Bias   Scores
	Grams  []Scores
	Cues   []Scores
	Vector []Scores // empty in the set over words
	Limits Limits
}

// Limits are the probabilities from which on something counts.
type Limits struct {
	Gate Scores // of a layer: the gate opens for it
	// Any is that of Scores.Any for a turn: from there on a record may be made. Hardly
	// anything that holds nothing reaches it.
	Any float64
	// Beside is that of Scores.Any for a turn that goes along with what a talk among
	// people surely holds; 0: no turn does.
	Beside float64 `json:",omitempty"`
}

// header is the JSON of the file.
type header struct {
	Model               string
	Dim, Grams, Cues    int
	WordsBias           Scores
	BothBias            Scores
	WordsStep, BothStep map[string]float64 // by part: grams, cues, vector
	WordsLimits         Limits
	BothLimits          Limits
}

const magic = "worth1\n"

//go:embed weights.bin
var weightBytes []byte

// weightFile is the file as it is used.
type weightFile struct {
	model string
	mean  []float32
	words classifier
	both  classifier
}

// classifier is a Set with its grams by hash.
type classifier struct {
	Set
	grams  map[uint32]int
	mean   []float32
	limits Limits
}

var weights = sync.OnceValue(func() *weightFile {
	f, err := Decode(weightBytes)
	if err != nil {
		panic(fmt.Errorf("weights.bin: %w", err))
	}
	return f.use()
})

func (f *File) use() *weightFile {
	index := make(map[uint32]int, len(f.Grams))
	for i, g := range f.Grams {
		index[g] = i
	}
	return &weightFile{
		model: f.Model, mean: f.Mean,
		words: classifier{f.Words, index, nil, f.Words.Limits},
		both:  classifier{f.Both, index, f.Mean, f.Both.Limits},
	}
}

// score returns the probabilities for a text and, in the set with vectors, its
// vector.
func (c *classifier) score(s string, vector []float32) Scores {
	z := c.Bias
	grams := Grams(s)
	value := GramValue(len(grams))
	for _, g := range grams {
		if i, ok := c.grams[g]; ok {
			z.addTimes(&c.Grams[i], value)
		}
	}
	for _, i := range Cues(s) {
		if i < len(c.Cues) {
			z.addTimes(&c.Cues[i], 1)
		}
	}
	for i := range min(len(vector), len(c.Vector)) {
		z.addTimes(&c.Vector[i], float64(vector[i]-c.mean[i]))
	}
	return z.probabilities()
}

// probabilities are those that log-odds stand for.
func (s Scores) probabilities() Scores {
	for i := range s {
		s[i] = logistic(s[i])
	}
	return s
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func (s *Scores) addTimes(t *Scores, f float64) {
	for i := range s {
		s[i] += t[i] * f
	}
}

// Encode writes the file. Weights are rounded to a 254th of the range of their
// part.
func (f *File) Encode() ([]byte, error) {
	h := header{
		Model: f.Model, Dim: len(f.Mean), Grams: len(f.Grams), Cues: len(f.Words.Cues),
		WordsBias: f.Words.Bias, BothBias: f.Both.Bias, WordsStep: f.Words.steps(), BothStep: f.Both.steps(),
		WordsLimits: f.Words.Limits, BothLimits: f.Both.Limits,
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(head)))
	out = append(out, head...)
	for _, g := range f.Grams {
		out = binary.LittleEndian.AppendUint32(out, g)
	}
	for _, m := range f.Mean {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(m))
	}
	out = f.Words.append(out, h.WordsStep)
	return f.Both.append(out, h.BothStep), nil
}

// parts are the weights of a set by name, in the order of the file.
func (s *Set) parts() []struct {
	name string
	rows []Scores
} {
	return []struct {
		name string
		rows []Scores
	}{{"grams", s.Grams}, {"cues", s.Cues}, {"vector", s.Vector}}
}

// maxByte is the largest weight as it is stored.
const maxByte = 127

func (s *Set) steps() map[string]float64 {
	out := map[string]float64{}
	for _, p := range s.parts() {
		top := 0.0
		for _, row := range p.rows {
			for _, w := range row {
				top = max(top, math.Abs(w))
			}
		}
		out[p.name] = top / maxByte
	}
	return out
}

func (s *Set) append(out []byte, steps map[string]float64) []byte {
	for _, p := range s.parts() {
		for _, row := range p.rows {
			for _, w := range row {
				b := 0.0
				if step := steps[p.name]; step > 0 {
					b = math.Round(w / step)
				}
				out = append(out, byte(int8(b)))
			}
		}
	}
	return out
}

// Decode reads a file that Encode wrote.
func Decode(b []byte) (*File, error) {
	rest, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(rest) < 4 {
		return nil, errors.New("not a file of weights")
	}
	size := int(binary.LittleEndian.Uint32(rest))
	if rest = rest[4:]; size > len(rest) {
		return nil, errors.New("header is cut off")
	}
	var h header
	if err := json.Unmarshal(rest[:size], &h); err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	rest = rest[size:]
	if want := 4*h.Grams + 4*h.Dim + len(Layers)*(2*h.Grams+2*h.Cues+h.Dim); h.Grams < 0 || h.Dim < 0 || h.Cues < 0 || len(rest) != want {
		return nil, fmt.Errorf("%d bytes of weights, the header says %d", len(rest), want)
	}
	return h.read(rest), nil
}

func (h *header) read(b []byte) *File {
	f := &File{Model: h.Model, Mean: make([]float32, h.Dim), Grams: make([]uint32, h.Grams)}
	for i := range f.Grams {
		f.Grams[i], b = binary.LittleEndian.Uint32(b), b[4:]
	}
	for i := range f.Mean {
		f.Mean[i], b = math.Float32frombits(binary.LittleEndian.Uint32(b)), b[4:]
	}
	take := func(rows int, step float64) []Scores {
		out := make([]Scores, rows)
		for i := range out {
			for l := range Layers {
				out[i][l], b = float64(int8(b[0]))*step, b[1:]
			}
		}
		return out
	}
	f.Words = Set{Bias: h.WordsBias, Grams: take(h.Grams, h.WordsStep["grams"]), Cues: take(h.Cues, h.WordsStep["cues"]), Limits: h.WordsLimits}
	f.Both = Set{Bias: h.BothBias, Grams: take(h.Grams, h.BothStep["grams"]), Cues: take(h.Cues, h.BothStep["cues"]), Vector: take(h.Dim, h.BothStep["vector"]), Limits: h.BothLimits}
	return f
}

// How the gate's limits rise with the turns: the highest of many scores is high by
// chance. The limits are made for talks of a few turns.
const (
	fewTurns = 4
	rise     = 0.08 // for each turn more
	maxRise  = 1.4
)

// of returns the limits for a talk in which so many turns state something.
func (l Limits) of(turns int) Limits {
	factor := min(maxRise, 1+rise*float64(max(0, turns-fewTurns)))
	for i := range l.Gate {
		l.Gate[i] = max(l.Gate[i], min(l.Gate[i]*factor, l.Any))
	}
	return l
}
