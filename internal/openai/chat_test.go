package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/openai"
)

// asked is what a server was sent for a chat.
type asked struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Temperature         *float64 `json:"temperature"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Format              struct {
		Type   string `json:"type"`
		Schema struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// said returns the body of an answer that ends for the given reason.
func said(content, finish string) string {
	return fmt.Sprintf(`{"model":"served","choices":[{"message":{"role":"assistant","content":%q},"finish_reason":%q}],"usage":{"prompt_tokens":11,"completion_tokens":7}}`, content, finish)
}

var tea = openai.Chat{Model: "m", System: "be brief", Prompt: "tea?", Schema: json.RawMessage(`{"type":"object"}`), Name: "answer", MaxTokens: 100}

// chats serves answers and gathers what was asked.
func chats(t *testing.T, options openai.Options, answer func(w http.ResponseWriter, sent asked)) (*openai.Client, func() []asked) {
	t.Helper()
	var all []asked
	client, _ := serve(t, options, func(w http.ResponseWriter, r *http.Request) {
		var sent asked
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s: %v", r.URL, err)
		}
		all = append(all, sent)
		answer(w, sent)
	})
	return client, func() []asked { return all }
}

func TestChat_AsksForASchemaAndLittleChance(t *testing.T) {
	client, all := chats(t, openai.Options{}, func(w http.ResponseWriter, _ asked) { reply(w, 200, said("{}", "stop")) })
	got, err := client.Chat(t.Context(), tea)
	if err != nil {
		t.Fatal(err)
	}
	if want := (openai.Completion{Text: "{}", Model: "served", Input: 11, Output: 7}); got != want {
		t.Errorf("answer %+v, want %+v", got, want)
	}
	sent := all()[0]
	if sent.Format.Type != "json_schema" || !sent.Format.Schema.Strict || sent.Format.Schema.Name != "answer" || string(sent.Format.Schema.Schema) != string(tea.Schema) {
		t.Errorf("format %+v", sent.Format)
	}
	if sent.Temperature == nil || *sent.Temperature > 1e-6 || sent.MaxTokens != 100 || sent.MaxCompletionTokens != 0 {
		t.Errorf("sent %+v", sent)
	}
	if len(sent.Messages) != 2 || sent.Messages[0].Role != "system" || sent.Messages[0].Content != "be brief" || sent.Messages[1].Role != "user" || sent.Messages[1].Content != "tea?" {
		t.Errorf("messages %+v", sent.Messages)
	}
}

func TestChat_TellsHowTheAnswerEnded(t *testing.T) {
	for name, c := range map[string]struct {
		body               string
		truncated, refused bool
		text               string
	}{
		"whole":          {said("hi", "stop"), false, false, "hi"},
		"cut":            {said(`{"a`, "length"), true, false, `{"a`},
		"filtered":       {said("", "content_filter"), false, true, ""},
		"refused":        {`{"choices":[{"message":{"content":null,"refusal":"I can't"},"finish_reason":"stop"}]}`, false, true, ""},
		"in parts":       {`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`, false, false, "ab"},
		"negative usage": {`{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":-5}}`, false, false, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := chats(t, openai.Options{}, func(w http.ResponseWriter, _ asked) { reply(w, 200, c.body) })
			got, err := client.Chat(t.Context(), tea)
			if err != nil || got.Truncated != c.truncated || got.Refused != c.refused || got.Text != c.text || got.Input < 0 {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// What a server refuses is given up, in this order, and not asked for again.
func TestChat_GivesUpWhatIsRefusedAndRemembersIt(t *testing.T) {
	for _, c := range []struct {
		name    string
		refuses func(sent asked) string // the text of a 400, "" for none
		formats []string                // of the two calls' requests
	}{
		{"no json_schema", func(s asked) string {
			return when(s.Format.Type == "json_schema", "response_format: type 'json_schema' is not supported")
		}, []string{"json_schema", "json_object", "json_object"}},
		{"no format", func(s asked) string { return when(s.Format.Type != "", "unknown field") },
			[]string{"json_schema", "json_object", "", ""}},
		{"no temperature", func(s asked) string {
			return when(s.Temperature != nil, "Unsupported value: 'temperature' does not support 0 with this model")
		}, []string{"json_schema", "json_schema", "json_schema"}},
		{"no max_tokens", func(s asked) string {
			return when(s.MaxTokens != 0, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
		}, []string{"json_schema", "json_schema", "json_schema"}},
		{"no room", func(s asked) string {
			return when(s.MaxTokens != 0, "'max_tokens' or 'max_completion_tokens' is too large: 100")
		}, []string{"json_schema", "json_schema", "json_schema"}},
		{"neither of three", func(s asked) string {
			return when(s.Temperature != nil, "temperature") + when(s.MaxTokens != 0, "max_tokens") + when(s.Format.Type == "json_schema", "json_schema")
		}, []string{"json_schema", "json_schema", "json_schema", "json_object", "json_object"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, all := chats(t, openai.Options{}, func(w http.ResponseWriter, sent asked) {
				if message := c.refuses(sent); message != "" {
					reply(w, 400, object(message, "invalid_request_error"))
					return
				}
				reply(w, 200, said("{}", "stop"))
			})
			for range 2 {
				if _, err := client.Chat(t.Context(), tea); err != nil {
					t.Fatal(err)
				}
			}
			var formats []string
			for _, sent := range all() {
				formats = append(formats, sent.Format.Type)
			}
			if !slices.Equal(formats, c.formats) {
				t.Errorf("asked for %q, want %q", formats, c.formats)
			}
		})
	}
}

func when(holds bool, message string) string {
	if holds {
		return message + " "
	}
	return ""
}

func TestChat_ModelsThatReasonAreAskedTheirWay(t *testing.T) {
	for _, model := range []string{"o3-mini", "gpt-5", "gpt-5-mini"} {
		client, all := chats(t, openai.Options{}, func(w http.ResponseWriter, _ asked) { reply(w, 200, said("{}", "stop")) })
		chat := tea
		chat.Model = model
		if _, err := client.Chat(t.Context(), chat); err != nil {
			t.Fatal(err)
		}
		if sent := all()[0]; sent.Temperature != nil || sent.MaxTokens != 0 || sent.MaxCompletionTokens != 100 {
			t.Errorf("%s: sent %+v", model, sent)
		}
	}
}

// Once a format brought an answer a refusal is about something else: it is not
// asked again, and the model is not thought to be less able.
func TestChat_KeepsAFormatThatWasTaken(t *testing.T) {
	bad := false
	client, all := chats(t, openai.Options{}, func(w http.ResponseWriter, _ asked) {
		if bad {
			reply(w, 400, object("bad input", ""))
			return
		}
		reply(w, 200, said("{}", "stop"))
	})
	for _, bad = range []bool{false, true, false} {
		if _, err := client.Chat(t.Context(), tea); (err != nil) != bad {
			t.Fatal(err)
		}
	}
	if got := len(all()); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
}

// tries counts requests: a refusal of unknown reason costs one for each format.
func TestChat_Faults(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   error
		want   string
		tries  int
	}{
		{"wrong key", 401, object("Incorrect key", "x"), openai.ErrRefused, "check the API key", 1},
		{"no such model", 404, object("no such model", "x"), openai.ErrRefused, "no such model", 1},
		{"bad request", 400, object("something is odd", "x"), openai.ErrRefused, "something is odd", 3},
		{"over the context, llama.cpp", 400, object("the request exceeds the available context size", "exceed_context_size_error"), openai.ErrTooLarge, "context size", 1},
		{"rate limit", 429, object("slow down", "x"), openai.ErrUnavailable, "slow down", 2},
		{"internal", 500, object("broken", "x"), openai.ErrUnavailable, "broken", 2},
		{"a gateway's page", 502, "<html>Bad gateway</html>", openai.ErrUnavailable, "502 Bad Gateway", 2},
		{"200 with an error", 200, object("quota exceeded", "insufficient_quota"), openai.ErrRefused, "its answer is an error: quota exceeded", 1},
		{"200 with an error that passes", 200, `{"error":{"message":"quota","code":429}}`, openai.ErrUnavailable, "quota", 2},
		{"200 with a page", 200, "<html>Login</html>", openai.ErrRefused, "not a JSON object", 1},
		{"no choice", 200, `{"choices":[]}`, openai.ErrRefused, "it holds no choice", 1},
		{"another kind", 200, `{"data":[]}`, openai.ErrRefused, "it holds no choice", 1},
		{"content of a wrong kind", 200, `{"choices":[{"message":{"content":5}}]}`, openai.ErrRefused, "the answer is not one of a chat", 1},
		{"cut off", 200, `{"choices":[{"mess`, openai.ErrUnavailable, "cut off", 2},
		{"empty", 200, "", openai.ErrUnavailable, "empty", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault := func(w http.ResponseWriter, _ *http.Request) { reply(w, c.status, c.body) }
			bubble(t, openai.Options{APIKey: key, Retries: 1}, fault, func(t *testing.T, client *openai.Client, visits func() []visit) {
				_, err := client.Chat(t.Context(), tea)
				if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "/v1/chat/completions: ") {
					t.Errorf("error %v, want %v with %q", err, c.kind, c.want)
				}
				if got := len(visits()); got != c.tries {
					t.Errorf("%d requests, want %d", got, c.tries)
				}
			})
		})
	}
}

func TestChat_WaitsOutALimitAndACutBody(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"429": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3")
			reply(w, 429, "{}")
		},
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"choices":[`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			first := true
			bubble(t, openai.Options{}, func(w http.ResponseWriter, r *http.Request) {
				if first {
					first = false
					fault(w, r)
					return
				}
				reply(w, 200, said("{}", "stop"))
			}, func(t *testing.T, client *openai.Client, visits func() []visit) {
				if got, err := client.Chat(t.Context(), tea); err != nil || got.Text != "{}" {
					t.Fatalf("%+v, %v", got, err)
				}
				if name == "429" && visits()[1].at < 3*time.Second {
					t.Errorf("came back after %v", visits()[1].at)
				}
			})
		})
	}
}

func TestChat_HangEndsAfterOneTimeout(t *testing.T) {
	bubble(t, openai.Options{Timeout: time.Second}, hang, func(t *testing.T, client *openai.Client, visits func() []visit) {
		start := time.Now()
		_, err := client.Chat(t.Context(), tea)
		if !errors.Is(err, openai.ErrTimeout) || time.Since(start) != time.Second || len(visits()) != 1 {
			t.Errorf("%v after %v and %d requests", err, time.Since(start), len(visits()))
		}
	})
}

func TestChat_ErrorsHoldNothingOfThePrompt(t *testing.T) {
	for _, status := range []int{200, 400, 401, 500} {
		client, _ := serve(t, openai.Options{APIKey: key, Retries: -1}, func(w http.ResponseWriter, _ *http.Request) {
			reply(w, status, object("cannot read: my sister Zebulonia; "+key, "x"))
		})
		chat := tea
		chat.Prompt = "I live with my sister Zebulonia"
		_, err := client.Chat(t.Context(), chat)
		if err == nil || strings.Contains(err.Error(), "Zebulonia") || strings.Contains(err.Error(), key) {
			t.Errorf("status %d: error %v", status, err)
		}
	}
}

func TestChat_NeedsAModel(t *testing.T) {
	client, requests := serve(t, openai.Options{}, func(http.ResponseWriter, *http.Request) {})
	if _, err := client.Chat(t.Context(), openai.Chat{Prompt: "x"}); err == nil || requests.Load() != 0 {
		t.Errorf("error %v after %d requests", err, requests.Load())
	}
}

// No more calls are under way than Parallel; one that waits for its turn goes when
// its context ends, and its wait is not the server's time.
func TestParallel_BoundsTheCallsUnderWay(t *testing.T) {
	var now, most atomic.Int32
	slow := func(w http.ResponseWriter, _ *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Second) // of the bubble's clock
		now.Add(-1)
		reply(w, 200, said("{}", "stop"))
	}
	bubble(t, openai.Options{Parallel: 2, Timeout: 1500 * time.Millisecond, Patience: 2 * time.Second}, slow, func(t *testing.T, client *openai.Client, _ func() []visit) {
		start := time.Now()
		results := make(chan error, 6)
		for range 6 {
			go func() {
				_, err := client.Chat(t.Context(), tea)
				results <- err
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := client.Chat(ctx, tea); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the one that waits: %v", err)
		}
		for range 6 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if most.Load() != 2 || time.Since(start) != 3*time.Second {
			t.Errorf("%d at once, %v in all", most.Load(), time.Since(start))
		}
	})
}

// Whatever a server answers, a call gives an answer or an error of a known kind.
func FuzzChat_AnyAnswer(f *testing.F) {
	for _, body := range []string{said("{}", "stop"), said("", "length"), `{"choices":[{}]}`, `{"choices":null}`, `{"choices":[{"message":{"content":[{"text":5}]}}]}`,
		`{"error":{"message":"temperature"}}`, `{"error":"json_schema"}`, `{"message":"max_tokens too large"}`, `null`, ``, "<html>", "\xff"} {
		f.Add(200, []byte(body))
		f.Add(400, []byte(body))
		f.Add(500, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		client, err := openai.New(openai.Options{BaseURL: "http://server.test", Transport: canned{status, body}, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Chat(t.Context(), tea); err != nil {
			checkKind(t, err)
		}
	})
}
