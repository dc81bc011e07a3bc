package vector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A saved graph, all numbers little endian:
//
//	magic "mmgraph" and version byte
//	dim, maxDegree, baseDegree, vectors, id of the entry    5 × uint32
//	for every vector
//	    id uint32, fingerprint of the vector uint64, level int8
//	    level −1 (a twin): id of its node uint32
//	    else for each level from 0: n uint8, n × id of a neighbour uint32
//	CRC-32C of all before                                    uint32
//
// Vectors are named by id and fingerprint and are not in it: nothing of what was
// removed is left in a file.
const graphMagic = "mmgraph\x01"

// Errors of saved graphs, wrapped with what was found.
var (
	// ErrNoGraph: the index answers by a scan and has no graph to save.
	ErrNoGraph = errors.New("no graph to save")
	// ErrGraph: what was read is damaged, of another version, or not of these
	// vectors. Build the graph again: [Open].
	ErrGraph = errors.New("saved graph does not fit")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo saves the graph, for [ReadHNSW]. The vectors must be saved elsewhere,
// each so that it comes back the same.
func (h *HNSW) WriteTo(w io.Writer) (int64, error) {
	saved, err := h.encode()
	if err != nil {
		return 0, err
	}
	n, err := w.Write(saved)
	if err != nil {
		return int64(n), fmt.Errorf("save graph: %w", err)
	}
	return int64(n), nil
}

// encode is the graph as saved; in memory, so that no disk is waited for under
// the lock.
func (h *HNSW) encode() ([]byte, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if h.graph == nil {
		return nil, ErrNoGraph
	}
	return h.graph.encode(), nil
}

func (g *graph) encode() []byte {
	const perVector = 4 + 8 + 1 + 1 + 4*baseDegree
	out := make([]byte, 0, 64+len(g.level)*perVector)
	out = append(out, graphMagic...)
	entry := uint32(0)
	if g.top != notNode {
		entry = g.set.ids[g.entry]
	}
	for _, n := range []uint32{uint32(g.set.dim), maxDegree, baseDegree, uint32(len(g.level)), entry} {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	for slot := range uint32(len(g.level)) {
		out = g.encodeSlot(out, slot)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

func (g *graph) encodeSlot(out []byte, slot uint32) []byte {
	out = binary.LittleEndian.AppendUint32(out, g.set.ids[slot])
	out = binary.LittleEndian.AppendUint64(out, g.set.fingerprint(slot))
	out = append(out, byte(g.level[slot]))
	if g.level[slot] == notNode {
		return binary.LittleEndian.AppendUint32(out, g.set.ids[g.nodeOf(slot)])
	}
	for level := 0; level <= int(g.level[slot]); level++ {
		near := g.neighbours(slot, level)
		out = append(out, byte(len(near)))
		for _, n := range near {
			out = binary.LittleEndian.AppendUint32(out, g.set.ids[n])
		}
	}
	return out
}

// nodeOf is the node that a slot is a twin of.
func (g *graph) nodeOf(slot uint32) uint32 {
	for g.level[slot] == notNode {
		slot = g.twins[slot]
	}
	return slot
}

// ReadHNSW restores what WriteTo saved, over the same vectors: answers are those
// of the index that was saved, and nothing is built. After ErrGraph the set is as
// it was.
func ReadHNSW(r io.Reader, set *Set) (*HNSW, error) {
	g, err := readGraph(r, set)
	if err != nil {
		return nil, err
	}
	return &HNSW{guarded: guarded{set: set}, graph: g}, nil
}

// Reopen is [Open] with the graph that WriteTo saved. Engines without one refuse.
func Reopen(engine string, set *Set, saved io.Reader) (Index, error) {
	if engine != EngineAuto && engine != EngineHNSW {
		return nil, fmt.Errorf("%w: engine %q keeps none, %s and %s do", ErrGraph, engine, EngineAuto, EngineHNSW)
	}
	h, err := ReadHNSW(saved, set)
	if err != nil {
		return nil, err
	}
	if engine == EngineAuto {
		h.from = GraphFrom
		h.shrunk()
	}
	return h, nil
}

// readGraph decodes a graph and checks that it is whole.
func readGraph(r io.Reader, set *Set) (*graph, error) {
	saved, err := io.ReadAll(io.LimitReader(r, savedLimit(set)))
	if err != nil {
		return nil, fmt.Errorf("read graph: %w", err)
	}
	if int64(len(saved)) == savedLimit(set) {
		return nil, fmt.Errorf("%w: %d bytes and more are too many for %d vectors", ErrGraph, len(saved), set.Len())
	}
	body := len(saved) - crc32.Size
	if body < len(graphMagic) {
		return nil, fmt.Errorf("%w: it ends too early", ErrGraph)
	}
	if err := checkHead(saved, crc32.Checksum(saved[:body], castagnoli) == binary.LittleEndian.Uint32(saved[body:])); err != nil {
		return nil, err
	}
	d := decoder{rest: saved[len(graphMagic):body], g: newGraph(set)}
	if err := d.decode(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGraph, err)
	}
	return d.g, nil
}

// savedLimit is more than a graph over the set can take: what is longer is not
// read to its end.
func savedLimit(set *Set) int64 {
	const perVector = 4 + 8 + 1 + (1+4*baseDegree)*(1+maxLevel)
	return 64 + int64(set.Len())*perVector
}
