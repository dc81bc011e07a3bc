// Package leaktest fails a package's tests where goroutines are left that do not end.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines may take to end after the last test. goleak alone
// looks for half a second, which on a busy machine is too short for what was told to
// end and does.
const patience = time.Minute

// Main is a package's TestMain: it runs the tests, and where they pass looks for
// goroutines that are left. It ends the process.
func Main(m *testing.M, ignored ...goleak.Option) {
	code := m.Run()
	if code == 0 {
		if err := until(time.Now().Add(patience), func() error { return goleak.Find(ignored...) }); err != nil {
			fmt.Fprintf(os.Stderr, "goroutines are left: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// until looks again as long as something is found, but not beyond the end.
func until(end time.Time, look func() error) error {
	for {
		err := look()
		if err == nil || !time.Now().Before(end) {
			return err
		}
	}
}
