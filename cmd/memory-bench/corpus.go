package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The make-up of a corpus, as shares of its memories.
const (
	shareChinese    = 0.10
	shareSlots      = 0.30
	shareSupersedes = 0.05 // these have a slot too
	shareTagged     = 0.30
	shareProject    = 0.20
	shareEpisodic   = 0.20 // of those without a slot
)

// length is how many words a text has, both included. The shorter of two draws is
// taken, as people's statements are short more often than long.
type length struct{ least, most int }

var (
	proseLength = length{5, 60}
	// shortLength has a mean of 7 words, as the statements about people in the MSC
	// data set. What is embedded is this short, so that 100,000 texts take minutes.
	shortLength = length{3, 14}
)

// memory is one memory as the remember tool takes it.
type memory struct {
	Text       string   `json:"text"`
	Layer      string   `json:"layer,omitempty"`
	Tier       string   `json:"tier,omitempty"`
	Entity     string   `json:"entity,omitempty"`
	Attribute  string   `json:"attribute,omitempty"`
	Value      string   `json:"value,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Project    string   `json:"project,omitempty"`
	ObservedAt string   `json:"observed_at,omitempty"`
}

// question is the arguments of one recall.
type question struct {
	Query   string   `json:"query"`
	Entity  string   `json:"entity,omitempty"`
	Layers  []string `json:"layers,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	Project string   `json:"project,omitempty"`
	Since   string   `json:"since,omitempty"`
	Explain bool     `json:"explain,omitempty"`
}

var (
	attributes = []string{"home city", "employer", "job title", "favourite drink", "favourite colour", "phone model",
		"manager", "time zone", "native language", "university", "editor", "operating system", "marital status", "bank",
		"birthday", "commute", "bicycle", "breakfast", "office", "keyboard"}
	layerNames = []string{"activity", "context", "experience", "identity", "preference", "fact"}
)

const (
	tagCount     = 50
	projectCount = 10
)

// Memories are spread evenly over these years, all of them past.
var (
	firstObserved = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	observedSpan  = 3 * 365 * 24 * time.Hour
)

// corpus makes synthetic memories, and questions about them. The same seed and
// size give the same sequence. It is not safe for concurrent use.
type corpus struct {
	rng      *rand.Rand
	vocab    *vocabulary
	entities []string // slot k is about entities[k/len(attributes)]
	slots    int      // slots used
	made     int      // memories made
	size     int
	length   length
	said     map[string]bool // texts made: none is made twice
	asked    map[string]bool // queries of askNew
}

// newCorpus makes a corpus meant to have size memories; more can be drawn.
func newCorpus(seed uint64, size int, of length) *corpus {
	rng := rand.New(rand.NewPCG(seed, uint64(size)))
	return &corpus{rng: rng, vocab: newVocabulary(rng), entities: []string{"user"}, size: size, length: of, said: map[string]bool{}, asked: map[string]bool{}}
}

// next makes the next memory. Those beyond the corpus' size are said now.
func (c *corpus) next() memory {
	m := memory{Layer: pick(c.rng, layerNames)}
	if c.made < c.size {
		m.ObservedAt = firstObserved.Add(observedSpan * time.Duration(c.made) / time.Duration(c.size)).Format(time.RFC3339)
	}
	c.made++
	switch draw := c.rng.Float64(); {
	case draw < shareSupersedes && c.slots > 0:
		c.fillSlot(&m, c.rng.IntN(c.slots))
	case draw < shareSlots:
		c.fillSlot(&m, c.slots)
		c.slots++
	case draw < shareSlots+(1-shareSlots)*shareEpisodic:
		m.Tier = "episodic"
	}
	c.addLabels(&m)
	m.Text = c.unsaid(m.Text)
	return m
}

// unsaid adds a sentence to a text so that no memory made has the same.
func (c *corpus) unsaid(text string) string {
	for {
		said := strings.TrimSpace(text + " " + c.sentence())
		if !c.said[said] {
			c.said[said] = true
			return said
		}
	}
}

// fillSlot makes m a statement about slot k, with a value of its own.
func (c *corpus) fillSlot(m *memory, k int) {
	who := k / len(attributes)
	for len(c.entities) <= who {
		c.entities = append(c.entities, inventName(c.rng))
	}
	m.Entity, m.Attribute = c.entities[who], attributes[k%len(attributes)]
	m.Value = c.vocab.phrase(1+c.rng.IntN(2), false) + fmt.Sprintf(" %d", c.made)
	m.Text = fmt.Sprintf("The %s of %s is %s.", m.Attribute, m.Entity, m.Value)
}

func (c *corpus) addLabels(m *memory) {
	if c.chance(shareTagged) {
		m.Tags = []string{c.tag()}
	}
	if c.chance(shareProject) {
		m.Project = c.project()
	}
}

func (c *corpus) sentence() string {
	spread := c.length.most - c.length.least + 1
	words := c.length.least + min(c.rng.IntN(spread), c.rng.IntN(spread))
	if c.chance(shareChinese) {
		return c.vocab.phrase(words/2, true) + "，" + c.vocab.phrase(words-words/2, true) + "。"
	}
	return capitalize(c.vocab.phrase(words, false)) + "."
}

// maxQueryWords bounds a query: people type one to six words.
const maxQueryWords = 6

// ask makes a question of one to six words; four in ten have a filter.
func (c *corpus) ask() question {
	q := question{Query: c.vocab.phrase(1+c.rng.IntN(maxQueryWords), c.chance(shareChinese))}
	switch c.rng.IntN(10) {
	case 0:
		q.Layers = []string{pick(c.rng, layerNames), pick(c.rng, layerNames)}
	case 1:
		q.Tags = []string{c.tag()}
	case 2:
		q.Project = c.project()
	case 3:
		q.Entity = pick(c.rng, c.entities)
		q.Since = firstObserved.Add(observedSpan / 2).Format(time.RFC3339)
	}
	return q
}

// askNew makes a question whose query was not asked before, so that no cache has
// its vector.
func (c *corpus) askNew() question {
	for {
		if q := c.ask(); !c.asked[q.Query] {
			c.asked[q.Query] = true
			return q
		}
	}
}

func (c *corpus) chance(p float64) bool { return c.rng.Float64() < p }
func (c *corpus) tag() string           { return fmt.Sprintf("tag-%d", c.rng.IntN(tagCount)) }
func (c *corpus) project() string       { return fmt.Sprintf("project-%d", c.rng.IntN(projectCount)) }
