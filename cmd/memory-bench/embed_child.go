package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcp-memory/vector/embed"
)

// embedChild is the name of the hidden subcommand that a measurement starts this
// program with again, to open the embedder in a process that has done nothing
// else.
const embedChild = "embed-child"

// childBatch is how many texts the child embeds in one call, as a client that
// remembers a session would.
const childBatch = 20

// childCores are the most that the child uses: each pass of a batch has memory of its
// own, and how many there are at once goes by the cores.
const childCores = 4

// childFigures are what the child tells of itself. Memory is in bytes, 0 where
// the platform does not tell.
type childFigures struct {
	Open            time.Duration `json:"open_ns"`
	ResidentBefore  int64         `json:"resident_before_bytes"` // the program without an embedder
	ResidentOpen    int64         `json:"resident_open_bytes"`
	ResidentTexts   int64         `json:"resident_texts_bytes"` // after the texts
	EmbeddedVectors int           `json:"embedded_vectors"`
}

func newEmbedChild() *cobra.Command {
	return &cobra.Command{
		Use:    embedChild,
		Short:  "Open the built-in embedder, embed the texts of stdin (a JSON array) and tell of time and memory",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var texts []string
			if err := json.NewDecoder(cmd.InOrStdin()).Decode(&texts); err != nil {
				return fmt.Errorf("read texts: %w", err)
			}
			figures, err := openAndEmbed(cmd.Context(), texts)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(figures)
		},
	}
}

// openAndEmbed opens the embedder, embeds texts and measures this process.
func openAndEmbed(ctx context.Context, texts []string) (f childFigures, err error) {
	resident := func(at *int64) error {
		now, err := residentOf(os.Getpid())
		*at = now.Now
		return err
	}
	if err := resident(&f.ResidentBefore); err != nil {
		return f, err
	}
	begin := time.Now()
	e, err := openBuiltin("", "")
	if err != nil {
		return f, err
	}
	f.Open = time.Since(begin)
	if err := resident(&f.ResidentOpen); err != nil {
		return f, err
	}
	for batch := range slices.Chunk(texts, childBatch) {
		vectors, err := e.Embed(ctx, embed.Passage, batch)
		if err != nil {
			return f, err
		}
		f.EmbeddedVectors += len(vectors)
	}
	return f, resident(&f.ResidentTexts)
}

// runChild starts this program as a child that embeds texts.
func runChild(ctx context.Context, texts []string) (f childFigures, err error) {
	exe, err := os.Executable()
	if err != nil {
		return f, fmt.Errorf("find this program to start it again: %w", err)
	}
	input, err := json.Marshal(append([]string{}, texts...)) // [] rather than null
	if err != nil {
		return f, fmt.Errorf("hand texts to the child: %w", err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, exe, embedChild)
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", min(runtime.GOMAXPROCS(0), childCores)))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("open the embedder in a process of its own: %w\n%s", err, stderr.Bytes())
	}
	if err := json.Unmarshal(out, &f); err != nil {
		return f, fmt.Errorf("read what the child measured: %w", err)
	}
	if f.EmbeddedVectors != len(texts) {
		return f, fmt.Errorf("the child embedded %d texts, not the %d it was given", f.EmbeddedVectors, len(texts))
	}
	return f, nil
}
