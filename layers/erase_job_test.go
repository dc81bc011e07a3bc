package layers_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// TestErase_AJobBesideItKeepsNoWords: what the gate, a drop and an error say quotes
// turns that an erase took while the job ran.
func TestErase_AJobBesideItKeepsNoWords(t *testing.T) {
	h := openUnsynced(t)
	var id string
	var once sync.Once
	verdict := `{"should_extract":%t,"reasoning":"he said crumbleforth"}`
	models(t, h, func(w http.ResponseWriter, _ *http.Request) {
		yes, no := fmt.Sprintf(verdict, true), fmt.Sprintf(verdict, false)
		answer(w, fmt.Sprintf(`{"activity":%s,"context":%[1]s,"experience":%[1]s,"preference":%[1]s,"identity":%s}`, no, yes))
	}, func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { h.eraseNow(layers.ForgetInput{IDs: []string{id}}) })
		nothing(w, r)
	})
	id = h.say(layers.Memorandum{Text: "The door opens with crumbleforth."}).ID
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns("I am Ada, and the door opens with crumbleforth.")})
	if out.Gate.Mode != "model" || len(out.Gate.Layers) != 5 {
		t.Fatalf("%+v", out)
	}
	h.stop()
	if left := holding(t, h.dir, "crumbleforth"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestErase_AJobBesideItLearnsNothingOfWhatWent: what a model finds in turns that an
// erase took while it read is not stored; what it finds in others is.
func TestErase_AJobBesideItLearnsNothingOfWhatWent(t *testing.T) {
	const dog, trade = "Crumbleforth ate a shoe today.", "I work as a beekeeper."
	of := func(id string) layers.ForgetInput { return layers.ForgetInput{IDs: []string{id}} }
	for name, c := range map[string]struct {
		session, source string
		take            func(id string) layers.ForgetInput
		kept            int
	}{
		"a value of the same source":  {"", "chat-1", of, 1},
		"a value of the same session": {"s1", "other", of, 1},
		"a value of another source":   {"", "other", of, 2},
		"a whole source":              {"", "chat-1", func(string) layers.ForgetInput { return layers.ForgetInput{SourceID: "chat-1"} }, 0},
		"all":                         {"s2", "other", func(string) layers.ForgetInput { return layers.ForgetInput{All: true} }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := openUnsynced(t)
			var id string
			var once sync.Once
			models(t, h, gateOf("identity"), func(w http.ResponseWriter, r *http.Request) {
				once.Do(func() { h.eraseNow(c.take(id)) })
				answer(w, fmt.Sprintf(`{"memories":[{"text":"A shoe was eaten by Crumbleforth.","importance":4,"confidence":0.9,"quote":%q},`+
					`{"text":"The user is a beekeeper.","importance":4,"confidence":0.9,"entity":"user","attribute":"occupation","value":"beekeeper","quote":%q}]}`, dog, trade))
			})
			id = h.say(layers.Memorandum{Text: "The user's dog is called Crumbleforth.", Entity: "user", Attribute: "dog", Value: "Crumbleforth", SourceID: "chat-1", SessionID: "s1"}).ID
			out := h.extracts(layers.ExtractInput{SourceID: c.source, SessionID: c.session, Force: true, Layers: []string{"identity"}, Messages: turns(dog, trade)})
			if out.Counts.Stored != c.kept {
				t.Errorf("stored %d, want %d: %+v", out.Counts.Stored, c.kept, out)
			}
			h.stop()
			if left := holding(t, h.dir, "rumbleforth"); (len(left) > 0) != (c.kept == 2) {
				t.Errorf("left: %v", left)
			}
			h.start()
		})
	}
}

// TestErase_AWaitingJobKeepsNoWords: a job that had its turns before an erase and is
// run after it drops nothing in words of them.
func TestErase_AWaitingJobKeepsNoWords(t *testing.T) {
	h := openUnsynced(t)
	started, hang := make(chan struct{}, 16), make(chan struct{})
	models(t, h, func(w http.ResponseWriter, _ *http.Request) {
		started <- struct{}{}
		<-hang
		no := `{"should_extract":false,"reasoning":"no"}`
		answer(w, fmt.Sprintf(`{"activity":%s,"context":%[1]s,"experience":%[1]s,"preference":%[1]s,"identity":%[1]s}`, no))
	}, nothing)
	wait := false
	id := h.say(layers.Memorandum{Text: "The door opens with crumbleforth"}).ID
	var last string
	for i := range 5 { // one more than run at once
		source := fmt.Sprint("s", i)
		if i == 4 {
			for range i {
				<-started
			}
		}
		said := []string{"I am Ada, a weaver."}
		if i == 4 {
			said = append(said, "Is it so, that the door opens with crumbleforth?")
		}
		last = h.extracts(layers.ExtractInput{SourceID: source, Messages: turns(said...), Wait: &wait}).JobID
	}
	h.pass(time.Second)
	h.eraseNow(layers.ForgetInput{IDs: []string{id}})
	h.pass(time.Second)
	close(hang)
	wait = true
	if out := h.extracts(layers.ExtractInput{JobID: last, Wait: &wait}); out.Status != layers.JobComplete {
		t.Fatalf("%+v", out)
	}
	h.stop()
	if left := holding(t, h.dir, "crumbleforth"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestErase_TheSameSourceBringsNoWordsBack: neither as a record nor in the job of an
// extraction that meets them again.
func TestErase_TheSameSourceBringsNoWordsBack(t *testing.T) {
	h := openUnsynced(t)
	said := layers.ExtractInput{SourceID: "chat", SessionID: "s", Flush: true, Messages: turns("I live in Crumbleforth.")}
	doc := layers.ExtractInput{SourceID: "book", Source: "document", Text: "The sky is grey.\n\nThe vault opens with fizzlewick."}
	h.extracts(said)
	h.extracts(doc)
	var ids []string
	for _, m := range h.recalled(layers.RecallInput{Limit: ptr(50)}).Matches {
		if strings.Contains(m.Text, "Crumbleforth") || strings.Contains(m.Text, "fizzlewick") {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) < 2 {
		t.Fatalf("only %v", ids)
	}
	h.eraseNow(layers.ForgetInput{IDs: ids})
	said.SessionID, said.Flush, doc.Text = "", false, "A new beginning.\n\n"+doc.Text
	h.extracts(said)
	h.extracts(doc)
	if left := holding(t, h.dir, "rumbleforth", "fizzlewick"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	said.Force = true
	if out := h.extracts(said); out.Counts.Stored == 0 {
		t.Errorf("forced: %+v", out)
	}
}

// TestErase_AllOfASourceAndAllTakeWhatNoRecordWasMadeOf: turns, notes and what jobs
// dropped go along.
func TestErase_AllOfASourceAndAllTakeWhatNoRecordWasMadeOf(t *testing.T) {
	h := openUnsynced(t)
	fill := func(source, word string) {
		h.extracts(layers.ExtractInput{SourceID: source, SessionID: source, Flush: true, Messages: turns("I live in Crumbleforth-"+word+".", "Where is the "+word+"?", "Fine.")})
		h.extracts(layers.ExtractInput{SourceID: source, Messages: turns("How old is the " + word + "?")})
	}
	fill("mail-7", "fizzlewick")
	fill("mail-71", "wobblethorpe")
	h.say(layers.Memorandum{Text: "Step one, fizzlewick.", Tier: storage.Working, SessionID: "steps"})
	h.eraseNow(layers.ForgetInput{SourceID: "mail-7"})
	for session, n := range map[string]int{"mail-7": 0, "mail-71": 3, "steps": 1} {
		if got := h.recalled(layers.RecallInput{Query: "sky", SessionID: session}).Working; len(got) != n {
			t.Errorf("%s: %d turns, want %d", session, len(got), n)
		}
	}
	if left := holding(t, h.dir, "fizzlewick", "wobblethorpe"); len(left) != 2 {
		t.Errorf("after the source: %v", left)
	}
	h.eraseNow(layers.ForgetInput{All: true})
	if left := holding(t, h.dir, "fizzlewick", "wobblethorpe", "rumbleforth"); len(left) > 0 {
		t.Errorf("after all: %v", left)
	}
	h.extracts(layers.ExtractInput{SessionID: "later", Messages: turns("Where is the fizzlewick?")})
	in := layers.ForgetInput{All: true, Mode: layers.ModeErase} // no record is left, only what was said
	shown, err := h.Forget(t.Context(), user, in)
	if in.Confirm = shown.Confirm; err != nil || shown.MatchedCount != 0 || in.Confirm == "" {
		t.Fatalf("%+v, %v", shown, err)
	}
	if out, err := h.Forget(t.Context(), user, in); err != nil || !out.Receipt.Verified || out.Forgotten != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	h.restart()
	if left := holding(t, h.dir, "fizzlewick"); len(left) > 0 {
		t.Errorf("after all once more: %v", left)
	}
}
