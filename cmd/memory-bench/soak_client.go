package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// soaker is one process with a client that calls all tools in turn, by chance.
type soaker struct {
	*child
	name  string
	rng   *rand.Rand
	alive []string // ids of what it remembered, oldest first
	keep  int
	calls map[string]int
	said  int
}

// toolAnswer is what a soaker reads of any tool's answer.
type toolAnswer struct {
	Memories []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"memories"`
	Layers map[string]struct {
		Memories []string `json:"memories"`
	} `json:"layers"`
	Forgotten int `json:"forgotten"`
}

// run calls until ctx ends. An error is one of the server's.
func (s *soaker) run(ctx context.Context, pause time.Duration) error {
	for ctx.Err() == nil {
		if err := s.once(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("client %s: %w", s.name, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

func (s *soaker) once(ctx context.Context) error {
	if len(s.alive) > s.keep {
		return s.forget(ctx)
	}
	switch n := s.rng.IntN(10); {
	case n < 3:
		return s.remember(ctx)
	case n < 4:
		return s.batch(ctx)
	case n < 8:
		return s.recall(ctx)
	default:
		return s.extract(ctx)
	}
}

// do calls a tool and counts it.
func (s *soaker) do(ctx context.Context, tool string, args map[string]any) (out toolAnswer, err error) {
	s.calls[tool]++
	_, err = s.call(ctx, tool, args, &out)
	return out, err
}

// Words of what the clients say. Each says some of it with its own name, so that
// slots are superseded and texts repeated.
var (
	soakThings = []string{"harbour", "greenhouse", "violin", "ledger", "kiln", "tramway", "orchard", "telescope", "bakery", "loom"}
	soakPlaces = []string{"Lyon", "Lisbon", "Oslo", "Turin", "Quito", "Hanoi", "Perth", "Dakar"}
)

func (s *soaker) sentence() string {
	s.said++
	return fmt.Sprintf("Note %d of %s: the %s beside the %s in %s was repainted.", s.said, s.name, pick(s.rng, soakThings), pick(s.rng, soakThings), pick(s.rng, soakPlaces))
}

func (s *soaker) remember(ctx context.Context) error {
	args := map[string]any{"text": s.sentence()}
	if s.rng.IntN(2) == 0 {
		args = map[string]any{"entity": s.name, "attribute": "home city", "value": pick(s.rng, soakPlaces)}
		args["text"] = fmt.Sprintf("%s lives in %s.", s.name, args["value"])
	}
	return s.keeps(s.do(ctx, "remember", args))
}

func (s *soaker) batch(ctx context.Context) error {
	memories := make([]map[string]any, 1+s.rng.IntN(10))
	for i := range memories {
		memories[i] = map[string]any{"text": s.sentence(), "tier": "episodic", "session_id": s.name}
	}
	return s.keeps(s.do(ctx, "remember", map[string]any{"memories": memories}))
}

// keeps notes what an answer says was stored.
func (s *soaker) keeps(out toolAnswer, err error) error {
	for _, m := range out.Memories {
		if m.Status == "stored" {
			s.alive = append(s.alive, m.ID)
		}
	}
	for _, layer := range out.Layers {
		s.alive = append(s.alive, layer.Memories...)
	}
	return err
}

func (s *soaker) recall(ctx context.Context) error {
	args := map[string]any{"query": fmt.Sprintf("the %s in %s", pick(s.rng, soakThings), pick(s.rng, soakPlaces))}
	switch s.rng.IntN(4) {
	case 0:
		args = map[string]any{"entity": s.name, "attribute": "home city", "include_superseded": true}
	case 1:
		args["format"] = "context"
	}
	_, err := s.do(ctx, "recall", args)
	return err
}

func (s *soaker) extract(ctx context.Context) error {
	args := map[string]any{
		"session_id": "stream of " + s.name,
		"messages": []map[string]any{{
			"id": fmt.Sprint(s.name, " ", s.said), "role": "user",
			"content": fmt.Sprintf("I moved to %s last week because of the %s. By the way, %s", pick(s.rng, soakPlaces), pick(s.rng, soakThings), s.sentence()),
		}},
		"flush": s.rng.IntN(4) == 0,
	}
	return s.keeps(s.do(ctx, "extract", args))
}

// forgetShare is what of the memories a soaker keeps it forgets at once.
const forgetShare = 4

// forget takes the oldest memories, for good mostly.
func (s *soaker) forget(ctx context.Context) error {
	n := min(len(s.alive)/forgetShare+1, 50)
	mode := "erase"
	if s.rng.IntN(4) == 0 {
		mode = "soft"
	}
	gone := map[string]bool{}
	var ids []string
	for _, id := range s.alive[:n] {
		if !gone[id] {
			ids = append(ids, id)
		}
		gone[id] = true
	}
	s.alive = s.alive[n:]
	_, err := s.do(ctx, "forget", map[string]any{"ids": ids, "mode": mode})
	return err
}
