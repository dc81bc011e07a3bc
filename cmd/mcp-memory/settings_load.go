package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// keyDelim splits nested keys of the config file. No setting is nested, so a
// key that holds it is refused as unknown.
const keyDelim = "."

// settingFlag marks a flag as a setting, apart from a verb's own flags.
const settingFlag = "setting"

// values are the settings as given, and where each was given.
type values struct {
	merged  *koanf.Koanf
	origins map[string]string
	given   map[string]bool // not by default
}

func (v values) text(key string) string { return v.merged.String(key) }

func (v values) origin(key string) string {
	if from, ok := v.origins[key]; ok {
		return from
	}
	return key
}

// loadSettings merges defaults, config file, environment and flags, the later
// over the earlier; an empty value is one that was not given. A name that is
// not a setting's is refused wherever it stands.
func loadSettings(flags *pflag.FlagSet, env environment) (settings, error) {
	defaults, err := readDefaults()
	if err != nil {
		return settings{}, err
	}
	fromFlags, err := readFlags(flags)
	if err != nil {
		return settings{}, err
	}
	fromEnv, err := readEnvironment(env)
	if err != nil {
		return settings{}, err
	}
	here := platform{goos: runtime.GOOS, env: env}
	path := configPath(fromFlags, fromEnv, here)
	fromFile, err := readConfig(path)
	if err != nil {
		return settings{}, err
	}
	v, err := merge([]layer{
		{defaults, nil},
		{fromFile, func(s setting) string { return path + ": " + s.key }},
		{fromEnv, setting.env},
		{fromFlags, func(s setting) string { return "--" + s.flag() }},
	})
	if err != nil {
		return settings{}, err
	}
	return parseSettings(v, here)
}

// layer is one source of settings and how it names them; nil for defaults.
type layer struct {
	given *koanf.Koanf
	name  func(setting) string
}

func merge(layers []layer) (values, error) {
	v := values{merged: koanf.New(keyDelim), origins: map[string]string{}, given: map[string]bool{}}
	for _, l := range layers {
		for _, s := range settingTable {
			if l.name != nil && l.given.Exists(s.key) {
				v.origins[s.key], v.given[s.key] = l.name(s), true
			}
		}
		if err := v.merged.Merge(l.given); err != nil {
			return values{}, fmt.Errorf("merge settings: %w", err)
		}
	}
	return v, nil
}

func readDefaults() (*koanf.Koanf, error) {
	given := map[string]any{}
	for _, s := range settingTable {
		if s.value != "" {
			given[s.key] = s.value
		}
	}
	k := koanf.New(keyDelim)
	return k, k.Load(confmap.Provider(given, keyDelim), nil)
}

func readFlags(flags *pflag.FlagSet) (*koanf.Koanf, error) {
	k := koanf.New(keyDelim)
	return k, k.Load(posflag.ProviderWithFlag(flags, keyDelim, nil, func(f *pflag.Flag) (string, any) {
		key := strings.ReplaceAll(f.Name, "-", "_")
		if f.Annotations[settingFlag] == nil || f.Value.String() == "" {
			return "", nil
		}
		return key, f.Value.String()
	}), nil)
}

func readEnvironment(environ environment) (*koanf.Koanf, error) {
	k := koanf.New(keyDelim)
	err := k.Load(env.Provider(keyDelim, env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: environ.list,
		TransformFunc: func(name, value string) (string, any) {
			if value == "" {
				return "", nil
			}
			return strings.ToLower(strings.TrimPrefix(name, envPrefix)), value
		},
	}), nil)
	if err != nil {
		return nil, fmt.Errorf("read environment: %w", err)
	}
	return k, refuseUnknown(k, "environment variable", settingTable, setting.env,
		func(key string) string { return envPrefix + strings.ToUpper(key) })
}

// configPath is the config file to read; "" where there is none.
func configPath(flags, environ *koanf.Koanf, here platform) string {
	for _, given := range []*koanf.Koanf{flags, environ} {
		if path := given.String("config"); path != "" {
			return here.expandHome(path)
		}
	}
	dir, err := here.configDir()
	if err != nil {
		return "" // no home folder, so no file in it
	}
	path := filepath.Join(dir, "config.yaml")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

func readConfig(path string) (*koanf.Koanf, error) {
	k := koanf.New(keyDelim)
	if path == "" {
		return k, nil
	}
	if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
		return nil, usageError{fmt.Errorf("read config file %s: %w", path, err)}
	}
	known := slices.DeleteFunc(slices.Clone(settingTable), func(s setting) bool { return s.flagOnly })
	err := refuseUnknown(k, "key", known, func(s setting) string { return s.key }, func(key string) string { return key })
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", path, err)}
	}
	return k, checkScalars(k, path, known)
}

// checkScalars refuses what is not text where text is wanted, since YAML would
// turn an unquoted 0123 or 1e3 into another word; empty ones are dropped.
func checkScalars(k *koanf.Koanf, path string, known []setting) error {
	for _, s := range known {
		switch v := k.Get(s.key).(type) {
		case nil:
			k.Delete(s.key)
		case string:
			if v == "" {
				k.Delete(s.key)
			}
		case int:
			if !s.numeric {
				return usageError{fmt.Errorf("%s: %s is a number; put the text in quotes", path, s.key)}
			}
		case bool:
			if !s.switches {
				return usageError{fmt.Errorf("%s: %s is true or false; put the text in quotes", path, s.key)}
			}
		default:
			return usageError{fmt.Errorf("%s: %s is not text; one value in quotes is wanted", path, s.key)}
		}
	}
	return nil
}

// refuseUnknown names the first key, in alphabetical order, that no setting
// has. shown and typed give a setting's name and a key as this source spells
// them.
func refuseUnknown(k *koanf.Koanf, what string, known []setting, shown func(setting) string, typed func(string) string) error {
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = shown(s)
	}
	for _, key := range k.Keys() {
		if name := typed(key); !slices.Contains(names, name) {
			return unknownName(what, name, names)
		}
	}
	return nil
}
