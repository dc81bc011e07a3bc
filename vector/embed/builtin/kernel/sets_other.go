//go:build !amd64 || purego

package kernel

// nativeSets is empty where only plain Go is built.
func nativeSets() []*Set { return nil }
