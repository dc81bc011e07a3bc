package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers"
	"mcp-memory/tools"
	"mcp-memory/tools/relay"
)

// Settings of an attached process that count for its own calls, wherever the
// memory is; the value is as it goes to the owner.
const (
	sharedUserName = "user_name"
	sharedProject  = "project"
	sharedZone     = "timezone"
	sharedUpcoming = "upcoming_days"
)

// private are the settings that are a process's own business, or secrets: the
// owner of the store is not told.
func private(key string) bool {
	return strings.Contains(key, "api_key") ||
		slices.Contains([]string{"config", "dir", "user", "log", "transport", "addr", "tokens", sharedZone}, key)
}

// shared are the settings that the owner of the store is told: all values, of
// which those that were given are compared with its own.
func (v values) shared() map[string]string {
	out := map[string]string{}
	for _, s := range settingTable {
		if text := v.text(s.key); text != "" && !private(s.key) {
			out[s.key] = text
		}
	}
	return out
}

// hello is what the owner of the store is told: what was given, and the zone.
func (s settings) hello() map[string]string {
	out := map[string]string{sharedZone: s.Location.String()}
	for key, text := range s.Shared {
		if s.given[key] {
			out[key] = text
		}
	}
	return out
}

type voiceKey struct{}

// admit gives a link's calls their voice: settings that concern them alone
// count; of the others those are named that differ from ours. It is
// relay.Owned.Admit.
func (a *app) admit(ctx context.Context, h relay.Hello) (context.Context, []string, error) {
	if _, err := parseUser(h.User); err != nil {
		return nil, nil, fmt.Errorf("%w; nothing was done", err)
	}
	v := layers.Voice{User: h.User, UserName: h.Settings[sharedUserName], Project: h.Settings[sharedProject], Attached: h.Attached}
	var err error
	if v.Location, err = zoneOf(h.Settings[sharedZone]); err != nil {
		return nil, nil, fmt.Errorf("the process that owns the memory cannot use the time zone of this one: %w; nothing was done", err)
	}
	if days := h.Settings[sharedUpcoming]; days != "" {
		if v.UpcomingDays, err = parseDays(days); err != nil {
			return nil, nil, fmt.Errorf("upcoming_days: %w; nothing was done", err)
		}
	}
	v.Differ = a.differ(h.Settings)
	return context.WithValue(ctx, voiceKey{}, v), v.Differ, nil
}

// differ names the settings that another process gave and that we have other
// values of.
func (a *app) differ(theirs map[string]string) (keys []string) {
	own := []string{sharedUserName, sharedProject, sharedZone, sharedUpcoming}
	for key, text := range theirs {
		if !slices.Contains(own, key) && text != a.set.Shared[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// voice is whose calls a context's are: those of a link, or of a user of this
// process's own HTTP server.
func (a *app) voice(ctx context.Context) layers.Voice {
	if v, ok := ctx.Value(voiceKey{}).(layers.Voice); ok {
		return v
	}
	return layers.Voice{User: tools.UserFrom(ctx), Project: a.set.Project}
}

// localZone is what Go calls the zone of the machine.
const localZone = "Local"

// zoneOf is a zone by the name that another process on this machine has for it.
func zoneOf(name string) (*time.Location, error) {
	switch {
	case name == localZone && time.Local.String() != localZone: // we were started with a TZ of our own
		return zoneFile("/etc/localtime")
	case name == localZone:
		return time.Local, nil
	case filepath.IsAbs(name): // TZ may name a file
		return zoneFile(name)
	}
	return parseZone(name)
}

// zoneFile reads a zone; UTC where there is no file, as Go does.
func zoneFile(path string) (*time.Location, error) {
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return time.UTC, nil
	}
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(localZone, content)
}
