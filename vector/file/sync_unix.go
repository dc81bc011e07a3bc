//go:build unix

package file

import (
	"errors"
	"os"
)

// syncDir makes what was renamed in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
