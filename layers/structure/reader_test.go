package structure_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"mcp-memory/layers/structure"
)

// However often and by how many a sentence is read, it states what Parts and Parse make
// of it, also where that depends on what was said before it.
func TestReader_ReadsAsPartsAndParseDo(t *testing.T) {
	at := time.Date(2024, 3, 5, 10, 0, 0, 0, time.UTC)
	acme := []structure.Claim{{Entity: "Tom", Attribute: "employer", Value: "Acme"}}
	var inputs []structure.Input
	for _, words := range []string{"I like tea.", "I'm a nurse and live in Utrecht.", "I work at Acme too.", "What is zinc?", "Next Tuesday I fly to Oslo.", "大阪に住んでいます。", "我住在北京。"} {
		inputs = append(inputs,
			structure.Input{Text: words, ObservedAt: at}, structure.Input{Text: words, ObservedAt: at.AddDate(0, 0, 9)}, structure.Input{Text: words, ObservedAt: at, Speaker: "Ben"},
			structure.Input{Text: words, ObservedAt: at, Others: acme}, structure.Input{Text: words, ObservedAt: at, Before: "田中さんは医者です。"})
	}
	reader := &structure.Reader{}
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for _, in := range inputs {
				got := reader.Read(in)
				want := structure.Reading{Parts: structure.Parts(in)}
				if len(want.Parts) == 0 {
					want.Statement, want.OK = structure.Parse(in)
				}
				if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
					t.Errorf("%+v: %+v, want %+v", in, got, want)
				}
				for i := range got.Parts {
					got.Parts[i].Value = "mine" // no other reader sees it
				}
			}
		})
	}
	readers.Wait()
}

func TestStatement_ClaimsAThingOnce(t *testing.T) {
	st := structure.Statement{Entity: "user", Attribute: "employer", Value: "Acme"}
	once := st.Claims(nil)
	if twice := st.Claims(once); len(once) != 1 || !reflect.DeepEqual(once, twice) {
		t.Errorf("%v, %v", once, twice)
	}
}
