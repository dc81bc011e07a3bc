package layers

import "mcp-memory/layers/conversation"

// Of a session people are at work together where, of so many records that were kept
// of it last, so many settle something.
const (
	workLooksBack = 20
	workRecords   = 2
)

// atWork reports whether the people of a session are known to be at work together
// from what was kept of it. The turns themselves may have left working memory long
// ago.
func (r *extraction) atWork() bool {
	if r.Session == "" {
		return false
	}
	settled := 0
	err := r.Memory.read(r.User, func(sp *space) error {
		s := sp.sessions[r.Session]
		if s == nil {
			return nil
		}
		docs := s.docs[max(0, len(s.docs)-workLooksBack):]
		for n := len(docs) - 1; n >= 0 && settled < workRecords; n-- {
			if !sp.docs[docs[n]].live() {
				continue
			}
			e, err := sp.entry(docs[n])
			if err != nil {
				return err
			}
			if e.Source.Quote != "" && conversation.Settles(e.Text) {
				settled++
			}
		}
		return nil
	})
	return err == nil && settled >= workRecords
}
