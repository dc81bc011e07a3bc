package bunt

import (
	"errors"
	"slices"
	"time"

	"mcp-memory/storage"
)

// Contents is what a file of operations holds, in counts.
type Contents struct {
	Version    int       `json:"version"`
	Created    time.Time `json:"created"`       // the store, not the file
	Last       time.Time `json:"last,omitzero"` // the newest operation
	Bytes      int64     `json:"bytes"`
	Operations int       `json:"operations"`
	Records    int       `json:"records"`   // that have their content
	Forgotten  int       `json:"forgotten"` // of these
	Purged     int       `json:"purged"`    // without content
	Users      int       `json:"users"`
	Sessions   int       `json:"sessions"`
	Jobs       int       `json:"jobs"`
	Sealed     bool      `json:"sealed"` // it is a backup that ends as it should
}

// census folds operations as [state] does, but keeps ids and counts only, so that
// a file of any size is gone through in little memory. What does not add up it
// counts.
type census struct {
	records map[string]standing
	users   map[string]uint32
	names   []string // of users, by number
	talks   map[userKey]struct{}
	jobs    map[userKey]struct{}
	open    map[userKey]struct{} // erases that are not done
	halfway map[userKey]struct{} // forgets of which not all came that was announced
	at      map[uint64]int64     // where the operation of a number that counts begins; deleted: -1
	last    time.Time

	broken   []Stretch // operations with a good checksum that cannot be read
	repeated int       // operations that stand twice or were deleted, and records put twice
	unknown  []string  // ids that operations name and no operation put; the first maxNamed
	unknowns int
}

// maxNamed is how many of a kind are named.
const maxNamed = 100

// standing is what became of a record.
type standing struct {
	user              uint32
	forgotten, purged bool
	erased            bool // forgotten for good
}

func newCensus() *census {
	return &census{records: map[string]standing{}, users: map[string]uint32{}, talks: map[userKey]struct{}{},
		jobs: map[userKey]struct{}{}, open: map[userKey]struct{}{}, halfway: map[userKey]struct{}{}, at: map[uint64]int64{}}
}

// deleted marks the number of an operation that a later command deleted.
const deleted = -1

// add counts a command of an operation.
func (c *census) add(cmd command) error {
	seq, _ := parseKey(cmd.key)
	_, known := c.at[seq]
	c.at[seq] = cmd.offset
	if cmd.del {
		c.at[seq] = deleted
	}
	if known || cmd.del {
		c.repeated++
		return nil
	}
	op, again, records, err := readOperation(string(cmd.value))
	if err != nil {
		c.broken = append(c.broken, Stretch{From: cmd.offset, To: cmd.offset + cmd.length, Operation: seq})
		return nil
	}
	c.fold(op, again, records)
	return nil
}

// counts reports whether a command is the one that counts of its number, and can
// be read.
func (c *census) counts(cmd command) bool {
	seq, _ := parseKey(cmd.key)
	unreadable := slices.ContainsFunc(c.broken, func(s Stretch) bool { return s.From == cmd.offset })
	return !cmd.del && c.at[seq] == cmd.offset && !unreadable
}

// readOperation reads a value as the fold does and as readers of its content do.
// again are the records that it holds merged reinforcements of. Error: errValue.
func readOperation(value string) (op storage.Op, again []string, records []recordLine, err error) {
	_, foldErr := parse(value)
	head, records, err := decodeLines(value)
	for i := range head.Again {
		again = append(again, head.Again[i].ID)
		_, badTimes := head.Again[i].expand()
		err = errors.Join(err, badTimes)
	}
	return head.Op, again, records, errors.Join(foldErr, err)
}

func (c *census) fold(op storage.Op, again []string, records []recordLine) {
	for i := range records {
		c.put(&records[i])
	}
	for _, r := range op.Reinforce {
		c.name(r.ID)
	}
	for _, id := range slices.Concat(again, op.Withdraw) {
		c.name(id)
	}
	c.foldForget(&op)
	for _, id := range op.Restore {
		c.change(id, func(s *standing) { s.forgotten = s.forgotten && (s.purged || s.erased) })
	}
	for _, e := range op.Erased {
		delete(c.open, userKey{op.User, e.Receipt})
	}
	for _, t := range op.Hear {
		c.talks[userKey{op.User, t.Session}] = struct{}{}
	}
	for _, j := range op.Jobs {
		c.jobs[userKey{op.User, j.ID}] = struct{}{}
	}
	if op.At.After(c.last) {
		c.last = op.At
	}
}

func (c *census) foldForget(op *storage.Op) {
	if op.Forget == nil {
		return
	}
	erase, key := op.Forget.Erase != nil, userKey{op.User, op.Forget.Receipt}
	if op.Forget.Ahead != nil {
		c.halfway[key] = struct{}{}
	}
	if op.Forget.Last {
		delete(c.halfway, key)
	}
	for _, t := range op.Forget.Records {
		c.change(t.ID, func(s *standing) { s.forgotten, s.erased = true, s.erased || erase })
	}
	if erase {
		c.open[key] = struct{}{}
	}
}

func (c *census) put(r *recordLine) {
	if _, known := c.records[r.ID]; known {
		c.repeated++
		return
	}
	user, known := c.users[r.User]
	if !known {
		user = uint32(len(c.users))
		c.users[r.User] = user
		c.names = append(c.names, r.User)
	}
	c.records[r.ID] = standing{user: user, purged: r.Purged}
}

// name notes an id that an operation names.
func (c *census) name(id string) { c.change(id, func(*standing) {}) }

func (c *census) change(id string, edit func(*standing)) {
	s, known := c.records[id]
	if known {
		edit(&s)
		c.records[id] = s
		return
	}
	c.unknowns++
	if len(c.unknown) < maxNamed && !slices.Contains(c.unknown, id) {
		c.unknown = append(c.unknown, id)
	}
}

// record tells whose record an id is and whether it has its content.
func (c *census) record(id string) (user string, content, known bool) {
	s, known := c.records[id]
	if !known {
		return "", false, false
	}
	return c.names[s.user], !s.purged, true
}

// contents sums up, with what a scan found.
func (c *census) contents(v *survey) Contents {
	out := Contents{Version: v.meta.version, Created: v.meta.created, Last: c.last, Bytes: v.size, Operations: v.kept,
		Users: len(c.users), Sessions: len(c.talks), Jobs: len(c.jobs), Sealed: v.end != nil}
	for _, s := range c.records {
		switch {
		case s.purged:
			out.Purged++
		default:
			out.Records++
			if s.forgotten {
				out.Forgotten++
			}
		}
	}
	return out
}

// sound reports whether a start takes every operation as it stands. What refers to
// nothing is left out by the fold and costs nothing.
func (c *census) sound() bool { return len(c.broken) == 0 && c.repeated == 0 }
