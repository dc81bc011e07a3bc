package layers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcp-memory/storage"
)

// Voice is whose calls a memory is for, where they differ from what it was
// opened with: several processes speak to one memory, each with settings of its
// own.
type Voice struct {
	User         string
	UserName     string         // names of the user beside those that are known, separated by commas
	Project      string         // default project of remember and extract
	Location     *time.Location // zone of times given without one; nil: that of the memory
	UpcomingDays int            // how far recall's upcoming looks; 0: as far as the memory
	Attached     bool           // the calls are those of another process, for Stats
	Differ       []string       // settings of that process that do not count, for Stats
}

// Roles of a process, for Stats.
const (
	RoleOwner    = "owner"
	RoleAttached = "attached"
)

// For returns a memory for the calls of v, over the same store. Names of the
// user that nobody gave before are the user's from then on, also in what is
// remembered already. Closing the memory that was opened closes all.
func (m *Memory) For(ctx context.Context, v Voice) (*Memory, error) {
	if err := m.learnNames(ctx, v.User, splitNames(v.UserName)); err != nil {
		return nil, fmt.Errorf("learn the user's names: %w", err)
	}
	of := m.forUser(v.User)
	of.voice, of.opts.Project = v, v.Project
	if v.Location != nil {
		of.opts.Location = v.Location
	}
	if v.UpcomingDays != 0 {
		of.opts.UpcomingDays = v.UpcomingDays
	}
	return of, nil
}

// forUser is m with the names of one user.
func (m *Memory) forUser(user string) *Memory {
	m.mu.RLock()
	defer m.mu.RUnlock()
	of := *m
	of.userNames = m.namesOf(user)
	return &of
}

// namesOf returns the names of a user. The caller holds mu, or is load.
func (m *Memory) namesOf(user string) []string {
	if names, own := m.named[user]; own {
		return names
	}
	return splitNames(m.opts.UserName)
}

// learnNames adds to the names of a user.
func (m *Memory) learnNames(ctx context.Context, user string, names []string) error {
	if len(m.unknownNames(user, names)) == 0 {
		return nil
	}
	m.write.Lock() // nothing is written while the space is made anew
	defer m.write.Unlock()
	fresh := m.unknownNames(user, names)
	if len(fresh) == 0 {
		return nil
	}
	m.mu.RLock()
	all := slices.Concat(m.namesOf(user), fresh)
	m.mu.RUnlock()
	return m.rename(ctx, user, all)
}

func (m *Memory) unknownNames(user string, names []string) []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	known := m.namesOf(user)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(known, name) })
}

// rename makes what is derived from a user's records anew, with the names given.
// The caller holds write.
func (m *Memory) rename(ctx context.Context, user string, names []string) error {
	fresh := newSpace(m.opts.Store, names)
	err := m.opts.Store.Scan(ctx, func(e storage.Entry) error {
		if e.User == user {
			fresh.add(&e, prepare(&e.Record))
		}
		return nil
	})
	if err != nil {
		return err
	}
	fresh.attachPurged()
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.spaces[user]; old != nil {
		if err := fresh.takeVectors(old); err != nil {
			return err
		}
		m.spaces[user] = fresh
	}
	m.named[user] = names
	m.log.Info("a user has another name", "names", len(names), "records", len(fresh.docs))
	return nil
}

// takeVectors takes over the vectors of a space of the same records.
func (sp *space) takeVectors(old *space) error {
	same := slices.EqualFunc(sp.docs, old.docs, func(a, b doc) bool { return a.id == b.id })
	if !same {
		return errors.New("the store holds other records than memory does")
	}
	for n := range sp.docs {
		sp.docs[n].embedded, sp.docs[n].refused = old.docs[n].embedded, old.docs[n].refused
	}
	sp.meaning, sp.vectored = old.meaning, old.vectored
	return nil
}
