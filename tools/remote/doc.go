// Package remote serves the tools over HTTP on this machine: streamable HTTP at
// /mcp, the older SSE transport at /sse and /message, and /healthz.
//
//	request ─> Host ─> Origin ─> bearer token ─> in flight ─> body ─> session ─> mcp-go
//	           403      403       401            429          413     404, 429
//
// It listens on loopback addresses only. A token stands for a user, and a
// session belongs to the token that made it: another token cannot use it, even
// if it learns its id. Without tokens everything is the default user's, guarded
// by Host and Origin against web pages that reach for the local machine.
package remote
