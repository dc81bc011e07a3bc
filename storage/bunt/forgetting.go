package bunt

import (
	"encoding/json"
	"time"

	"mcp-memory/storage"
)

// forgetting is what one forget took.
type forgetting struct {
	user, receipt string
	erase         *storage.Erase // nil: a soft forget
	jobs          []storage.Job  // that an erase rewrote
	answers       []storage.Answer
	at            time.Time
	tombs         []storage.Tombstone
	strangers     []storage.Entry // that the backup does not know
}

// takeAlong takes what an erase did beside its records. It is open again from then
// on: the next start finishes it.
func (g *forgetting) takeAlong(r receipt) {
	if !r.erase {
		return
	}
	g.erase = &storage.Erase{}
	for _, value := range r.values {
		op, _, err := decode(value)
		if err != nil {
			continue // nothing can be known of it
		}
		g.erase.Turns = append(g.erase.Turns, op.Forget.Erase.Turns...)
		g.jobs, g.answers = append(g.jobs, op.Jobs...), append(g.answers, op.Answers...)
	}
}

func (g *forgetting) take(e storage.Entry, known bool) {
	if e.Tombstone == nil {
		e.Tombstone = &storage.Tombstone{ID: e.ID}
	}
	g.tombs = append(g.tombs, *e.Tombstone)
	if !known {
		g.strangers = append(g.strangers, e)
	}
}

// written is an operation with its records.
type written struct {
	storage.Op
	records []recordLine
}

// strangersPerOperation keeps operations far below their limit.
const strangersPerOperation = 1000

// operations forgets again. Of what the backup does not know only the tombstone
// and what an order needs comes with it.
func (g *forgetting) operations() []written {
	var ops []written
	for rest := g.strangers; len(rest) > 0; {
		n := min(len(rest), strangersPerOperation)
		op := written{Op: storage.Op{User: g.user, At: g.at}}
		for _, e := range rest[:n] {
			op.records = append(op.records, recordLine{Purged: true, Record: remains(e.Record, "")})
			for _, again := range e.Reinforced {
				again.Source, again.Tags = storage.Source{}, nil
				op.Reinforce = append(op.Reinforce, again)
			}
			if !e.WithdrawnAt.IsZero() {
				op.Withdraw = append(op.Withdraw, e.ID)
			}
		}
		ops, rest = append(ops, op), rest[n:]
	}
	for i, tombs := range g.tombChunks() {
		forget := storage.Op{User: g.user, At: g.at, Forget: &storage.Forget{Receipt: g.receipt, Records: tombs, More: i > 0}}
		if g.erase != nil {
			forget.Forget.Erase = &storage.Erase{}
		}
		if i == 0 {
			forget.Jobs, forget.Answers, forget.Forget.Erase = g.jobs, g.answers, g.erase
		}
		ops = append(ops, written{Op: forget})
	}
	return ops
}

// tombBytes is about how many bytes of tombstones one operation takes.
const tombBytes = 2 << 20

// tombChunks divides tombstones so that an operation holds them; there is one chunk
// at least.
func (g *forgetting) tombChunks() (chunks [][]storage.Tombstone) {
	from, size := 0, 0
	for i := range g.tombs {
		raw, err := json.Marshal(g.tombs[i])
		if size += len(raw); err == nil && size > tombBytes && i > from {
			chunks, from, size = append(chunks, g.tombs[from:i]), i, len(raw)
		}
	}
	return append(chunks, g.tombs[from:])
}
