package main

import (
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mcp-memory/layers"
	"mcp-memory/vector"
)

// setting is one thing that can be set: the same name is a flag (--user-name),
// an environment variable (MCP_MEMORY_USER_NAME) and a key of the config file
// (user_name).
type setting struct {
	key      string
	value    string // default
	usage    string
	numeric  bool // the config file may give it as a number
	switches bool // or as true and false
	serving  bool // a flag of serve only; elsewhere from environment and file
	flagOnly bool // not a key of the config file
}

// flag is the setting's name on the command line.
func (s setting) flag() string { return strings.ReplaceAll(s.key, "_", "-") }

// env is the setting's name in the environment.
func (s setting) env() string { return envPrefix + strings.ToUpper(s.key) }

const envPrefix = "MCP_MEMORY_"

// The settings, in the order help shows them.
var settingTable = slices.Concat([]setting{
	{key: "config", usage: "`file` of settings (YAML); default <user config folder>/mcp-memory/config.yaml, if there", flagOnly: true},
	{key: "dir", usage: "data `folder`; default <user data folder>/mcp-memory"},
	{key: "user", value: layers.DefaultUser, usage: "`name` of the user whose memory it is, where several share a directory"},
	{key: "user_name", usage: "the user's own `name`: \"Ada\" then means the user"},
	{key: "timezone", usage: "IANA `zone` in which times are read and shown; default the machine's"},
	{key: "upcoming_days", value: "7", usage: "how many `days` ahead a plan counts as upcoming (1 to 365)", numeric: true},
	{key: "retention", value: "off", usage: "what a server forgets by itself, softly: `rules` like \"episodic 365d least important first at most 50; activity 2y\", or off"},
	{key: "log", value: "info", usage: "what goes to stderr: debug, info, warn, error or off"},
	{key: "embedder", value: embedderBuiltin, usage: "what finds by meaning: builtin (offline), openai (an endpoint you name) or off (words alone)"},
	{key: "embed_file", usage: "model `file` for builtin in place of the one inside; see vector/embed/FORMAT.md"},
	{key: "embed_url", usage: "`base URL` of the endpoint, like http://127.0.0.1:11434/v1; your texts go there"},
	{key: "embed_model", usage: "the endpoint's `model`"},
	{key: "embed_api_key", usage: "the endpoint's `key`; better in the environment or the file, where ps does not show it"},
	{key: "embed_query_prefix", usage: "`text` before every query, as the endpoint's model wants it"},
	{key: "embed_passage_prefix", usage: "`text` before everything that is remembered, as the endpoint's model wants it"},
	{key: "vector_engine", value: vector.EngineAuto, usage: "how vectors are searched: auto, exact, hnsw or coder"},
	{key: "project", usage: "`project` of what is remembered without one; default personal", serving: true},
	{key: "transport", value: "stdio", usage: "stdio, http, sse or both (http and sse)", serving: true},
	{key: "addr", value: "127.0.0.1:7373", usage: "loopback `host:port` for http and sse", serving: true},
	{key: "otlp_endpoint", usage: "`address` of an OpenTelemetry collector, like http://127.0.0.1:4318: spans of jobs and calls of models go there, without what was said", serving: true},
	{key: "tokens", usage: "bearer tokens as `user:token,...`; better in the environment or the file, where ps does not show them", serving: true},
}, modelSettings())

// settings is what a run was told. See [loadSettings].
type settings struct {
	Dir          string
	User         string
	UserName     string
	Project      string
	Location     *time.Location
	Log          slog.Level
	Tokens       map[string]string // token → user
	Transport    string
	Addr         string
	UpcomingDays int
	Retention    layers.Retention
	Embedding    embedding
	VectorEngine string
	Extraction   extraction
	OTLPEndpoint string            // "": no spans are sent
	Shared       map[string]string // what the owner of the store is told, and compares
	given        map[string]bool   // settings that were given, not defaults
}

// manyUsers reports whether the process serves others than its one user.
func (s settings) manyUsers() bool { return s.Transport != transportStdio && len(s.Tokens) > 0 }

// logOff is a level that no message reaches.
const logOff = slog.Level(100)

// Values of the setting transport.
const (
	transportStdio = "stdio"
	transportHTTP  = "http"
	transportSSE   = "sse"
	transportBoth  = "both"
)

// parseSettings reads the typed values out of given. Every error is a
// usageError that names where the value was set.
func parseSettings(given values, here platform) (settings, error) {
	s := settings{UserName: given.text("user_name"), Project: given.text("project"), Embedding: embedding{
		File: given.text("embed_file"), URL: given.text("embed_url"), APIKey: given.text("embed_api_key"), Model: given.text("embed_model"),
		QueryPrefix: given.text("embed_query_prefix"), PassagePrefix: given.text("embed_passage_prefix"),
	}}
	if err := given.checkWords(); err != nil {
		return settings{}, usageError{err}
	}
	steps := []step{
		{"dir", func(v string) (err error) { s.Dir, err = here.dataDir(v); return err }},
		{"user", func(v string) (err error) { s.User, err = parseUser(v); return err }},
		{"timezone", func(v string) (err error) { s.Location, err = parseZone(v); return err }},
		{"log", func(v string) (err error) { s.Log, err = parseLevel(v); return err }},
		{"tokens", func(v string) (err error) { s.Tokens, err = parseTokens(v); return err }},
		{"transport", func(v string) (err error) { s.Transport, err = parseTransport(v); return err }},
		{"addr", func(v string) (err error) { s.Addr, err = parseAddr(v); return err }},
		{"embedder", func(v string) (err error) {
			s.Embedding.Embedder, err = parseWord(v, embedderBuiltin, embedderOpenAI, embedderOff)
			return err
		}},
		{"vector_engine", func(v string) (err error) { s.VectorEngine, err = parseWord(v, vector.Engines()...); return err }},
		{"otlp_endpoint", func(v string) (err error) { s.OTLPEndpoint, err = parseOTLP(v); return err }},
		{"retention", func(v string) (err error) { s.Retention, err = layers.ParseRetention(v); return err }},
		{"upcoming_days", func(v string) (err error) { s.UpcomingDays, err = parseDays(v); return err }},
	}
	if err := given.parse(steps); err != nil {
		return settings{}, usageError{err}
	}
	if err := s.Embedding.check(); err != nil {
		return settings{}, usageError{err}
	}
	var err error
	if s.Extraction, err = parseExtraction(given); err != nil {
		return settings{}, usageError{err}
	}
	s.Shared, s.given = given.shared(), given.given
	return s, nil
}

// step reads one setting.
type step struct {
	key   string
	parse func(string) error
}

// parse reads settings one after another. Error: the first, with where it was set.
func (v values) parse(steps []step) error {
	for _, s := range steps {
		if err := s.parse(v.text(s.key)); err != nil {
			return fmt.Errorf("%s: %w", v.origin(s.key), err)
		}
	}
	return nil
}

// checkWords refuses values that are no text: on the way to the process that owns the
// store two of them would become one. Paths are whatever the system takes.
func (v values) checkWords() error {
	paths := []string{"config", "dir", "embed_file"}
	for _, s := range settingTable {
		if !slices.Contains(paths, s.key) && !utf8.ValidString(v.text(s.key)) {
			return fmt.Errorf("%s: is not valid UTF-8", v.origin(s.key))
		}
	}
	return nil
}

// maxUserBytes bounds a tenant's name.
const maxUserBytes = 128

func parseUser(v string) (string, error) {
	if len(v) > maxUserBytes {
		return "", fmt.Errorf("the user has %d bytes; at most %d", len(v), maxUserBytes)
	}
	if strings.ContainsFunc(v, unicode.IsControl) || strings.TrimSpace(v) != v || v == "" {
		return "", fmt.Errorf("user %q: a name without control characters or spaces around it is wanted", v)
	}
	return v, nil
}

func parseZone(v string) (*time.Location, error) {
	if v == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(v)
	if err != nil {
		return nil, fmt.Errorf("time zone %q is not known; an IANA name is wanted, like Europe/Lisbon or Asia/Shanghai", v)
	}
	return zone, nil
}

func parseLevel(v string) (slog.Level, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError, "off": logOff}
	level, ok := levels[strings.ToLower(v)]
	if !ok {
		return 0, fmt.Errorf("%q is not one of debug, info, warn, error, off", v)
	}
	return level, nil
}

func parseTransport(v string) (string, error) {
	return parseWord(v, transportStdio, transportHTTP, transportSSE, transportBoth)
}

// parseWord refuses what is none of the known words.
func parseWord(v string, known ...string) (string, error) {
	if !slices.Contains(known, v) {
		return "", fmt.Errorf("%q is not one of %s", v, strings.Join(known, ", "))
	}
	return v, nil
}

func parseAddr(v string) (string, error) {
	_, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", fmt.Errorf("%q is not host:port, like 127.0.0.1:7373", v)
	}
	return v, nil
}

func parseDays(v string) (int, error) {
	days, err := strconv.Atoi(v)
	if err != nil || days < 1 || days > 365 {
		return 0, fmt.Errorf("%q is not a whole number of days from 1 to 365", v)
	}
	return days, nil
}
