package bunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/buntdb"

	"mcp-memory/storage"
)

// sound returns the bytes of a file of n operations, as writeCommands makes it.
func sound(t testing.TB, n int) ([]byte, []entry) {
	t.Helper()
	_, value, err := newMeta(storageTime)
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for i := range n {
		op := storage.Op{User: "ann", At: storageTime}
		v, err := encode(opKey(uint64(i+1)), op, []recordLine{{Record: storage.Record{ID: fmt.Sprint(i), User: "ann"}}})
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{uint64(i + 1), v})
	}
	var file bytes.Buffer
	if err := writeCommands(&file, value, entries); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), entries
}

func TestWriteCommands_AreBuntDBsOwnBytes(t *testing.T) {
	ours, entries := sound(t, 3)
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := buntdb.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	first := ours[:bytes.Index(ours, []byte("*3\r\n$3\r\nset\r\n$19"))]
	metaValue := first[bytes.Index(first, []byte("m1 ")) : len(first)-2]
	set := func(key, value string) {
		if err := update(db, func(tx *buntdb.Tx) error { _, _, err := tx.Set(key, value, nil); return err }); err != nil {
			t.Fatal(err)
		}
	}
	set(keyMeta, string(metaValue))
	size := commandSize(keyMeta, string(metaValue))
	for _, e := range entries {
		set(opKey(e.seq), e.value)
		size += commandSize(opKey(e.seq), e.value)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, theirs) {
		t.Errorf("ours\n%q\nBuntDB's\n%q", ours, theirs)
	}
	if size != int64(len(ours)) {
		t.Errorf("commandSize adds up to %d, want %d", size, len(ours))
	}
}

func TestScanner_ReadsWhatIsSound(t *testing.T) {
	file, entries := sound(t, 300)
	s := newScanner(bytes.NewReader(file), int64(len(file)))
	var at int64
	for i := -1; i < len(entries); i++ {
		c, err := s.next()
		if err != nil {
			t.Fatalf("command %d: %v", i, err)
		}
		if c.offset != at {
			t.Fatalf("command %d at %d, want %d", i, c.offset, at)
		}
		at += c.length
		if i >= 0 && (c.key != opKey(entries[i].seq) || string(c.value) != entries[i].value) {
			t.Fatalf("command %d: %q", i, c.key)
		}
	}
	if _, err := s.next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: error %v, want %v", err, io.EOF)
	}
}

func TestScanner_NamesWhatIsWrong(t *testing.T) {
	set := "*3\r\n$3\r\nset\r\n"
	cases := map[string]error{
		"*":                            errTorn,
		set[:9]:                        errTorn,
		set + "$4":                     errTorn,
		set + "$4\r\nme":               errTorn,
		set + "$4\r\nmeta\r\n$9\r\nx":  errTorn,
		"x":                            errDamaged,
		"\x00" + set:                   errDamaged,
		"\r\n" + set:                   errDamaged,
		"*3\n$3\nset\n":                errDamaged,
		"*4\r\n$3\r\nset\r\n":          errDamaged,
		"*3\r\n$3\r\nSET\r\n":          errDamaged,
		set + "$04\r\nmeta":            errDamaged,
		set + "$-1\r\n":                errDamaged,
		set + "$\r\n":                  errDamaged,
		set + "$4\r\nmetaxx":           errDamaged,
		set + "$16777217\r\n":          errDamaged,
		set + "$999999999999999999999": errDamaged,
		"*2\r\n$3\r\nset\r\n":          errDamaged,
		"*2\r\n$3\r\ndel\r\n$1\r\nab":  errDamaged,
		"*2\r\n$3\r\ndel\r\n$1\r\na":   errTorn,
		set + "$9\r\nx\r\n" + set + "": errDamaged,
	}
	for file, want := range cases {
		_, err := newScanner(strings.NewReader(file), int64(len(file))).next()
		if !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", file, err, want)
		}
	}
}

func TestScanner_AllocatesNoMoreThanTheFileHolds(t *testing.T) {
	file := strings.Repeat(setMarker+"$16000000\r\nx", 50)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := examine(t.Context(), strings.NewReader(file), int64(len(file)), nil)
	runtime.ReadMemStats(&after)
	if err != nil || v.kept != 0 || v.dropped == 0 {
		t.Fatalf("survey %+v, %v", v, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("%d bytes allocated for a file of %d", got, len(file))
	}
}

func TestScanner_ResyncFindsAMarkerAcrossWindows(t *testing.T) {
	for _, before := range []int{0, 1, scanBuffer - 14, scanBuffer - 13, scanBuffer - 5, scanBuffer, 3*scanBuffer - 20} {
		file := strings.Repeat("x", before) + setMarker + strings.Repeat("y", 100)
		got, err := newScanner(strings.NewReader(file), int64(len(file))).resync(0)
		if err != nil || got != int64(before) {
			t.Errorf("marker at %d found at %d, %v", before, got, err)
		}
	}
}

// commandBytes is a command's bytes.
func commandBytes(key, value string) []byte {
	var b bytes.Buffer
	_ = writeCommand(&b, key, value) // a buffer takes all
	return b.Bytes()
}

// FuzzExamine: whatever the bytes, the scan ends, counts no byte twice, and what
// it keeps is a file in which nothing is wrong.
func FuzzExamine(f *testing.F) {
	file, _ := sound(f, 2)
	f.Add(file)
	f.Add(file[:len(file)-7])
	f.Add(append([]byte("\x00\x00"), file...))
	f.Add(bytes.Replace(file, []byte("$19"), []byte("$91"), 1))
	ended, err := endValue(2, make([]byte, 32))
	if err != nil {
		f.Fatal(err)
	}
	for _, tail := range []string{"", "x", string(file)} {
		f.Add(slices.Concat(file, commandBytes(keyEnd, ended), []byte(tail)))
	}
	f.Add([]byte("*2\r\n$3\r\ndel\r\n$19\r\nop:0000000000000001\r\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		var kept bytes.Buffer
		var good int64
		v, err := examine(context.Background(), bytes.NewReader(file), int64(len(file)), func(c command) error {
			good += c.length
			kept.Write(file[c.offset : c.offset+c.length])
			return nil
		})
		if err != nil {
			if !IsNewer(err) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if v.lost+good > v.tornAt || v.tornAt > v.size {
			t.Fatalf("%d lost and %d good bytes, tail at %d of %d", v.lost, good, v.tornAt, v.size)
		}
		again, err := examine(context.Background(), bytes.NewReader(kept.Bytes()), int64(kept.Len()), nil)
		if err != nil || again.dropped != 0 || again.tornAt != again.size || again.kept != v.kept {
			t.Fatalf("what was kept of %+v scans as %+v, %v", v, again, err)
		}
	})
}

// badDisk cannot read one byte.
type badDisk struct {
	io.ReaderAt
	at int64
}

func (d badDisk) ReadAt(p []byte, off int64) (int, error) {
	if off <= d.at && d.at < off+int64(len(p)) {
		n, _ := d.ReaderAt.ReadAt(p[:d.at-off], off)
		return n, syscall.EIO
	}
	return d.ReaderAt.ReadAt(p, off)
}

// What cannot be read now is not damaged: to salvage would lose what the disk may
// give at the next try.
func TestExamine_AReadErrorIsNoDamage(t *testing.T) {
	file, _ := sound(t, 3)
	broken := append(bytes.Clone(file), "garbage, and no command after it"...)
	for at := range int64(len(broken)) {
		_, err := examine(t.Context(), badDisk{bytes.NewReader(broken), at}, int64(len(broken)), nil)
		if !errors.Is(err, syscall.EIO) {
			t.Fatalf("byte %d cannot be read: error %v, want %v", at, err, syscall.EIO)
		}
	}
}
