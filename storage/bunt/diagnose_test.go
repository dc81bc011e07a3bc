package bunt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// findings diagnoses dir and returns a line for each finding: severity, file, text.
func findings(t testing.TB, dir string) (bunt.Diagnosis, []string) {
	t.Helper()
	d, err := bunt.Diagnose(t.Context(), options(dir))
	if err != nil {
		t.Fatalf("diagnose: %v", err)
	}
	lines := []string{}
	for _, f := range d.Findings {
		if strings.Contains(f.Text, "disk is nearly full") { // not what is tested
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Severity, filepath.Base(f.Path), f.Text))
	}
	return d, lines
}

// finds checks that there are as many findings as wanted, each holding its words.
func finds(t testing.TB, dir string, want ...string) {
	t.Helper()
	_, got := findings(t, dir)
	ok := len(got) == len(want)
	for i := range min(len(got), len(want)) {
		ok = ok && strings.Contains(got[i], want[i])
	}
	if !ok {
		t.Errorf("findings:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// contents returns every file below dir with its mode.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			all[path] = fmt.Sprint(info.Mode(), string(readFile(t, path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDiagnose_ASoundStoreBesideItsOwner(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := openDir(t, dir)
	withSecret(t, s)
	if _, _, err := bunt.Backup(t.Context(), options(dir), ""); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	d, got := findings(t, dir)
	if len(got) != 0 || !strings.HasPrefix(d.Holder, fmt.Sprintf("pid %d (", os.Getpid())) {
		t.Errorf("findings %v, holder %q; want none, and us", got, d.Holder)
	}
	if d.Store == nil || d.Store.Records != 2 || d.Store.Forgotten != 1 || len(d.Backups) != 1 || d.Backups[0].State != "sound" {
		t.Errorf("store %+v, backups %+v", d.Store, d.Backups)
	}
	if user, content, known := d.Record("S"); user != "ann" || !content || !known || !slices.Equal(d.Users(), []string{"ann"}) {
		t.Errorf("record S: %q, %v, %v; users %v", user, content, known, d.Users())
	}
	if after := contents(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("diagnosing changed a file")
	}
	apply(t, s, putOp(100)) // the owner was not disturbed
	closeStore(t, s)
	if d, _ := findings(t, dir); d.Holder != "" {
		t.Errorf("holder %q of a store that nobody has", d.Holder)
	}
}

func TestDiagnose_WhereThereIsNothing(t *testing.T) {
	finds(t, filepath.Join(t.TempDir(), "none"), "note none: there is no data directory yet")
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, "note memory.db: there is no store yet")
}

func TestDiagnose_TellsWhatIsWrongWithTheFile(t *testing.T) {
	_, file := filled(t, 4)
	begin, end := commandOf(file, 2)
	flipped := slices.Clone(file)
	flipped[begin+100] ^= 1
	metaEnd, _ := commandOf(file, 1)
	where := fmt.Sprintf("bytes %d to %d (operation 2)", begin, end-1)
	unreadable := bytes.Replace(slices.Clone(file), []byte(`"text":"statement number 4 of many"`), []byte(`"text":42,"x":"tement number 4 ---"`), 1)
	refers := slices.Concat(file[:begin], file[end:])
	last := lastCommand(file)
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"sound":       {file, nil},
		"a bit":       {flipped, []string{"error memory.db: 1 stretch, " + fmt.Sprint(end-begin) + " bytes in all, are no operations: " + where}},
		"a torn tail": {file[:len(file)-9], []string{"warning memory.db: the last " + fmt.Sprint(len(file)-9-last) + " bytes are an operation that was not written"}},
		"no meta":     {file[metaEnd:], []string{"error memory.db: what the store knows of itself is gone"}},
		"a picture":   {[]byte("\xff\xd8\xff\xe0 JFIF"), []string{"error memory.db: nothing in its 9 bytes can be read"}},
		"empty":       {nil, []string{"error memory.db: memory.db was empty, which mcp-memory never leaves it"}},
		"newer":       {newerStore(9), []string{"error memory.db: the store has format version 9, this program reads up to"}},
		"unreadable": {resealed(t, unreadable),
			[]string{"error memory.db: 1 operation cannot be read though their checksums are right, the first is number 4"}},
		"twice":   {append(slices.Clone(file), file[last:]...), []string{"warning memory.db: 1 operation or record stands twice"}},
		"missing": {refers, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fileWith(t, c.file)
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			finds(t, dir, c.want...)
		})
	}
}

func TestDiagnose_NamesRecordsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	apply(t, s, putOp(1), putOp(2), forgetOp(3, "F", "R0001"))
	closeStore(t, s)
	file := readFile(t, dbPath(dir))
	begin, end := commandOf(file, 1)
	dir = fileWith(t, slices.Delete(file, begin, end))
	os.Chmod(dir, 0o700)
	finds(t, dir, "note memory.db: 1 operation refers to records that are not there, as after an earlier damage: R0001")
}

func TestDiagnose_TellsOfAnEraseThatIsNotDone(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	s := openDir(t, dir)
	intent := forgetOp(2, "F", "R0001")
	intent.Forget.Erase = &storage.Erase{}
	apply(t, s, putOp(1), intent)
	finds(t, dir) // its owner is at it
	closeStore(t, s)
	finds(t, dir, "warning memory.db: 1 erase was begun and not finished")
	s = openDir(t, dir)
	apply(t, s, storage.Op{User: "ann", At: at(3), Erased: []storage.Erased{{Receipt: "F"}}})
	closeStore(t, s)
	finds(t, dir)
}

func TestDiagnose_FilesThatShouldNotBeSo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and sockets are POSIX's")
	}
	short, err := os.MkdirTemp("", "d") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	dir := filepath.Join(short, "m")
	closeStore(t, openDir(t, dir))
	sock, err := net.Listen("unix", filepath.Join(dir, "memory.sock"))
	if err != nil {
		t.Fatal(err)
	}
	sock.(*net.UnixListener).SetUnlinkOnClose(false)
	sock.Close()
	writeFile(t, filepath.Join(dir, "vectors-1.vec.tmp"), nil)
	writeFile(t, dbPath(dir)+".damaged-20260101T000000Z", []byte("xyz"))
	for path, mode := range map[string]fs.FileMode{dir: 0o755, dbPath(dir): 0o640, filepath.Join(dir, "memory.sock"): 0o600} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	finds(t, dir, "warning m: others may use it: its mode is 0755",
		"warning memory.db: others may use it: its mode is 0640",
		"note memory.db.damaged-20260101T000000Z: a damaged store, 3 bytes",
		"warning memory.sock: a process that was killed left it",
		"warning vectors-1.vec.tmp: a process that was killed left it")
	m, err := bunt.Repair(t.Context(), options(dir), nil)
	if err != nil || len(m.Tightened) != 2 || len(m.Removed) != 2 || m.Salvage != nil || len(m.Lost) != 0 {
		t.Fatalf("repair: %+v, %v", m, err)
	}
	finds(t, dir, "note memory.db.damaged-20260101T000000Z")
}

// Nobody holds a lock that cannot be taken; no server starts for it either.
func TestDiagnose_FilesThatKeepAServerFromStarting(t *testing.T) {
	dir, _ := filled(t, 1)
	lock := dbPath(dir) + ".lock"
	remove(t, lock)
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, "error memory.db.lock: it cannot be locked, so that no server can start: open "+lock)
	if d, _ := findings(t, dir); d.Holder != "" {
		t.Errorf("the store is held by %q", d.Holder)
	}
	if os.Geteuid() <= 0 { // may write everything, or there are no such modes
		return
	}
	remove(t, lock)
	if err := os.Chmod(dbPath(dir), 0o400); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, "error memory.db: no server can write it: open "+dbPath(dir))
}

func TestDiagnose_Backups(t *testing.T) {
	dir, _ := filled(t, 2)
	os.Chmod(dir, 0o700)
	var paths []string
	for range 4 {
		path, _, err := bunt.Backup(t.Context(), options(dir), "")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	damaged := readFile(t, paths[1])
	damaged[len(damaged)/2] ^= 1
	writeFile(t, paths[1], damaged)
	if err := os.Remove(paths[2]); err != nil {
		t.Fatal(err)
	}
	writeFile(t, paths[3], newerStore(9))
	list, err := os.OpenFile(filepath.Join(dir, "backups.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	list.WriteString(`{"torn`)
	list.Close()
	d, got := findings(t, dir)
	states := map[string]string{}
	for _, b := range d.Backups {
		states[b.Path] = b.State
	}
	for i, want := range []string{"sound", "damaged", "missing", "newer"} {
		if states[paths[i]] != want {
			t.Errorf("%s is %q, want %q", filepath.Base(paths[i]), states[paths[i]], want)
		}
	}
	if len(got) != 4 || !strings.Contains(got[0], "warning backups.jsonl: 1 line cannot be read") {
		t.Errorf("findings %v", got)
	}
	// A torn line costs no later one.
	if _, _, err := bunt.Backup(t.Context(), options(dir), filepath.Join(t.TempDir(), "far")); err != nil {
		t.Fatal(err)
	}
	if d, _ := findings(t, dir); len(d.Backups) != 5 {
		t.Errorf("%d backups known, want 5: %+v", len(d.Backups), d.Backups)
	}
}

func TestRepair_SavesAllButWhatItLists(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	apply(t, s, putOp(1), putOp(2), putOp(3), forgetOp(4, "FORGET", "R0003"), putOp(5), putOp(6))
	closeStore(t, s)
	whole := readFile(t, dbPath(dir))
	file := slices.Clone(whole)
	begin2, end2 := commandOf(file, 2)
	begin4 := bytes.Index(file, []byte("FORGET"))
	begin4, end4 := lastCommand(file[:begin4]), begin4+bytes.Index(file[begin4:], []byte("*3\r\n"))
	file[bytes.Index(file, []byte("number 2"))] ^= 1
	file[bytes.Index(file, []byte("h-R0003"))] ^= 1
	writeFile(t, dbPath(dir), file)
	m, err := bunt.Repair(t.Context(), options(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantLost := []bunt.Stretch{{From: int64(begin2), To: int64(end2), Operation: 2}, {From: int64(begin4), To: int64(end4), Operation: 4}}
	if !slices.Equal(m.Lost, wantLost) || !slices.Equal(m.Operations, []uint64{2, 4}) || !slices.Equal(m.Records, []string{"R0002"}) ||
		!slices.Equal(m.Receipts, []string{"FORGET"}) || m.Salvage.Kept != 4 {
		t.Errorf("repair: %+v, want lost %v of operations 2 and 4, record R0002, receipt FORGET", m, wantLost)
	}
	if !bytes.Equal(readFile(t, m.Salvage.Original), file) {
		t.Error("the original was not kept byte for byte")
	}
	s = openDir(t, dir)
	expect(t, s, "R0001", "R0003", "R0005", "R0006")
	if s.Stats().Salvage != nil {
		t.Errorf("salvage %+v after a repair", s.Stats().Salvage)
	}
}

func TestRepair_OfWhatAStartRefuses(t *testing.T) {
	_, file := filled(t, 4)
	unreadable := resealed(t, bytes.Replace(slices.Clone(file), []byte(`"text":"statement number 4 of many"`), []byte(`"text":42,"x":"tement number 4 ---"`), 1))
	dir := fileWith(t, append(unreadable, file[lastCommand(file[:lastCommand(file)]):lastCommand(file)]...)) // and operation 3 again
	m, err := bunt.Repair(t.Context(), options(dir), nil)
	if err != nil || !slices.Equal(m.Operations, []uint64{4}) || !slices.Equal(m.Records, []string{"R0004"}) || m.Salvage.Kept != 3 {
		t.Fatalf("repair: %+v, %v; want operation 4 lost, with record R0004", m, err)
	}
	goesOn(t, dir, names(3))
}

func TestRepair_LeavesASoundStoreAlone(t *testing.T) {
	dir, file := filled(t, 3)
	os.Chmod(dir, 0o700)
	before := contents(t, dir)
	m, err := bunt.Repair(t.Context(), options(dir), nil)
	if err != nil || m.Salvage != nil || len(m.Lost)+len(m.Removed)+len(m.Tightened) != 0 {
		t.Errorf("repair: %+v, %v; want nothing done", m, err)
	}
	after := contents(t, dir)
	delete(before, dbPath(dir)+".lock")
	delete(after, dbPath(dir)+".lock")
	if fmt.Sprint(before) != fmt.Sprint(after) {
		t.Error("files changed")
	}
	for name, content := range map[string][]byte{"a picture": []byte("\xff\xd8\xff"), "newer": newerStore(9)} {
		dir := fileWith(t, content)
		if _, err := bunt.Repair(t.Context(), options(dir), nil); err == nil || !bytes.Equal(readFile(t, dbPath(dir)), content) {
			t.Errorf("%s: error %v; want one, and the file as it was", name, err)
		}
	}
	held := fileWith(t, file)
	openDir(t, held)
	_, err = bunt.Repair(t.Context(), options(held), nil)
	if !errors.Is(err, storage.ErrLocked) {
		t.Errorf("repair of a held store: error %v, want %v", err, storage.ErrLocked)
	}
}
