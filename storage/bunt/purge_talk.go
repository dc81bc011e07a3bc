package bunt

import (
	"cmp"
	"slices"
	"time"

	"mcp-memory/storage"
)

// talkConcerns reports whether op holds turns that are gone, marks that others
// passed, or jobs that were replaced or have expired.
func (p *purger) talkConcerns(op *operation) bool {
	return slices.ContainsFunc(op.hear, func(t turn) bool { return p.heardGone(op.user, t.session, t.seq) }) ||
		slices.ContainsFunc(op.read, func(r storage.Reading) bool { return p.passed(op.user, r) }) ||
		slices.ContainsFunc(op.jobs, func(j jobPart) bool { return p.jobGone(op.user, op.at, j.id) })
}

// stripTalk takes what talkConcerns finds out of op.
func (p *purger) stripTalk(op *storage.Op) {
	op.Hear = slices.DeleteFunc(op.Hear, func(t storage.Turn) bool { return p.heardGone(op.User, t.Session, t.Seq) })
	op.Read = slices.DeleteFunc(op.Read, func(r storage.Reading) bool { return p.passed(op.User, r) })
	op.Jobs = slices.DeleteFunc(op.Jobs, func(j storage.Job) bool { return p.jobGone(op.User, op.At, j.ID) })
}

// heardGone reports whether a turn is neither unread nor in working memory, or was
// erased.
func (p *purger) heardGone(user, name string, seq int64) bool {
	s := p.sessions[userKey{user, name}]
	if s == nil {
		return false
	}
	_, there := slices.BinarySearchFunc(s.turns, seq, func(t turn, seq int64) int { return cmp.Compare(t.seq, seq) })
	return !there && seq < s.next
}

// passed reports whether a session's marks are beyond those of r: a later reading
// says all that r says.
func (p *purger) passed(user string, r storage.Reading) bool {
	s := p.sessions[userKey{user, r.Session}]
	return s != nil && r.Unread < s.unread && r.Keep < s.keep && r.Next <= max(s.unread, s.keep)
}

// jobGone reports whether a job was replaced, has expired, or was done before too many
// others.
func (p *purger) jobGone(user string, at time.Time, id string) bool {
	j, known := p.jobs[userKey{user, id}]
	return !known || at.Before(j.at) || j.expired(p.horizon)
}
