package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"

	"mcp-memory/internal/openai"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// Servers repeat what was sent to them in their errors. No error of ours does,
// in whatever form it comes back.
func TestErrors_HoldNeitherKeyNorText(t *testing.T) {
	secrets := []string{
		"My sister Zebulonia was treated for leprosy in 1987",
		"我姐姐在一九八七年得过麻风病",
		"Zoë",
		"line one\nhas Zebulonia\tand a \"quote\" <b>",
		key,
	}
	needles := []string{"Zebulonia", "zebulonia", "leprosy", "麻风", "Zoë", "zoë", `\u9ebb`, `\u00eb`, key, "0123456789"}
	for name, echo := range map[string]func(secret string) string{
		"in a message":     func(secret string) string { return object("bad input: "+secret, "x") },
		"in a type":        func(secret string) string { return object("bad input", secret) },
		"in small letters": func(secret string) string { return object(strings.ToLower("no: "+secret), "x") },
		"in a part":        func(secret string) string { return object("bad: "+part(secret)+"…", "x") },
		"escaped": func(secret string) string {
			return object("bad input: "+strings.Trim(fmt.Sprintf("%+q", secret), `"`), "x")
		},
		"in a list": func(secret string) string {
			return fmt.Sprintf(`{"detail":[{"loc":["body","input"],"input":%q}]}`, secret)
		},
		"as plain text":  func(secret string) string { return secret },
		"in one string":  func(secret string) string { return fmt.Sprintf(`{"error":%q}`, secret) },
		"at top level":   func(secret string) string { return fmt.Sprintf(`{"message":%q}`, secret) },
		"as a bare list": func(secret string) string { return fmt.Sprintf(`[%q]`, secret) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, secret := range secrets {
				text := secret
				if text == key {
					text = "tea"
				}
				for _, status := range []int{200, 401, 413, 422, 500} {
					err := failure(t, status, echo(secret), text)
					for _, needle := range needles {
						if strings.Contains(err.Error(), needle) {
							t.Errorf("status %d: the error holds %q: %v", status, needle, err)
						}
					}
				}
			}
		})
	}
}

// part returns more than half of a long secret, and a short one whole.
func part(secret string) string {
	if len(secret) < 10 {
		return secret
	}
	return strings.ToValidUTF8(secret[:len(secret)*2/3], "")
}

// failure returns the error of a call to a server that answers with body.
func failure(t *testing.T, status int, body, text string) error {
	t.Helper()
	client, err := openai.New(openai.Options{BaseURL: "http://server.test/v1", APIKey: key, Transport: canned{status, []byte(body)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = client.Embeddings(t.Context(), "e5", []string{text}); err == nil {
		t.Fatalf("status %d, %s: no error", status, body)
	}
	return err
}

// object is OpenAI's form of an error.
func object(message, kind string) string {
	body, err := json.Marshal(map[string]any{"error": map[string]string{"message": message, "type": kind}})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// What repeats nothing is shown, on one line and not without end.
func TestErrors_ShowWhatTheServerSays(t *testing.T) {
	for _, c := range []struct{ name, message, want string }{
		{"the model's name", `model "text-embedding-9" does not exist`, `model "text-embedding-9" does not exist`},
		{"lines and escapes", "one\r\n\x1b[31mtwo\x00three", "one [31mtwo three"},
		{"long", strings.Repeat("long ", 1000), "long …"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, _ := serve(t, openai.Options{}, func(w http.ResponseWriter, _ *http.Request) {
				reply(w, http.StatusNotFound, object(c.message, ""))
			})
			_, err := client.Embeddings(t.Context(), "text-embedding-9", []string{"I drink tea"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
			if len(err.Error()) > 600 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}
