package layers

import (
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/storage"
)

// wipes are the erases that were decided while jobs read: what a job found in turns
// that went meanwhile is not stored. They are kept as long as any job runs. The holder
// of Memory.write uses them.
type wipes []wipe

type wipe struct {
	user string
	at   time.Time
	took *traces
}

// note keeps an erase, where a job may hold turns that it takes.
func (w *wipes) note(j *jobs, op *storage.Op, t *traces) {
	if j.running("") {
		*w = append(*w, wipe{op.User, op.At, t})
		return
	}
	*w = nil
}

// since are the erases of a task's user since it took its turns.
func (w wipes) since(t *task) (took []*traces) {
	for _, one := range w {
		if one.user == t.User && !one.at.Before(t.taken) {
			took = append(took, one.took)
		}
	}
	return took
}

// wipeTurns finds the turns that were erased while they were read.
func (r *extraction) wipeTurns() {
	r.erased, r.wiping = map[int]bool{}, r.wipes.since(r.task)
	for _, t := range r.wiping {
		for i := range r.turns {
			said := &r.turns[i]
			if t.turn(&storage.Turn{Session: r.Session, Source: r.SourceID, ID: said.ID, Text: said.Content}) {
				r.erased[i] = true
			}
		}
	}
}

// erasedMeanwhile reports whether a memory was made of a turn that was erased while it
// was read, or says the words of what was. One of which no turn is known may be of any.
func (r *extraction) erasedMeanwhile(found *extract.Memory) bool {
	for _, i := range found.Turns {
		if r.erased[i] {
			return true
		}
	}
	if len(found.Turns) == 0 && len(r.erased) > 0 {
		return true
	}
	for _, t := range r.wiping {
		if t.holds(found.Text) || t.holds(found.Quote) {
			return true
		}
	}
	return false
}
