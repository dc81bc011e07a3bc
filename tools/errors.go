package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// errLoading says that the memory was not loaded within the bound.
var errLoading = errors.New("the memory is still being loaded; nothing was done\ncall again in a moment")

// mistake is an argument that is not taken: one line says what was wrong, one
// what would be right.
type mistake struct {
	wrong, right string
}

// Error returns both lines.
func (m *mistake) Error() string { return m.wrong + "\n" + m.right }

func bad(wrong, right string) error { return &mistake{wrong, right} }

// hint is what a client reads for an error of the memory that is no mistake of
// the caller.
type hint struct {
	err  error
	text string
}

// hints are looked up in this order; the first that matches is told.
func hints() []hint {
	return []hint{
		{errLoading, errLoading.Error()},
		{storage.ErrLocked, "nothing was done\nclose the other program that uses this data directory, or call again in a moment"},
		{storage.ErrReadOnly, "the memory takes no writes: an earlier write could not be made durable; nothing was stored\ncheck the disk and restart the server; recall goes on working"},
		{storage.ErrUnavailable, "the disk did not take the write; nothing was stored\nfree some space and call again"},
		{storage.ErrCorrupt, "the memory's file is damaged; nothing was done\nsee the server's log, which names the file"},
		{storage.ErrClosed, "the server is stopping; nothing was done\ncall again when it has restarted"},
		{storage.ErrTooLarge, "the call is too large for one write; nothing was stored\nsplit it into several calls"},
		{storage.ErrNotFound, "no memory has that id; nothing was changed\nuse an id that recall or remember gave"},
		{storage.ErrConflict, "the memory changed while the call ran; nothing was stored\ncall again"},
		{context.DeadlineExceeded, "the call took too long and was stopped\nask for less, or call again"},
		{context.Canceled, "the call was cancelled\ncall again if it is still wanted"},
	}
}

// explain returns what a client may read about err: a mistake as it stands, a
// known condition with its hint, a file that cannot be used with its name, and
// anything else as an internal error whose text is only in the log.
func (f *face) explain(name string, err error) error {
	var m *mistake
	var invalid *layers.InvalidError
	var newer storage.NewerError
	var link storage.LinkError
	var files *fs.PathError
	var open *layers.UnfinishedError
	switch {
	case errors.As(err, &m):
		return m
	case errors.As(err, &invalid):
		return invalid
	case errors.As(err, &open):
		f.log.Warn("call failed", keyTool, name, keyError, open.Error())
		return fmt.Errorf("the records are forgotten and nothing recalls them, but their bytes are still in files: a file could not be written or read (receipt %s)\nfree some space or mend the disk and make the same call again; the next erase and the next start finish it too", open.Receipt)
	case errors.As(err, &newer):
		f.log.Warn("call failed", keyTool, name, keyError, newer.Error())
		return fmt.Errorf("%w\nnothing was done, and the memory's files were left as they are", newer)
	case errors.As(err, &link):
		f.log.Warn("call failed", keyTool, name, keyError, link.Error())
		return fmt.Errorf("%w\nnothing was done, and the memory's files were left as they are", link)
	}
	for _, h := range hints() {
		if errors.Is(err, h.err) {
			f.log.Warn("call failed", keyTool, name, keyError, h.err.Error())
			if errors.Is(h.err, storage.ErrLocked) {
				return fmt.Errorf("%s; %s", holder(err), h.text)
			}
			return errors.New(h.text)
		}
	}
	if errors.As(err, &files) { // a path and what the system said of it: never content
		f.log.Error("call failed", keyTool, name, keyError, files.Error())
		return fmt.Errorf("the memory's files cannot be used: %w; nothing was done\nmend that and call again; mcp-memory doctor tells more", files)
	}
	id := errorID()
	f.log.Error("call failed", keyTool, name, keyErrorID, id, keyError, err.Error())
	return internalError(id)
}

// holder is what a locked store's error says from the sentinel on: which process
// holds it, without the path before it.
func holder(err error) string {
	_, which, _ := strings.Cut(err.Error(), storage.ErrLocked.Error())
	return storage.ErrLocked.Error() + which
}

func internalError(id string) error {
	return fmt.Errorf("internal error %s\nthe server's log tells more under this number", id)
}

// errorID names one failure in the answer and in the log.
func errorID() string { return rand.Text()[:10] }
