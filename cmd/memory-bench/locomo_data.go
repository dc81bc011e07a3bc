package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// talk is one conversation of LoCoMo (Maharana and others 2024,
// https://github.com/snap-research/locomo), with the questions about it.
type talk struct {
	ID       string
	Sittings []sitting // in the order of their numbers; never empty
	Probes   []probe   // in the order of the file
}

// sitting is one session of a talk.
type sitting struct {
	Number     int
	At         time.Time // when it begins, in UTC: the data name no zone
	Utterances []utterance
}

// utterance is one turn. Captions of pictures are left out.
type utterance struct {
	ID      string `json:"dia_id"` // "D<session>:<turn>"
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

// said is when turn i of a session was spoken: the data time sessions only, so
// that turns are set a second apart.
func (s *sitting) said(i int) time.Time { return s.At.Add(time.Duration(i) * time.Second) }

// name is the sitting's session id within a talk.
func (s *sitting) name(talkID string) string { return fmt.Sprintf("%s-%d", talkID, s.Number) }

// turns counts the turns of a talk.
func (t *talk) turns() (n int) {
	for _, s := range t.Sittings {
		n += len(s.Utterances)
	}
	return n
}

// Categories of LoCoMo's questions, by the numbers of the data. Some papers
// swap names; the numbers stay.
const (
	categories  = 5
	adversarial = 5 // asks for what nobody said, though near what somebody did
)

var categoryNames = [categories + 1]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

// probe is a question with the turns that answer it.
type probe struct {
	Index    int // place in the talk's list
	Question string
	Answer   string          // the gold one; "" in category 5
	Category int             // 1 to 5
	Evidence map[string]bool // ids of turns; never empty
}

// sittingsOf returns the sessions of the evidence.
func (p *probe) sittingsOf() map[string]bool {
	out := make(map[string]bool, len(p.Evidence))
	for id := range p.Evidence {
		out[sittingOf(id)] = true
	}
	return out
}

// sittingOf returns the session part of a turn's id: "D3" of "D3:11".
func sittingOf(turn string) string {
	session, _, _ := strings.Cut(turn, ":")
	return session
}

// rawTalk is a conversation as the file has it.
type rawTalk struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	QA           []struct {
		Question string          `json:"question"`
		Answer   json.RawMessage `json:"answer"` // a string or a number
		Category int             `json:"category"`
		Evidence []string        `json:"evidence"`
	} `json:"qa"`
}

// readTalks reads locomo10.json. Questions without evidence are left out:
// 1,982 of 1,986 are left.
func readTalks(path string) ([]talk, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the LoCoMo data (--data): %w", err)
	}
	var raws []rawTalk
	if err := json.Unmarshal(b, &raws); err != nil {
		return nil, fmt.Errorf("read the LoCoMo data in %s: %w", path, err)
	}
	talks := make([]talk, 0, len(raws))
	for _, raw := range raws {
		t, err := raw.talk()
		if err != nil {
			return nil, fmt.Errorf("read conversation %s in %s: %w", raw.ID, path, err)
		}
		talks = append(talks, t)
	}
	return talks, nil
}

func (r *rawTalk) talk() (talk, error) {
	t := talk{ID: r.ID}
	for _, n := range r.sessions() {
		s := sitting{Number: n}
		key := fmt.Sprintf("session_%d", n)
		if err := json.Unmarshal(r.Conversation[key], &s.Utterances); err != nil {
			return t, fmt.Errorf("%s: %w", key, err)
		}
		if len(s.Utterances) == 0 {
			continue
		}
		var err error
		if s.At, err = sittingTime(r.Conversation[key+"_date_time"]); err != nil {
			return t, fmt.Errorf("%s: %w", key, err)
		}
		t.Sittings = append(t.Sittings, s)
	}
	for i, q := range r.QA {
		p := probe{Index: i, Question: q.Question, Answer: answer(q.Answer), Category: q.Category, Evidence: evidence(q.Evidence)}
		if p.Category < 1 || p.Category > categories {
			return t, fmt.Errorf("question %d has category %d, not 1 to %d", i, p.Category, categories)
		}
		if len(p.Evidence) > 0 {
			t.Probes = append(t.Probes, p)
		}
	}
	return t, nil
}

// answer is a gold answer in words: some of the data are numbers, years and counts.
func answer(raw json.RawMessage) string {
	var words string
	if err := json.Unmarshal(raw, &words); err != nil {
		return string(raw)
	}
	return words
}

// sessions returns the numbers of the sessions that have turns, in order.
func (r *rawTalk) sessions() []int {
	var out []int
	for key := range maps.Keys(r.Conversation) {
		if n, err := strconv.Atoi(strings.TrimPrefix(key, "session_")); err == nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// sittingTime reads "1:56 pm on 8 May, 2023".
func sittingTime(raw json.RawMessage) (time.Time, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return time.Time{}, fmt.Errorf("read when it was: %w", err)
	}
	return time.Parse("3:04 pm on 2 January, 2006", s)
}

// evidenceID finds a turn in the evidence of a question. Some of the 2,815 ids
// are malformed: "D8:6; D9:17", "D:11:26", "D30:05".
var evidenceID = regexp.MustCompile(`D?:?(\d+):(\d+)`)

// evidence returns the ids of turns in a question's evidence, without zeros in
// front of their numbers.
func evidence(given []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range given {
		for _, m := range evidenceID.FindAllStringSubmatch(s, -1) {
			out["D"+plainNumber(m[1])+":"+plainNumber(m[2])] = true
		}
	}
	return out
}

func plainNumber(digits string) string {
	if n := strings.TrimLeft(digits, "0"); n != "" {
		return n
	}
	return "0"
}
