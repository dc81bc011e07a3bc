package tools

import (
	"encoding/json"
	"strings"
)

// A conversation is handed over as the client has it: messages of OpenAI's and
// Anthropic's interfaces, or of the exports of ChatGPT and Claude. messageShape
// brings one to extract's own members (id, role, name, content, time). What other
// interfaces say beside them, such as calls of tools, states nothing about the user
// and is left out; a member that none of them has is still refused by name.
func messageShape(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for name, v := range m {
		if !besides[name] {
			out[name] = v
		}
	}
	if author, ok := out["author"].(map[string]any); ok {
		delete(out, "author")
		supply(out, "role", author["role"])
		supply(out, "name", author["name"])
	}
	for _, a := range aliases {
		if v, ok := out[a.name]; ok {
			delete(out, a.name)
			supply(out, a.member, v)
		}
	}
	if role, ok := out["role"].(string); ok {
		if meant := roleNames[strings.ToLower(role)]; meant != "" {
			out["role"] = meant
		}
	}
	if id, ok := out["id"].(json.Number); ok {
		out["id"] = id.String()
	}
	if at, ok := out["time"].(json.Number); ok { // seconds since 1970
		out["time"] = at.String()
	}
	return out
}

// supply sets a member that is not given.
func supply(m map[string]any, name string, v any) {
	switch have := m[name].(type) {
	case nil:
	case string:
		if have != "" {
			return
		}
	case []any:
		if len(have) > 0 {
			return
		}
	default:
		return
	}
	m[name] = v
}

// aliases are other names of members, in the order in which they count.
var aliases = []struct{ name, member string }{
	{"uuid", "id"}, {"sender", "role"}, {"text", "content"}, {"created_at", "time"}, {"create_time", "time"}, {"timestamp", "time"},
}

// besides are members that say nothing about what was said.
var besides = map[string]bool{
	"tool_calls": true, "tool_call_id": true, "function_call": true, "refusal": true, "audio": true, "annotations": true, "type": true,
	"status": true, "recipient": true, "weight": true, "end_turn": true, "metadata": true, "channel": true, "update_time": true,
	"updated_at": true, "attachments": true, "files": true, "model": true, "stop_reason": true, "stop_sequence": true, "usage": true,
	"parent_message_uuid": true, "reasoning_content": true, "cache_control": true,
}

// roleNames are other names of roles.
var roleNames = map[string]string{
	"human": "user", "user": "user", "ai": "assistant", "model": "assistant", "bot": "assistant", "assistant": "assistant",
	"developer": "system", "system": "system", "function": "tool", "tool": "tool",
}
