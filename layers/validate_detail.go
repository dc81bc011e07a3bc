package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-memory/storage"
)

// detail checks a detail object and writes its times in UTC.
func (v *validator) detail(raw json.RawMessage, layer storage.Layer) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var d map[string]any
	if err := dec.Decode(&d); err != nil {
		v.fail("detail", "is not a JSON object; give one such as {\"status\": \"planned\"}")
		return nil
	}
	v.nested("detail", d, 1)
	if v.err != nil || len(withoutNulls(d).(map[string]any)) == 0 {
		return nil
	}
	v.detailTimes(d)
	for _, name := range []string{"impact", "urgency", "strength", "confidence"} {
		v.unit(d, name)
	}
	if s, ok := d["status"].(string); ok && layer == storage.Activity {
		v.oneOf("detail.status", s, statuses, "")
	}
	if s, ok := d["type"].(string); ok && layer == storage.Identity {
		v.oneOf("detail.type", s, identityTypes, "")
	}
	out, err := marshal(d)
	if err != nil {
		v.fail("detail", "is not a JSON object; give one such as {\"status\": \"planned\"}")
	}
	return out
}

// withoutNulls takes what is null, and so absent, out of a decoded JSON value.
func withoutNulls(x any) any {
	switch x := x.(type) {
	case []any:
		x = slices.DeleteFunc(x, func(y any) bool { return y == nil })
		for i := range x {
			x[i] = withoutNulls(x[i])
		}
		return x
	case map[string]any:
		for k, y := range x {
			if y == nil {
				delete(x, k)
				continue
			}
			x[k] = withoutNulls(y)
		}
	}
	return x
}

// nested checks every string and the depth of a decoded JSON value.
func (v *validator) nested(name string, x any, level int) {
	if level > maxDetailLvl {
		v.fail("detail", "is nested deeper than %d levels", maxDetailLvl)
		return
	}
	switch x := x.(type) {
	case string:
		v.str(name, x, maxField)
	case []any:
		for i, y := range x {
			v.nested(name+"["+strconv.Itoa(i)+"]", y, level+1)
		}
	case map[string]any:
		for _, k := range sortedKeys(x) {
			v.str(name, k, maxField)
			v.nested(name+"."+k, x[k], level+1)
		}
	}
}

// detailTimes writes an event's times in UTC. Where they have no zone it is the one
// that the detail names beside them.
func (v *validator) detailTimes(d map[string]any) {
	set := v.loc
	defer func() { v.loc = set }()
	if name, _ := d["timezone"].(string); name != "" && name != time.Local.String() {
		if zone, err := time.LoadLocation(name); err == nil { // else words such as "Rome's"
			v.loc = zone
		}
	}
	starts, ends := v.detailTime(d, "starts_at"), v.detailTime(d, "ends_at")
	if !starts.IsZero() && !ends.IsZero() && ends.Before(starts) {
		v.fail("detail.ends_at", "%s is before starts_at %s", formatTime(ends), formatTime(starts))
	}
}

func (v *validator) detailTime(d map[string]any, name string) time.Time {
	given, present := d[name]
	s, ok := given.(string)
	if present && !ok {
		v.fail("detail."+name, "is not a time; give RFC 3339 such as 2024-05-01T09:30:00Z")
	}
	t := v.time("detail."+name, s)
	if !t.IsZero() {
		d[name] = formatTime(t)
	}
	return t
}

// unit checks a share of a detail. "0.5" counts as 0.5, as in other arguments.
func (v *validator) unit(d map[string]any, name string) {
	var x float64
	var err error
	switch given := d[name].(type) {
	case nil:
		return
	case json.Number:
		x, err = given.Float64()
	case string:
		x, err = strconv.ParseFloat(strings.TrimSpace(given), 64)
		d[name] = x
	default:
		err = strconv.ErrSyntax
	}
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		v.fail("detail."+name, "is not a number; give 0 to 1")
	case err != nil || !(x >= 0 && x <= 1):
		v.fail("detail."+name, "%v is out of range; give 0 to 1", d[name])
	}
}
