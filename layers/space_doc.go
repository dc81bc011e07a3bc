package layers

import (
	"crypto/sha256"
	"time"

	"mcp-memory/layers/recall"
	"mcp-memory/storage"
)

// doc is what filters and slots need of a record. Times are Unix microseconds;
// 0 means absent. The content stays in the store.
type doc struct {
	id          string
	project     string
	layer       storage.Layer
	tier        storage.Tier
	slot        *slotState // nil: no slot
	entity      string     // canonical key
	attribute   string     // canonical name
	value       string     // canonical, polarity folded in; "" for a purged tombstone
	valueHash   string     // of a purged tombstone
	entityHash  string     // likewise
	projectHash string     // of an erased record, likewise
	objectHash  string     // likewise
	none        bool
	beside      bool
	closes      []string
	tags        []string
	source      string
	turns       *session // where it is a turn
	turn        int32    // its place there
	speaker     string
	role        string
	traits      recall.Trait
	text        textSum // zero where the content is gone
	same        int32   // 1 + the record before that says the same; 0: none

	importance  uint8
	embedded    bool     // it has a vector
	refused     bool     // it gets none: the embedder does not take it
	said        []saying // its own first, then its reinforcements
	event       int64    // starts_at, else valid_from, else observed_at
	startsAt    int64
	withdrawnAt int64
	forgottenAt int64
	restoredAt  int64 // when it was last brought back
	erased      bool
}

func (d *doc) live() bool      { return d.withdrawnAt == 0 && d.forgottenAt == 0 }
func (d *doc) recorded() int64 { return d.said[0].recorded }
func (d *doc) validTo() int64  { return d.said[0].validTo }
func (d *doc) forgotten() bool { return d.forgottenAt != 0 }

// observed is when it was last said.
func (d *doc) observed() int64 {
	last := d.said[0].observed
	for _, s := range d.said[1:] {
		last = max(last, s.observed)
	}
	return last
}

// start is from when the record counts: its valid_from, else when it was said.
func (d *doc) start() int64 {
	if d.said[0].validFrom != 0 {
		return d.said[0].validFrom
	}
	return min(d.said[0].observed, d.said[0].recorded)
}

// saying is one time a statement was said.
type saying struct {
	observed, validFrom, validTo, recorded int64
	confidence                             float64
	trust                                  uint8
}

func recordSaying(r *storage.Record) saying {
	return saying{
		observed: micros(r.ObservedAt), validFrom: micros(r.ValidFrom), validTo: micros(r.ValidTo),
		recorded: micros(r.RecordedAt), confidence: r.Confidence, trust: uint8(r.Trust.Rank()),
	}
}

// textSum stands for a folded text where only equality is asked for: SHA-256
// takes a tenth of the memory of the texts, and no two texts share one.
type textSum [sha256.Size]byte

func sumText(folded string) textSum { return sha256.Sum256([]byte(folded)) }

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
