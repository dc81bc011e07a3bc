package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/vector/embed"
)

// engineSource is the program that drives the wheel's C engine; it says there
// how it is spoken to.
//
//go:embed testdata/engine.c
var engineSource string

// errNoCompiler: the C engine cannot be built here.
var errNoCompiler = errors.New("no C compiler (cc or gcc) on the path")

// findCompiler returns the C compiler's path.
func findCompiler() (string, error) {
	for _, name := range []string{"cc", "gcc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoCompiler
}

// compileEngine builds the C engine out of the wheel's sources in dir, for this
// very processor, and returns the program's path.
func compileEngine(ctx context.Context, compiler, dir string) (string, error) {
	source, exe := filepath.Join(dir, "engine.c"), filepath.Join(dir, "engine")
	if err := os.WriteFile(source, []byte(engineSource), 0o600); err != nil {
		return "", fmt.Errorf("write the C engine's driver: %w", err)
	}
	cmd := exec.CommandContext(ctx, compiler, "-O3", "-march=native", "-fopenmp", "-I", dir, source, "-o", exe, "-lm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the C engine: %w\n%s", err, out)
	}
	return exe, nil
}

// engine is a running C engine, on one core. It is not safe for concurrent use.
type engine struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
	dim    int
}

// engineAnswer is what the engine tells of one text.
type engineAnswer struct {
	Tokens int // with <s>, </s> and the prefix
	CPU    time.Duration
	Vector []float32
}

// maxEngineDim bounds what is read of a program that may not be the engine.
const maxEngineDim = 1 << 16

// startEngine starts the program exe on a model file in the wheel's format. It
// ends with ctx or with close.
func startEngine(ctx context.Context, exe, model string) (*engine, error) {
	e := &engine{cmd: exec.CommandContext(ctx, exe, model)}
	e.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	e.cmd.Stderr = &e.stderr
	in, err := e.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the C engine: %w", err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the C engine: %w", err)
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the C engine: %w", err)
	}
	e.in, e.out = in, bufio.NewReader(out)
	var dim uint32
	if err := binary.Read(e.out, binary.LittleEndian, &dim); err != nil {
		return nil, errors.Join(e.failed("start", err), e.close())
	}
	if dim == 0 || dim > maxEngineDim {
		return nil, errors.Join(fmt.Errorf("start the C engine: its vectors are %d long, want 1 to %d", dim, maxEngineDim), e.close())
	}
	e.dim = int(dim)
	return e, nil
}

// embed embeds one text.
func (e *engine) embed(kind embed.Kind, text string) (engineAnswer, error) {
	query := uint32(0)
	if kind == embed.Query {
		query = 1
	}
	request := binary.LittleEndian.AppendUint32(nil, query)
	request = binary.LittleEndian.AppendUint32(request, uint32(len(text)))
	if _, err := e.in.Write(append(request, text...)); err != nil {
		return engineAnswer{}, e.failed("ask", err)
	}
	answer := make([]byte, 4+8+4*e.dim)
	if _, err := io.ReadFull(e.out, answer); err != nil {
		return engineAnswer{}, e.failed("read", err)
	}
	a := engineAnswer{
		Tokens: int(binary.LittleEndian.Uint32(answer)),
		CPU:    time.Duration(binary.LittleEndian.Uint64(answer[4:])),
		Vector: make([]float32, e.dim),
	}
	for i := range a.Vector {
		a.Vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(answer[12+4*i:]))
	}
	return a, nil
}

// failed wraps an error of the conversation with what the engine said of it.
// Only its end makes what it wrote to stderr complete, so it is ended.
func (e *engine) failed(what string, err error) error {
	_ = e.in.Close()
	_ = e.cmd.Wait() // err is why; how it then exited adds nothing
	return fmt.Errorf("%s the C engine: %w %s", what, err, strings.TrimSpace(e.stderr.String()))
}

// close ends the engine and waits for it. After a failure it does nothing.
func (e *engine) close() error {
	if e.cmd.ProcessState != nil {
		return nil
	}
	if err := e.in.Close(); err != nil {
		return fmt.Errorf("stop the C engine: %w", err)
	}
	if err := e.cmd.Wait(); err != nil {
		return fmt.Errorf("stop the C engine: %w %s", err, strings.TrimSpace(e.stderr.String()))
	}
	return nil
}
