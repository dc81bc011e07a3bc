package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/worth"
	"mcp-memory/storage"
)

// groups are the files by who wrote them: each group is judged by what was trained
// on the others, since what is judged in use was written by nobody of them.
var groups = [...][]string{
	{"train.jsonl", "seen.jsonl", "seen_2.jsonl", "seen_3.jsonl"},
	{"seen_4.jsonl"},
	{"seen_5.jsonl"},
}

// otherTalks match the conversations in languages of which nothing is learned:
// Japanese, which rules read, and those without rules, on which limits are chosen.
var otherTalks = regexp.MustCompile(`^seen_(ja|lang|talk)(_\d+)?\.jsonl$`)

// groupOf is the group of a file.
func groupOf(path string) (int, error) {
	name := filepath.Base(path)
	for i := range groups {
		if slices.Contains(groups[i], name) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s is in no group of authors: add it to groups in data.go", name)
}

// labels are one bit for each of worth.Layers.
type labels [len(worth.Layers)]bool

func (l labels) any() bool { return l != labels{} }

func labelsOf(layers []storage.Layer) (l labels, err error) {
	for _, name := range layers {
		i := slices.Index(worth.Layers[:], name)
		if i < 0 {
			return l, fmt.Errorf("layer %q is none of %v", name, worth.Layers)
		}
		l[i] = true
	}
	return l, nil
}

// labelled is a line of train.jsonl.
type labelled struct {
	Lang   string
	Text   string
	Layers []storage.Layer
}

// talk is a line of a seen file.
type talk struct {
	ID    string
	Lang  string
	Turns []struct {
		Role, Name, Content string
		Time                time.Time
	}
	Layers []storage.Layer
	Keep   []struct {
		Layer storage.Layer
		Words []string
	}
	group int
}

func readLines[T any](path string) ([]T, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []T
	for i, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		out = append(out, v)
	}
	return out, nil
}

func readTurns(path string) ([]labelled, error) { return readLines[labelled](path) }

// readTalks reads the conversations of all seen files of a folder, in the order of
// the files' names.
func readTalks(folder string) ([]talk, error) {
	files, err := filepath.Glob(filepath.Join(folder, "seen*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(fmt.Errorf("read conversations: no seen*.jsonl in %s", folder), err)
	}
	var out []talk
	for _, f := range files { // Glob sorts
		if name := filepath.Base(f); name == workTalks || otherTalks.MatchString(name) {
			continue
		}
		group, err := groupOf(f)
		if err != nil {
			return nil, err
		}
		talks, err := readLines[talk](f)
		if err != nil {
			return nil, err
		}
		for i := range talks {
			talks[i].group = group
		}
		out = append(out, talks...)
	}
	return out, nil
}

// read is a talk as package conversation reads it.
func (t *talk) read() *conversation.Talk {
	turns := make([]conversation.Turn, len(t.Turns))
	for i, u := range t.Turns {
		turns[i] = conversation.Turn{Role: u.Role, Name: u.Name, Content: u.Content, Time: u.Time}
	}
	return conversation.Read(turns, conversation.Options{})
}

// sample is a text with its labels.
type sample struct {
	text   string
	layers labels
	lang   string
	group  int
	weight float64
	grams  []uint32
	vector []float32
}

// unit is a text of a talk that is to be judged.
type unit struct {
	talk   int
	text   string
	vector []float32
}

// samples are what there is to learn from, and to choose the limits on.
type samples struct {
	all    []sample
	single int // the first so many of all are single turns as they were written
	talks  []talk
	gold   []labels // of the talks
	also   []labels // borderline layers of the talks
	units  []unit
}

// Weights of the parts, found by leaving out the authors of what is judged.
const (
	joinedShare   = 0.8 // joined turns for each written one
	joinedWeight  = 0.5 // of a joined turn
	sentenceShare = 0.5 // of a turn's weight, for each of its sentences: they are judged by themselves too
	idleShare     = 0.6 // of the joined turns, one half holds nothing
)

// talkWeights are those of a turn of the conversations, by group: they are fewer,
// and real talk; and the one group that wrote most of all shall not decide alone.
var talkWeights = [len(groups)]float64{2, 3, 3}

func newSamples(turns []labelled, talks []talk, plain bool) *samples {
	s := &samples{talks: talks}
	for _, t := range turns {
		l, err := labelsOf(t.Layers)
		if err != nil {
			continue
		}
		text := statedOrAll(t.Text)
		s.add(sample{text: text, layers: l, lang: t.Lang, weight: 1})
	}
	s.single = len(s.all)
	s.join(int(joinedShare * float64(s.single)))
	for i := range talks {
		s.addTalk(i, plain)
	}
	return s
}

func (s *samples) add(x sample) {
	x.grams = worth.Grams(x.text)
	s.all = append(s.all, x)
}

// statedOrAll is what a turn states, or, where the rules leave nothing of it, all
// of it: its words teach even so.
func statedOrAll(content string) string {
	read := conversation.Read([]conversation.Turn{{Role: conversation.User, Content: content}}, conversation.Options{})
	if stated := worth.TurnText(read, 0); stated != "" {
		return stated
	}
	return content
}

// seed makes the joining of turns repeatable.
const seed = 7

// join adds turns made of two: people say things of two layers in one breath, or
// one thing among others, and the written turns mostly hold one alone.
func (s *samples) join(n int) {
	random := rand.New(rand.NewPCG(seed, seed))
	pick := func(like func(*sample) bool) *sample {
		for {
			if x := &s.all[random.IntN(s.single)]; like(x) {
				return x
			}
		}
	}
	for range n {
		a := pick(func(x *sample) bool { return x.layers.any() })
		idle := random.Float64() < idleShare
		b := pick(func(x *sample) bool { return x.lang == a.lang && x.layers.any() != idle })
		first, second := a, b
		if random.IntN(2) == 0 {
			first, second = b, a
		}
		joined := sample{text: joinTexts(first, second, random), lang: a.lang, weight: joinedWeight}
		for l := range joined.layers {
			joined.layers[l] = a.layers[l] || b.layers[l]
		}
		s.add(joined)
	}
}

// joints stand between two turns that are joined, by language.
var joints = map[string][]string{"en": {". ", ". ", ", ", " and ", ", so "}, "zh": {"。", "，", "，", "，", "，所以"}}

func joinTexts(a, b *sample, random *rand.Rand) string {
	joint := joints[a.lang][random.IntN(len(joints[a.lang]))]
	second := b.text
	if a.lang == "en" && joint != ". " && !strings.HasPrefix(second, "I") {
		second = strings.ToLower(second[:1]) + second[1:]
	}
	return strings.TrimRight(a.text, ".。!！ ") + joint + second
}

// addTalk adds the turns of a talk with the layers of the memories whose words
// they hold, and its units. plain leaves the turns out.
func (s *samples) addTalk(i int, plain bool) {
	t := &s.talks[i]
	gold, err := labelsOf(t.Layers)
	if err != nil {
		return
	}
	s.gold = append(s.gold, gold)
	read := t.read()
	for turn := range read.Turns {
		text := worth.TurnText(read, turn)
		if text == "" {
			continue
		}
		if !plain {
			s.add(sample{text: text, layers: t.layersIn(text), lang: t.Lang, group: t.group, weight: talkWeights[t.group]})
		}
		s.units = append(s.units, unit{talk: i, text: text})
		for _, x := range read.Of(turn) {
			if x.Kind != conversation.Stated || x.Words() == text {
				continue
			}
			s.units = append(s.units, unit{talk: i, text: x.Words()})
			if !plain {
				s.add(sample{text: x.Words(), layers: t.layersIn(x.Words()), lang: t.Lang, group: t.group, weight: talkWeights[t.group] * sentenceShare})
			}
		}
	}
}

// lenient takes down the borderline layers of the talks.
func (s *samples) lenient(borderline []talk) {
	s.also = make([]labels, len(s.talks))
	for _, b := range borderline {
		i := slices.IndexFunc(s.talks, func(t talk) bool { return t.ID == b.ID })
		if l, err := labelsOf(b.Layers); err == nil && i >= 0 {
			s.also[i] = l
		}
	}
}

// layersIn are the layers of the memories of which a word stands in a text.
func (t *talk) layersIn(text string) (l labels) {
	text = strings.ToLower(text)
	for _, k := range t.Keep {
		i := slices.Index(worth.Layers[:], k.Layer)
		for _, w := range k.Words {
			if i >= 0 && strings.Contains(text, strings.ToLower(w)) {
				l[i] = true
			}
		}
	}
	return l
}

// Which grams are learned: those in so many samples, as they were written, and of
// these the most frequent, so that the file stays under 100,000 bytes.
const (
	minGram  = 3
	maxGrams = 6500
)

// vocabulary returns the grams to learn, ascending.
func (s *samples) vocabulary() []uint32 {
	count := map[uint32]int{}
	for i, x := range s.all {
		if i >= s.single && x.weight == joinedWeight {
			continue // made of the others
		}
		for _, g := range x.grams {
			count[g]++
		}
	}
	var out []uint32
	for g, n := range count {
		if n >= minGram {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b uint32) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	out = out[:min(len(out), maxGrams)]
	slices.Sort(out)
	return out
}

func (s *samples) mean() []float32 {
	sum := make([]float64, len(s.all[0].vector))
	for _, x := range s.all[:s.single] {
		for d, v := range x.vector {
			sum[d] += float64(v)
		}
	}
	out := make([]float32, len(sum))
	for d := range sum {
		out[d] = float32(sum[d] / float64(s.single))
	}
	return out
}

func index(grams []uint32) map[uint32]int {
	out := make(map[uint32]int, len(grams))
	for i, g := range grams {
		out[g] = i
	}
	return out
}
