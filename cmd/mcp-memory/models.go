package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-memory/internal/openai"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
)

// Values of the setting llm.
const (
	llmOff      = "off"
	llmOpenAI   = "openai"
	llmSampling = "sampling" // the model of the client that calls
	llmAuto     = "auto"     // openai where a base URL is set, else sampling
)

// modelSettings are the settings of the models that extract asks, in the order of
// help. Each layer may have its own model, and its own server.
func modelSettings() []setting {
	table := []setting{
		{key: "llm", usage: "whom extract asks: off, openai, sampling (the calling client's model) or auto (openai where a base URL is set, else sampling); default openai where a base URL is set, else off", serving: true},
		{key: "llm_base_url", usage: "`base URL` of the models' server; what extract reads goes there", serving: true},
		{key: "llm_api_key", usage: "`key` of the models' server; better in the environment or the file, where ps does not show it", serving: true},
		{key: "llm_timeout", usage: "how long one answer may take, like 90s; default 2m, of sampling 30s", serving: true},
		{key: "llm_parallel", value: "8", usage: "how many `calls` are made to one server at once (1 to 64); 1 for a laptop's, which works on one after the other", numeric: true, serving: true},
		{key: "gate_model", usage: "`model` of the gatekeeper", serving: true},
		{key: "gate_base_url", usage: "the gatekeeper's own `base URL`; default llm-base-url", serving: true},
		{key: "gate_api_key", usage: "`key` of the gatekeeper's own server", serving: true},
		{key: "layer_model", usage: "`model` of all five extractors", serving: true},
		{key: "layer_base_url", usage: "the extractors' own `base URL`; default llm-base-url", serving: true},
		{key: "layer_api_key", usage: "`key` of the extractors' own server", serving: true},
	}
	for _, l := range gatekeeper.Layers {
		table = append(table,
			setting{key: "layer_model_" + string(l), usage: fmt.Sprintf("`model` of the extractor of %s", l), serving: true},
			setting{key: "layer_base_url_" + string(l), usage: fmt.Sprintf("`base URL` of the extractor of %s, if it has its own", l), serving: true},
			setting{key: "layer_api_key_" + string(l), usage: fmt.Sprintf("`key` of that of %s", l), serving: true},
		)
	}
	return append(table,
		setting{key: "single_call", value: "false", usage: "gate and extraction in one call: true or false", switches: true, serving: true},
		setting{key: "working_turns", value: "20", usage: "`turns` of a session that working memory holds (1 to 200)", numeric: true, serving: true},
		setting{key: "trigger_turns", value: "8", usage: "unread `turns` of a session that wake the gate (1 to 1000)", numeric: true, serving: true},
		setting{key: "router_episodic", value: "2", usage: "`score` (1 to 5) from which on something is kept as it was said", numeric: true, serving: true},
		setting{key: "router_semantic", value: "4", usage: "`score` (1 to 5) from which on something is kept for long", numeric: true, serving: true},
	)
}

// extraction is what was set of extract.
type extraction struct {
	On             bool   // models of a server are asked
	Sampling       bool   // those of clients
	LLM            string // as it was given; "" is by default
	Unserved       string // where a model is named that nobody is asked for; "": none is
	Config         llm.Config
	SingleCall     bool
	WorkingTurns   int
	TriggerTurns   int
	RouterEpisodic int
	RouterSemantic int
}

// parseExtraction reads the settings of extract. Every error names its setting.
func parseExtraction(v values) (e extraction, err error) {
	e.Config = modelServers(v)
	steps := slices.DeleteFunc(e.steps(), func(s step) bool { return v.text(s.key) == "" })
	e.On = named(e.Config)
	if err := v.parse(steps); err != nil {
		return e, err
	}
	if e.RouterSemantic < e.RouterEpisodic {
		return e, fmt.Errorf("router_semantic is %d, below router_episodic, %d", e.RouterSemantic, e.RouterEpisodic)
	}
	if e.On {
		return e, e.check(v)
	}
	if e.LLM == "" {
		e.Unserved = unserved(v)
	}
	return e, nil
}

// unserved says where a model is named, of settings that name no server.
func unserved(v values) string {
	for _, s := range modelSettings() {
		if strings.Contains(s.key, "_model") && v.text(s.key) != "" {
			return v.origin(s.key)
		}
	}
	return ""
}

// modelServers are the models that may be asked, and where they are.
func modelServers(v values) llm.Config {
	c := llm.Config{
		Default: llm.Endpoint{BaseURL: v.text("llm_base_url"), APIKey: v.text("llm_api_key")},
		Gate:    llm.Endpoint{Model: v.text("gate_model"), BaseURL: v.text("gate_base_url"), APIKey: v.text("gate_api_key")},
		Layers:  llm.Endpoint{Model: v.text("layer_model"), BaseURL: v.text("layer_base_url"), APIKey: v.text("layer_api_key")},
		Roles:   map[llm.Role]llm.Endpoint{},
	}
	for _, l := range gatekeeper.Layers {
		of := llm.Endpoint{Model: v.text("layer_model_" + string(l)), BaseURL: v.text("layer_base_url_" + string(l)), APIKey: v.text("layer_api_key_" + string(l))}
		if of != (llm.Endpoint{}) {
			c.Roles[llm.Role(l)] = of
		}
	}
	return c
}

// named reports whether any server is named.
func named(c llm.Config) bool {
	all := append(slices.Collect(maps.Values(c.Roles)), c.Default, c.Gate, c.Layers)
	return slices.ContainsFunc(all, func(e llm.Endpoint) bool { return e.BaseURL != "" })
}

// steps read what was given of extract's settings into e, beside the models.
func (e *extraction) steps() []step {
	return []step{
		{"llm", e.parseLLM},
		{"llm_timeout", func(s string) (err error) { e.Config.Default.Timeout, err = parseWait(s); return err }},
		{"llm_parallel", func(s string) (err error) { e.Config.Parallel, err = parseCount(s, 1, 64); return err }},
		{"single_call", func(s string) (err error) { e.SingleCall, err = parseSwitch(s); return err }},
		{"working_turns", func(s string) (err error) { e.WorkingTurns, err = parseCount(s, 1, 200); return err }},
		{"trigger_turns", func(s string) (err error) { e.TriggerTurns, err = parseCount(s, 1, 1000); return err }},
		{"router_episodic", func(s string) (err error) { e.RouterEpisodic, err = parseCount(s, 1, 5); return err }},
		{"router_semantic", func(s string) (err error) { e.RouterSemantic, err = parseCount(s, 1, 5); return err }},
	}
}

// parseLLM decides who is asked; the servers are known.
func (e *extraction) parseLLM(s string) error {
	word, err := parseWord(s, llmOff, llmOpenAI, llmSampling, llmAuto)
	if err != nil {
		return err
	}
	served := named(e.Config)
	if word == llmOpenAI && !served {
		return fmt.Errorf("llm %s needs llm_base_url", llmOpenAI)
	}
	e.LLM = word
	e.On = word == llmOpenAI || word == llmAuto && served
	e.Sampling = word == llmSampling || word == llmAuto && !served
	return nil
}

// check refuses models that cannot be asked, before anything is opened; it reaches for
// no server.
func (e extraction) check(v values) error {
	for _, s := range modelSettings() {
		url := v.text(s.key)
		if !strings.Contains(s.key, "_base_url") || url == "" {
			continue
		}
		if _, err := openai.New(openai.Options{BaseURL: url}); err != nil {
			return fmt.Errorf("%s: %w", v.origin(s.key), err)
		}
	}
	models, err := e.models()
	if err != nil {
		return err
	}
	models.Close()
	return nil
}

func parseWait(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 || d > time.Hour {
		return 0, fmt.Errorf("%q is no time like 90s or 2m, up to 1h", v)
	}
	return d, nil
}

func parseSwitch(v string) (bool, error) {
	on, err := strconv.ParseBool(v)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", v)
	}
	return on, nil
}

func parseCount(v string, low, high int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", v, low, high)
	}
	return n, nil
}

// models opens who is asked; nil where nobody is.
func (e extraction) models() (*llm.Models, error) {
	if !e.On {
		return nil, nil
	}
	return llm.NewModels(e.Config)
}
