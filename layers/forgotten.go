package layers

import (
	"fmt"
	"sync"

	"mcp-memory/internal/text"
	"mcp-memory/layers/extract"
	"mcp-memory/storage"
)

// forgottenSet is what must not be learned again: what was forgotten, by the hashes
// that outlive it. It is safe for concurrent use.
type forgottenSet struct {
	mu              sync.RWMutex // guards what follows
	texts, messages map[string]bool
}

// forgottenSet returns what was forgotten. It is read when it is first asked for, and
// goes on with every forget until one is undone.
func (sp *space) forgottenSet() (*forgottenSet, error) {
	if f := sp.forgotten.Load(); f != nil {
		return f, nil
	}
	f := &forgottenSet{texts: map[string]bool{}, messages: map[string]bool{}}
	for n := range sp.docs {
		if !sp.docs[n].forgotten() {
			continue
		}
		e, err := sp.entry(uint32(n))
		if err != nil {
			return nil, fmt.Errorf("read what was forgotten: %w", err)
		}
		if e.Tombstone != nil {
			f.add(e.Tombstone)
		}
	}
	sp.forgotten.Store(f)
	return f, nil
}

func (f *forgottenSet) add(t *storage.Tombstone) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.texts[t.TextHash] = true
	for _, hash := range t.MessageHash {
		f.messages[t.SourceHash+hash] = true
	}
}

// text reports whether a text was forgotten.
func (f *forgottenSet) text(store storage.Store, s string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.texts) > 0 && f.texts[store.Hash("text", text.Fold(s))]
}

// message reports whether what a message of a source said was forgotten.
func (f *forgottenSet) message(store storage.Store, source, id string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.messages) > 0 && f.messages[store.Hash("source", source)+store.Hash("message", id)]
}

// holds says why a memory is not learned again; "" where it may be.
func (f *forgottenSet) holds(r *extraction, found *extract.Memory) string {
	store := r.opts.Store
	if f.text(store, found.Text) {
		return "it was forgotten"
	}
	for _, turn := range found.Turns {
		if id := r.turns[turn].ID; id != "" && r.SourceID != "" && f.message(store, r.SourceID, id) {
			return "what this message said was forgotten"
		}
	}
	return ""
}
