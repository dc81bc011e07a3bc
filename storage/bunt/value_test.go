package bunt

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/buntdb"
	"pgregory.net/rapid"

	"mcp-memory/storage"
)

var storageTime = time.Date(2026, 3, 1, 12, 0, 0, 123000, time.UTC)

func TestParseKey_TakesOnlyItsOwn(t *testing.T) {
	for _, seq := range []uint64{0, 1, 0xabcdef, 1<<64 - 1} {
		if got, ok := parseKey(opKey(seq)); !ok || got != seq {
			t.Errorf("key %s: %d, %v; want %d", opKey(seq), got, ok, seq)
		}
	}
	for _, key := range []string{"", "meta", "op:", "op:1", "op:000000000000000A", "op:00000000000000011", "op:+000000000000001",
		"op:0x00000000000001", "op:000000000000000g", "xx:0000000000000001"} {
		if seq, ok := parseKey(key); ok {
			t.Errorf("key %q was taken for %d", key, seq)
		}
	}
}

func TestUnseal_NoticesEveryChange(t *testing.T) {
	value := seal("op:1", []byte("{\"user\":\"ann\"}\n"))
	if body, err := unseal("op:1", []byte(value)); err != nil || string(body) != "{\"user\":\"ann\"}\n" {
		t.Fatalf("body %q, %v", body, err)
	}
	if _, err := unseal("op:2", []byte(value)); !errors.Is(err, errValue) {
		t.Errorf("under another key: error %v, want %v", err, errValue)
	}
	for i := range len(value) {
		for bit := range 8 {
			changed := []byte(value)
			changed[i] ^= 1 << bit
			if _, err := unseal("op:1", changed); !errors.Is(err, errValue) {
				t.Errorf("bit %d of byte %d flipped: error %v, want %v", bit, i, err, errValue)
			}
		}
		if _, err := unseal("op:1", []byte(value[:i])); !errors.Is(err, errValue) {
			t.Errorf("cut at %d: error %v, want %v", i, err, errValue)
		}
	}
}

func TestParse_AgreesWithDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		op := storage.Op{User: text.Draw(t, "user"), At: storageTime}
		for range rapid.IntRange(0, 3).Draw(t, "reinforced") {
			op.Reinforce = append(op.Reinforce, storage.Reinforcement{ID: text.Draw(t, "id"), Tags: []string{text.Draw(t, "tag")}})
		}
		if rapid.Bool().Draw(t, "forgets") {
			op.Forget = &storage.Forget{Receipt: text.Draw(t, "receipt"),
				Records: []storage.Tombstone{{ID: text.Draw(t, "tomb")}, {ID: text.Draw(t, "tomb")}}}
		}
		var records []recordLine
		for range rapid.IntRange(0, 3).Draw(t, "puts") {
			records = append(records, recordLine{Purged: rapid.Bool().Draw(t, "purged"),
				Record: storage.Record{ID: text.Draw(t, "id"), User: text.Draw(t, "owner"), Text: text.Draw(t, "text")}})
		}
		value, err := encode("op:1", op, records)
		if err != nil {
			t.Fatal(err)
		}
		checkParse(t, value, op, records)
	})
}

// checkParse holds both readers of value against what was written.
func checkParse(t *rapid.T, value string, op storage.Op, records []recordLine) {
	gotOp, gotRecords, err := decode(value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(op, gotOp) + cmp.Diff(len(records), len(gotRecords)); diff != "" {
		t.Fatalf("decode (-want +got):\n%s", diff)
	}
	parsed, err := parse(value)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range parsed.puts {
		if r := records[i]; p.id != r.ID || p.user != r.User || p.purged != r.Purged {
			t.Fatalf("put %d: %+v, want %+v", i, p, r)
		}
	}
	var lines []string
	for i, p := range parsed.reinforce {
		if p.id != op.Reinforce[i].ID {
			t.Fatalf("reinforcement %d of %q, want %q", i, p.id, op.Reinforce[i].ID)
		}
		lines = append(lines, p.json)
	}
	decoded, err := reinforcements(lines)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(op.Reinforce, decoded); diff != "" {
		t.Fatalf("reinforcements (-want +got):\n%s", diff)
	}
}

// within reports whether part's bytes are bytes of whole.
func within(whole, part string) bool {
	begin, at := uintptr(unsafe.Pointer(unsafe.StringData(whole))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	return begin <= at && at+uintptr(len(part)) <= begin+uintptr(len(whole))
}

func TestParse_SharesTheValuesBytes(t *testing.T) {
	op := storage.Op{User: "ann", At: storageTime, Reinforce: []storage.Reinforcement{{ID: "R1"}, {ID: "R1"}},
		Forget: &storage.Forget{Receipt: "F1", Records: []storage.Tombstone{{ID: "R1"}}}}
	value, err := encode("op:1", op, []recordLine{{Record: storage.Record{ID: "R2", User: "ann", Text: "x"}}})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parse(value)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{parsed.puts[0].line, parsed.puts[0].id, parsed.puts[0].user,
		parsed.reinforce[0].json, parsed.reinforce[1].json, parsed.forget[0].json} {
		if !within(value, part) {
			t.Errorf("%q is a copy", part)
		}
	}
}

func TestParse_RefusesWhatIsNoOperation(t *testing.T) {
	for _, body := range []string{"", "{}", "[]\n", "{\"puts\":1}\n", "{}\n{\"id\":\"R1\"}\n", "{\"puts\":1}\n{\"id\":1}\n",
		"{\"puts\":1}\nx\n", "{\"at\":\"yesterday\"}\n", "{\"reinforce\":[3]}\n", "{\"forget\":{\"records\":[\"R1\"]}}\n"} {
		if _, err := parse(seal("op:1", []byte(body))); !errors.Is(err, errValue) {
			t.Errorf("%q: error %v, want %v", body, err, errValue)
		}
	}
}

func TestFoldAll_ReportsAnUnreadableOperation(t *testing.T) {
	if _, err := foldAll([]entry{{seq: 3, value: seal(opKey(3), []byte("[]\n"))}}, nil); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("error %v, want %v", err, storage.ErrCorrupt)
	}
}

func TestFold_LastNeverGoesBack(t *testing.T) {
	s := newState(0, nil)
	s.fold(operation{at: storageTime})
	s.fold(operation{at: storageTime.Add(-time.Hour)})
	if !s.last.Equal(storageTime) {
		t.Errorf("last %v, want %v", s.last, storageTime)
	}
}

func TestParseMeta_RefusesWhatItCannotUse(t *testing.T) {
	for _, line := range []string{`{}`, `x`, `{"version":1,"hash_key":"00"}`, `{"version":0,"hash_key":"` + strings.Repeat("00", 32) + `"}`,
		`{"version":1,"hash_key":"` + strings.Repeat("zz", 32) + `"}`} {
		if _, err := parseMeta([]byte(seal(keyMeta, []byte(line+"\n")))); !errors.Is(err, errValue) {
			t.Errorf("%s: error %v, want %v", line, err, errValue)
		}
	}
}

func TestUpdate_APanicDoesNotCommit(t *testing.T) {
	path := t.TempDir() + "/x.db"
	db, err := buntdb.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	err = update(db, func(tx *buntdb.Tx) error {
		if _, _, err := tx.Set("a", "b", nil); err != nil {
			return err
		}
		panic("boom")
	})
	if err == nil || errors.Is(err, errPanic) {
		t.Fatalf("error %v, want one of the transaction", err)
	}
	for round := range 2 {
		err := db.View(func(tx *buntdb.Tx) error { _, err := tx.Get("a"); return err })
		if !errors.Is(err, buntdb.ErrNotFound) {
			t.Errorf("round %d: error %v, want %v", round, err, buntdb.ErrNotFound)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if db, err = buntdb.Open(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUpdate_APanicOfBuntDBIsAnError(t *testing.T) {
	if err := update(nil, func(*buntdb.Tx) error { return nil }); !errors.Is(err, errPanic) {
		t.Errorf("error %v, want %v", err, errPanic)
	}
}

// FuzzValue: no value makes the decoders panic; what decode takes, parse takes,
// and the other way round but for the content that parse leaves alone.
func FuzzValue(f *testing.F) {
	op := storage.Op{User: "ann", At: storageTime, Reinforce: []storage.Reinforcement{{ID: "R1"}}, Withdraw: []string{"R1"},
		Forget: &storage.Forget{Receipt: "F1", Records: []storage.Tombstone{{ID: "R1"}}}, Answer: &storage.Answer{Key: "k"}}
	value, err := encode("op:1", op, []recordLine{{Record: storage.Record{ID: "R2", User: "ann"}}, {Purged: true}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value[frameLen:])
	f.Add("{\"puts\":1}\n{\"id\":\"\\u0041\",\"user\":\"a\"}\n")
	f.Add("{}\n\n")
	f.Add(`{"user":"a","again":[{"id":"R1","confidence":1,"trust":"x","times":[[1,2],[3,4,5]]}],"forget":{"receipt":"E","records":[{"id":"R1"}],"erase":{"turns":["x"]}},"erased":[{"receipt":"E"}],"answers":[{"key":"k"}],"puts":1}` + "\n{\"id\":\"R1\",\"user\":\"a\"}\n")
	f.Add(`{"again":[{"id":"R1","times":[[1]]}],"puts":1}` + "\n{\"id\":\"R1\"}\n")
	f.Fuzz(func(t *testing.T, body string) {
		value := seal("op:1", []byte(body))
		if _, err := unseal("op:1", []byte(value)); err != nil && body != "" {
			t.Fatalf("unseal: %v", err)
		}
		parsed, err := parse(value)
		if err != nil {
			return
		}
		s := newState(0, nil)
		s.fold(parsed)
		if len(s.records) > len(parsed.puts) {
			t.Fatalf("%d records of %d puts", len(s.records), len(parsed.puts))
		}
		for _, r := range s.records {
			r.entry() // an error or an entry, no panic
		}
		if op, records, err := decode(value); err == nil && (op.User != parsed.user || len(records) != len(parsed.puts)) {
			t.Fatalf("decode %q, %d records; parse %q, %d", op.User, len(records), parsed.user, len(parsed.puts))
		}
	})
}

// FuzzMeta: no meta makes its parser panic or yields a hash key of another
// length.
func FuzzMeta(f *testing.F) {
	_, value, err := newMeta(storageTime)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value[frameLen:])
	f.Fuzz(func(t *testing.T, body string) {
		m, err := parseMeta([]byte(seal(keyMeta, []byte(body))))
		if err == nil && len(m.key) != hashKeyLen {
			t.Fatalf("hash key of %d bytes", len(m.key))
		}
	})
}
