package leaktest

import (
	"errors"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

func TestUntil_LooksAgainWhileSomethingIsLeft(t *testing.T) {
	left := 3
	err := until(time.Now().Add(time.Hour), func() error {
		if left--; left > 0 {
			return errors.New("one is left")
		}
		return nil
	})
	if err != nil || left != 0 {
		t.Errorf("%v with %d looks to go", err, left)
	}
}

func TestUntil_TellsWhatDoesNotEnd(t *testing.T) {
	stuck, looks := errors.New("stuck"), 0
	if err := until(time.Now(), func() error { looks++; return stuck }); !errors.Is(err, stuck) || looks != 1 {
		t.Errorf("%v after %d looks, want %v after one", err, looks, stuck)
	}
}
