package vector

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// The engines [New] knows.
const (
	EngineAuto  = "auto"  // exact, from GraphFrom vectors on hnsw
	EngineExact = "exact" // compares with every vector
	EngineHNSW  = "hnsw"  // our graph
	EngineCoder = "coder" // github.com/coder/hnsw, guarded
)

// Engines lists the names New takes.
func Engines() []string { return []string{EngineAuto, EngineExact, EngineHNSW, EngineCoder} }

// ErrEngine says that no engine has the name.
var ErrEngine = errors.New("unknown vector engine")

// New returns an empty index of vectors of dim numbers. What it returns is also a
// [Reporter], and an [io.Closer] where the engine owns a goroutine: close it if
// it is one.
func New(engine string, dim int) (Index, error) {
	set, err := NewSet(dim)
	if err != nil {
		return nil, err
	}
	return Open(engine, set)
}

// Open puts an index over the vectors of a set, which it owns from then on. The
// hnsw engine builds its graph before it returns, auto behind the searches; see
// [ReadHNSW] for a graph that was saved.
func Open(engine string, set *Set) (Index, error) {
	switch engine {
	case EngineAuto:
		return openAuto(set, GraphFrom), nil
	case EngineExact:
		return &Exact{guarded{set: set}}, nil
	case EngineHNSW:
		return openHNSW(set), nil
	case EngineCoder:
		return openCoder(set), nil
	}
	return nil, fmt.Errorf("%w %q: want %s", ErrEngine, engine, strings.Join(Engines(), ", "))
}

// Reporter is an index that says how it is doing.
type Reporter interface {
	Stats() Stats
}

// Saver is an index with a graph worth keeping. WriteTo fails with ErrNoGraph
// where there is none to save at the moment.
type Saver interface {
	io.WriterTo
}

// Stats is the state of an index.
type Stats struct {
	Engine  string  // as it was asked for
	Answers string  // the engine that answers at the moment: exact while a graph is built or is not to be trusted
	Vectors int     // that can be found
	Pending int     // of them not yet in the graph that is being built
	Recall  float64 // recall@10 against the scan on a sample of the stored vectors; −1: not known
	Bytes   int64   // about what vectors and graph hold in memory
	Note    string  // why Answers is not what was asked for; empty where it is
}
