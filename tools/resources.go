package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

// URIs of the resources.
const (
	uriProfile  = "memory://profile"
	uriRecent   = "memory://recent"
	uriUpcoming = "memory://upcoming"
	uriStats    = "memory://stats"
	uriReceipts = "memory://receipts"
	uriReceipt  = "memory://receipt/"
	uriJob      = "memory://job/"
	uriRecord   = "memory://record/"
	uriTimeline = "memory://timeline/"
)

const (
	markdown = "text/markdown"
	asJSON   = "application/json"
)

// maxResource bounds a resource in bytes: the TypeScript client drops its
// connection at 10 MiB of unread output.
const maxResource = 1 << 20

// resource is one fixed resource, or, with a URI that ends in a slash, the
// template of many.
type resource struct {
	uri, name, description string
	variable               string // of a template
	mime                   string
	read                   func(ctx context.Context, m Memory, user, arg string) (string, error)
}

// resources lists the resources.
func resources() []resource {
	return []resource{
		{uri: uriProfile, name: "Profile", description: "What holds about the user.", mime: markdown, read: readProfile},
		{uri: uriRecent, name: "Recent", description: "What was remembered last.", mime: markdown, read: readRecent},
		{uri: uriUpcoming, name: "Upcoming", description: "Plans of the days ahead.", mime: markdown, read: readUpcoming},
		{uri: uriStats, name: "Stats", description: "Numbers and state of the memory.", mime: asJSON, read: readStats},
		{uri: uriReceipts, name: "Receipts", description: "What was forgotten or erased when, and what was checked; never what it said.", mime: asJSON, read: readReceipts},
		{uri: uriReceipt, variable: "id", name: "Receipt", description: "One of them, with the ids of all its records.", mime: asJSON, read: readReceipt},
		{uri: uriRecord, variable: "id", name: "Record", description: "A memory with all it replaced and was replaced by.", mime: asJSON, read: readRecord},
		{uri: uriJob, variable: "id", name: "Job", description: "What an extraction decided, stored and left out, and which models it asked.", mime: asJSON, read: readJob},
		{uri: uriTimeline, variable: "entity", name: "Timeline", description: "All that was ever said about someone or something, by property. The name is percent-encoded.", mime: asJSON, read: readTimeline},
	}
}

func (f *face) addResources(srv *server.MCPServer) {
	for _, r := range resources() {
		handler := f.passResource(r.uri, f.reader(r))
		if r.variable == "" {
			srv.AddResource(mcp.NewResource(r.uri, r.name, mcp.WithResourceDescription(r.description), mcp.WithMIMEType(r.mime)), handler)
			continue
		}
		template := mcp.NewResourceTemplate(r.uri+"{"+r.variable+"}", r.name, mcp.WithTemplateDescription(r.description), mcp.WithTemplateMIMEType(r.mime))
		srv.AddResourceTemplate(template, server.ResourceTemplateHandlerFunc(handler))
	}
}

// reader reads r. Its errors become JSON-RPC errors.
func (f *face) reader(r resource) server.ResourceHandlerFunc {
	return func(ctx context.Context, req mcp.ReadResourceRequest) (contents []mcp.ResourceContents, err error) {
		defer func() {
			if p := recover(); p != nil {
				contents, err = nil, f.panicked(r.uri, p)
			}
		}()
		arg, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, r.uri))
		if err != nil {
			return nil, bad("the URI is not percent-encoded rightly", r.uri+" is followed by a percent-encoded "+r.variable)
		}
		text, err := f.read(ctx, r, arg)
		if err != nil {
			return nil, f.explainResource(r, arg, err)
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: r.mime, Text: text}}, nil
	}
}

func (f *face) read(ctx context.Context, r resource, arg string) (string, error) {
	m, err := f.memory(ctx)
	if err != nil {
		return "", err
	}
	text, err := r.read(ctx, m, f.user(ctx), arg)
	if err != nil {
		return "", err
	}
	if len(text) > maxResource {
		return "", bad(fmt.Sprintf("the resource has %d bytes; at most %d are sent", len(text), maxResource), "use recall, which answers in pages")
	}
	return text, nil
}

func (f *face) explainResource(r resource, arg string, err error) error {
	if errors.Is(err, storage.ErrNotFound) && r.variable != "" {
		return fmt.Errorf("nothing is known of the %s %q", r.variable, cut(arg, 100))
	}
	return f.explain(r.uri, err)
}

// escapeURI percent-encodes what clients leave raw in a memory URI (Chinese
// names, spaces), since URI templates match only encoded text.
func escapeURI(_ context.Context, _ any, req *mcp.ReadResourceRequest) {
	for _, prefix := range []string{uriRecord, uriTimeline} {
		arg, ok := strings.CutPrefix(req.Params.URI, prefix)
		if !ok {
			continue
		}
		if plain, err := url.PathUnescape(arg); err == nil {
			arg = plain
		}
		req.Params.URI = prefix + escapeAll(arg)
	}
}

// escapeAll percent-encodes all but the unreserved characters of RFC 3986.
func escapeAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func readProfile(ctx context.Context, m Memory, user, _ string) (string, error) {
	text, err := m.Profile(ctx, user)
	return orElse(text, "Nothing is known about the user yet.\n"), err
}

func readRecent(ctx context.Context, m Memory, user, _ string) (string, error) {
	text, err := m.Recent(ctx, user)
	return orElse(text, "Nothing was remembered yet.\n"), err
}

func readUpcoming(ctx context.Context, m Memory, user, _ string) (string, error) {
	upcoming, err := m.Upcoming(ctx, user)
	var b strings.Builder
	for _, u := range upcoming {
		fmt.Fprintf(&b, "- %s: %s [%s]\n", u.StartsAt, oneLine(u.Text, 500), u.ID)
	}
	return orElse(b.String(), "Nothing is planned for the days ahead.\n"), err
}

func readReceipts(ctx context.Context, m Memory, user, _ string) (string, error) {
	return indented(m.Receipts(ctx, user))
}

func readReceipt(ctx context.Context, m Memory, user, id string) (string, error) {
	return indented(m.ReceiptByID(ctx, user, id))
}

func readStats(ctx context.Context, m Memory, user, _ string) (string, error) {
	v, err := m.Stats(ctx, user)
	if v.ByLayer == nil {
		v.ByLayer = map[string]int{}
	}
	return indented(v, err)
}

func readJob(ctx context.Context, m Memory, user, id string) (string, error) {
	return indented(m.Job(ctx, user, id))
}

func readRecord(ctx context.Context, m Memory, user, id string) (string, error) {
	v, err := m.Record(ctx, user, id)
	fillMatch(&v.Record)
	fillMatches(v.Chain)
	v.Chain = list(v.Chain)
	return indented(v, err)
}

func readTimeline(ctx context.Context, m Memory, user, entity string) (string, error) {
	v, err := m.Timeline(ctx, user, entity)
	for i := range v.Attributes {
		fillMatches(v.Attributes[i].Statements)
		v.Attributes[i].Statements = list(v.Attributes[i].Statements)
	}
	v.Attributes = list(v.Attributes)
	return indented(v, err)
}

func fillMatches(matches []layers.Match) {
	for i := range matches {
		fillMatch(&matches[i])
	}
}

// indented is a resource in JSON that people can read, or why there is none.
func indented(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode a resource: %w", err)
	}
	return string(data), nil
}
