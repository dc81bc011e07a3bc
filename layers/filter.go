package layers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// filter narrows which records are shown. Its zero value lets every one pass.
type filter struct {
	layers    []storage.Layer
	tiers     []storage.Tier
	entity    string // canonical key
	attribute string // canonical name
	tags      []string
	source    string
	project   *string // nil: all
	alone     bool    // the project alone, without the personal records
	since     int64   // event time, Unix microseconds, inclusive
	until     int64   // inclusive
	before    int64   // last said before
}

// pass reports whether a record has all that is asked for.
func (f *filter) pass(d *doc) bool {
	switch {
	case len(f.layers) > 0 && !slices.Contains(f.layers, d.layer),
		len(f.tiers) > 0 && !slices.Contains(f.tiers, d.tier),
		f.entity != "" && d.entity != f.entity,
		f.attribute != "" && d.attribute != f.attribute,
		f.source != "" && d.source != f.source,
		f.since != 0 && d.event < f.since,
		f.until != 0 && d.event > f.until,
		f.before != 0 && d.observed() >= f.before,
		!f.passProject(d.project):
		return false
	}
	for _, t := range f.tags {
		if !slices.Contains(d.tags, t) {
			return false
		}
	}
	return true
}

func (f *filter) passProject(project string) bool {
	if f.project == nil || project == *f.project {
		return true
	}
	return project == "" && !f.alone
}

// empty reports whether the filter lets everything pass.
func (f *filter) empty() bool {
	return len(f.layers) == 0 && len(f.tiers) == 0 && f.entity == "" && f.attribute == "" && len(f.tags) == 0 &&
		f.source == "" && f.project == nil && f.since == 0 && f.until == 0 && f.before == 0
}

// exact reports whether the filter says by itself what is wanted, so that what
// fits it is shown however unlike the query it is.
func (f *filter) exact() bool {
	return f.entity != "" || f.attribute != "" || len(f.tags) > 0 || f.source != ""
}

// filterReader reads filter arguments and keeps the first complaint.
type filterReader struct {
	validator
	userNames []string
}

func (r *filterReader) layers(names []string) []storage.Layer {
	var out []storage.Layer
	for i, s := range names {
		out = append(out, storage.Layer(r.oneOf(fmt.Sprintf("layers[%d]", i), s, layerNames(), "")))
	}
	return out
}

func (r *filterReader) tiers(names []string) []storage.Tier {
	var out []storage.Tier
	for i, s := range names {
		out = append(out, storage.Tier(r.oneOf(fmt.Sprintf("tiers[%d]", i), s, []string{string(storage.Episodic), string(storage.Semantic)}, "")))
	}
	return out
}

func (r *filterReader) entity(name string) string {
	if name = r.field("entity", name); name == "" {
		return ""
	}
	_, key := slot.Entity(name, r.userNames...)
	if key == "" {
		r.fail("entity", "%s names nothing", quoted(name))
	}
	return key
}

func (r *filterReader) attribute(name string) string {
	if name = r.field("attribute", name); name == "" {
		return ""
	}
	attr := slot.Canonical(name)
	if attr.Name == "" {
		r.fail("attribute", "%s names nothing", quoted(name))
	}
	return attr.Name
}

// project reads a project argument: absent or empty is all, "personal" is none.
func (r *filterReader) project(p *string) *string {
	p = r.optional("project", p)
	if p == nil || *p == "" {
		return nil
	}
	if *p == personal {
		none := ""
		return &none
	}
	return p
}

func (r *filterReader) micros(name, s string) int64 { return micros(r.time(name, s)) }

// dayEnd is a time argument that means a whole day when only its date is given:
// until 2024-05-31 includes the 31st.
func (r *filterReader) dayEnd(name, s string) int64 {
	t := r.time(name, s)
	if len(strings.TrimSpace(s)) == len(time.DateOnly) && !t.IsZero() {
		t = t.AddDate(0, 0, 1).Add(-time.Microsecond)
	}
	return micros(t)
}
