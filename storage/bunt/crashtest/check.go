package crashtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// Report counts what became of images.
type Report struct {
	Images   int      `json:"images"`
	Closed   int      `json:"not_opened"` // that did not open
	Lost     int      `json:"lost"`       // that lack something acknowledged
	Half     int      `json:"half"`       // that hold a state that the store never was in
	Stuck    int      `json:"stuck"`      // that take no further operation, or lose it
	Leaked   int      `json:"leaked"`     // that hold the words of a record that had lost its content
	Salvaged int      `json:"salvaged"`   // that opening had to repair
	Failures []string `json:"failures"`   // the first ones
}

// Bad reports whether a promise was broken.
func (r *Report) Bad() bool { return r.Closed+r.Lost+r.Half+r.Stuck+r.Leaked > 0 }

// Add sums up.
func (r *Report) Add(other Report) {
	r.Images += other.Images
	r.Closed += other.Closed
	r.Lost += other.Lost
	r.Half += other.Half
	r.Stuck += other.Stuck
	r.Leaked += other.Leaked
	r.Salvaged += other.Salvaged
	r.Failures = append(r.Failures, other.Failures...)
}

// maxFailures is how many failures a report tells apart.
const maxFailures = 5

func (r *Report) fail(count *int, format string, args ...any) {
	*count++
	if len(r.Failures) < maxFailures {
		r.Failures = append(r.Failures, fmt.Sprintf(format, args...))
	}
}

// deeper is of how many images one is opened under a recorder and crashed again.
const deeper = 10

// Check draws images of the tape, each in a directory of its own below dir, opens
// them, and looks whether each holds a state that the store was in: that of the
// last step that was over, or that of the next. Some are crashed again while they
// recover and go on. An error is one of the files around, not of an image.
func (t *Tape) Check(ctx context.Context, dir string, images int, seed uint64) (Report, error) {
	return t.check(ctx, dir, images, seed, true)
}

func (t *Tape) check(ctx context.Context, dir string, images int, seed uint64, again bool) (Report, error) {
	var report Report
	random := rand.New(rand.NewPCG(seed, 2))
	for n := range images {
		image := t.recorder.image(random)
		place := filepath.Join(dir, fmt.Sprintf("%d-%d", seed, n))
		if err := image.write(place); err != nil {
			return report, err
		}
		name := fmt.Sprintf("seed %d, image %d, after event %d", seed, n, image.At)
		report.Images++
		if again && n%deeper == 0 {
			nested, err := t.crashAgain(ctx, place, image, random.Uint64())
			if err != nil {
				return report, fmt.Errorf("%s: %w", name, err)
			}
			report.Add(nested)
		}
		t.search(&report, name, image)
		if err := t.judge(ctx, &report, name, place, image); err != nil {
			return report, err
		}
		if err := os.RemoveAll(place); err != nil {
			return report, err
		}
	}
	return report, nil
}

// crashAgain goes on from a copy of an image, and crashes that.
func (t *Tape) crashAgain(ctx context.Context, place string, image Image, seed uint64) (Report, error) {
	dir := place + "-again"
	if err := image.write(dir); err != nil {
		return Report{}, err
	}
	tape, err := Workload{Seed: seed, Steps: 3}.Record(ctx, dir, t.Ended)
	if err != nil { // an image that does not open is judged as such
		return Report{}, os.RemoveAll(dir)
	}
	report, err := tape.check(ctx, place+"-crashes", deeper, seed, false)
	return report, errors.Join(err, os.RemoveAll(dir), os.RemoveAll(place+"-crashes"))
}

// search looks for words that were gone before the crash.
func (t *Tape) search(report *Report, name string, image Image) {
	for _, g := range t.gone {
		for file, content := range image.Files {
			if g.step <= image.Done && bytes.Contains(content, []byte(g.word)) {
				report.fail(&report.Leaked, "%s: %s holds %q, which was gone after step %d of %d", name, file, g.word, g.step, image.Done)
				return
			}
		}
	}
}

// judge opens an image.
func (t *Tape) judge(ctx context.Context, report *Report, name, dir string, image Image) error {
	s, err := openQuietly(ctx, dir)
	if err != nil {
		report.fail(&report.Closed, "%s: %v", name, err)
		return nil
	}
	if s.Stats().Salvage != nil {
		report.Salvaged++
	}
	got, err := state(ctx, s)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	t.compare(report, name, got, image)
	return t.goOn(ctx, report, name, dir, s)
}

// compare finds the state among those that may be there.
func (t *Tape) compare(report *Report, name, got string, image Image) {
	allowed := t.states[image.Done:min(image.Done+2, len(t.states))]
	maybe := slices.ContainsFunc(t.refused, func(r refusal) bool { return r.state == got && (r.step == image.Done || r.step == image.Done-1) })
	switch {
	case slices.Contains(allowed, got), maybe:
	case slices.Contains(t.states, got):
		report.fail(&report.Lost, "%s: step %d was acknowledged, the store is in another step's state", name, image.Done)
	default:
		report.fail(&report.Half, "%s: the store is in no step's state, after step %d", name, image.Done)
	}
}

// goOn makes sure that an opened image takes an operation and keeps it.
func (t *Tape) goOn(ctx context.Context, report *Report, name, dir string, s *bunt.Store) error {
	at := t.Ended.Add(time.Hour)
	op := storage.Op{User: User, At: at, Put: []storage.Record{{ID: "after", User: User, Layer: storage.Fact, Tier: storage.Semantic,
		Text: "after the crash", ObservedAt: at, RecordedAt: at, Trust: storage.UserStated}}}
	err := errors.Join(s.Apply(ctx, op), s.Close())
	if err == nil {
		if s, err = openQuietly(ctx, dir); err == nil {
			_, err = s.Get(ctx, "after")
			if err == nil && s.Stats().Salvage != nil {
				err = errors.New("it was repaired twice")
			}
			err = errors.Join(err, s.Close())
		}
	}
	if err != nil {
		report.fail(&report.Stuck, "%s: going on: %v", name, err)
	}
	return nil
}

// lifetime is a retention in which nothing expires: what is in the files is shown.
const lifetime = 100 * 365 * 24 * time.Hour

// openQuietly opens a store so that nothing is purged and nothing is waited for.
func openQuietly(ctx context.Context, dir string) (*bunt.Store, error) {
	return bunt.Open(ctx, bunt.Options{Dir: dir, Wait: -1, Retention: lifetime, Clock: func() time.Time { return start },
		Sync: func(*os.File) error { return nil }})
}

// fingerprint is the state of the store that files hold.
func fingerprint(ctx context.Context, files map[string][]byte) (print string, err error) {
	dir, err := os.MkdirTemp("", "crashtest-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := (Image{Files: files}).write(dir); err != nil {
		return "", err
	}
	s, err := openQuietly(ctx, dir)
	if err != nil {
		return "", err
	}
	print, err = state(ctx, s)
	return print, errors.Join(err, s.Close())
}

// state sums up all that a store tells, but for what is drawn when it is made.
func state(ctx context.Context, s *bunt.Store) (string, error) {
	sum := sha256.New()
	out := json.NewEncoder(sum)
	err := s.Scan(ctx, func(e storage.Entry) error { return out.Encode(e) })
	if err == nil {
		err = s.Sessions(ctx, func(s storage.Session) error { return out.Encode(s) })
	}
	if err == nil {
		err = s.Jobs(ctx, func(user string, j storage.Job) error { return out.Encode([]any{user, j}) })
	}
	if err == nil {
		err = out.Encode(s.Last())
	}
	if err != nil {
		return "", err
	}
	for _, key := range answerKeys {
		answer, err := s.Answer(ctx, User, key)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return "", err
		}
		if err := out.Encode(answer); err != nil {
			return "", err
		}
	}
	for _, hash := range seen {
		if err := out.Encode(s.Seen(User, hash)); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
