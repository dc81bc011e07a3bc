package vector

import (
	"errors"
	"fmt"
)

// keyed is a library whose keys are never used twice, so that it never has to
// remove one.
type keyed struct {
	library library
	owner   []uint32          // key → id
	keys    map[uint32]uint32 // id → its present key
	dead    int               // keys that are no id's present one
}

func newKeyed(l library) *keyed {
	return &keyed{library: l, keys: make(map[uint32]uint32)}
}

// errPanic: the library panicked.
var errPanic = errors.New("it panicked")

// guard calls the library.
func guard(call func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	call()
	return nil
}

// add tells the library of a vector, which it may keep, under a new key.
func (k *keyed) add(id uint32, v []float32) error {
	key := uint32(len(k.owner))
	if err := guard(func() { k.library.add(key, v) }); err != nil {
		return err
	}
	k.remove(id)
	k.owner = append(k.owner, id)
	k.keys[id] = key
	return nil
}

// remove makes the key of id name nothing.
func (k *keyed) remove(id uint32) {
	if _, found := k.keys[id]; found {
		delete(k.keys, id)
		k.dead++
	}
}

// search returns the ids of the keys found that still name one, each once.
func (k *keyed) search(v []float32, n int) (ids []uint32, err error) {
	var keys []uint32
	if err := guard(func() { keys = k.library.search(v, n) }); err != nil {
		return nil, err
	}
	seen := make(map[uint32]bool, len(keys))
	for _, key := range keys {
		if int(key) >= len(k.owner) || seen[key] {
			continue
		}
		seen[key] = true
		if id := k.owner[key]; k.present(id, key) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// present reports whether key is the present one of id.
func (k *keyed) present(id, key uint32) bool {
	present, found := k.keys[id]
	return found && present == key
}
