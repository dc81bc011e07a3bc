package layers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-memory/storage"
)

// Retention says what is forgotten by itself, and when. None is nothing.
type Retention []RetentionRule

// RetentionRule forgets, softly, what of a tier or a layer is old.
type RetentionRule struct {
	Tier           storage.Tier  // of these two exactly one is set
	Layer          storage.Layer //
	Age            time.Duration // since it was last said, happened, was recorded or brought back
	LeastImportant bool          // those go first; else the oldest
	Most           int           // how many go in one sweep
}

// Bounds of a rule.
const (
	retentionOff     = "off"
	retentionRules   = 16
	retentionMost    = 100 // of one sweep, unless the rule says otherwise
	retentionLimit   = 1000
	retentionDaysMax = 36_500
	day              = 24 * time.Hour
)

// ParseRetention reads rules such as
//
//	episodic 365d least important first; activity 26w at most 20
//
// separated by semicolons: a tier (episodic, semantic) or a layer; an age in days
// (d), weeks (w) or years of 365 days (y); which go first ("least important first"
// or "oldest first", the default); and how many at most in one sweep (1 to 1000,
// default 100). "off" and "" are no rules.
func ParseRetention(s string) (Retention, error) {
	if s = strings.TrimSpace(s); s == "" || s == retentionOff {
		return nil, nil
	}
	var out Retention
	for _, part := range strings.Split(s, ";") {
		rule, err := parseRule(strings.Fields(part))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quoted(strings.TrimSpace(part)), err)
		}
		if slices.ContainsFunc(out, func(r RetentionRule) bool { return r.Tier == rule.Tier && r.Layer == rule.Layer }) {
			return nil, fmt.Errorf("%s: there is a rule for %s already", quoted(strings.TrimSpace(part)), rule.what())
		}
		if out = append(out, rule); len(out) > retentionRules {
			return nil, fmt.Errorf("more than %d rules", retentionRules)
		}
	}
	return out, nil
}

const retentionForm = `wanted is like "episodic 365d least important first at most 50"; several are separated by semicolons`

func parseRule(words []string) (r RetentionRule, err error) {
	if len(words) < 2 {
		return r, fmt.Errorf("a tier or layer and an age are missing; %s", retentionForm)
	}
	switch what := words[0]; {
	case what == string(storage.Episodic) || what == string(storage.Semantic):
		r.Tier = storage.Tier(what)
	case slices.Contains(layerNames(), what):
		r.Layer = storage.Layer(what)
	default:
		return r, fmt.Errorf("%s is no tier (episodic, semantic) and no layer (%s)", quoted(what), strings.Join(layerNames(), ", "))
	}
	if r.Age, err = parseAge(words[1]); err != nil {
		return r, err
	}
	r.Most = retentionMost
	return r, r.options(words[2:])
}

// parseAge reads 365d, 52w or 1y.
func parseAge(s string) (time.Duration, error) {
	days := map[byte]int{'d': 1, 'w': 7, 'y': 365}[s[len(s)-1]]
	n, err := strconv.Atoi(s[:len(s)-1])
	if days == 0 || err != nil || n < 1 || n > retentionDaysMax/days || s[0] == '+' {
		return 0, fmt.Errorf("%s is no age; a whole number of days, weeks or years from 1d to 100y is wanted, like 365d, 52w or 1y", quoted(s))
	}
	return time.Duration(n*days) * day, nil
}

// options reads what may follow the age, each at most once.
func (r *RetentionRule) options(words []string) error {
	ordered, bounded := false, false
	for len(words) > 0 {
		switch {
		case !ordered && startsWith(words, "least", "important", "first"):
			r.LeastImportant, ordered, words = true, true, words[3:]
		case !ordered && startsWith(words, "oldest", "first"):
			ordered, words = true, words[2:]
		case !bounded && startsWith(words, "at", "most") && len(words) > 2:
			n, err := strconv.Atoi(words[2])
			if err != nil || n < 1 || n > retentionLimit || words[2][0] == '+' {
				return fmt.Errorf("at most %s: a whole number from 1 to %d is wanted", quoted(words[2]), retentionLimit)
			}
			r.Most, bounded, words = n, true, words[3:]
		default:
			return fmt.Errorf("%s is not understood; %s", quoted(strings.Join(words, " ")), retentionForm)
		}
	}
	return nil
}

func startsWith(words []string, want ...string) bool {
	return len(words) >= len(want) && slices.Equal(words[:len(want)], want)
}

func (r RetentionRule) what() string { return string(r.Tier) + string(r.Layer) }

// String writes the rule as ParseRetention reads it.
func (r RetentionRule) String() string {
	order := "oldest first"
	if r.LeastImportant {
		order = "least important first"
	}
	return fmt.Sprintf("%s %dd %s at most %d", r.what(), r.Age/day, order, r.Most)
}
