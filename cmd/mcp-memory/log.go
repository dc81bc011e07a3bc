package main

import "log/slog"

// Keys of log attributes.
const (
	keyDir       = "dir"
	keyDuration  = "duration_ms"
	keyError     = "error"
	keyPID       = "pid"
	keySetting   = "setting"
	keyTransport = "transport"
	keyVersion   = "version"
)

// newLogger writes to stderr, since stdout belongs to answers.
func (a *app) newLogger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
}
