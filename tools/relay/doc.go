// Package relay lets many processes on one machine use one data directory. One
// of them, the owner, has the store; the others are attached to it and pass
// their client's messages on, as they are.
//
//	client ── stdio ──> Link ──┐                                   ┌── store
//	client ── stdio ──> Link ──┼─ socket ─> host ─> MCP server ────┤   (of the owner)
//	command line ─────> Link ──┘     (one session a connection)    └── index, models
//
// Which process owns the store is decided by the lock on the directory alone.
// Every process has a [Seat]: it finds the owner, or becomes it when there is
// none. A [Link] is one client's session, whoever the owner is: when the owner
// dies the link finds the next one, or its process becomes it, and the session
// goes on there: initialize is said again, and calls in flight are sent again
// under the number they had, by which the owner knows what was done already.
//
// An attached process opens neither store nor index nor model.
package relay
