//go:build !race

package conversation_test

// raceEnabled tells that pools drop what they hold at random, so that nothing of
// what is allocated can be compared.
const raceEnabled = false
