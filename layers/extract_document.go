package layers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

// maxParagraph bounds a record of a document, in bytes: a longer paragraph is cut
// between sentences.
const maxParagraph = 2 << 10

// paragraphs keeps a document's paragraphs as episodic records of one session, so
// that its beginning, middle and end stay recallable with their places, and
// extracts facts from it too.
func (m *Memory) paragraphs(ctx context.Context, t *task) (ExtractOutput, error) {
	parts := splitDocument(t.text)
	for i := range parts {
		part := &parts[i]
		part.id = m.paragraphID(part.text)
		t.turns = append(t.turns, conversation.Turn{ID: part.id, Role: conversation.User, Content: part.text, Time: m.documentTime(t), Assumed: t.Observed.IsZero()})
	}
	fresh := m.unseen(t)
	reread, err := m.returned(t)
	if err != nil {
		return ExtractOutput{}, err
	}
	if len(fresh) == 0 && len(reread) == 0 {
		if out, ok, err := m.sentAgain(ctx, t); ok || err != nil {
			return out, err
		}
	}
	if !t.DryRun && len(fresh) > 0 {
		if err := m.storeParagraphs(ctx, t, parts, fresh); err != nil {
			return ExtractOutput{}, err
		}
	}
	t.readBefore(withReturned(t.turns, fresh, reread))
	return m.begin(ctx, t)
}

// withReturned adds to what is new of a document what it says again.
func withReturned(all, fresh []conversation.Turn, returned map[string]bool) (out []conversation.Turn) {
	if len(returned) == 0 {
		return fresh
	}
	read := maps.Clone(returned) // what is to be read, and not taken yet
	for i := range fresh {
		read[fresh[i].ID] = true
	}
	for _, turn := range all {
		if read[turn.ID] {
			out = append(out, turn)
			delete(read, turn.ID)
		}
	}
	return out
}

func (m *Memory) documentTime(t *task) time.Time {
	if t.Observed.IsZero() {
		return m.now().In(m.opts.Location)
	}
	return t.Observed.In(m.opts.Location)
}

// storeParagraphs keeps the paragraphs that are new, and counts them in Kept.
func (m *Memory) storeParagraphs(ctx context.Context, t *task, parts []paragraph, fresh []conversation.Turn) error {
	isNew := map[string]bool{}
	for _, turn := range fresh {
		isNew[turn.ID] = true
	}
	session := "document:" + t.SourceID
	if t.SourceID == "" {
		session = "document:" + t.ID
	}
	forgotten, err := m.forgottenText(t)
	if err != nil {
		return err
	}
	var kept []Memorandum
	for _, part := range parts {
		if !isNew[part.id] || forgotten(part.text) {
			continue
		}
		kept = append(kept, Memorandum{
			Text: part.text, Tier: storage.Episodic, SourceID: t.SourceID, SessionID: session, Project: asProject(t.Project),
			ObservedAt: m.documentTime(t).Format(time.RFC3339Nano), Reason: part.place(len(parts)),
		})
	}
	for batch := range slices.Chunk(kept, maxBatch) {
		out, err := m.Remember(ctx, t.User, RememberInput{Memories: batch, Batch: true})
		if err != nil {
			return fmt.Errorf("keep the document: %w", err)
		}
		for i := range out.Memories {
			if out.Memories[i].Status == StatusStored {
				t.Kept++
			}
		}
	}
	return nil
}

// forgottenText tells texts that were forgotten. A forced task learns them again.
func (m *Memory) forgottenText(t *task) (is func(string) bool, err error) {
	set := &forgottenSet{}
	if !t.Force {
		err = m.read(t.User, func(sp *space) error {
			set, err = sp.forgottenSet()
			return err
		})
	}
	return func(s string) bool { return set.text(m.opts.Store, s) }, err
}

// paragraph is a piece of a document and its place.
type paragraph struct {
	number int // from 1
	start  int // byte of the document as it was given, less its secrets
	text   string
	id     string // of the message that it is to extract
}

// paragraphID is what a paragraph is known by when its document comes again: its words.
// Its number changes when another is put before it, and stays when it is edited.
func (m *Memory) paragraphID(text string) string {
	return "paragraph-" + m.opts.Store.Hash("paragraph", text)[:paragraphDigits]
}

// paragraphDigits is how much of a hash names a paragraph within its document: 64 bits.
const paragraphDigits = 16

// place says where in its document a paragraph stands.
func (p paragraph) place(of int) string {
	return fmt.Sprintf("paragraph %d of %d, from byte %d", p.number, of, p.start)
}

// splitDocument cuts a document at empty lines, and long paragraphs between
// sentences.
func splitDocument(doc string) []paragraph {
	var out []paragraph
	lines, given := unixLines(doc)
	add := func(start int, s string) {
		if text := strings.TrimSpace(s); text != "" {
			out = append(out, paragraph{number: len(out) + 1, start: given(start + strings.Index(s, text)), text: text})
		}
	}
	at := 0
	for _, block := range strings.SplitAfter(lines, "\n\n") {
		from, last := 0, 0
		if len(block) > maxParagraph {
			for _, s := range text.Sentences(block) {
				if s.End-from > maxParagraph && last > from {
					add(at+from, block[from:last])
					from = last
				}
				for s.End-from > maxParagraph { // one sentence without an end
					end := from + len(text.Prefix(block[from:s.End], maxParagraph))
					add(at+from, block[from:end])
					from = end
				}
				last = s.End
			}
		}
		add(at+from, block[from:])
		at += len(block)
	}
	return out
}

// unixLines gives a text's lines the one end, and tells of a byte of that where it
// stood before.
func unixLines(s string) (out string, given func(at int) int) {
	out = strings.ReplaceAll(s, "\r\n", "\n")
	if len(out) == len(s) {
		return s, func(at int) int { return at }
	}
	var shortened []int // where a line's end was two bytes
	for at := range out {
		if out[at] == '\n' && s[at+len(shortened)] == '\r' {
			shortened = append(shortened, at)
		}
	}
	return out, func(at int) int {
		before, _ := slices.BinarySearch(shortened, at)
		return at + before
	}
}
