package vector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// decoder reads a saved graph over a set. Its first error ends it.
type decoder struct {
	rest []byte
	g    *graph
	fail error
}

// take cuts off the next n bytes; zeros after an error or the end.
func (d *decoder) take(n int) []byte {
	if len(d.rest) < n {
		d.refuse(errors.New("it ends too early"))
		return make([]byte, n)
	}
	next := d.rest[:n]
	d.rest = d.rest[n:]
	return next
}

func (d *decoder) uint8() uint8   { return d.take(1)[0] }
func (d *decoder) uint32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

// decode fills the graph and checks it.
func (d *decoder) decode() error {
	entry := d.header()
	if d.fail != nil {
		return d.fail
	}
	set := d.g.set
	if n := len(set.ids); n > 0 {
		d.g.grow(uint32(n - 1))
	}
	seen := make([]bool, len(set.ids))
	twins := make(map[uint32]uint32)
	for range set.ids {
		if err := d.vector(seen, twins); err != nil {
			return err
		}
	}
	if len(d.rest) > 0 {
		return fmt.Errorf("%d bytes too many", len(d.rest))
	}
	if err := d.g.hangTwins(twins); err != nil {
		return err
	}
	return d.g.check(entry)
}

// header reads what must be as it is here, and the id of the entry.
func (d *decoder) header() (entry uint32) {
	want := []struct {
		name string
		n    int
	}{{"dimension", d.g.set.dim}, {"degree", maxDegree}, {"degree of level 0", baseDegree}, {"number of vectors", d.g.set.Len()}}
	for _, w := range want {
		if got := d.uint32(); d.fail == nil && int64(got) != int64(w.n) {
			d.fail = fmt.Errorf("%s is %d, want %d", w.name, got, w.n)
		}
	}
	return d.uint32()
}

// vector reads what is saved of one vector. Twins are noted for hangTwins.
func (d *decoder) vector(seen []bool, twins map[uint32]uint32) error {
	id, print, level := d.uint32(), d.uint64(), int8(d.uint8())
	slot := d.slot(id)
	switch {
	case d.fail != nil:
		return d.fail
	case seen[slot]:
		return fmt.Errorf("vector %d twice", id)
	case print != d.g.set.fingerprint(slot):
		return fmt.Errorf("vector %d is another one", id)
	case level < notNode || level > maxLevel:
		return fmt.Errorf("vector %d on level %d", id, level)
	}
	seen[slot] = true
	if level == notNode {
		twins[slot] = d.slot(d.uint32())
		return d.fail
	}
	d.g.makeNode(slot, int(level))
	d.g.nodes++
	if _, found := d.g.prints[print]; !found {
		d.g.prints[print] = slot
	}
	for l := range int(level) + 1 {
		d.neighbours(d.g.list(slot, l))
	}
	return d.fail
}

// neighbours reads a list of ids into a list of slots.
func (d *decoder) neighbours(list []uint32) {
	n := int(d.uint8())
	if n >= len(list) {
		d.refuse(fmt.Errorf("%d neighbours, at most %d", n, len(list)-1))
		return
	}
	list[0] = uint32(n)
	for i := range n {
		list[1+i] = d.slot(d.uint32())
	}
}

// slot is that of an id; 0 after an error.
func (d *decoder) slot(id uint32) uint32 {
	slot, found := d.g.set.slots[id]
	if !found {
		d.refuse(fmt.Errorf("no vector %d", id))
	}
	return slot
}

// refuse notes an error, if it is the first.
func (d *decoder) refuse(err error) {
	if d.fail == nil {
		d.fail = err
	}
}

// hangTwins puts every twin into the ring of its node.
func (g *graph) hangTwins(twins map[uint32]uint32) error {
	for twin, node := range twins {
		if g.level[node] == notNode || !g.set.same(twin, node) {
			return fmt.Errorf("vector %d is no twin of %d", g.set.ids[twin], g.set.ids[node])
		}
		g.twins[twin], g.twins[node] = g.twins[node], twin
	}
	return nil
}

// check makes sure that a walk stays within the graph and that removal finds
// what it expects, and sets the entry.
func (g *graph) check(entry uint32) error {
	for slot, level := range g.level {
		g.top = max(g.top, int(level))
		for l := 0; l <= int(level); l++ {
			if err := g.checkList(uint32(slot), l); err != nil {
				return err
			}
		}
	}
	if g.top == notNode {
		return nil
	}
	slot, found := g.set.slots[entry]
	if !found || int(g.level[slot]) != g.top {
		return errors.New("the entry is not on the top level")
	}
	g.entry = slot
	return nil
}

// checkList: every neighbour is another node of the level, once, and has slot as
// its neighbour.
func (g *graph) checkList(slot uint32, level int) error {
	near := g.neighbours(slot, level)
	for i, n := range near {
		if n == slot || int(g.level[n]) < level || slices.Contains(near[:i], n) || !slices.Contains(g.neighbours(n, level), slot) {
			return fmt.Errorf("vectors %d and %d are no neighbours on level %d", g.set.ids[slot], g.set.ids[n], level)
		}
	}
	return nil
}
