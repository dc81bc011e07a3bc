package bunt_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
	"mcp-memory/storage/storagetest"
)

func checksumOf(key string, body []byte) uint32 {
	return crc32.Checksum(append([]byte(key+"\x00"), body...), crc32.MakeTable(crc32.Castagnoli))
}

// newerStore is a file of a later format version.
func newerStore(version int) []byte {
	body := fmt.Appendf(nil, `{"version":%d,"whatever":true}`+"\n", version)
	value := fmt.Sprintf("m1 %08x\n%s", checksumOf("meta", body), body)
	return fmt.Appendf(nil, "*3\r\n$3\r\nset\r\n$4\r\nmeta\r\n$%d\r\n%s\r\n*9\r\nunknown to us", len(value), value)
}

func forgetOp(n int, receipt string, ids ...string) storage.Op {
	op := storage.Op{User: "ann", At: at(n), Forget: &storage.Forget{Receipt: receipt}}
	for _, id := range ids {
		op.Forget.Records = append(op.Forget.Records, storage.Tombstone{ID: id, TextHash: "h-" + id})
	}
	return op
}

func TestRestore_ReplacesAStoreOnlyWhenToldAndKeepsIt(t *testing.T) {
	dir, _ := filled(t, 2)
	path := backUp(t, dir)
	s := openDir(t, dir)
	apply(t, s, putOp(3))
	closeStore(t, s)
	present := readFile(t, dbPath(dir))
	if _, err := bunt.Restore(t.Context(), options(dir), path, false); !errors.Is(err, bunt.ErrOccupied) {
		t.Fatalf("restore: error %v, want %v", err, bunt.ErrOccupied)
	}
	if !bytes.Equal(readFile(t, dbPath(dir)), present) {
		t.Fatal("a refused restore changed the store")
	}
	r, err := bunt.Restore(t.Context(), options(dir), path, true)
	if err != nil || r.Records != 2 || r.OtherStore {
		t.Fatalf("restore: %+v, %v; want 2 records of the same store", r, err)
	}
	if !bytes.Equal(readFile(t, r.Replaced), present) {
		t.Error("the store that was there was not kept byte for byte")
	}
	if !strings.HasSuffix(listed(t, dir), filepath.Base(r.Replaced)+`","state":"made"}`) {
		t.Errorf("listed:\n%s\nwant what was kept", listed(t, dir))
	}
	goesOn(t, dir, names(2))
	// It can be taken back: a store's own file restores as well.
	if r, err = bunt.Restore(t.Context(), options(dir), r.Replaced, true); err != nil || r.Records != 3 || r.Sealed {
		t.Errorf("restore of what was kept: %+v, %v", r, err)
	}
}

func TestRestore_RefusesWhileTheStoreIsHeld(t *testing.T) {
	dir, _ := filled(t, 2)
	path := backUp(t, dir)
	s := openDir(t, dir)
	_, err := bunt.Restore(t.Context(), options(dir), path, true)
	if !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("restore: error %v, want %v naming the holder", err, storage.ErrLocked)
	}
	expect(t, s, names(2)...)
}

func TestRestore_RefusesWhatIsNotWholeAndLeavesAllAsItWas(t *testing.T) {
	dir, file := filled(t, 2)
	whole := readFile(t, backUp(t, dir))
	flipped := slices.Clone(whole)
	flipped[bytes.Index(flipped, []byte("number 2"))] ^= 1
	for name, content := range map[string][]byte{
		"damaged": flipped, "cut short": whole[:len(whole)-30], "a picture": []byte("\xff\xd8\xff\xe0"), "empty": {},
		"newer": newerStore(9), "a torn store": file[:len(file)-3], "half": whole[:lastCommand(whole)-9],
	} {
		path, fresh := filepath.Join(t.TempDir(), "b"), t.TempDir()
		writeFile(t, path, content)
		if _, err := bunt.Restore(t.Context(), options(dir), path, true); err == nil {
			t.Errorf("%s: restored", name)
		}
		if _, err := bunt.Restore(t.Context(), options(fresh), path, false); err == nil {
			t.Errorf("%s: restored into an empty directory", name)
		}
		if left, _ := os.ReadDir(fresh); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
	if !bytes.Equal(readFile(t, dbPath(dir)), file) {
		t.Error("the store was changed")
	}
}

func TestRestore_FailureLeavesTheStoreThatWasThere(t *testing.T) {
	dir, file := filled(t, 2)
	path := backUp(t, dir)
	for _, suffix := range []string{"memory.db.tmp", "backups.jsonl", filepath.Base(dir)} {
		d := &disk{suffix: suffix, err: syscall.EIO}
		o := options(dir)
		o.Sync = d.sync
		if _, err := bunt.Restore(t.Context(), o, path, true); !errors.Is(err, syscall.EIO) {
			t.Errorf("sync of %s fails: error %v, want %v", suffix, err, syscall.EIO)
		}
		if !bytes.Equal(readFile(t, dbPath(dir)), file) {
			t.Errorf("sync of %s fails: the store was changed", suffix)
		}
		if aside, err := filepath.Glob(dbPath(dir) + ".*-*"); err != nil || len(aside) != 0 {
			t.Errorf("sync of %s fails: %v stay, error %v", suffix, aside, err)
		}
	}
}

// A restore that was killed before it replaced the store leaves a second name of it.
func TestOpen_TakesAwayTheSecondNameOfTheStore(t *testing.T) {
	dir, file := filled(t, 2)
	twin, other := dbPath(dir)+".replaced-20261130T152607Z", dbPath(dir)+".replaced-20261129T152607Z"
	if err := errors.Join(os.Link(dbPath(dir), twin), os.WriteFile(other, file, 0o600)); err != nil {
		t.Skip(err) // no links here
	}
	s := openDir(t, dir)
	if got := len(ids(t, s)); got != 2 {
		t.Errorf("%d records, want 2", got)
	}
	closeStore(t, s)
	if _, err := os.Stat(twin); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the second name is there: %v", err)
	}
	if !bytes.Equal(readFile(t, other), file) {
		t.Error("a store that was replaced was changed")
	}
}

// A crash at any sync of a restore leaves the one store or the other.
func TestRestore_CrashAnywhere(t *testing.T) {
	dir, _ := filled(t, 2)
	path := backUp(t, dir)
	s := openDir(t, dir)
	apply(t, s, putOp(3), forgetOp(4, "F", "R0001"))
	closeStore(t, s)
	crashes, crashed := t.TempDir(), 0
	o := options(dir)
	o.Sync = func(*os.File) error {
		crashed++
		return os.CopyFS(filepath.Join(crashes, fmt.Sprint(crashed)), os.DirFS(dir))
	}
	if _, err := bunt.Restore(t.Context(), o, path, true); err != nil {
		t.Fatal(err)
	}
	for n := range crashed {
		s := openDir(t, filepath.Join(crashes, fmt.Sprint(n+1)))
		if got := len(ids(t, s)); got != 2 && got != 3 || s.Stats().Salvage != nil {
			t.Errorf("crash %d: %d records, salvage %+v", n+1, got, s.Stats().Salvage)
		}
		if e, err := s.Get(t.Context(), "R0001"); err != nil || e.ForgottenAt.IsZero() {
			t.Errorf("crash %d: what was forgotten is back: %+v, %v", n+1, e, err)
		}
		closeStore(t, s)
	}
	if crashed < 5 {
		t.Errorf("%d syncs, want five at least", crashed)
	}
}

func TestRestore_WhatWasForgottenSinceStaysForgotten(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	apply(t, s, putOp(1), putOp(2), putOp(3), forgetOp(4, "F0", "R0003"))
	path := backUp(t, dir)
	apply(t, s, forgetOp(5, "F1", "R0001"), putOp(6), putOp(7), forgetOp(8, "F2", "R0002", "R0006"),
		storage.Op{User: "ann", At: at(9), Restore: []string{"R0002", "R0003"}})
	closeStore(t, s)
	r, err := bunt.Restore(t.Context(), options(dir), path, true)
	if err != nil || r.Again != 1 || r.Tombstones != 1 {
		t.Fatalf("restore: %+v, %v; want 1 forgotten again and 1 tombstone", r, err)
	}
	s = openDir(t, dir)
	expect(t, s, "R0001", "R0002", "R0003", "R0006")
	for id, want := range map[string]string{"R0001": "F1", "R0002": "", "R0003": "F0", "R0006": "F2"} {
		e, err := s.Get(t.Context(), id)
		if err != nil || e.Receipt != want || e.ForgottenAt.IsZero() != (want == "") {
			t.Errorf("%s: receipt %q at %v, %v; want %q", id, e.Receipt, e.ForgottenAt, err, want)
		}
	}
	if e, _ := s.Get(t.Context(), "R0001"); !e.ForgottenAt.Equal(at(5)) || e.Tombstone.TextHash != "h-R0001" || e.Text == "" {
		t.Errorf("R0001: %+v; want its own time and tombstone, and its text for an undo", e)
	}
	if e, _ := s.Get(t.Context(), "R0006"); !e.Purged || e.Text != "" || e.Tombstone.TextHash != "h-R0006" {
		t.Errorf("R0006: %+v; want its tombstone and no content", e)
	}
	apply(t, s, storage.Op{User: "ann", At: at(10), Restore: []string{"R0001"}})
}

// What lost its content for good does not get it back from a backup that no erase
// could reach.
func TestRestore_WhatWasPurgedSinceComesBackInNoFile(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	withSecret(t, s)
	path := backUp(t, dir)
	closeStore(t, s)
	late := options(dir)
	late.Clock = clockAt(at(6).Add(retention))
	s = open(t, late)
	checkPurged(t, s, dir)
	apply(t, s, putOp(200))
	closeStore(t, s)
	r, err := bunt.Restore(t.Context(), late, path, true)
	if err != nil || r.Again != 1 {
		t.Fatalf("restore: %+v, %v; want 1 record again", r, err)
	}
	if err := os.Remove(r.Replaced); err != nil {
		t.Fatal(err)
	}
	// The answer in an operation of its own expires; the sweep takes it.
	s = open(t, late)
	checkPurged(t, s, dir)
}

// Whatever was done before and after a backup: nothing that is forgotten comes back
// with it, and all else is as it was then.
func TestRestore_ForgetsAgainWhateverHappened(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			rt.Fatal(err)
		}
		clock := storagetest.ClockAt(epoch)
		o := bunt.Options{Dir: dir, Clock: clock.Now, Sync: unsynced}
		s, n := open(t, o), 0
		steps := func() {
			for range rapid.IntRange(0, 8).Draw(rt, "steps") {
				n++
				op := storage.Op{User: "ann", At: at(n)}
				some := func(label string) (chosen []string) {
					for _, id := range ids(t, s) {
						if rapid.IntRange(0, 4).Draw(rt, label) == 0 {
							chosen = append(chosen, id)
						}
					}
					return chosen
				}
				switch rapid.IntRange(0, 4).Draw(rt, "step") {
				case 0:
					op = forgetOp(n, fmt.Sprint("F", n), some("forgotten")...)
				case 1:
					op.Restore = slices.DeleteFunc(some("restored"), func(id string) bool { e, _ := s.Get(t.Context(), id); return e.Purged })
				case 2:
					clock.Pass(retention + time.Hour)
					if err := s.Compact(t.Context()); err != nil {
						rt.Fatal(err)
					}
				default:
					op = putOp(n)
				}
				apply(t, s, op)
			}
		}
		steps()
		path, _, err := bunt.Backup(t.Context(), o, "")
		if err != nil {
			rt.Fatal(err)
		}
		then := byID(entries(t, s))
		steps()
		since := byID(entries(t, s))
		closeStore(t, s)
		if _, err := bunt.Restore(t.Context(), o, path, true); err != nil {
			rt.Fatal(err)
		}
		o.Retention = 1000 * retention // nothing more is purged
		s = open(t, o)
		got := byID(entries(t, s))
		closeStore(t, s)
		for id, e := range since {
			switch was, known := then[id]; {
			case !e.ForgottenAt.IsZero() && (got[id].ForgottenAt.IsZero() || e.Purged && (!got[id].Purged || got[id].Text != "")):
				rt.Fatalf("%s is back: %+v\nit was %+v", id, got[id], e)
			case !e.ForgottenAt.IsZero() && got[id].Tombstone == nil:
				rt.Fatalf("%s lost its tombstone: %+v", id, got[id])
			case !was.ForgottenAt.IsZero() && !was.ForgottenAt.Add(retention).After(clock.Now()): // it was forgotten then, and is due by now
			case e.ForgottenAt.IsZero() && known && !cmp.Equal(was, got[id]):
				rt.Fatalf("%s is not as it was (-was +got):\n%s", id, cmp.Diff(was, got[id]))
			case e.ForgottenAt.IsZero() && !known && got[id].ID != "":
				rt.Fatalf("%s came later and is there: %+v", id, got[id])
			}
		}
	})
}

func byID(all []storage.Entry) map[string]storage.Entry {
	m := map[string]storage.Entry{}
	for _, e := range all {
		m[e.ID] = e
	}
	return m
}

func TestRestore_OverADamagedStore(t *testing.T) {
	dir, _ := filled(t, 3)
	path := backUp(t, dir)
	s := openDir(t, dir)
	apply(t, s, forgetOp(4, "F", "R0001"))
	closeStore(t, s)
	file := readFile(t, dbPath(dir))
	file[bytes.Index(file, []byte("number 2"))] ^= 1
	writeFile(t, dbPath(dir), file)
	r, err := bunt.Restore(t.Context(), options(dir), path, true)
	if err != nil || r.Again != 1 || r.Records != 3 {
		t.Fatalf("restore: %+v, %v; want 3 records, 1 forgotten again", r, err)
	}
	writeFile(t, dbPath(dir), []byte("\xff\xd8 no store"))
	if _, err := bunt.Restore(t.Context(), options(dir), path, false); !errors.Is(err, bunt.ErrOccupied) {
		t.Errorf("over another file: error %v, want %v", err, bunt.ErrOccupied)
	}
	writeFile(t, dbPath(dir), newerStore(9))
	if _, err := bunt.Restore(t.Context(), options(dir), path, true); !bunt.IsNewer(err) {
		t.Errorf("over a newer store: error %v, want one that names both versions", err)
	}
}

func TestRestore_CarriesManyTombstones(t *testing.T) {
	dir, _ := filled(t, 1)
	path := backUp(t, dir)
	s := openDir(t, dir)
	const many = 2500
	var op storage.Op
	var all []string
	for n := range many {
		one := putOp(1000 + n)
		op.User, op.At = "ann", at(9000)
		op.Put = append(op.Put, one.Put...)
		all = append(all, one.Put[0].ID)
	}
	apply(t, s, op, forgetOp(9001, "F", all...))
	closeStore(t, s)
	if r, err := bunt.Restore(t.Context(), options(dir), path, true); err != nil || r.Tombstones != many {
		t.Fatalf("restore: %+v, %v; want %d tombstones", r, err, many)
	}
	s = openDir(t, dir)
	if got := s.Stats(); got.Records != 1 || got.Tombs != many {
		t.Errorf("stats %+v", got)
	}
}

// What one forget took may be more than an operation holds.
func TestRestore_CarriesTombstonesOfAnySize(t *testing.T) {
	dir, _ := filled(t, 1)
	path := backUp(t, dir)
	s := openDir(t, dir)
	hashes := slices.Repeat([]string{strings.Repeat("ab", 32)}, 100)
	const parts, each = 4, 700
	for p := range parts {
		op, forget := storage.Op{User: "ann", At: at(9000 + 2*p)}, storage.Forget{Receipt: "F", Erase: &storage.Erase{}, More: p > 0}
		for n := range each {
			one := putOp(1000 + p*each + n)
			op.Put = append(op.Put, one.Put...)
			forget.Records = append(forget.Records, storage.Tombstone{ID: one.Put[0].ID, MessageHash: hashes})
		}
		apply(t, s, op, storage.Op{User: "ann", At: at(9001 + 2*p), Forget: &forget})
	}
	closeStore(t, s)
	if r, err := bunt.Restore(t.Context(), options(dir), path, true); err != nil || r.Tombstones != parts*each {
		t.Fatalf("restore: %+v, %v; want %d tombstones", r, err, parts*each)
	}
	s = openDir(t, dir)
	if got := s.Stats(); got.Records != 1 || got.Tombs != parts*each || got.Salvage != nil {
		t.Errorf("stats %+v", got)
	}
	if ids, err := s.Receipt(t.Context(), "ann", "F"); err != nil || len(ids) != parts*each {
		t.Errorf("%d ids of the receipt, %v", len(ids), err)
	}
}

// A backup that somebody copies into the store's place is not damage.
func TestOpen_TakesABackupInTheStoresPlace(t *testing.T) {
	dir, file := filled(t, 2)
	backup := readFile(t, backUp(t, dir))
	dir = fileWith(t, backup)
	s := openDir(t, dir)
	if s.Stats().Salvage != nil {
		t.Errorf("salvage %+v of a sound backup", s.Stats().Salvage)
	}
	closeStore(t, s)
	if got := readFile(t, dbPath(dir)); !bytes.Equal(got, file) {
		t.Errorf("the file has %d bytes, want the %d of the store", len(got), len(file))
	}
	goesOn(t, dir, names(2))
	// One with operations after its end was opened by something else.
	_, more := filled(t, 3)
	third, _ := commandOf(more, 3)
	s = openDir(t, fileWith(t, append(slices.Clone(backup), more[third:]...)))
	expect(t, s, names(3)...)
	if s.Stats().Salvage == nil {
		t.Error("an end in the middle was not told")
	}
}
