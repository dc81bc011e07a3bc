package bunt

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"mcp-memory/storage"
)

// version is the format version that this package writes, and the newest that
// it reads. A file of an older one gets it with its next rewrite, at the latest
// before an operation is written that the older version would misread.
const version = 2

const hashKeyLen = 32 // bytes

// meta is what the store knows about itself.
type meta struct {
	version int    // of the format
	key     []byte // of keyed hashes; never leaves the store
	created time.Time
}

type metaLine struct {
	Version int       `json:"version"`
	HashKey string    `json:"hash_key"`
	Created time.Time `json:"created"`
}

// newMeta makes the meta of a new store, with a random hash key.
func newMeta(now time.Time) (meta, string, error) {
	m := meta{version: version, key: make([]byte, hashKeyLen), created: now.UTC()}
	rand.Read(m.key) // never fails: crypto/rand ends the process instead
	value, err := m.value()
	return m, value, err
}

// value is the meta as this version writes it.
func (m meta) value() (string, error) {
	line, err := json.Marshal(metaLine{Version: version, HashKey: hex.EncodeToString(m.key), Created: m.created})
	if err != nil {
		return "", fmt.Errorf("encode meta: %w", err)
	}
	return seal(keyMeta, append(line, '\n')), nil
}

// parseMeta reads the value of the key meta. Errors: errValue;
// [storage.NewerError].
func parseMeta(value []byte) (meta, error) {
	body, err := unseal(keyMeta, value)
	if err != nil {
		return meta{}, err
	}
	var line metaLine
	if err := json.Unmarshal(body, &line); err != nil {
		return meta{}, fmt.Errorf("%w: %v", errValue, err)
	}
	if line.Version > version {
		return meta{}, storage.NewerError{Found: line.Version, Reads: version}
	}
	key, err := hex.DecodeString(line.HashKey)
	if err != nil || len(key) != hashKeyLen || line.Version < 1 {
		return meta{}, fmt.Errorf("%w: meta of version %d with a hash key of %d bytes", errValue, line.Version, len(key))
	}
	return meta{version: line.Version, key: key, created: line.Created}, nil
}
