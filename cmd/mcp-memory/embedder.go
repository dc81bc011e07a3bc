package main

import (
	_ "embed" // for the directive below
	"errors"
	"fmt"
	"log/slog"

	"mcp-memory/layers"
	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin"
	"mcp-memory/vector/embed/endpoint"
	"mcp-memory/vector/file"
)

// Values of the setting embedder.
const (
	embedderBuiltin = "builtin"
	embedderOpenAI  = "openai"
	embedderOff     = "off"
)

// embedding is what was set of the embedder.
type embedding struct {
	Embedder      string
	File          string // of the built-in one
	URL           string // of the endpoint, and so the rest
	APIKey        string
	Model         string
	QueryPrefix   string
	PassagePrefix string
}

// check refuses what does not go together: nothing that is set is ignored.
func (e embedding) check() error {
	ofEndpoint := []struct{ key, value string }{
		{"embed_url", e.URL}, {"embed_model", e.Model}, {"embed_api_key", e.APIKey},
		{"embed_query_prefix", e.QueryPrefix}, {"embed_passage_prefix", e.PassagePrefix},
	}
	for i, s := range ofEndpoint {
		switch {
		case e.Embedder != embedderOpenAI && s.value != "":
			return fmt.Errorf("%s is for embedder %s, and embedder is %s", s.key, embedderOpenAI, e.Embedder)
		case e.Embedder == embedderOpenAI && i < 2 && s.value == "":
			return fmt.Errorf("embedder %s needs %s", embedderOpenAI, s.key)
		}
	}
	if e.Embedder != embedderBuiltin && e.File != "" {
		return fmt.Errorf("embed_file is for embedder %s, and embedder is %s", embedderBuiltin, e.Embedder)
	}
	if e.Embedder == embedderOpenAI { // it reaches for no server yet
		_, err := endpoint.New(e.endpoint())
		return err
	}
	return nil
}

func (e embedding) endpoint() endpoint.Options {
	return endpoint.Options{URL: e.URL, APIKey: e.APIKey, Model: e.Model, QueryPrefix: e.QueryPrefix, PassagePrefix: e.PassagePrefix}
}

// cacheBytes is what the vectors of texts take that were embedded lately, of queries
// and of what is remembered each: some 1,200 of 384 numbers.
const cacheBytes = 2 << 20

// open returns the embedder that is set; nil for none.
func (e embedding) open() (embed.Embedder, error) {
	var made embed.Embedder
	var err error
	switch e.Embedder {
	case embedderOff:
		return nil, nil
	case embedderOpenAI:
		made, err = endpoint.New(e.endpoint())
	default:
		made, err = builtin.New(builtin.Options{File: e.File})
	}
	if err != nil {
		return nil, err
	}
	return embed.Cached(made, cacheBytes), nil
}

// meaning is what recall by meaning needs, beside the store.
type meaning struct {
	embedder embed.Embedder // nil: words alone
	vectors  *file.File     // nil, as the next: not kept
	measures *file.File     // what recall looks at queries through
	graphs   *file.Graphs
}

// openMeaning opens embedder and vectors. Vectors that cannot be kept cost no
// memory: they are made again at each start, and a warning says so.
func openMeaning(set settings, log *slog.Logger) (m meaning, err error) {
	if m.embedder, err = set.Embedding.open(); err != nil || m.embedder == nil {
		return m, err
	}
	m.graphs = &file.Graphs{Dir: set.Dir, Model: m.embedder.Model(), Engine: set.VectorEngine, Log: log}
	if err := file.Provide(set.Dir, m.embedder.Model()+measures, shippedYardstick); err != nil {
		log.Warn("the vectors that came with the program are made again", keyError, err)
	}
	m.vectors = keptVectors(set.Dir, m.embedder.Model(), log)
	m.measures = keptVectors(set.Dir, m.embedder.Model()+measures, log)
	return m, nil
}

// measures is added to a model's name for the vectors that are no records'.
const measures = "#yardstick"

// shippedYardstick is the file of those vectors for the built-in model. A first start
// would embed 144 texts before recall by meaning could answer: half a second on an
// idle machine, and longer than recall waits on a busy one.
//
//go:embed yardstick.vec
var shippedYardstick []byte

// keptVectors opens a vector file; nil where that cannot be.
func keptVectors(dir, model string, log *slog.Logger) *file.File {
	kept, replaced, err := file.Open(dir, model)
	switch {
	case err != nil:
		log.Warn("vectors are not kept over a restart", keyError, err)
		return nil
	case replaced:
		log.Warn("a vector file was damaged; its vectors are made again")
	}
	return kept
}

// options adds to those of a memory. Without an embedder what others left of
// vectors is still erased.
func (m meaning) options(o *layers.Options) {
	o.Files = file.Dir{Path: o.Dir, Files: []*file.File{m.vectors, m.measures}, Graphs: m.graphs}
	if m.embedder == nil {
		return
	}
	o.Embedder, o.Indexes = m.embedder, m.graphs
	if m.vectors != nil { // an interface of a nil pointer is not nil
		o.Vectors = m.vectors
	}
	if m.measures != nil {
		o.Yardstick = m.measures
	}
}

func (m meaning) close() (err error) {
	for _, kept := range []*file.File{m.vectors, m.measures} {
		if kept != nil {
			err = errors.Join(err, kept.Close())
		}
	}
	return err
}
