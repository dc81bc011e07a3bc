package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// part is an element of a message's content as the exports and interfaces of
// Claude, ChatGPT and OpenAI write it.
type part struct {
	Type        string          `json:"type"`
	ContentType string          `json:"content_type"`
	Text        json.RawMessage `json:"text"`
	Content     json.RawMessage `json:"content"`
	Parts       json.RawMessage `json:"parts"`
}

// maxNesting bounds how deep parts may lie in parts.
const maxNesting = 4

// ParseContent reads a message's content in the shapes that are in use: a string,
// null, a list of strings and parts ({"type":"text","text":…}, input_text and
// output_text alike), or an object with parts, as ChatGPT exports it. The texts
// are joined by line ends; images, calls of tools and their answers are left out.
func ParseContent(raw json.RawMessage) (string, error) {
	texts, err := contentTexts(raw, 0)
	if err != nil {
		return "", fmt.Errorf("read content: %w", err)
	}
	return strings.Join(texts, "\n"), nil
}

func contentTexts(raw json.RawMessage, depth int) ([]string, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("parts lie more than %d deep in parts", maxNesting)
	}
	trimmed := strings.TrimSpace(string(raw))
	switch {
	case trimmed == "" || trimmed == "null":
		return nil, nil
	case trimmed[0] == '"':
		return stringText(raw)
	case trimmed[0] == '[':
		return listTexts(raw, depth)
	case trimmed[0] == '{':
		return partTexts(raw, depth)
	}
	return nil, fmt.Errorf("%.20s is neither a string nor a list of parts such as {\"type\":\"text\",\"text\":\"…\"}", trimmed)
}

func stringText(raw json.RawMessage) ([]string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	if s == "" {
		return nil, nil
	}
	return []string{s}, nil
}

func listTexts(raw json.RawMessage, depth int) ([]string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var out []string
	for i, element := range list {
		texts, err := contentTexts(element, depth+1)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		out = append(out, texts...)
	}
	return out, nil
}

// textTypes are the types of parts that hold what was said. A part without a
// type is taken for its text.
var textTypes = map[string]bool{"": true, "text": true, "input_text": true, "output_text": true, "multimodal_text": true, "message": true}

// knownTypes are the types that hold something else, which is left out.
var knownTypes = map[string]bool{
	"image": true, "image_url": true, "input_image": true, "image_asset_pointer": true, "input_audio": true, "audio": true,
	"audio_transcription": true, "audio_asset_pointer": true, "video": true, "file": true, "input_file": true, "document": true,
	"tool_use": true, "tool_result": true, "server_tool_use": true, "web_search_tool_result": true, "thinking": true, "reasoning": true,
	"redacted_thinking": true, "refusal": true, "code": true, "execution_output": true, "tether_quote": true, "tether_browsing_display": true,
	"thoughts": true, "reasoning_recap": true, "user_editable_context": true, "model_editable_context": true, "system_error": true, "token_budget": true,
	"function_call": true, "function_call_output": true, "voice_note": true, "flag": true,
}

func partTexts(raw json.RawMessage, depth int) ([]string, error) {
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	kind := p.Type
	if kind == "" {
		kind = p.ContentType
	}
	switch {
	case knownTypes[kind]:
		return nil, nil
	case !textTypes[kind]:
		return nil, fmt.Errorf("type %q is unknown; text parts have the type text, input_text or output_text", kind)
	}
	for _, inner := range []json.RawMessage{p.Text, p.Parts, p.Content} {
		if len(inner) > 0 {
			return contentTexts(inner, depth+1)
		}
	}
	return nil, errors.New("an object without text, parts or content")
}
