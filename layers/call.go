package layers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcp-memory/storage"
)

// Call tells a call from all others: one that comes again is answered as the
// first was, and does nothing. The zero Call is never the same as another.
type Call struct {
	ID string
	// Keep keeps the answer for some minutes: the call may come again, after
	// whoever began it has died.
	Keep bool
}

// callPrefix stands before a call's id among idempotency keys.
const callPrefix = "call:"

// repeated finds what a call was answered with when it came before, and decodes
// it into out.
func (m *Memory) repeated(ctx context.Context, user string, call Call, out any) (bool, error) {
	if call.ID == "" {
		return false, nil
	}
	a, err := m.opts.Store.Answer(ctx, user, callPrefix+call.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look up the call: %w", err)
	}
	if err := json.Unmarshal(a.Body, out); err != nil {
		return false, fmt.Errorf("read the answer to the call: %w", err)
	}
	return true, nil
}

// kept is what is stored of a call's answer; nil where nothing need be.
func (c Call) kept(body any, at time.Time) (*storage.Answer, error) {
	if c.ID == "" || !c.Keep {
		return nil, nil
	}
	b, err := marshal(body)
	if err != nil {
		return nil, fmt.Errorf("keep the answer: %w", err)
	}
	return &storage.Answer{Key: callPrefix + c.ID, Body: b, At: at, Brief: true}, nil
}

// forgotBefore answers a forget that comes again. Its receipt is all that was
// kept of the answer: no content of what was forgotten.
func (m *Memory) forgotBefore(ctx context.Context, user string, call Call) (out ForgetOutput, known bool, err error) {
	var receipt string
	if known, err = m.repeated(ctx, user, call, &receipt); !known || err != nil {
		return out, known, err
	}
	ids, err := m.opts.Store.Receipt(ctx, user, receipt)
	if err != nil {
		return out, true, fmt.Errorf("look up the receipt: %w", err)
	}
	var found []uint32
	var at time.Time
	erased := false
	err = m.read(user, func(sp *space) error {
		for _, id := range ids {
			if n, ok := sp.byID[id]; ok {
				found = append(found, n)
				at, erased = fromMicros(sp.docs[n].forgottenAt), sp.docs[n].erased
			}
		}
		out, err = sp.forgetAnswer(found)
		return err
	})
	if err != nil {
		return out, true, err
	}
	if erased {
		out.Mode, out.Forgotten, out.Receipt.ID = ModeErase, len(found), receipt
		return out, true, nil
	}
	out, err = m.forgot(ctx, user, receipt, at, found, out)
	return out, true, err
}

// extractedBefore answers an extraction that comes again by the job that its first
// coming began, and waits for that where the caller does.
func (m *Memory) extractedBefore(ctx context.Context, t *task) (out ExtractOutput, known bool, err error) {
	var id string
	if known, err = m.repeated(ctx, t.User, t.call, &id); !known || err != nil {
		return out, known, err
	}
	if t.Wait {
		if err := m.jobs.wait(ctx, id); err != nil {
			return out, true, fmt.Errorf("extract: job %s goes on: %w", id, err)
		}
	}
	view, err := m.Job(ctx, t.User, id)
	return view.Output, true, err
}
