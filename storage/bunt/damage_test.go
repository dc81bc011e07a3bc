package bunt_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// fileWith returns a new directory whose store's file holds bytes.
func fileWith(t *testing.T, bytes []byte) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dbPath(dir), bytes)
	return dir
}

// lastCommand returns where the last command of a file begins.
func lastCommand(file []byte) int { return bytes.LastIndex(file, []byte("*3\r\n$3\r\nset\r\n")) }

// commandOf returns where the command of record R%04d begins and ends.
func commandOf(file []byte, n int) (begin, end int) {
	at := bytes.Index(file, fmt.Appendf(nil, "R%04d", n))
	begin = lastCommand(file[:at])
	next := bytes.Index(file[at:], []byte("*3\r\n"))
	if next < 0 {
		return begin, len(file)
	}
	return begin, at + next
}

// names returns the ids of operations 1 to n without those left out.
func names(n int, without ...int) []string {
	all := []string{}
	for i := range n {
		if !slices.Contains(without, i+1) {
			all = append(all, fmt.Sprintf("R%04d", i+1))
		}
	}
	return all
}

// goesOn checks that the store in dir takes a write and keeps it over a reopen
// that finds nothing to repair.
func goesOn(t *testing.T, dir string, want []string) {
	t.Helper()
	s := openDir(t, dir)
	expect(t, s, want...)
	apply(t, s, putOp(900))
	closeStore(t, s)
	s = openDir(t, dir)
	expect(t, s, append(slices.Clone(want), "R0900")...)
	if found := s.Stats().Salvage; found != nil && *found != (storage.Salvage{Lost: found.Lost}) { // what was lost is told for a month
		t.Errorf("a second salvage: %+v", found)
	}
	closeStore(t, s)
}

func TestOpen_CutAnywhereInTheLastOperation(t *testing.T) {
	_, file := filled(t, 3)
	begin := lastCommand(file)
	for cut := begin; cut <= len(file); cut++ {
		dir, want := fileWith(t, file[:cut]), names(2)
		if cut == len(file) {
			want = names(3)
		}
		s := openDir(t, dir)
		expect(t, s, want...)
		found := s.Stats().Salvage
		torn := cut > begin && cut < len(file)
		if torn != (found != nil) || torn && (found.Kept != 2 || found.Bytes != int64(cut-begin) || found.Original != "") {
			t.Fatalf("cut at %d: salvage %+v", cut-begin, found)
		}
		closeStore(t, s)
		if cut%16 == 0 || cut == len(file) {
			goesOn(t, dir, want)
		}
	}
}

func TestOpen_SalvagesDamage(t *testing.T) {
	_, file := filled(t, 10)
	begin5, end5 := commandOf(file, 5)
	text5 := bytes.Index(file, []byte("number 5"))
	length5 := begin5 + len("*3\r\n$3\r\nset\r\n$19\r\nop:0000000000000005\r\n$")
	begin10, _ := commandOf(file, 10)
	length10 := begin10 + length5 - begin5
	metaEnd, _ := commandOf(file, 1)
	nuls := make([]byte, 64)
	cases := []struct {
		name   string
		damage func(f []byte) []byte
		lost   []int
	}{
		{"NULs at the head", func(f []byte) []byte { return slices.Concat(nuls, f) }, nil},
		{"NULs between records", func(f []byte) []byte { return slices.Insert(f, begin5, nuls...) }, nil},
		{"NULs at the tail", func(f []byte) []byte { return append(f, nuls...) }, nil},
		{"garbage at the head", func(f []byte) []byte { return slices.Insert(f, 0, []byte("xyz\n")...) }, nil},
		{"garbage tail with newline", func(f []byte) []byte { return append(f, "xyz\n"...) }, nil},
		{"garbage tail without newline", func(f []byte) []byte { return append(f, "xyz"...) }, nil},
		{"a huge length at the tail", func(f []byte) []byte { return append(f, "*3\r\n$3\r\nset\r\n$999999999"...) }, nil},
		{"a huge length within", func(f []byte) []byte { return slices.Insert(f, length5, []byte("999999")...) }, []int{5}},
		{"a length that overflows", func(f []byte) []byte { return slices.Insert(f, length5, bytes.Repeat([]byte("9"), 40)...) }, []int{5}},
		{"20 bytes zeroed", func(f []byte) []byte { copy(f[text5:], nuls[:20]); return f }, []int{5}},
		{"20 bytes zeroed across two", func(f []byte) []byte { copy(f[end5-10:], nuls[:20]); return f }, []int{5, 6}},
		{"a length digit changed", func(f []byte) []byte { f[length5]++; return f }, []int{5}},
		{"a length digit changed to beyond the file", func(f []byte) []byte { return slices.Insert(f, length5, '9') }, []int{5}},
		{"the last length beyond the file", func(f []byte) []byte { f[length10] = '9'; return f }, []int{10}},
		{"a bit flipped in a text", func(f []byte) []byte { f[text5] ^= 1; return f }, []int{5}},
		{"a bit flipped in a key", func(f []byte) []byte { f[begin5+36] ^= 2; return f }, []int{5}},
		{"a bit flipped in a checksum", func(f []byte) []byte { f[length5+10] ^= 1; return f }, []int{5}},
		{"a stretch missing", func(f []byte) []byte { return slices.Delete(f, text5, end5+200) }, []int{5, 6}},
		{"the head missing", func(f []byte) []byte { return f[begin5+5:] }, []int{1, 2, 3, 4, 5}},
		{"meta zeroed", func(f []byte) []byte { clear(f[30:metaEnd]); return f }, nil},
		{"a torn tail and a hole", func(f []byte) []byte { f[text5] = 0; return f[:len(f)-9] }, []int{5, 10}},
		{"a torn tail with NULs", func(f []byte) []byte { f = f[:len(f)-9]; clear(f[len(f)-20:]); return f }, []int{10}},
		{"a time to live", func(f []byte) []byte { return slices.Concat(f, []byte(ttlCommand)) }, nil},
		{"a foreign key", func(f []byte) []byte { return slices.Concat(f, []byte("*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\nb\r\n")) }, nil},
		{"flushdb", func(f []byte) []byte { return append(f, "*1\r\n$7\r\nflushdb\r\n"...) }, nil},
		{"meta deleted", func(f []byte) []byte { return append(f, "*2\r\n$3\r\ndel\r\n$4\r\nmeta\r\n"...) }, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			damaged := c.damage(slices.Clone(file))
			dir := fileWith(t, damaged)
			want := names(10, c.lost...)
			s := openDir(t, dir)
			expect(t, s, want...)
			found := s.Stats().Salvage
			if found == nil || found.Kept != len(want) || found.Dropped < 1 {
				t.Fatalf("salvage %+v, want %d kept and something dropped", found, len(want))
			}
			if !bytes.Equal(readFile(t, found.Original), damaged) {
				t.Error("the original was not kept byte for byte")
			}
			closeStore(t, s)
			goesOn(t, dir, want)
		})
	}
}

const ttlCommand = "*5\r\n$3\r\nset\r\n$19\r\nop:0000000000000001\r\n$1\r\nx\r\n$2\r\nae\r\n$10\r\n9999999999\r\n"

func TestOpen_NoBitFlipGoesUnnoticed(t *testing.T) {
	_, file := filled(t, 4)
	begin, end := commandOf(file, 2)
	for i := begin; i < end; i++ {
		damaged := slices.Clone(file)
		damaged[i] ^= 1 << (i % 8)
		s := openDir(t, fileWith(t, damaged))
		got := ids(t, s)
		if !slices.Equal(got, names(4, 2)) || s.Stats().Salvage == nil {
			t.Fatalf("bit flipped at byte %d of the operation: records %v, salvage %+v", i-begin, got, s.Stats().Salvage)
		}
		closeStore(t, s)
	}
}

func TestOpen_SalvageOfALostHashKeyMakesANewOne(t *testing.T) {
	dir, file := filled(t, 2)
	s := openDir(t, dir)
	old := s.Hash("text", "tea")
	closeStore(t, s)
	metaEnd, _ := commandOf(file, 1)
	dir = fileWith(t, file[metaEnd:])
	s = openDir(t, dir)
	fresh := s.Hash("text", "tea")
	if found := s.Stats().Salvage; found == nil || found.Kept != 2 || found.Dropped != 1 || fresh == old {
		t.Errorf("salvage %+v, hash %s; want a report and another hash than %s", found, fresh, old)
	}
	closeStore(t, s)
	if got := openDir(t, dir).Hash("text", "tea"); got != fresh {
		t.Errorf("hash after a reopen %s, want %s", got, fresh)
	}
}

func TestOpen_RefusesWhatIsNotAStoreAndLeavesIt(t *testing.T) {
	_, file := filled(t, 1)
	cases := map[string][]byte{
		"a picture":        append([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00"), bytes.Repeat([]byte{0x5a, 0, 0xff}, 4000)...),
		"another database": []byte("*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\nb\r\n"),
		"NULs":             make([]byte, 5000),
		"text":             []byte("hello\n"),
		"a torn meta":      file[:40],
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			dir := fileWith(t, content)
			_, err := bunt.Open(t.Context(), bunt.Options{Dir: dir})
			if !errors.Is(err, storage.ErrCorrupt) {
				t.Fatalf("open: error %v, want %v", err, storage.ErrCorrupt)
			}
			if !bytes.Equal(readFile(t, dbPath(dir)), content) {
				t.Error("the file was changed")
			}
			if left, err := filepath.Glob(dbPath(dir) + ".damaged*"); err != nil || len(left) != 0 {
				t.Errorf("copies %v, %v; want none", left, err)
			}
		})
	}
}

// A power loss in the very first operation may leave its size and zeros for some of
// its sectors.
func TestOpen_DamageInTheOnlyOperation(t *testing.T) {
	_, file := filled(t, 1)
	begin, end := commandOf(file, 1)
	for from := begin; from < end; from += 7 {
		holed := slices.Clone(file)
		clear(holed[from:min(from+50, end)])
		goesOn(t, fileWith(t, holed), nil)
	}
}

func TestOpen_TakesAnEmptyFileForANewStore(t *testing.T) {
	dir := fileWith(t, nil)
	goesOn(t, dir, nil)
}

func TestOpen_KeepsEveryDamagedFile(t *testing.T) {
	_, file := filled(t, 3)
	dir := t.TempDir()
	for n := range 3 {
		writeFile(t, dbPath(dir), append(slices.Clone(file), strings.Repeat("x", n+1)...))
		s := openDir(t, dir)
		if found := s.Stats().Salvage; found == nil || !bytes.HasSuffix(readFile(t, found.Original), []byte(strings.Repeat("x", n+1))) {
			t.Fatalf("round %d: salvage %+v", n, found)
		}
		closeStore(t, s)
	}
	if kept, err := filepath.Glob(dbPath(dir) + ".damaged*"); err != nil || len(kept) != 3 {
		t.Errorf("copies %v, %v; want three", kept, err)
	}
}

func TestOpen_DeletedOperationsStayDeleted(t *testing.T) {
	_, file := filled(t, 3)
	goesOn(t, fileWith(t, append(file, "*2\r\n$3\r\ndel\r\n$19\r\nop:0000000000000002\r\n"...)), names(3, 2))
}

func TestOpen_LostRecordsDoNotBreakWhatNamesThem(t *testing.T) {
	dir, _ := filled(t, 2)
	s := openDir(t, dir)
	apply(t, s, storage.Op{User: "ann", At: at(3), Withdraw: []string{"R0001"},
		Reinforce: []storage.Reinforcement{{ID: "R0001"}, {ID: "R0002"}},
		Forget:    &storage.Forget{Receipt: "F1", Records: []storage.Tombstone{{ID: "R0001"}}}})
	closeStore(t, s)
	file := readFile(t, dbPath(dir))
	file[bytes.Index(file, []byte("number 1"))] ^= 1
	s = openDir(t, fileWith(t, file))
	expect(t, s, "R0002")
	if got := entries(t, s)[0]; len(got.Reinforced) != 1 || !got.Live() {
		t.Errorf("entry %+v, want it live and reinforced once", got)
	}
	if got, err := s.Receipt(t.Context(), "ann", "F1"); err != nil || !slices.Equal(got, []string{"R0001"}) {
		t.Errorf("receipt %v, %v; want R0001", got, err)
	}
}

// TestOpen_RepairSurvivesACrashAtEachStep takes the directory as it is at every
// sync of an Open that creates, cuts or salvages, and opens it.
func TestOpen_RepairSurvivesACrashAtEachStep(t *testing.T) {
	_, file := filled(t, 4)
	flipped := slices.Clone(file)
	flipped[bytes.Index(file, []byte("number 2"))] ^= 1
	cases := map[string]struct {
		file []byte
		want []string
	}{
		"new":      {nil, nil},
		"torn":     {file[:len(file)-5], names(3)},
		"salvaged": {flipped, names(4, 2)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir, crashes := fileWith(t, c.file), t.TempDir()
			var crashed []string
			s := open(t, bunt.Options{Dir: dir, Clock: clockAt(epoch), Sync: func(*os.File) error {
				crashed = append(crashed, filepath.Join(crashes, fmt.Sprint(len(crashed))))
				return os.CopyFS(crashed[len(crashed)-1], os.DirFS(dir))
			}})
			expect(t, s, c.want...)
			if len(crashed) < 3 {
				t.Fatalf("%d syncs, want three at least", len(crashed))
			}
			for _, copied := range crashed {
				goesOn(t, copied, c.want)
			}
		})
	}
}
