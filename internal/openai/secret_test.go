package openai_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
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

// What is no HTTP at all is shown by net/http, and may be what was sent.
func TestErrors_OfTheConnectionHoldNeitherKeyNorText(t *testing.T) {
	const said = "My sister Zebulonia was treated for leprosy"
	for name, answer := range map[string]string{
		"a line that is no status":   "Zebulonia was treated for leprosy\r\n\r\n",
		"the key in a broken header": "HTTP/1.1 200 OK\r\nAuthorization Bearer " + key + "\r\n\r\n",
		"the text in a length":       "HTTP/1.1 200 OK\r\nContent-Length: " + said + "\r\n\r\n",
		"the key in a chunk's size":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + key + "\r\n",
		"the key in an encoding":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + key + "\r\n\r\n",
		"the key as another host":    "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://" + key + ".example/v1\r\nContent-Length: 0\r\n\r\n",
		"the key as a user there":    "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://" + key + "@evil.example/v1\r\nContent-Length: 0\r\n\r\n",
	} {
		client := newClient(t, openai.Options{BaseURL: "http://" + says(t, answer) + "/v1", APIKey: key, Retries: -1})
		_, err := client.Chat(t.Context(), openai.Chat{Model: "m", Prompt: said})
		if err == nil || strings.Contains(err.Error(), "ebulonia") || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// says serves the same bytes to every request, and returns its address.
func says(t *testing.T, answer string) string {
	t.Helper()
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	go func() {
		for {
			conn, err := door.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}()
	return door.Addr().String()
}
