package tools

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIDOf_FindsTheIDOfWhatCannotBeParsed(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`{"jsonrpc":"2.0","id":7,"params":{"id":8`, `7`},
		{`{"params":{"id":8,"x":["id",{}]},"id":"a\"b"`, `"a\"b"`},
		{`{"id":null}`, ``},
		{`{"id":{"a":1}}`, ``},
		{`{"x":"id","y":1}`, ``},
		{`{"params":[1,2`, ``},
		{`[{"id":1}]`, ``},
		{`["id",1]`, ``},
		{`nonsense`, ``},
		{``, ``},
	} {
		if got := string(idOf([]byte(tc.in))); got != tc.want {
			t.Errorf("idOf(%s) = %s, want %s", tc.in, got, tc.want)
		}
	}
}

func TestReadLine_HoldsNoMoreThanItsLimit(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("a\n" + strings.Repeat("x", maxLine+1) + "\n" + strings.Repeat("y", maxLine-1) + "\nlast"))
	for i, want := range []struct {
		size int
		over bool
	}{{1, false}, {keptOfLong, true}, {maxLine - 1, false}, {4, false}} {
		line, err := readLine(r)
		if err != nil || len(line.text) != want.size || line.over != want.over {
			t.Errorf("line %d: %d bytes, over %v, error %v; want %+v", i, len(line.text), line.over, err, want)
		}
	}
	if _, err := readLine(r); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

// The property of order: when a call may begin, all writes before it are done,
// and before a write all reads too.
func TestOrder_NeverLetsACallPassAWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		writes := rapid.SliceOfN(rapid.Bool(), 1, 30).Draw(t, "writes")
		var o order
		turns := make([]turn, len(writes))
		for i, write := range writes {
			turns[i] = o.next(write)
		}
		done := make([]bool, len(turns))
		for left := len(turns); left > 0; left-- {
			var ready []int
			for i := range turns {
				if !done[i] && len(running(append([]chan struct{}(nil), turns[i].after...))) == 0 {
					ready = append(ready, i)
				}
			}
			if len(ready) == 0 {
				t.Fatalf("no call of %v may begin; done %v", writes, done)
			}
			i := rapid.SampledFrom(ready).Draw(t, "next")
			for j := range i {
				if !done[j] && (writes[i] || writes[j]) {
					t.Fatalf("call %d begins before call %d of %v", i, j, writes)
				}
			}
			done[i] = true
			close(turns[i].done)
		}
	})
}

func TestOrder_ForgetsReadsThatHaveEnded(t *testing.T) {
	var o order
	for range 1000 {
		close(o.next(false).done)
	}
	if n := len(o.reads); n > 1 {
		t.Errorf("%d reads are kept", n)
	}
}

func TestCutJSON_StaysWithinItsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text") + strings.Repeat("<\x01", rapid.IntRange(0, 50).Draw(t, "escapes"))
		n := rapid.IntRange(0, 200).Draw(t, "n")
		got := cutJSON(text, n)
		if size := jsonSize(got) - 2; size > n {
			t.Fatalf("cutJSON(%q, %d) takes %d bytes", text, n, size)
		}
		if jsonSize(text)-2 <= n && got != text {
			t.Fatalf("cutJSON(%q, %d) = %q, though the text fits", text, n, got)
		}
	})
}

func FuzzPeek(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"recall"}}`))
	f.Add([]byte(`{"id":[[[`))
	f.Add([]byte("{\"id\":\"\xff\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := peek(text)
		if err == nil {
			m.order()
			if _, err := m.outcome(); err == nil && m.Error != nil && string(m.Error) != "null" {
				t.Error("an error is no result")
			}
			if m.isResponse() && m.Method != "" {
				t.Error("a message with a method is no response")
			}
		}
		if id := idOf(text); len(id) > 0 && (id[0] == '{' || id[0] == '[') {
			t.Errorf("the id is %s", id)
		}
	})
}
