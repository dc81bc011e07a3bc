//go:build !race

package builtin

// raceEnabled tells that the race detector slows plain Go down some ten times.
const raceEnabled = false
