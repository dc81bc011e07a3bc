package builtin

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"mcp-memory/vector/embed"
)

func TestTurns_PassageStepsAsideWhileQueryIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		leave := turns.enter(embed.Query)
		var passed bool
		go func() { passed = turns.step(t.Context(), embed.Passage) == nil }()
		synctest.Wait()
		if passed {
			t.Fatal("a passage went on beside a query")
		}
		leave()
		synctest.Wait()
		if !passed {
			t.Fatal("a passage still waits though the query has ended")
		}
	})
}

func TestTurns_StreamOfQueriesDoesNotStopPassages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		first := turns.enter(embed.Query)
		var passed bool
		go func() { passed = turns.step(t.Context(), embed.Passage) == nil }()
		synctest.Wait()
		second := turns.enter(embed.Query)
		defer second()
		first()
		synctest.Wait()
		if !passed {
			t.Fatal("a passage waits for a query that came after it had stepped aside")
		}
	})
}

func TestTurns_QueriesDoNotStepAside(t *testing.T) {
	turns := newTurns(1)
	defer turns.enter(embed.Query)()
	defer turns.enter(embed.Query)()
	if err := turns.step(t.Context(), embed.Query); err != nil {
		t.Fatal(err)
	}
}

func TestTurns_WaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		defer turns.enter(embed.Query)()
		ctx, cancel := context.WithCancel(t.Context())
		var aside, slot error
		release, err := turns.take(ctx, embed.Passage)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		go func() { aside = turns.step(ctx, embed.Passage) }()
		go func() { _, slot = turns.take(ctx, embed.Passage) }()
		synctest.Wait()
		if aside != nil || slot != nil {
			t.Fatalf("before the cancel: step %v, take %v", aside, slot)
		}
		cancel()
		synctest.Wait()
		if !errors.Is(aside, context.Canceled) || !errors.Is(slot, context.Canceled) {
			t.Fatalf("after the cancel: step %v, take %v, want context.Canceled", aside, slot)
		}
	})
}

func TestTurns_PassagesGetTheirSlotsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots = 2
		turns := newTurns(slots)
		var releases []func()
		for range slots {
			releases = append(releases, mustTake(t, turns, embed.Passage))
		}
		var third func()
		go func() { third = mustTake(t, turns, embed.Passage) }()
		synctest.Wait()
		if third != nil {
			t.Fatalf("%d passes of passages at once, want %d", slots+1, slots)
		}
		for range runtime.GOMAXPROCS(0) {
			defer mustTake(t, turns, embed.Query)() // must not wait for passages
		}
		for _, release := range releases {
			release()
		}
		synctest.Wait()
		if third == nil {
			t.Fatal("a slot was given back and nobody got it")
		}
		third()
	})
}

func mustTake(t *testing.T, turns *turns, kind embed.Kind) (release func()) {
	t.Helper()
	release, err := turns.take(t.Context(), kind)
	if err != nil {
		t.Error(err)
	}
	return release
}

// A batch of passages is under way, on the only slot there is; a query is
// answered, and the batch moves only while none is under way.
func TestEmbed_QueryIsNotHeldUpByPassages(t *testing.T) {
	m := shallow(t)
	synctest.Test(t, func(t *testing.T) {
		e := newEmbedder(m, testEmbedder(t).set, 1)
		leave := e.turns.enter(embed.Query) // a query that stays under way
		var vectors [][]float32
		go func() { vectors, _ = e.Embed(t.Context(), embed.Passage, []string{"one", "two", "three"}) }()
		synctest.Wait()
		if len(e.turns.passages) != 1 {
			t.Fatal("the batch has not begun")
		}
		embedOne(t, e, embed.Query, "a query beside it")
		synctest.Wait()
		if vectors != nil {
			t.Fatal("the batch went on to its end beside a query")
		}
		leave()
		synctest.Wait()
		if len(vectors) != 3 {
			t.Fatalf("the batch has %d vectors, want 3", len(vectors))
		}
	})
}
