package file

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"mcp-memory/internal/files"
	"mcp-memory/vector"
)

// Graphs opens the indexes over the vectors of one model, each user's apart, and
// keeps their graphs in files, so that a restart neither builds them again nor
// changes answers.
type Graphs struct {
	Dir    string
	Model  string
	Engine string       // one of vector.Engines()
	Log    *slog.Logger // nil: nothing is logged

	kept sync.Map // users whose graph in the file is that of their index, but for what changed since
}

const graphPrefix, graphSuffix = "graph-", ".hnsw"

// Open puts an index over set, which it owns from then on. A graph that was saved
// is used if it is one over just these vectors; else, also where it cannot be
// read, it is built, by the engine auto behind the searches.
func (g *Graphs) Open(user string, set *vector.Set) (vector.Index, error) {
	index, err := g.saved(user, set)
	if err == nil {
		g.kept.Store(user, true)
		return index, nil
	}
	if g.Log != nil && !errors.Is(err, fs.ErrNotExist) {
		g.Log.Info("a saved graph is not used; a new one is built where one is needed", "reason", err)
	}
	return vector.Open(g.Engine, set)
}

// saved puts the graph that was saved over set.
func (g *Graphs) saved(user string, set *vector.Set) (vector.Index, error) {
	saved, err := os.Open(g.path(user))
	if err != nil {
		return nil, err
	}
	defer func() { _ = saved.Close() }() // it was read
	return vector.Reopen(g.Engine, set, bufio.NewReaderSize(saved, readAhead))
}

// Save keeps the graph of a user's index in place of the one that was kept, none
// where it has none, as while one is being built. Where nothing changed since the
// graph was kept there is nothing to do. It reports whether a graph is kept.
func (g *Graphs) Save(user string, index vector.Index, changed bool) (kept bool, err error) {
	path := g.path(user)
	if _, ok := g.kept.Load(user); ok && !changed {
		return true, nil
	}
	g.kept.Delete(user)
	saver, ok := index.(vector.Saver)
	if !ok {
		return false, removeBehind(path)
	}
	err = g.write(path, saver)
	switch {
	case errors.Is(err, vector.ErrNoGraph):
		return false, removeBehind(path)
	case err != nil:
		return false, fmt.Errorf("save graph: %w", err)
	}
	g.kept.Store(user, true)
	return true, nil
}

func (g *Graphs) write(path string, from io.WriterTo) error {
	path = behind(path)
	temp, err := os.OpenFile(path+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(temp, readAhead)
	_, err = from.WriteTo(w)
	if err == nil {
		err = w.Flush()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return errors.Join(err, files.Remove(path+tempSuffix))
	}
	return os.Rename(path+tempSuffix, path)
}

// path names a user's graph: users are named as they like, files are not.
func (g *Graphs) path(user string) string {
	sum := sha256.Sum256([]byte(g.Model + "\x00" + user))
	return filepath.Join(g.Dir, graphPrefix+hex.EncodeToString(sum[:8])+graphSuffix)
}
