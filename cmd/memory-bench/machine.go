package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// machine is where and when a measurement was made.
type machine struct {
	Go       string `json:"go"`
	Platform string `json:"platform"`
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Date     string `json:"date"`
}

func thisMachine(now time.Time) machine {
	cpu := "unknown CPU"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if model, ok := procField(info, "model name"); ok {
			cpu = model
		}
	}
	return machine{
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:      cpu,
		Cores:    runtime.NumCPU(),
		Date:     now.UTC().Format(time.DateOnly),
	}
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %s, %s, %d cores, %s", m.Go, m.Platform, m.CPU, m.Cores, m.Date)
}

// resident is a process's resident memory in bytes, now and at its highest;
// zero where the platform does not tell.
type resident struct {
	Now, Peak int64
}

// residentOf reads the resident memory of a process from /proc, as Linux has
// it (proc_pid_status(5)).
func residentOf(pid int) (resident, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "linux" {
		return resident{}, nil
	}
	if err != nil {
		return resident{}, fmt.Errorf("read the server's memory: %w", err)
	}
	return parseResident(status)
}

func parseResident(status []byte) (resident, error) {
	now, err := procKilobytes(status, "VmRSS")
	if err != nil {
		return resident{}, err
	}
	peak, err := procKilobytes(status, "VmHWM")
	if err != nil {
		return resident{}, err
	}
	return resident{Now: now, Peak: peak}, nil
}

// maxKilobyteBits bounds a number of kB so that its bytes fit an int64.
const maxKilobyteBits = 53

// procKilobytes reads a "Name:  123 kB" line as bytes.
func procKilobytes(file []byte, name string) (int64, error) {
	value, ok := procField(file, name)
	if !ok {
		return 0, fmt.Errorf("no %s in the process's status", name)
	}
	kilobytes, err := strconv.ParseUint(strings.TrimSuffix(value, " kB"), 10, maxKilobyteBits)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number of kB: %w", name, err)
	}
	return int64(kilobytes) << 10, nil
}

// procField is the value of the first "name : value" line.
func procField(file []byte, name string) (string, bool) {
	lines := bufio.NewScanner(bytes.NewReader(file))
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// fileBytes adds up the sizes of all files below dir.
func fileBytes(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measure the data directory: %w", err)
	}
	return total, nil
}
