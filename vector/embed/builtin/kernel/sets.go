package kernel

import (
	"fmt"
	"strings"
)

// All returns the sets this machine can run, slowest first. The plain Go set is
// always there.
func All() []*Set {
	return append([]*Set{goSet()}, nativeSets()...)
}

// Best returns the fastest set this machine can run.
func Best() *Set {
	all := All()
	return all[len(all)-1]
}

// Named returns the set of that name, or an error that lists the names this
// machine can run.
func Named(name string) (*Set, error) {
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("kernel set %q is not available on this machine, have %s", name, strings.Join(names, ", "))
}

// goSet is the set in plain Go, which every other set is measured against.
func goSet() *Set {
	return &Set{
		Name:      "go",
		Quantize:  quantizeGo,
		MatMul:    matMulGo,
		AddNorm:   addNormGo,
		GELU:      geluGo,
		Attention: attentionGo,
	}
}
