package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// appFolder is our folder inside the user's data and config folders.
const appFolder = "mcp-memory"

// environment is the process's environment by name.
type environment map[string]string

// newEnvironment reads lines of the form NAME=value, as os.Environ gives them.
func newEnvironment(lines []string) environment {
	env := environment{}
	for _, line := range lines {
		if name, value, ok := strings.Cut(line, "="); ok {
			env[name] = value
		}
	}
	return env
}

// list is the environment as NAME=value lines, sorted.
func (e environment) list() []string {
	lines := make([]string, 0, len(e))
	for name, value := range e {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return lines
}

// platform finds a user's folders by the rules of an operating system.
type platform struct {
	goos string // as runtime.GOOS
	env  environment
}

// errNoHome says that the environment names no home folder.
var errNoHome = errors.New("the environment names no home folder")

func (p platform) home() (string, error) {
	name := "HOME"
	if p.goos == "windows" {
		name = "USERPROFILE"
	}
	if p.env[name] == "" {
		return "", fmt.Errorf("%w (%s is not set)", errNoHome, name)
	}
	return p.env[name], nil
}

// dataDir is the data folder as an absolute path: the one given, else
// mcp-memory where the platform keeps a user's data: XDG_DATA_HOME or
// ~/.local/share (XDG base directories), ~/Library/Application Support,
// %LocalAppData%.
func (p platform) dataDir(given string) (string, error) {
	if given != "" {
		return filepath.Abs(p.expandHome(given))
	}
	dir, err := p.folder("XDG_DATA_HOME", ".local/share", "LOCALAPPDATA", "AppData/Local")
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w; name one with --dir or %sDIR", err, envPrefix)
	}
	return filepath.Join(dir, appFolder), nil
}

// configDir is mcp-memory where the platform keeps a user's configuration.
func (p platform) configDir() (string, error) {
	dir, err := p.folder("XDG_CONFIG_HOME", ".config", "APPDATA", "AppData/Roaming")
	return filepath.Join(dir, appFolder), err
}

// folder is what a variable names, else a place below home. An XDG path that is
// relative is ignored, as the specification asks.
func (p platform) folder(xdg, xdgHome, windows, windowsHome string) (string, error) {
	variable, below := xdg, xdgHome
	switch p.goos {
	case "windows":
		variable, below = windows, windowsHome
	case "darwin":
		variable, below = "", "Library/Application Support"
	}
	if dir := p.env[variable]; filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := p.home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, filepath.FromSlash(below)), nil
}

// expandHome replaces a leading ~/, which clients that start servers from a
// configuration file hand over as it stands.
func (p platform) expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if home, err := p.home(); ok && err == nil {
		return filepath.Join(home, rest)
	}
	return path
}
