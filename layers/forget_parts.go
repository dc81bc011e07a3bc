package layers

import (
	"slices"
	"time"

	"mcp-memory/storage"
)

// partRecords, partTurns and partBytes are what one operation takes of a forget:
// some 2 MB of tombstones, of turns' hashes, and of jobs and answers that were
// rewritten. partAhead is how many ids one announces, some 30 bytes each.
const (
	partRecords = 5000
	partTurns   = 20_000
	partBytes   = 2 << 20
	partAhead   = 100_000
)

// forgetParts divides a forget into operations that the store takes. A small one,
// as nearly all are, is one and so happens as a whole or not at all. What needs
// several is announced first:
//
//	what will go ──> jobs, answers ──> tombstones … ──> the last tombstones
//	(ahead)          without words     (more)           (last)
//
// A start that finds no last part finishes it ([Memory.finishForgets]).
func forgetParts(op storage.Op, ahead storage.Ahead) []storage.Op {
	talk := rewrittenParts(&op)
	parts := takingParts(op)
	if len(talk)+len(parts) == 1 {
		return parts
	}
	for _, t := range op.Forget.Records {
		ahead.IDs = append(ahead.IDs, t.ID)
	}
	first := announcements(op, ahead)
	for i := range parts {
		parts[i].Answer, parts[i].Forget.More = nil, true
	}
	parts[len(parts)-1].Forget.Last = true
	return oneAfterAnother(op.At, slices.Concat(first, talk, parts))
}

// moreParts are the operations that finish a forget that was announced.
func moreParts(op storage.Op) []storage.Op {
	talk := rewrittenParts(&op)
	parts := takingParts(op)
	for i := range parts {
		parts[i].Forget.More = true
	}
	parts[len(parts)-1].Forget.Last = true
	return oneAfterAnother(op.At, slices.Concat(talk, parts))
}

// oneAfterAnother gives operations times that grow.
func oneAfterAnother(at time.Time, parts []storage.Op) []storage.Op {
	for i := range parts {
		parts[i].At = at.Add(time.Duration(i) * time.Microsecond)
	}
	return parts
}

// announcements say what later operations will take. They hold what the call is
// answered with, and take nothing themselves.
func announcements(op storage.Op, ahead storage.Ahead) (parts []storage.Op) {
	all := ahead.IDs
	ahead.Of = len(all)
	for i := 0; i == 0 || i*partAhead < len(all); i++ {
		forget, told := storage.Forget{Receipt: op.Forget.Receipt, More: i > 0}, ahead
		told.IDs = chunk(all, i, partAhead)
		forget.Ahead = &told
		if op.Forget.Erase != nil {
			forget.Erase = &storage.Erase{}
		}
		parts = append(parts, storage.Op{User: op.User, Forget: &forget})
	}
	parts[len(parts)-1].Answer = op.Answer // whoever asks again may rely on it from here on
	return parts
}

// takingParts are the operations that take the records and turns of a forget.
func takingParts(op storage.Op) (parts []storage.Op) {
	tombs, turns := tombstoneChunks(op.Forget.Records), []string(nil)
	if op.Forget.Erase != nil {
		turns = op.Forget.Erase.Turns
	}
	for i := 0; i == 0 || i < len(tombs) || i*partTurns < len(turns); i++ {
		part, forget := op, *op.Forget
		forget.Records, forget.More = nil, i > 0
		if i < len(tombs) {
			forget.Records = tombs[i]
		}
		if forget.Erase != nil {
			part := *forget.Erase
			part.Turns = chunk(turns, i, partTurns)
			forget.Erase = &part
		}
		if part.Forget = &forget; i > 0 {
			part.Answer, part.Jobs, part.Answers, part.Read, part.Seen = nil, nil, nil, nil, nil
		}
		parts = append(parts, part)
	}
	return parts
}

// tombstoneChunks divides tombstones by their number and size.
func tombstoneChunks(all []storage.Tombstone) (chunks [][]storage.Tombstone) {
	from, size := 0, 0
	for i := range all {
		if size += tombstoneSize(&all[i]); i-from == partRecords || size > partBytes && i > from {
			chunks, from, size = append(chunks, slices.Clip(all[from:i])), i, tombstoneSize(&all[i])
		}
	}
	if from < len(all) {
		chunks = append(chunks, all[from:])
	}
	return chunks
}

// tombstoneSize is about how many bytes a tombstone takes as JSON.
func tombstoneSize(t *storage.Tombstone) (size int) {
	const hashed, names = 67, 200
	size = names + len(t.ID) + len(t.Attribute) + hashed*len(t.MessageHash)
	for _, hash := range []string{t.ProjectHash, t.EntityHash, t.ObjectHash, t.ValueHash, t.SourceHash, t.TextHash} {
		size += len(hash)
	}
	for _, c := range t.Closes {
		size += len(c) + len(`"",`)
	}
	return size
}

// chunk is the nth of the pieces of a list; nil behind its end.
func chunk[T any](list []T, n, size int) []T {
	from := min(n*size, len(list))
	return slices.Clip(list[from:min(from+size, len(list))])
}

// rewrittenParts takes jobs and answers out of op, into operations before it, where
// they are too many.
func rewrittenParts(op *storage.Op) (parts []storage.Op) {
	size := 0
	part := storage.Op{User: op.User}
	flush := func(n int) {
		if size += n; size > partBytes {
			parts, part, size = append(parts, part), storage.Op{User: op.User}, 0
		}
	}
	for _, j := range op.Jobs {
		part.Jobs = append(part.Jobs, j)
		flush(len(j.Body))
	}
	for _, a := range op.Answers {
		part.Answers = append(part.Answers, a)
		flush(len(a.Body))
	}
	if len(parts) > 0 { // else all fits
		op.Jobs, op.Answers = part.Jobs, part.Answers
	}
	return parts
}
