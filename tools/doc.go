// Package tools is the MCP face of the memory: the tools remember, recall, extract
// and forget, the memory:// resources, the prompts, and a session over a pair of
// streams.
//
//	client ── line ──> Serve ──────┐                  ┌─> decode by the schema
//	       ── POST ──> remote ─────┴─> MCPServer ─> tool ─> Memory
//	                                                  └─> structure + short text, measured
//
// A tool is one file with its two JSON Schemas beside it. The input schema is
// also what arguments are decoded by, so that what a client is told and what is
// taken cannot drift apart.
//
// The package promises that every result fits its output schema, that a result
// message stays under 60,000 bytes, and that an error names what was wrong and
// what would be right, without internals. It does not promise that stored text
// is harmless: what is recalled is data, not instructions.
package tools
