package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// frozenReport is what became of calls while the owner was stopped.
type frozenReport struct {
	Tried    bool    `json:"tried"` // processes can be stopped here
	Named    bool    `json:"named"` // the errors name the owner
	ErrorMS  float64 `json:"error_ms"`
	AfterMS  float64 `json:"after_ms"` // from the thaw to the next answer
	Answered bool    `json:"answered"` // after the thaw
}

// frozenLimit bounds what a call may take that a stopped owner does not answer.
const frozenLimit = 30 * time.Second

// measureFrozen stops an owner and calls through it.
func measureFrozen(ctx context.Context, o manyOptions, dir string, progress io.Writer) (r frozenReport, err error) {
	if !canFreeze {
		return r, nil
	}
	r.Tried = true
	var children []*child
	defer func() {
		for _, c := range children {
			err = errors.Join(err, c.stop())
		}
	}()
	for range 2 {
		c, err := startChild(ctx, childOptions{exe: o.server, dir: dir, log: "error", embedder: o.embedder, stderr: os.Stderr})
		if err != nil {
			return r, err
		}
		children = append(children, c)
	}
	owner, other := children[0], children[1]
	if err := freeze(owner.pid()); err != nil {
		return r, err
	}
	r.ErrorMS, r.Named = askFrozen(ctx, other, owner.pid())
	fmt.Fprintf(progress, "a stopped owner: the error came after %.0f ms and names it: %v\n", r.ErrorMS, r.Named)
	if err := thaw(owner.pid()); err != nil {
		return r, err
	}
	begin := time.Now()
	for !r.Answered && time.Since(begin) < frozenLimit {
		var out rememberedMany
		_, err := other.call(ctx, "remember", map[string]any{"text": "The ice is gone."}, &out)
		r.Answered = err == nil
	}
	r.AfterMS = float64(time.Since(begin).Microseconds()) / 1000
	return r, nil
}

func askFrozen(ctx context.Context, c *child, owner int) (ms float64, named bool) {
	ctx, cancel := context.WithTimeout(ctx, frozenLimit)
	defer cancel()
	begin := time.Now()
	var out rememberedMany
	_, err := c.call(ctx, "remember", map[string]any{"text": "The lake is frozen."}, &out)
	return float64(time.Since(begin).Microseconds()) / 1000, err != nil && strings.Contains(err.Error(), fmt.Sprintf("pid %d", owner))
}
