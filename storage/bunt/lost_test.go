package bunt_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/storage/bunt"
)

// TestOpen_TellsOfAStoreThatIsGone: a new one is begun beside what is left of the old,
// which stays, and said so; doctor says it before.
func TestOpen_TellsOfAStoreThatIsGone(t *testing.T) {
	made := `{"at":"2026-03-01T12:00:00Z","path":"/far/kept.mcpmem","state":"made"}` + "\n"
	for _, c := range []struct {
		name, file, content string // beside memory.db
		empty, told         bool   // memory.db is there with no byte; it is told
	}{
		{"nothing was there", "", "", false, false},
		{"a lock alone", "memory.db.lock", "", false, false},
		{"a backup that was not made", "backups.jsonl", strings.ReplaceAll(made, "made", "begun"), false, false},
		{"a file of others", "notes.txt", "x", false, false},
		{"vectors", "vectors-0123.vec", "x", false, true},
		{"a graph", "graph-0123.hnsw", "x", false, true},
		{"a damaged one", "memory.db.damaged-20260101T000000Z", "x", false, true},
		{"a replaced one", "memory.db.replaced-20260101T000000Z", "x", false, true},
		{"a list of backups", "backups.jsonl", made, false, true},
		{"a backup", "backups/memory-1.mcpmem", "x", false, true},
		{"an empty file", "", "", true, true},
		{"an empty file and vectors", "vectors-0123.vec", "x", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "m[1]*") // a name that is no pattern
			if err := os.MkdirAll(filepath.Join(dir, "backups"), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.file != "" {
				writeFile(t, filepath.Join(dir, c.file), []byte(c.content))
			}
			if c.empty {
				writeFile(t, dbPath(dir), nil)
			}
			d, err := bunt.Diagnose(t.Context(), options(dir))
			if got := err == nil && len(d.Findings) > 0 && d.Findings[0].Severity == bunt.Error; got != c.told {
				t.Errorf("doctor: %+v, %v; want it told: %v", d.Findings, err, c.told)
			}
			var said bytes.Buffer
			o := options(dir)
			o.Log = slog.New(slog.NewTextHandler(&said, nil))
			s := open(t, o)
			lost := s.Stats().Salvage
			if told := lost != nil && strings.Contains(lost.Lost, c.file) && strings.Contains(said.String(), "the store is gone"); told != c.told {
				t.Errorf("salvage %+v, log %s; want it told: %v", lost, said.String(), c.told)
			}
			apply(t, s, putOp(1))
			closeStore(t, s)
			if c.file != "" && c.file != "memory.db.lock" && string(readFile(t, filepath.Join(dir, c.file))) != c.content {
				t.Errorf("%s was changed", c.file)
			}
			s = open(t, options(dir))
			again := s.Stats().Salvage
			if told := again != nil && strings.Contains(again.Lost, ": memory.db was"); told != c.told || len(ids(t, s)) != 1 {
				t.Errorf("the next start: %+v, %+v; want it told: %v", s.Stats(), again, c.told)
			}
			closeStore(t, s)
			o = options(dir)
			o.Clock = func() time.Time { return time.Now().AddDate(0, 2, 0) }
			if s := open(t, o); s.Stats().Salvage != nil {
				t.Errorf("two months later: %+v", s.Stats().Salvage)
			}
		})
	}
}

// TestOpen_MissesAStoreThatOnlyTheLockKnows: one that the command line alone used has
// no vectors. A store in which nothing was ever stored is not missed.
func TestOpen_MissesAStoreThatOnlyTheLockKnows(t *testing.T) {
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		for n, told := range []bool{false, true, true} {
			s := openDir(t, dir)
			if lost := s.Stats().Salvage; (lost != nil) != told || told && !strings.Contains(lost.Lost, "memory.db.lock") {
				t.Errorf("start %d: %+v, want it told: %v", n, lost, told)
			}
			if n > 0 || killed {
				apply(t, s, putOp(n))
			}
			closeStore(t, s)
			if n == 0 && !killed { // nothing is in it
				remove(t, dbPath(dir))
				s = openDir(t, dir)
				if s.Stats().Salvage != nil {
					t.Errorf("an empty store is missed: %+v", s.Stats().Salvage)
				}
				apply(t, s, putOp(n))
				closeStore(t, s)
			}
			if n == 0 {
				remove(t, dbPath(dir))
			}
		}
	}
}

// TestOpen_KeepsARewriteWhereTheStoreIsGone: it may be the only copy.
func TestOpen_KeepsARewriteWhereTheStoreIsGone(t *testing.T) {
	_, file := filled(t, 2)
	dir := t.TempDir()
	next := filepath.Join(dir, "memory.db.next")
	writeFile(t, next, file)
	if m, err := bunt.Repair(t.Context(), options(dir), nil); err != nil || len(m.Removed) > 0 {
		t.Errorf("repair: %+v, %v", m, err)
	}
	s := openDir(t, dir)
	kept, _ := filepath.Glob(filepath.Join(dir, "memory.db.damaged-*"))
	if len(kept) != 1 || !bytes.Equal(readFile(t, kept[0]), file) || s.Stats().Salvage == nil {
		t.Errorf("kept %v, salvage %+v", kept, s.Stats().Salvage)
	}
	closeStore(t, s)
	writeFile(t, next, file) // beside a store it is nothing but a leftover
	closeStore(t, openDir(t, dir))
	if _, err := os.Stat(next); err == nil {
		t.Error("a leftover was kept")
	}
}

// TestOpen_RefusesALinkForAFile: neither where it points to nothing, nor to a store
// that rewrites would leave behind with all its words.
func TestOpen_RefusesALinkForAFile(t *testing.T) {
	far, file := filled(t, 2)
	for target, want := range map[string]string{
		dbPath(far):                             "move that file into the data directory",
		filepath.Join(t.TempDir(), "memory.db"): "which is not there",
	} {
		dir := t.TempDir()
		if err := os.Symlink(target, dbPath(dir)); err != nil {
			t.Skip("no links here:", err)
		}
		backup, _, err := bunt.Backup(t.Context(), options(far), filepath.Join(t.TempDir(), "b"))
		if err != nil {
			t.Fatal(err)
		}
		_, opened := bunt.Open(t.Context(), options(dir))
		_, mended := bunt.Repair(t.Context(), options(dir), nil)
		_, restored := bunt.Restore(t.Context(), options(dir), backup, true)
		for what, err := range map[string]error{"open": opened, "repair": mended, "restore": restored} {
			if err == nil || !strings.Contains(err.Error(), "is a link to "+target) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", what, err, want)
			}
		}
		d, err := bunt.Diagnose(t.Context(), options(dir))
		if err != nil || len(d.Findings) == 0 || d.Findings[0].Severity != bunt.Error || !strings.Contains(d.Findings[0].Text, want) {
			t.Errorf("doctor: %+v, %v; want %q", d.Findings, err, want)
		}
		if info, err := os.Lstat(dbPath(dir)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link: %v, %v", info, err)
		}
	}
	if !bytes.Equal(readFile(t, dbPath(far)), file) {
		t.Error("the store that it points to was changed")
	}
}
