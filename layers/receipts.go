package layers

import (
	"context"
	"fmt"
	"slices"

	"mcp-memory/storage"
)

// ReceiptView is a forget as it is kept: what was done, never what was said.
type ReceiptView struct {
	ID        string          `json:"id"`
	At        string          `json:"at"`
	Mode      string          `json:"mode"`
	Reason    string          `json:"reason"`
	Count     int             `json:"count"`
	Records   []string        `json:"records"` // ids; in a list the first of them
	Restored  int             `json:"restored"`
	UndoUntil string          `json:"undo_until"` // "" for an erase
	Done      bool            `json:"done"`       // false: an erase that is not carried out yet
	Verified  bool            `json:"verified"`   // of an erase: every file was reached and nothing was found
	Checked   map[string]bool `json:"checked"`
	Unreached []string        `json:"unreached"`
	Gone      []string        `json:"gone,omitempty"` // backups that were not where they were made: deleted, or moved
	DoneAt    string          `json:"done_at"`
}

// Sizes of a list of receipts.
const (
	receiptsMost = 500
	receiptShown = 20 // ids of each
)

// Receipts returns the user's latest receipts, the newest first.
func (m *Memory) Receipts(ctx context.Context, user string) ([]ReceiptView, error) {
	out := []ReceiptView{}
	err := m.opts.Store.Receipts(ctx, func(owner string, r storage.Receipt) error {
		if owner == user {
			out = append(out, receiptView(r))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list receipts: %w", err)
	}
	slices.Reverse(out)
	out = out[:min(len(out), receiptsMost)]
	for i := range out {
		out[i].Records = out[i].Records[:min(len(out[i].Records), receiptShown)]
	}
	return out, nil
}

// ReceiptByID returns one of the user's receipts. Error: storage.ErrNotFound.
func (m *Memory) ReceiptByID(ctx context.Context, user, id string) (ReceiptView, error) {
	var out ReceiptView
	err := m.opts.Store.Receipts(ctx, func(owner string, r storage.Receipt) error {
		if owner == user && r.ID == id {
			out = receiptView(r)
		}
		return nil
	})
	if err == nil && out.ID == "" {
		err = storage.ErrNotFound
	}
	if err != nil {
		return ReceiptView{}, fmt.Errorf("receipt %s: %w", quoted(id), err)
	}
	return out, nil
}

func receiptView(r storage.Receipt) ReceiptView {
	v := ReceiptView{
		ID: r.ID, At: formatTime(r.At), Mode: ModeSoft, Reason: r.Reason, Count: len(r.IDs), Records: nonNil(r.IDs), Restored: r.Restored,
		Done: true, Checked: map[string]bool{}, Unreached: []string{},
	}
	if !r.Erase {
		v.UndoUntil = formatTime(r.At.Add(undoWindow))
		return v
	}
	v.Mode, v.Done = ModeErase, r.Ended != nil
	if r.Ended != nil {
		v.Verified, v.Unreached, v.DoneAt = r.Ended.Verified, nonNil(r.Ended.Unreached), formatTime(r.EndedAt)
		v.Gone = r.Ended.Gone
		if r.Ended.Checked != nil {
			v.Checked = r.Ended.Checked
		}
	}
	return v
}
