//go:build ignore

// Writes simplified.txt from OpenCC's dictionary TSCharacters.txt, as packed in
// the PyPI package opencc-python-reimplemented 0.1.7 (Apache License 2.0):
//
//	go run gen_simplified.go opencc/dictionary/TSCharacters.txt > simplified.txt
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

const header = `# Traditional characters, each before its simplified form, two runes a pair.
# From OpenCC (https://github.com/BYVoid/OpenCC), data/dictionary/TSCharacters.txt,
# first choice of each line. Apache License 2.0. Written by gen_simplified.go.
`

const pairsPerLine = 30

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run gen_simplified.go TSCharacters.txt")
	}
	simple, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	write(simple)
}

func read(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	simple := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		from, choices, _ := strings.Cut(lines.Text(), "\t")
		to, _, _ := strings.Cut(choices, " ")
		if from != to && utf8.RuneCountInString(from) == 1 && utf8.RuneCountInString(to) == 1 {
			simple[from] = to
		}
	}
	return simple, lines.Err()
}

func write(simple map[string]string) {
	fmt.Print(header)
	keys := make([]string, 0, len(simple))
	for from := range simple {
		keys = append(keys, from)
	}
	slices.Sort(keys)
	for i, from := range keys {
		to := simple[from]
		for further, ok := simple[to]; ok; further, ok = simple[to] {
			to = further // one step must be enough, so that folding twice changes nothing
		}
		fmt.Print(from, to)
		if i%pairsPerLine == pairsPerLine-1 || i == len(keys)-1 {
			fmt.Println()
		}
	}
}
