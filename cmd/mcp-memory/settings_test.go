package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// given is one way to set things: flags, environment and a config file.
type givenSettings struct {
	flags []string
	env   environment
	file  string // YAML; "" for no file
}

// load reads settings the way a run does, with a home folder of the test's own.
func (g givenSettings) load(t *testing.T) (settings, error) {
	t.Helper()
	home := t.TempDir()
	env := environment{"HOME": home, "USERPROFILE": home}
	for name, value := range g.env {
		env[name] = strings.ReplaceAll(value, "$HOME", home)
	}
	if g.file != "" {
		path := filepath.Join(home, ".config", appFolder, "config.yaml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(g.file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	addSettings(flags, false)
	addSettings(flags, true)
	if err := flags.Parse(g.flags); err != nil {
		t.Fatal(err)
	}
	return loadSettings(flags, env)
}

func TestSettings_FlagOverEnvironmentOverFileOverDefault(t *testing.T) {
	file := "user_name: file\n"
	env := environment{"MCP_MEMORY_USER_NAME": "env"}
	flag := []string{"--user-name", "flag"}
	for _, test := range []struct {
		name  string
		given givenSettings
		want  string
	}{
		{"nothing is given", givenSettings{}, ""},
		{"the file alone", givenSettings{file: file}, "file"},
		{"environment over file", givenSettings{file: file, env: env}, "env"},
		{"flag over environment", givenSettings{file: file, env: env, flags: flag}, "flag"},
		{"flag over file", givenSettings{file: file, flags: flag}, "flag"},
		{"an empty variable is absent", givenSettings{file: file, env: environment{"MCP_MEMORY_USER_NAME": ""}}, "file"},
		{"an empty flag is absent", givenSettings{env: env, flags: []string{"--user-name", ""}}, "env"},
		{"an empty key is absent", givenSettings{file: "user_name:\n"}, ""},
		{"an empty unknown variable is absent", givenSettings{env: environment{"MCP_MEMORY_NOPE": ""}}, ""},
		{"a file named by the environment", givenSettings{file: file, env: environment{"MCP_MEMORY_CONFIG": "~/.config/mcp-memory/config.yaml"}}, "file"},
		{"an empty file", givenSettings{file: "# nothing yet\n"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.given.load(t)
			if err != nil {
				t.Fatal(err)
			}
			if got.UserName != test.want {
				t.Errorf("user name = %q, want %q", got.UserName, test.want)
			}
		})
	}
}

func TestSettings_Defaults(t *testing.T) {
	got, err := givenSettings{env: environment{"XDG_DATA_HOME": "/somewhere"}}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	if got.User != "default" || got.Log != slog.LevelInfo || got.Transport != transportStdio ||
		got.Addr != "127.0.0.1:7373" || got.UpcomingDays != 7 || got.Location != time.Local || got.Tokens != nil {
		t.Errorf("defaults are %+v", got)
	}
}

func TestSettings_EveryKeyReachesItsField(t *testing.T) {
	token := strings.Repeat("a", minTokenBytes)
	got, err := givenSettings{file: "dir: /data\nuser: ada\nuser_name: Ada\nproject: novel\ntimezone: Asia/Shanghai\nlog: off\n" +
		"tokens: bob:" + token + "\ntransport: both\naddr: localhost:0\nupcoming_days: 3\n" +
		"otlp_endpoint: http://127.0.0.1:4318\nllm_base_url: http://127.0.0.1:1\nlayer_model: m\nllm_parallel: 1\n"}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.ToSlash(got.Dir) != "/data" || got.User != "ada" || got.UserName != "Ada" || got.Project != "novel" {
		t.Errorf("names are %+v", got)
	}
	if got.Location.String() != "Asia/Shanghai" || got.Log != logOff || got.Tokens[token] != "bob" {
		t.Errorf("zone, log or tokens are %+v", got)
	}
	if got.Transport != transportBoth || got.Addr != "localhost:0" || got.UpcomingDays != 3 {
		t.Errorf("transport, address or days are %+v", got)
	}
	if got.OTLPEndpoint != "http://127.0.0.1:4318/v1/traces" || !got.Extraction.On || got.Extraction.Config.Parallel != 1 {
		t.Errorf("endpoint or models are %+v", got)
	}
}

func TestSettings_LLMSaysWhoIsAsked(t *testing.T) {
	for _, tc := range []struct {
		word, url        string
		server, sampling bool
	}{
		{"", "", false, false},
		{"", "http://127.0.0.1:1/v1", true, false},
		{"off", "http://127.0.0.1:1/v1", false, false},
		{"openai", "http://127.0.0.1:1/v1", true, false},
		{"sampling", "", false, true},
		{"sampling", "http://127.0.0.1:1/v1", false, true},
		{"auto", "", false, true},
		{"auto", "http://127.0.0.1:1/v1", true, false},
	} {
		got, err := givenSettings{env: environment{"MCP_MEMORY_LLM": tc.word, "MCP_MEMORY_LLM_BASE_URL": tc.url, "MCP_MEMORY_GATE_MODEL": "m"}}.load(t)
		if err != nil || got.Extraction.On != tc.server || got.Extraction.Sampling != tc.sampling {
			t.Errorf("llm %q with %q: server %v, sampling %v, %v", tc.word, tc.url, got.Extraction.On, got.Extraction.Sampling, err)
		}
		if unserved := got.Extraction.Unserved == "MCP_MEMORY_GATE_MODEL"; unserved != (tc.word == "" && tc.url == "") {
			t.Errorf("llm %q with %q: a model is named for nobody: %q", tc.word, tc.url, got.Extraction.Unserved)
		}
	}
}

func TestSettings_TheFileGivesNumbersAndSwitchesAsTheyAre(t *testing.T) {
	got, err := givenSettings{file: "\ufeffsingle_call: true\r\nworking_turns: 7\r\nuser: bob\r\n"}.load(t)
	if err != nil || !got.Extraction.SingleCall || got.Extraction.WorkingTurns != 7 || got.User != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSettings_MistakesAreRefusedWhereTheyStand(t *testing.T) {
	for _, test := range []struct {
		name  string
		given givenSettings
		want  []string // words of the error
	}{
		{"unknown variable", givenSettings{env: environment{"MCP_MEMORY_USERNAME": "x"}}, []string{"MCP_MEMORY_USERNAME", "did you mean MCP_MEMORY_USER_NAME?"}},
		{"unknown variable like none", givenSettings{env: environment{"MCP_MEMORY_REMINDERS": "x"}}, []string{"MCP_MEMORY_REMINDERS", "valid: MCP_MEMORY_CONFIG"}},
		{"models of nobody", givenSettings{env: environment{"MCP_MEMORY_LLM": "client"}}, []string{"MCP_MEMORY_LLM", "off, openai, sampling, auto"}},
		{"models without a server", givenSettings{env: environment{"MCP_MEMORY_LLM": "openai"}}, []string{"MCP_MEMORY_LLM", "needs llm_base_url"}},
		{"a wait that is none", givenSettings{env: environment{"MCP_MEMORY_LLM_TIMEOUT": "soon"}}, []string{"MCP_MEMORY_LLM_TIMEOUT", "90s"}},
		{"a collector that is none", givenSettings{env: environment{"MCP_MEMORY_OTLP_ENDPOINT": "localhost:4318"}}, []string{"MCP_MEMORY_OTLP_ENDPOINT", "like http://127.0.0.1:4318"}},
		{"no calls at all", givenSettings{file: "llm_parallel: 0\n"}, []string{"llm_parallel", "1 to 64"}},
		{"no working turns", givenSettings{file: "working_turns: 0\n"}, []string{"working_turns", "1 to 200"}},
		{"a router upside down", givenSettings{file: "router_episodic: 5\nrouter_semantic: 3\n"}, []string{"router_semantic is 3"}},
		{"an endpoint that is not used", givenSettings{env: environment{"MCP_MEMORY_EMBED_URL": "http://127.0.0.1:1"}}, []string{"embed_url", "embedder is builtin"}},
		{"an endpoint without a model", givenSettings{file: "embedder: openai\nembed_url: http://127.0.0.1:1\n"}, []string{"needs embed_model"}},
		{"a server by another protocol", givenSettings{env: environment{"MCP_MEMORY_LLM_BASE_URL": "ftp://h/v1", "MCP_MEMORY_GATE_MODEL": "m"}}, []string{"MCP_MEMORY_LLM_BASE_URL: base URL", "neither http:// nor https://"}},
		{"a server with the name of a call", givenSettings{file: "gate_model: m\nlayer_base_url_identity: http://h/v1/chat/completions\n"}, []string{"config.yaml: layer_base_url_identity: base URL", "want http://h/v1"}},
		{"a server without a model", givenSettings{flags: []string{"--llm-base-url", "http://h/v1"}}, []string{"no model is named", "gate_model or layer_model"}},
		{"an endpoint by another protocol", givenSettings{file: "embedder: openai\nembed_url: ftp://h\nembed_model: m\n"}, []string{"embeddings endpoint: base URL", "neither http:// nor https://"}},
		{"unknown key", givenSettings{file: "time_zone: UTC\n"}, []string{"config.yaml: unknown key time_zone: did you mean timezone?"}},
		{"nested key", givenSettings{file: "llm:\n  url: x\n"}, []string{"llm.url"}},
		{"config in the config file", givenSettings{file: "config: x\n"}, []string{"unknown", "config"}},
		{"a number for a name", givenSettings{file: "user: 0123\n"}, []string{"user is a number", "quotes"}},
		{"a switch for a name", givenSettings{file: "user: true\n"}, []string{"user is true or false", "quotes"}},
		{"a list for a name", givenSettings{file: "user: [a]\n"}, []string{"user is not text"}},
		{"not YAML", givenSettings{file: "a: b: c\n"}, []string{"read config file"}},
		{"a file that is not there", givenSettings{flags: []string{"--config", "/no/such.yaml"}}, []string{"/no/such.yaml"}},
		{"unknown level from a flag", givenSettings{flags: []string{"--log", "loud"}}, []string{"--log:", "debug, info, warn, error, off"}},
		{"unknown zone from the environment", givenSettings{env: environment{"MCP_MEMORY_TIMEZONE": "Lisbon"}}, []string{"MCP_MEMORY_TIMEZONE:", "IANA"}},
		{"unknown transport from the file", givenSettings{file: "transport: pigeon\n"}, []string{"config.yaml: transport:", "stdio, http, sse, both"}},
		{"address without a port", givenSettings{flags: []string{"--addr", "localhost"}}, []string{"host:port"}},
		{"port out of range", givenSettings{flags: []string{"--addr", "localhost:70000"}}, []string{"host:port"}},
		{"days out of range", givenSettings{flags: []string{"--upcoming-days", "0"}}, []string{"1 to 365"}},
		{"user with a line break", givenSettings{flags: []string{"--user", "a\nb"}}, []string{"control characters"}},
		{"user that is no text", givenSettings{flags: []string{"--user", "caf\xe9"}}, []string{"--user: is not valid UTF-8"}},
		{"names that are no text", givenSettings{env: environment{"MCP_MEMORY_USER_NAME": "Zo\xeb"}}, []string{"MCP_MEMORY_USER_NAME: is not valid UTF-8"}},
		{"user too long", givenSettings{flags: []string{"--user", strings.Repeat("u", maxUserBytes+1)}}, []string{"at most 128"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.given.load(t)
			var usage usageError
			if !errors.As(err, &usage) {
				t.Fatalf("error = %v, want a usage error", err)
			}
			for _, word := range test.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
		})
	}
}

func TestDataDir_TakesTheGivenElseThePlatforms(t *testing.T) {
	home := environment{"HOME": "/home/ada", "USERPROFILE": "/home/ada"}
	xdg := environment{"HOME": "/home/ada", "XDG_DATA_HOME": "/xdg"}
	relative := environment{"HOME": "/home/ada", "XDG_DATA_HOME": "xdg"}
	for _, test := range []struct {
		name  string
		goos  string
		given string
		env   environment
		want  string
	}{
		{"given", "linux", "/data", xdg, "/data"},
		{"given below home", "linux", "~/data", home, "/home/ada/data"},
		{"linux", "linux", "", home, "/home/ada/.local/share/mcp-memory"},
		{"linux with XDG", "linux", "", xdg, "/xdg/mcp-memory"},
		{"a relative XDG path is ignored", "linux", "", relative, "/home/ada/.local/share/mcp-memory"},
		{"darwin", "darwin", "", xdg, "/home/ada/Library/Application Support/mcp-memory"},
		{"windows", "windows", "", environment{"LOCALAPPDATA": "/local"}, "/local/mcp-memory"},
		{"windows without LocalAppData", "windows", "", home, "/home/ada/AppData/Local/mcp-memory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := platform{goos: test.goos, env: test.env}.dataDir(test.given)
			if err != nil || filepath.ToSlash(got) != test.want {
				t.Errorf("data folder = %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestDataDir_WithoutAHomeSaysWhatToDo(t *testing.T) {
	_, err := platform{goos: "linux"}.dataDir("")
	if !errors.Is(err, errNoHome) || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("error = %v, want errNoHome with a hint", err)
	}
}
