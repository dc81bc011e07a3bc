package jsonrpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
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
		if got := string(IDOf([]byte(tc.in))); got != tc.want {
			t.Errorf("IDOf(%s) = %s, want %s", tc.in, got, tc.want)
		}
	}
}

func TestReadLine_HoldsNoMoreThanItsLimit(t *testing.T) {
	r := bufio.NewReader(strings.NewReader("a\n" + strings.Repeat("x", MaxLine+1) + "\n" + strings.Repeat("y", MaxLine-1) + "\nlast"))
	for i, want := range []struct {
		size int
		over bool
	}{{1, false}, {keptOfLong, true}, {MaxLine - 1, false}, {4, false}} {
		line, err := ReadLine(r)
		if err != nil || len(line.Text) != want.size || line.Over != want.over {
			t.Errorf("line %d: %d bytes, over %v, error %v; want %+v", i, len(line.Text), line.Over, err, want)
		}
	}
	if _, err := ReadLine(r); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

func TestRefusal_IsJSONWhateverTheID(t *testing.T) {
	for id, want := range map[string]string{`7`: `7`, `"a"`: `"a"`, ``: `null`, `{"a"`: `null`} {
		var got Message
		if err := json.Unmarshal(Refusal(json.RawMessage(id), CodeBusy, "a \"word\""), &got); err != nil {
			t.Errorf("id %s: %v", id, err)
		}
		if want == "null" {
			want = ""
		}
		if string(got.ID) != want && string(got.ID) != "null" || got.Error == nil {
			t.Errorf("id %s: the answer's id is %s, want %s", id, got.ID, want)
		}
	}
}

func TestFeed_TakesABatchApart(t *testing.T) {
	const one, two = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"x":[{"y":"]"}]}`
	many := "[" + strings.Repeat("{},", maxBatch) + "{}]"
	for _, tc := range []struct {
		in   string
		want []string
	}{
		{one, []string{one}},
		{"[" + one + " , " + two + "]", []string{one, two}},
		{"[" + one + "]", []string{one}},
		{`[]`, []string{`[]`}},
		{`[1]`, []string{`[1]`}},
		{"[" + one + ",null]", []string{"[" + one + ",null]"}},
		{"[" + one, []string{"[" + one}},
		{"[" + one + "]x", []string{"[" + one + "]x"}},
		{many, []string{many}},
	} {
		out, stop := make(chan Line), make(chan struct{})
		end := Feed(strings.NewReader(tc.in+"\n"), out, stop)
		var got []string
		for open := true; open; {
			select {
			case line := <-out:
				got = append(got, string(line.Text))
			case <-end:
				open = false
			}
		}
		close(stop)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%.80s became %.200q, want %.200q", tc.in, got, tc.want)
		}
	}
}

func TestAnswer_KeepsTheIDAsItIsWritten(t *testing.T) {
	for _, id := range []string{`9007199254740993`, `18446744073709551615`, `1.0`, `1e3`, `"a<b>&\u0063"`} {
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
		if got := string(Answer(json.RawMessage(id), "result", json.RawMessage(`{}`))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := string(Refusal(json.RawMessage(id), CodeBusy, "later")); !strings.Contains(got, `"id":`+id+`,`) {
			t.Errorf("got %s, want the id %s", got, id)
		}
	}
}

func FuzzBatch(f *testing.F) {
	f.Add([]byte(`[{"id":1},{"id":2}]`))
	f.Add([]byte(`[{"id":1},]`))
	f.Add([]byte(`[[{}]]`))
	f.Add([]byte("[{}\x00]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list := messages(Line{Text: text})
		if len(list) == 1 && bytes.Equal(list[0].Text, text) {
			return
		}
		if len(list) == 0 || len(list) > maxBatch || !json.Valid(text) {
			t.Fatalf("%q became %d messages", text, len(list))
		}
		for _, m := range list {
			if _, err := Peek(m.Text); err != nil {
				t.Errorf("a message of %q is %q: %v", text, m.Text, err)
			}
		}
	})
}

func FuzzPeek(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"recall"}}`))
	f.Add([]byte(`{"method":"notifications/cancelled","params":{"requestId":"x"}}`))
	f.Add([]byte(`{"id":[[[`))
	f.Add([]byte("{\"id\":\"\xff\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Peek(text)
		if err == nil && m.IsResponse() && m.Method != "" {
			t.Error("a message with a method is no response")
		}
		if id := IDOf(text); len(id) > 0 && (id[0] == '{' || id[0] == '[') {
			t.Errorf("the id is %s", id)
		}
	})
}
