package keyword_test

import (
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-memory/storage/keyword"
)

// posting is one document of a term, for comparing.
type posting struct {
	Doc uint32
	TF  int
}

func postings(x *keyword.Index, term string) []posting {
	var list []posting
	for doc, tf := range x.Postings(term) {
		list = append(list, posting{doc, tf})
	}
	return list
}

func TestAdd_CountsTermsAndDocuments(t *testing.T) {
	x := keyword.New()
	x.Add(7, []string{"tea", "green", "tea"})
	x.Add(3, []string{"tea"})
	x.Add(9, nil)

	if got := x.Len(); got != 3 {
		t.Errorf("Len = %d, want 3", got)
	}
	if got := x.Length(7); got != 3 {
		t.Errorf("Length(7) = %d, want 3", got)
	}
	if got := x.DocFreq("tea"); got != 2 {
		t.Errorf("DocFreq(tea) = %d, want 2", got)
	}
	want := []posting{{3, 1}, {7, 2}}
	if diff := cmp.Diff(want, postings(x, "tea")); diff != "" {
		t.Errorf("Postings(tea): %s", diff)
	}
}

func TestAdd_ReplacesWhatTheDocumentHeld(t *testing.T) {
	x := keyword.New()
	x.Add(1, []string{"coffee", "black"})
	x.Add(1, []string{"tea"})

	if got := x.DocFreq("coffee"); got != 0 {
		t.Errorf("DocFreq(coffee) = %d, want 0", got)
	}
	if got, want := x.Length(1), 1; got != want {
		t.Errorf("Length = %d, want %d", got, want)
	}
	if got := x.Len(); got != 1 {
		t.Errorf("Len = %d, want 1", got)
	}
}

func TestAdd_LeavesTheCallersSliceAsItIs(t *testing.T) {
	terms := []string{"b", "a", "b"}
	keyword.New().Add(1, terms)
	if diff := cmp.Diff([]string{"b", "a", "b"}, terms); diff != "" {
		t.Error(diff)
	}
}

func TestRemove_OfAnUnknownDocumentChangesNothing(t *testing.T) {
	x := keyword.New()
	x.Add(1, []string{"tea"})
	x.Remove(2)
	if x.Len() != 1 || x.DocFreq("tea") != 1 {
		t.Errorf("Len, DocFreq = %d, %d, want 1, 1", x.Len(), x.DocFreq("tea"))
	}
}

func TestPostings_StopWhenTheCallerDoes(t *testing.T) {
	x := keyword.New()
	for doc := range uint32(5) {
		x.Add(doc, []string{"tea"})
	}
	seen := 0
	for range x.Postings("tea") {
		seen++
		if seen == 2 {
			break
		}
	}
	if seen != 2 {
		t.Errorf("saw %d documents, want 2", seen)
	}
}

func TestIDF_HandValues(t *testing.T) {
	x := keyword.New()
	for doc := range uint32(10) {
		x.Add(doc, []string{"every"})
	}
	x.Add(0, []string{"every", "one"})
	for _, test := range []struct {
		term string
		want float64
	}{
		{"one", math.Log(1 + 9.5/1.5)},
		{"every", math.Log(1 + 0.5/10.5)},
		{"none", math.Log(1 + 10.5/0.5)},
	} {
		if got := x.IDF(test.term); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("IDF(%s) = %v, want %v", test.term, got, test.want)
		}
	}
}

func TestWeight_HandValues(t *testing.T) {
	for _, test := range []struct {
		tf, length int
		want       float64
	}{
		{0, 10, 0},
		{-1, 10, 0},
		{1, 1, 1 / 1.9},
		{1, 25, 1 / 1.9},
		{1, 50, 1 / 2.8},
		{3, 100, 3 / 6.6},
	} {
		if got := keyword.Weight(test.tf, test.length); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("Weight(%d, %d) = %v, want %v", test.tf, test.length, got, test.want)
		}
	}
}

// model is the naive index: every document's terms, nothing else.
type model map[uint32][]string

func (m model) postings(term string) []posting {
	var list []posting
	for _, doc := range slices.Sorted(maps.Keys(m)) {
		tf := 0
		for _, held := range m[doc] {
			if held == term {
				tf++
			}
		}
		if tf > 0 {
			list = append(list, posting{doc, tf})
		}
	}
	return list
}

// numbers lie close together and far apart.
var numbers = []uint32{0, 1, 2, 3, 510, 511, 512, 513, 1024, 1 << 20}

var vocabulary = []string{"", "a", "b", "c", "d", "茶", "tea", "teas"}

func TestIndex_AgreesWithANaiveModel(t *testing.T) {
	documents := rapid.SampledFrom(numbers)
	contents := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		x, m := keyword.New(), model{}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				doc, terms := documents.Draw(t, "doc"), contents.Draw(t, "terms")
				x.Add(doc, terms)
				m[doc] = terms
			},
			"remove": func(t *rapid.T) {
				doc := documents.Draw(t, "doc")
				x.Remove(doc)
				delete(m, doc)
			},
			"": func(t *rapid.T) { agree(t, x, m) },
		})
	})
}

func agree(t *rapid.T, x *keyword.Index, m model) {
	if x.Len() != len(m) {
		t.Fatalf("Len = %d, want %d", x.Len(), len(m))
	}
	for _, doc := range numbers {
		if x.Length(doc) != len(m[doc]) {
			t.Fatalf("Length(%d) = %d, want %d", doc, x.Length(doc), len(m[doc]))
		}
	}
	for _, term := range vocabulary {
		want := m.postings(term)
		if diff := cmp.Diff(want, postings(x, term)); diff != "" {
			t.Fatalf("Postings(%q): %s", term, diff)
		}
		if x.DocFreq(term) != len(want) {
			t.Fatalf("DocFreq(%q) = %d, want %d", term, x.DocFreq(term), len(want))
		}
	}
}

func TestIndex_ContentDoesNotDependOnHowItCameAbout(t *testing.T) {
	straight, winding := keyword.New(), keyword.New()
	for doc := range uint32(50) {
		straight.Add(doc, document(int(doc)))
	}
	for i := range uint32(50) {
		doc := 49 - i
		winding.Add(doc, []string{"other"})
		winding.Add(doc+1000, document(int(i)))
		winding.Add(doc, document(int(doc)))
		winding.Remove(doc + 1000)
	}
	for _, term := range document(1) {
		if diff := cmp.Diff(postings(straight, term), postings(winding, term)); diff != "" {
			t.Errorf("Postings(%s): %s", term, diff)
		}
	}
	if got := winding.DocFreq("other"); got != 0 {
		t.Errorf("DocFreq(other) = %d, want 0", got)
	}
}

// document returns about 20 words with a skew like that of language: low
// numbers are in many documents, most are in a few.
func document(i int) []string {
	terms := make([]string, 20)
	seed := uint64(i)*0x9E3779B97F4A7C15 + 1
	for at := range terms {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		u := float64(seed>>11) / (1 << 53)
		terms[at] = fmt.Sprintf("word%d", int(math.Exp(u*u*math.Log(50_000))))
	}
	return terms
}

// maxBytesPerDocument is the memory that a record of 20 words may cost.
const maxBytesPerDocument = 400

func TestIndex_StaysSmall(t *testing.T) {
	const documents = 50_000
	before := heap()
	x := keyword.New()
	for doc := range uint32(documents) {
		x.Add(doc, document(int(doc)))
	}
	perDocument := (heap() - before) / documents
	t.Logf("%d bytes a document", perDocument)
	if perDocument > maxBytesPerDocument {
		t.Errorf("a document costs %d bytes, want at most %d", perDocument, maxBytesPerDocument)
	}
	runtime.KeepAlive(x)
}

func TestRemove_GivesMemoryBack(t *testing.T) {
	x := keyword.New()
	filled := func() {
		for doc := range uint32(20_000) {
			x.Add(doc, []string{strings.Repeat("x", 200) + fmt.Sprint(doc), "shared"})
		}
	}
	before := heap()
	filled()
	full := heap() - before
	for doc := range uint32(20_000) {
		x.Remove(doc)
	}
	if left := int64(heap()) - int64(before); left > int64(full/3) {
		t.Errorf("%d bytes of %d stay after all documents went", left, full)
	}
	runtime.KeepAlive(x)
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func BenchmarkAdd(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		documents := make([][]string, size)
		for i := range documents {
			documents[i] = document(i)
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				x := keyword.New()
				for doc, terms := range documents {
					x.Add(uint32(doc), terms)
				}
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

func BenchmarkReplace(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		x := keyword.New()
		for i := range size {
			x.Add(uint32(i), document(i))
		}
		terms := document(-1)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				x.Add(uint32(i*7919%size), terms)
			}
		})
	}
}

func BenchmarkScore(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		x := keyword.New()
		for i := range size {
			x.Add(uint32(i), document(i))
		}
		scores := make([]float64, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				for _, term := range []string{"word3", "word40", "word500", "word6000"} {
					idf := x.IDF(term)
					for doc, tf := range x.Postings(term) {
						scores[doc] += idf * keyword.Weight(tf, x.Length(doc))
					}
				}
			}
		})
	}
}
