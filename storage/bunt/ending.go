package bunt

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"mcp-memory/storage"
)

// keyEnd is the key of a backup's last command.
const keyEnd = "end"

// ending closes a backup: only a whole one has it.
type ending struct {
	Ops int    `json:"ops"`
	Sum string `json:"sha256"` // of all bytes before the command, hex
}

// endValue makes the value of the key end.
func endValue(ops int, sum []byte) (string, error) {
	line, err := json.Marshal(ending{Ops: ops, Sum: hex.EncodeToString(sum)})
	if err != nil {
		return "", fmt.Errorf("encode end: %w", err)
	}
	return seal(keyEnd, append(line, '\n')), nil
}

// parseEnd reads the value of the key end. Error: errValue.
func parseEnd(value []byte) (ending, error) {
	body, err := unseal(keyEnd, value)
	if err != nil {
		return ending{}, err
	}
	var e ending
	if err := json.Unmarshal(body, &e); err != nil {
		return ending{}, fmt.Errorf("%w: %v", errValue, err)
	}
	if sum, err := hex.DecodeString(e.Sum); err != nil || len(sum) != sha256.Size || e.Ops < 0 {
		return ending{}, fmt.Errorf("%w: end of %d operations with a sum of %d bytes", errValue, e.Ops, len(sum))
	}
	return e, nil
}

// writeEnded writes a backup: what fill writes (meta and operations, whose
// number it returns), and the end. The file is whole and durable from the moment
// it has its name; on an error it is not there, or as it was.
func writeEnded(o Options, path string, fill func(io.Writer) (ops int, err error)) error {
	err := writeFile(o, path+backupTemp, func(w *bufio.Writer) error {
		sum := sha256.New()
		ops, err := fill(io.MultiWriter(w, sum))
		if err != nil {
			return err
		}
		value, err := endValue(ops, sum.Sum(nil))
		if err != nil {
			return err
		}
		return writeCommand(w, keyEnd, value)
	})
	if err != nil {
		return err
	}
	return install(o, path+backupTemp, path)
}

// sumBefore returns the SHA-256, in hex, of the first n bytes of src.
func sumBefore(src io.ReaderAt, n int64) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(src, 0, n)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// notWhole refuses a file for what is wrong with it. Error: [storage.ErrCorrupt].
func notWhole(path, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", storage.ErrCorrupt, filepath.Base(path), fmt.Sprintf(format, args...))
}
