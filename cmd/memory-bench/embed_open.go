package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin"
	"mcp-memory/vector/embed/builtin/wheel"
)

// Packages of this checkout that the go command is asked about or runs.
const (
	builtinPackage = "mcp-memory/vector/embed/builtin"
	mkmodelPackage = builtinPackage + "/mkmodel"
	serverPackage  = "mcp-memory/cmd/mcp-memory"
	embeddedName   = "e5-small.model" // in the folder of builtinPackage
)

// openBuiltin opens the built-in embedder: its embedded model or the one of file,
// on its fastest kernels or those named.
func openBuiltin(file, kernels string) (embed.Embedder, error) {
	e, err := builtin.New(builtin.Options{File: file, Kernel: kernels})
	if err != nil {
		return nil, fmt.Errorf("open the built-in embedder: %w", err)
	}
	return e, nil
}

// cachedBytes holds the vectors of all of LoCoMo, which several measurements ask
// for.
const cachedBytes = 64 << 20

// openCached is openBuiltin with the best kernels, which embeds each text once.
func openCached(file string) (embed.Embedder, error) {
	e, err := openBuiltin(file, "")
	if err != nil {
		return nil, err
	}
	return embed.Cached(e, cachedBytes), nil
}

// makeFullModel makes the model whose words keep the 4 bits of the wheel, in dir,
// and returns its path. The wheel is fetched if none is named.
func makeFullModel(ctx context.Context, path, dir string) (string, error) {
	path, err := wheel.Find(ctx, path)
	if err != nil {
		return "", err
	}
	full := filepath.Join(dir, "full.model")
	return full, mkmodel(ctx, path, "-words", "4", "-o", full)
}

// mkmodel runs this checkout's program of that name.
func mkmodel(ctx context.Context, path string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", mkmodelPackage, "-wheel", path}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make a model with mkmodel (run this in a checkout): %w\n%s", err, out)
	}
	return nil
}

// embeddedBytes is the size of the embedded model's file in this checkout.
func embeddedBytes(ctx context.Context) (int64, error) {
	out, err := goList(ctx, "-f", "{{.Dir}}", builtinPackage)
	if err != nil {
		return 0, err
	}
	return sizeOf(filepath.Join(strings.TrimSpace(out), embeddedName))
}

// serverEmbeds reports whether this checkout's server holds the built-in embedder.
func serverEmbeds(ctx context.Context) (bool, error) {
	out, err := goList(ctx, "-deps", serverPackage)
	return strings.Contains("\n"+out, "\n"+builtinPackage+"\n"), err
}

func goList(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("go list %s (run this in a checkout): %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("size of a file: %w", err)
	}
	return info.Size(), nil
}
