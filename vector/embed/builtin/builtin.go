// Package builtin embeds texts with a model inside the binary: Microsoft's
// multilingual-e5-small (Wang et al., 2024: "Multilingual E5 Text Embeddings"),
// a 12-layer encoder for some hundred languages, with weights of 3 and 4 bits.
// It needs no network, no cgo and no file beside the binary.
//
//	texts ─ tokenizer ─ windows ─ passes ─ forward ─ mean ─ unit vectors
//
// Guarantees: a text's vector depends on the text and its kind alone, not on the
// texts beside it, to the last bit on one machine (another processor's kernels
// may round otherwise). Queries go first, see [Embedder]. A process that embeds
// stays under 70 MB of resident memory, most of it pages of the binary, which the
// system can drop; on Linux the word table's are given back as it goes.
//
// A text of more than 510 tokens is embedded in windows of 510 and gets their
// mean; nothing is cut off.
package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin/kernel"
)

// Options of an Embedder; the zero value is the embedded model on the fastest
// kernels of this machine.
type Options struct {
	File     string // a model file that mkmodel made; empty: the embedded one
	Kernel   string // a name of kernel.All(); empty: the fastest
	Parallel int    // passes of passages at once; 0: half of GOMAXPROCS, at least 1
}

// Embedder embeds texts with the built-in model. It is safe for concurrent use;
// a process should open one and share it, since the limits count for one.
//
// A batch of passages is spread over Options.Parallel cores, less where many
// batches are under way. Queries are not counted there: they may use all cores,
// and passages step aside while one is embedded.
type Embedder struct {
	model *model
	set   *kernel.Set
	turns *turns
	idle  chan *scratch // of passes that have ended
}

var _ embed.Embedder = (*Embedder)(nil)

// arithmetic is the version of everything beside the weights that decides a
// vector: tokens, windows, products, means. It is to be raised with every change
// that gives the same text another vector by more than rounding.
const arithmetic = "1"

// maxFileBytes bounds what New reads: twice the model at 8 bits a weight.
const maxFileBytes = 256 << 20

// New opens the embedded model or the one of opts.File.
func New(opts Options) (*Embedder, error) {
	set := kernel.Best()
	if opts.Kernel != "" {
		named, err := kernel.Named(opts.Kernel)
		if err != nil {
			return nil, err
		}
		set = named
	}
	if opts.Parallel < 0 {
		return nil, fmt.Errorf("open embedder: parallel is %d, want 0 (half of the processors) or more", opts.Parallel)
	}
	m, err := openModel(opts.File)
	if err != nil {
		return nil, err
	}
	passages := opts.Parallel
	if passages == 0 {
		passages = max(1, runtime.GOMAXPROCS(0)/2)
	}
	return newEmbedder(m, set, passages), nil
}

// newEmbedder makes an Embedder of its parts.
func newEmbedder(m *model, set *kernel.Set, passages int) *Embedder {
	return &Embedder{
		model: m,
		set:   set,
		turns: newTurns(passages),
		idle:  make(chan *scratch, idleScratches),
	}
}

// openModel opens a model file, or the embedded model. The embedded one is not
// checked against its sum, which would touch every page of it; a test does.
func openModel(path string) (*model, error) {
	if path == "" {
		m, err := open(embeddedBytes(), false)
		if err == nil {
			m.pages.table = returnable(m.words.section)
		}
		return m, err
	}
	m, err := readModel(path)
	if err != nil {
		return nil, fmt.Errorf("open model file %s: %w (such a file is made by: go run ./vector/embed/builtin/mkmodel -o FILE)", path, err)
	}
	return m, nil
}

// readModel reads and checks the model file at path.
func readModel(path string) (*model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%d bytes, more than a model has (%d)", info.Size(), maxFileBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return open(data, true)
}

// Model names the weights and the version of the arithmetic.
func (e *Embedder) Model() string { return e.model.name + "/" + arithmetic }

// Dim is 384 for the embedded model.
func (e *Embedder) Dim() int { return e.model.hidden }

// Kernel names the kernels in use: "go", "avx2", …
func (e *Embedder) Kernel() string { return e.set.Name }

// Embed implements [embed.Embedder]. Its only errors are ctx's and, for a model
// file with absurd weights, embed.ErrRefused.
func (e *Embedder) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	defer e.turns.enter(kind)()
	windows, err := e.windows(ctx, kind, texts)
	if err != nil {
		return nil, err
	}
	if err := e.runAll(ctx, kind, pack(windows, cap(e.turns.slots(kind)))); err != nil {
		return nil, err
	}
	return e.vectors(windows, len(texts))
}
