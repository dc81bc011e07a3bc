package builtin

import "sync/atomic"

// pages gives memory back that reading the word table made resident. A row is 168
// bytes, but for each the system maps the pages around it too, 64 KB at a time, so
// after some hundred texts nearly all of the table would count as this process's
// memory. The pages stay in the system's cache, from where they come back in
// microseconds.
type pages struct {
	table []byte // of the binary's read-only pages; nil: there is nothing to give back
	rows  atomic.Int64
}

// rowsHeld is how many rows are read before their pages are given back: at most 16
// MB of them, as 64 KB a row. Giving back each time would cost no more than this
// does by any measure; it only asks the system less often.
const rowsHeld = 256

// read counts rows that were read.
func (p *pages) read(rows int) {
	if p.table == nil || p.rows.Add(int64(rows)) < rowsHeld {
		return
	}
	p.rows.Store(0)
	giveBack(p.table)
}
