package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

// Which strings of a file are texts: those that say something, and are no longer
// than what one remembers at once.
const (
	leastLetters = 6   // fewer are names, numbers, labels
	mostRunes    = 400 // of longer ones only the sentences are taken
)

// textsSeed shuffles texts: any first n of them are of all kinds, and the same on
// every machine.
const textsSeed = 5

// gathered are distinct texts. Questions are asked, the others stored.
type gathered struct {
	stored, asked []string
}

// gatherTexts reads the texts of files and folders: every string in them that is
// one, and its sentences.
func gatherTexts(paths []string) (gathered, error) {
	seen := map[string]bool{}
	for _, path := range paths {
		files, err := textFiles(path)
		if err != nil {
			return gathered{}, err
		}
		for _, file := range files {
			if err := readTexts(file, func(s string) { gather(seen, s) }); err != nil {
				return gathered{}, fmt.Errorf("read texts of %s (--data): %w", file, err)
			}
		}
	}
	return shuffled(seen), nil
}

// textFiles are the file of a path, or the files of the folder.
func textFiles(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if at == path || slices.Contains([]string{".json", ".jsonl", ".csv"}, filepath.Ext(at)) {
			files = append(files, at)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find texts (--data): %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("find texts (--data): the folder %s has no .json, .jsonl or .csv file", path)
	}
	return files, nil
}

// readTexts calls take with every string of a file.
func readTexts(path string, take func(string)) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	switch ext := filepath.Ext(path); ext {
	case ".json", ".jsonl":
		return jsonTexts(file, take)
	case ".csv":
		return csvTexts(file, take)
	case ".txt":
		raw, err := io.ReadAll(file)
		for line := range strings.Lines(string(raw)) {
			take(line)
		}
		return err
	default:
		return fmt.Errorf("unknown kind of file %q: want .json, .jsonl, .csv or .txt", ext)
	}
}

// jsonTexts reads one or many JSON values.
func jsonTexts(r io.Reader, take func(string)) error {
	values := json.NewDecoder(r)
	for {
		var v any
		if err := values.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		eachString(v, take)
	}
}

// eachString calls take with the strings in a JSON value, names of fields apart.
func eachString(v any, take func(string)) {
	switch v := v.(type) {
	case string:
		take(v)
	case []any:
		for _, e := range v {
			eachString(e, take)
		}
	case map[string]any:
		for _, e := range v {
			eachString(e, take)
		}
	}
}

func csvTexts(r io.Reader, take func(string)) error {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1 // any number
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, field := range row {
			take(field)
		}
	}
}

// gather notes a string and its sentences, where they are texts.
func gather(seen map[string]bool, s string) {
	if s = strings.TrimSpace(s); isText(s) {
		seen[s] = true
	}
	for _, span := range text.Sentences(s) {
		if sentence := s[span.Start:span.End]; isText(sentence) {
			seen[sentence] = true
		}
	}
}

func isText(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= leastLetters && utf8.RuneCountInString(s) <= mostRunes && !strings.Contains(s, "://")
}

// shuffled parts texts into questions and others, in an order of no meaning.
func shuffled(seen map[string]bool) (out gathered) {
	texts := make([]string, 0, len(seen))
	for s := range seen {
		texts = append(texts, s)
	}
	slices.Sort(texts)
	random := rand.New(rand.NewPCG(textsSeed, 0))
	random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	for _, s := range texts {
		if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
			out.asked = append(out.asked, s)
		} else {
			out.stored = append(out.stored, s)
		}
	}
	return out
}
