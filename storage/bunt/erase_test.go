package bunt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// secretPayload is what is looked for. The id of one letter is too short to be found
// in a damaged stretch, as a real one is; the last terms stand in for it.
var secretPayload = storage.Payload{User: "ann", IDs: []string{"S"},
	Words: []string{"sec-text", "sec-quote", "sec-again-quote"}, Values: []string{"sec-value"}, Terms: []string{"sec-detail", "sec-answer", "sec-forget-reason"}}

// intend applies an erase of the secret record.
func intend(t testing.TB, s *bunt.Store, n int) {
	t.Helper()
	apply(t, s, storage.Op{User: "ann", At: at(n), Answers: []storage.Answer{{Key: "k", Body: []byte("{}")}},
		Forget: &storage.Forget{Receipt: "E1", Records: []storage.Tombstone{{ID: "S", ProjectHash: "ph", TextHash: "th"}}, Erase: &storage.Erase{}}})
}

// carryOut rewrites, searches and commits.
func carryOut(t testing.TB, s *bunt.Store, n int) (storage.Finding, error) {
	t.Helper()
	rw, err := s.Erase(t.Context(), []storage.Payload{secretPayload})
	if err != nil {
		return storage.Finding{}, err
	}
	defer rw.Abandon()
	found, err := rw.Find(t.Context(), secretPayload)
	if err != nil {
		return found, err
	}
	return found, rw.Commit(t.Context(), []storage.Op{{User: "ann", At: at(n), Erased: []storage.Erased{{Receipt: "E1", Verified: true}}}})
}

// TestErase_CutsDamagedStretchesThatHoldIt damages the file that a salvage kept at
// every twentieth byte: what can be read of it stays but for the record, and no
// stretch tells of it.
func TestErase_CutsDamagedStretchesThatHoldIt(t *testing.T) {
	dir := t.TempDir()
	s := open(t, bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)})
	withSecret(t, s)
	apply(t, s, putOp(6))
	sound := readFile(t, dbPath(dir))
	closeStore(t, s)
	for at, n := 100, 0; at < len(sound); at, n = at+20, n+1 {
		damaged := bytes.Clone(sound)
		damaged[at] ^= 0x11
		writeFile(t, dbPath(dir)+".damaged-x", damaged)
		writeFile(t, dbPath(dir), sound)
		s := open(t, bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)})
		intend(t, s, 7)
		found, err := carryOut(t, s, 8)
		if err != nil || found.Store || len(found.Files) > 0 {
			t.Fatalf("byte %d: %+v, %v", at, found, err)
		}
		closeStore(t, s)
		if left := leaks(t, dir); len(left) > 0 {
			t.Fatalf("byte %d: left %v", at, left)
		}
		if kept := readFile(t, dbPath(dir)+".damaged-x"); n%8 == 0 && !bytes.Contains(kept, []byte(`"R0006"`)) && !bytes.Contains(damaged[at:min(at+1, len(damaged))], []byte("x")) && at < len(sound)-400 {
			t.Errorf("byte %d: another record is gone from the file", at)
		}
	}
}

// A data directory whose name means something to a pattern has no files that an erase
// does not see.
func TestErase_ReachesWhatIsKeptUnderAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `m[1]*\b?`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Skip(err) // no such names here
	}
	s := open(t, bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)})
	withSecret(t, s)
	writeFile(t, dbPath(dir)+".damaged-x", readFile(t, dbPath(dir)))
	writeFile(t, dbPath(dir)+".damaged-y.tmp", readFile(t, dbPath(dir)))
	intend(t, s, 7)
	if found, err := carryOut(t, s, 8); err != nil || found.Store || len(found.Files) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if left := leaks(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestErase_SealsBackupsAnew(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	o := bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)}
	s := open(t, o)
	withSecret(t, s)
	first, second := filepath.Join(away, "first.mcpmem"), filepath.Join(away, "second.mcpmem")
	for _, path := range []string{first, second} {
		if _, _, err := bunt.Backup(t.Context(), o, path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(first+".tmp", []byte("sec-text, half of a backup"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(second, second+"-moved"); err != nil {
		t.Fatal(err)
	}
	intend(t, s, 6)
	found, err := carryOut(t, s, 7)
	if err != nil || len(found.Files) > 0 || len(found.Gone) != 1 || found.Gone[0] != second {
		t.Fatalf("%+v, %v; want the second backup named as gone", found, err)
	}
	if left := leaks(t, away); len(left) == 0 || strings.Contains(strings.Join(left, " "), "first") {
		t.Errorf("left: %v", left)
	}
	if _, err := bunt.Verify(t.Context(), first); err != nil {
		t.Errorf("the first backup: %v", err)
	}
	other := filepath.Join(t.TempDir(), "restored")
	if _, err := bunt.Restore(t.Context(), bunt.Options{Dir: other, Sync: unsynced, Clock: clockAt(epoch)}, first, false); err != nil {
		t.Fatal(err)
	}
	r := open(t, bunt.Options{Dir: other, Sync: unsynced, Clock: clockAt(epoch)})
	if e, err := r.Get(t.Context(), "S"); err != nil || !e.Purged || !e.Erased || e.Text != "" {
		t.Errorf("restored: %+v, %v", e, err)
	}
	if e, err := r.Get(t.Context(), "R0900"); err != nil || !e.Live() || e.Reinforced[0].Source.Quote != "kept-quote" {
		t.Errorf("the other record: %+v, %v", e, err)
	}
}

// TestErase_FailureLeavesAnOpenIntent: whatever fails, nothing is lost, the erase
// can be begun again, and calls go on.
func TestErase_FailureLeavesAnOpenIntent(t *testing.T) {
	for _, suffix := range []string{".next", ".damaged-x.tmp"} {
		dir, d := t.TempDir(), &disk{suffix: suffix}
		s := openOn(t, dir, d)
		withSecret(t, s)
		writeFile(t, dbPath(dir)+".damaged-x", readFile(t, dbPath(dir)))
		intend(t, s, 6)
		d.err = syscall.EIO
		found, err := carryOut(t, s, 7)
		if failed := errors.Is(err, storage.ErrUnavailable) || len(found.Files) == 1; !failed {
			t.Fatalf("%s: %+v, %v", suffix, found, err)
		}
		d.err = nil
		if err == nil {
			continue // it was told, and the store is rid of it
		}
		apply(t, s, putOp(8))
		if found, err := carryOut(t, s, 9); err != nil || len(found.Files) > 0 {
			t.Errorf("%s: %+v, %v", suffix, found, err)
		}
		if left := leaks(t, dir); len(left) > 0 {
			t.Errorf("%s: left %v", suffix, left)
		}
	}
}

// TestErase_BeginsAgainWhereABackupWasMadeMeanwhile: none slips through.
func TestErase_BeginsAgainWhereABackupWasMadeMeanwhile(t *testing.T) {
	dir := t.TempDir()
	o := bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)}
	s := open(t, o)
	withSecret(t, s)
	intend(t, s, 6)
	rw, err := s.Erase(t.Context(), []storage.Payload{secretPayload})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "meanwhile.mcpmem")
	if _, _, err := bunt.Backup(t.Context(), o, path); err != nil {
		t.Fatal(err)
	}
	end := []storage.Op{{User: "ann", At: at(7), Erased: []storage.Erased{{Receipt: "E1"}}}}
	if err := rw.Commit(t.Context(), end); !errors.Is(err, storage.ErrUnavailable) {
		t.Fatalf("commit: %v", err)
	}
	rw.Abandon()
	if found, err := carryOut(t, s, 7); err != nil || len(found.Files) > 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	if left := leaks(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestErase_TellsAwayFromGone: a backup that was deleted leaves no receipt unverified
// for ever; one whose folder or disk is not there is named until it is reached.
func TestErase_TellsAwayFromGone(t *testing.T) {
	for _, c := range []struct {
		name string
		lose func(t *testing.T, dir, folder, path string)
		away bool
	}{
		{"deleted", func(t *testing.T, _, _, path string) { remove(t, path) }, false},
		{"deleted, and another is there", func(t *testing.T, _, folder, path string) {
			remove(t, path)
			writeFile(t, filepath.Join(folder, "another"), nil)
		}, false},
		{"folder away", func(t *testing.T, _, folder, _ string) {
			if err := os.Rename(folder, folder+"-away"); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"another disk in its place", func(t *testing.T, dir, _, path string) {
			remove(t, path)
			relist(t, dir, `"disk":"here"`, `"disk":"0123456789abcdef"`)
		}, true},
		{"older list, empty folder", func(t *testing.T, dir, _, path string) {
			remove(t, path)
			relist(t, dir, `"disk":"here",`, ``)
		}, true},
		{"older list, something in the folder", func(t *testing.T, dir, folder, path string) {
			remove(t, path)
			writeFile(t, filepath.Join(folder, "another"), nil)
			relist(t, dir, `"disk":"here",`, ``)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir() // both on one disk
			dir, folder := filepath.Join(home, "data"), filepath.Join(home, "far")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			o := bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)}
			s := open(t, o)
			withSecret(t, s)
			path := filepath.Join(folder, "kept.mcpmem")
			if _, _, err := bunt.Backup(t.Context(), o, path); err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(readFile(t, filepath.Join(dir, "backups.jsonl")), []byte(`"disk":"here"`)) {
				t.Skip("disks have no names on this system")
			}
			c.lose(t, dir, folder, path)
			intend(t, s, 6)
			found, err := carryOut(t, s, 7)
			if err != nil || c.away != (len(found.Files) == 1) || c.away == (len(found.Gone) == 1) {
				t.Errorf("%+v, %v; away: %v", found, err, c.away)
			}
			d, _ := findings(t, dir)
			if want := map[bool]string{true: "away", false: "missing"}[c.away]; len(d.Backups) != 1 || d.Backups[0].State != want {
				t.Errorf("doctor: %+v; want %s", d.Backups, want)
			}
		})
	}
}

// relist changes the list of backups.
func relist(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, "backups.jsonl")
	writeFile(t, path, bytes.ReplaceAll(readFile(t, path), []byte(from), []byte(to)))
}

// TestErase_SparesAnotherStoresBackup: one that cannot be written anew is named where
// it holds some of the record, and only there.
func TestErase_SparesAnotherStoresBackup(t *testing.T) {
	away := t.TempDir()
	strange, _ := filled(t, 2)
	o := bunt.Options{Dir: strange, Sync: unsynced, Clock: clockAt(epoch)}
	none, some, damaged := filepath.Join(away, "none.mcpmem"), filepath.Join(away, "some.mcpmem"), filepath.Join(away, "damaged.mcpmem")
	for _, path := range []string{none, damaged} {
		if _, _, err := bunt.Backup(t.Context(), o, path); err != nil {
			t.Fatal(err)
		}
	}
	raw := readFile(t, damaged)
	raw[len(raw)/2] ^= 1
	writeFile(t, damaged, raw)
	list := readFile(t, filepath.Join(strange, "backups.jsonl"))
	o.Dir = t.TempDir()
	s := open(t, o)
	withSecret(t, s)
	if _, _, err := bunt.Backup(t.Context(), o, some); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	writeFile(t, filepath.Join(o.Dir, "backups.jsonl"), append(list, readFile(t, filepath.Join(o.Dir, "backups.jsonl"))...))
	file := readFile(t, dbPath(o.Dir))
	file[bytes.Index(file, []byte("hash_key"))] ^= 1 // a salvage gives it another key
	writeFile(t, dbPath(o.Dir), file)
	s = open(t, o)
	remove(t, s.Stats().Salvage.Original)
	intend(t, s, 6)
	found, err := carryOut(t, s, 7)
	if err != nil || len(found.Files) != 1 || !strings.HasPrefix(found.Files[0], some+": is a backup of another store, and ") {
		t.Errorf("%+v, %v; want %s named alone", found, err, some)
	}
}

// TestErase_ReachesACopyBehindALink: its owner moved it and left a link.
func TestErase_ReachesACopyBehindALink(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	o := bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)}
	s := open(t, o)
	withSecret(t, s)
	path, _, err := bunt.Backup(t.Context(), o, filepath.Join(t.TempDir(), "kept.mcpmem"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(away, "damaged"), readFile(t, dbPath(dir)))
	if err := os.Rename(path, filepath.Join(away, "backup")); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{path: "backup", dbPath(dir) + ".damaged-x": "damaged"} {
		if err := os.Symlink(filepath.Join(away, target), link); err != nil {
			t.Skip("no links here:", err)
		}
	}
	intend(t, s, 6)
	if found, err := carryOut(t, s, 7); err != nil || len(found.Files)+len(found.Gone) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if left := append(leaks(t, away), leaks(t, dir)...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := bunt.Verify(t.Context(), path); err != nil {
		t.Errorf("the backup: %v", err)
	}
}

// TestErase_SparesABackupThatTakesNoWrites: one on a disk that is mounted read-only is
// named where it holds some of the record, and only there.
func TestErase_SparesABackupThatTakesNoWrites(t *testing.T) {
	for _, holds := range []bool{false, true} {
		dir, d := t.TempDir(), &disk{suffix: ".mcpmem.tmp"}
		s := openOn(t, dir, d)
		o := bunt.Options{Dir: dir, Sync: unsynced, Clock: clockAt(epoch)}
		if holds {
			withSecret(t, s)
		} else { // what a compaction would take, and an erase takes along
			job := storage.Job{ID: "J", Open: true, Body: []byte("open")}
			apply(t, s, storage.Op{User: "ann", At: at(0).Add(1), Jobs: []storage.Job{job}}, storage.Op{User: "ann", At: at(0).Add(2), Jobs: []storage.Job{{ID: "J", Body: []byte("done")}}})
		}
		path := filepath.Join(t.TempDir(), "kept.mcpmem")
		if _, _, err := bunt.Backup(t.Context(), o, path); err != nil {
			t.Fatal(err)
		}
		if !holds {
			withSecret(t, s)
		}
		intend(t, s, 6)
		d.err = syscall.EROFS
		found, err := carryOut(t, s, 7)
		if err != nil || holds != (len(found.Files) == 1) {
			t.Errorf("holds it: %v: %+v, %v", holds, found, err)
		}
	}
}
