package structure

import (
	"slices"
	"sync"
	"time"
)

// Reading is what a sentence states: the statements that it makes apart, or the one that
// it makes.
type Reading struct {
	Parts []Part
	// Statement is that of Parse, read only where there are no parts; OK reports whether
	// there is one.
	Statement Statement
	OK        bool
}

// Reader reads sentences, and each but once however often it stands in a talk: a talk is
// read for its worth and once more for each layer. It serves one talk and is safe for
// concurrent use.
type Reader struct {
	mu   sync.Mutex
	read map[readKey]*kept // guarded by mu
}

// readKey is what a reading depends on; on before only where led.
type readKey struct {
	text, speaker, before string
	led                   bool
	at                    time.Time
}

// kept is a reading, or what has to be known to find or make it.
type kept struct {
	Reading
	asked asked
}

// asked is what a reading asked for beside the sentence: of what was said before it.
type asked struct{ others, before bool }

// Read returns what Parts and Parse make of an input.
func (r *Reader) Read(in Input) Reading {
	key := readKey{text: in.Text, speaker: in.Speaker, at: in.ObservedAt}
	if found := r.find(key, &in); found != nil {
		return found.own()
	}
	made := &kept{}
	in.asked = &made.asked
	if made.Parts = Parts(in); len(made.Parts) == 0 {
		made.Statement, made.OK = Parse(in)
	}
	made.clip()
	r.keep(key, &in, made)
	return made.own()
}

func (r *Reader) find(key readKey, in *Input) *kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.read[key]
	if found != nil && found.asked.before {
		key.led, key.before = true, in.Before
		found = r.read[key]
	}
	if found == nil || found.asked.others {
		return nil
	}
	return found
}

// keep keeps a reading that what others said has no part in.
func (r *Reader) keep(key readKey, in *Input, made *kept) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read == nil {
		r.read = map[readKey]*kept{}
	}
	if made.asked.others {
		return
	}
	r.read[key] = made
	if made.asked.before {
		key.led, key.before = true, in.Before
		r.read[key] = made
	}
}

// clip keeps those who add to a statement's slices from writing into one that others
// read.
func (k *kept) clip() {
	k.Statement.clip()
	for i := range k.Parts {
		k.Parts[i].Statement.clip()
	}
}

// own is the reading with parts that who asked may write into.
func (k *kept) own() Reading {
	out := k.Reading
	out.Parts = slices.Clone(out.Parts)
	return out
}

func (st *Statement) clip() {
	st.Closes, st.Displaces = slices.Clip(st.Closes), slices.Clip(st.Displaces)
}
