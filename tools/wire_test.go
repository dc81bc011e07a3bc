package tools

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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
