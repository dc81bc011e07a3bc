package layers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
	"mcp-memory/layers/redact"
	"mcp-memory/storage"
)

// Limits of one call of extract.
const (
	maxMessages     = 2000
	maxConversation = 4 << 20 // bytes of all messages
	maxSource       = 64      // bytes of source, a word like chat
	defaultSource   = "chat"
	sourceDocument  = "document"
)

// Extract reads a conversation and remembers what is worth it, layer by layer.
// With a session it is a stream: turns wait until an event wakes the gate. Errors:
// *InvalidError for what the caller must change, storage.ErrNotFound for an
// unknown job, else the store's. What fails in a model is no error but stands in
// the answer.
func (m *Memory) Extract(ctx context.Context, user string, in ExtractInput) (ExtractOutput, error) {
	if in.JobID != "" {
		return m.jobState(ctx, user, &in)
	}
	t, err := m.task(user, &in)
	if err != nil {
		return ExtractOutput{}, err
	}
	if out, known, err := m.extractedBefore(ctx, t); known || err != nil {
		return out, err
	}
	if t.Session != "" {
		return m.stream(ctx, t)
	}
	if t.Source == sourceDocument {
		return m.paragraphs(ctx, t)
	}
	fresh := m.unseen(t)
	if len(fresh) == 0 {
		if out, ok, err := m.sentAgain(ctx, t); ok || err != nil {
			return out, err
		}
	}
	t.hearAgain(fresh)
	t.readBefore(fresh)
	return m.begin(ctx, t)
}

// hearAgain keeps the turns of a conversation that came again with more, which the
// first of those may answer or put right.
func (t *task) hearAgain(fresh []conversation.Turn) {
	if len(fresh) == 0 {
		return
	}
	if n := slices.Index(t.turns, fresh[0]); n > 0 {
		t.earlier = slices.Clone(t.turns[max(0, n-heardBefore):n])
	}
}

// readBefore leaves of a task's turns those that were not read before.
func (t *task) readBefore(fresh []conversation.Turn) {
	if len(fresh) == 0 && len(t.turns) > 0 {
		t.idle = "every message was read before"
	}
	t.turns = fresh
}

// task is one extraction: what was asked for and what is to be read. It is kept
// in a job until it is done.
type task struct {
	ID       string          `json:"id"`
	User     string          `json:"user"`
	Trace    string          `json:"trace"`
	Source   string          `json:"source"`
	SourceID string          `json:"source_id"`
	Session  string          `json:"session"`
	Layers   []storage.Layer `json:"layers"`
	Force    bool            `json:"force"`
	Flush    bool            `json:"flush"`
	DryRun   bool            `json:"dry_run"`
	Wait     bool            `json:"wait"`
	Language string          `json:"language"`
	Project  string          `json:"project"`
	Observed time.Time       `json:"observed"` // of turns without a time
	Turns    []heardTurn     `json:"turns"`
	Unread   int64           `json:"unread"` // of the session: read up to here
	Begun    time.Time       `json:"begun"`
	Kept     int             `json:"kept,omitempty"`    // paragraphs of a document that were stored as they are
	Sampled  bool            `json:"sampled,omitempty"` // the caller's client was to be asked
	Again    *remains        `json:"again,omitempty"`   // set where layers failed before

	taken   time.Time // when it got the turns that it holds in memory
	text    string    // of a document
	idle    string    // why the gate is not asked, where that is known before
	turns   []conversation.Turn
	earlier []conversation.Turn // of the session, or of the conversation, read already
	before  *JobView            // what it came to before, where Again is set

	sampler llm.Caller // the client's model; nil: not asked
	byRules string     // why the client's model is not asked, where it was to be
	call    Call       // that began it
}

// task checks a call. One bad argument refuses it.
func (m *Memory) task(user string, in *ExtractInput) (*task, error) {
	v := &validator{loc: m.opts.Location, now: m.now()}
	t := &task{
		User: user, Force: in.Force, Flush: in.Flush, DryRun: in.DryRun, Wait: in.Wait == nil || *in.Wait,
		Source:   v.oneWord("source", in.Source, defaultSource),
		SourceID: v.field("source_id", in.SourceID), Session: v.field("session_id", in.SessionID),
		Language: v.language("language", in.Language),
		Project:  m.projectOf(v.optional("project", in.Project)),
		Observed: v.zoned("observed_at", in.ObservedAt),
	}
	t.Layers = v.extractable(in.Layers)
	t.sampleBy(in)
	m.checkConversation(v, t, in)
	if v.err != nil {
		return nil, v.err
	}
	t.Begun, t.taken, t.call = v.now, v.now, in.Call
	var err error
	if t.ID, err = m.taskID(); err != nil {
		return nil, err
	}
	if t.Trace, err = newTrace(); err != nil {
		return nil, err
	}
	return t, nil
}

// taskID is a job's id. Jobs are not records, so any order of ids will do.
func (m *Memory) taskID() (string, error) {
	m.write.Lock()
	defer m.write.Unlock()
	return m.newID(m.now())
}

// oneWord checks a short word such as chat or en.
func (v *validator) oneWord(name, s, fallback string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return fallback
	}
	if strings.ContainsAny(s, " \t\n\r") {
		v.fail(name, "%s is not one word; give one such as chat or email", quoted(s))
	}
	return v.str(name, s, maxSource)
}

// language reads the name or the tag of a language as a tag.
func (v *validator) language(name, s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	tag := text.LanguageTag(v.str(name, s, maxSource))
	if tag == "" {
		v.fail(name, "%s is no language; give a tag such as de or zh-Hant, or its name", quoted(s))
	}
	return tag
}

// extractable reads layers: five, without fact.
func (v *validator) extractable(names []string) []storage.Layer {
	known := make([]string, len(gatekeeper.Layers))
	for i, l := range gatekeeper.Layers {
		known[i] = string(l)
	}
	var out []storage.Layer
	for i, s := range names {
		l := storage.Layer(v.oneOf(fmt.Sprintf("layers[%d]", i), s, known, ""))
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		return gatekeeper.Layers
	}
	return out
}

// checkConversation reads messages or text.
func (m *Memory) checkConversation(v *validator, t *task, in *ExtractInput) {
	switch {
	case len(in.Messages) > 0 && in.Text != "":
		v.fail("text", "and messages are both given; give one of them")
	case len(in.Messages) == 0 && strings.TrimSpace(in.Text) == "" && !(t.Flush && t.Session != ""):
		v.fail("messages", "is missing; give messages[], or text, or job_id; with session_id and flush nothing more is needed")
	case t.Flush && t.Session == "":
		v.fail("flush", "goes with session_id: only a session has turns that wait; give its id, or leave flush out")
	case t.Source == sourceDocument && in.Text == "":
		v.fail("text", "is missing; source document takes text")
	case t.Source == sourceDocument && t.Session != "":
		v.fail("session_id", "does not go with source document: its paragraphs are a session of their own")
	case len(in.Messages) > maxMessages:
		v.fail("messages", "there are %d; the limit of one call is %d", len(in.Messages), maxMessages)
	}
	v.str("text", in.Text, maxConversation)
	if v.err != nil {
		return
	}
	switch {
	case t.Source == sourceDocument:
		t.text, _ = redact.Redact(in.Text)
	case in.Text != "":
		t.turns = m.spoken(v, in.Text)
	default:
		t.turns = m.messages(v, in.Messages)
	}
	m.finishTurns(t)
}

// spoken reads a text as turns: one that holds saved messages as JSON, which is refused
// where it cannot be read, else lines that name their speakers, else one turn.
func (m *Memory) spoken(v *validator, text string) []conversation.Turn {
	if s := strings.TrimSpace(text); strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
		turns, err := conversation.ParseTranscript([]byte(s), m.opts.Location)
		if err == nil {
			return turns
		}
		if conversation.IsSaved(s) {
			v.fail("text", "is JSON of saved messages that cannot be read: %v", err)
			return nil
		}
	}
	return conversation.ParseText(text, m.opts.Location, m.userNames...)
}

// messages reads turns as given.
func (m *Memory) messages(v *validator, in []Message) []conversation.Turn {
	var out []conversation.Turn
	size := 0
	for i, msg := range in {
		v.prefix = fmt.Sprintf("messages[%d].", i)
		content, err := conversation.ParseContent(msg.Content)
		if err != nil {
			v.fail("content", "%v", err)
		}
		size += len(content)
		out = append(out, conversation.Turn{
			ID: v.field("id", msg.ID), Role: v.oneOf("role", msg.Role, roles, "user"), Name: v.field("name", msg.Name),
			Content: v.str("content", content, maxConversation), Time: v.said("time", msg.Time),
		})
	}
	v.prefix = ""
	if size > maxConversation {
		v.fail("messages", "have %s bytes together; the limit of one call is %s", thousands(size), thousands(maxConversation))
	}
	return out
}

// said reads the time of a message, as a conversation or a chat's export has it.
func (v *validator) said(name, s string) time.Time {
	if at, ok := readUnix(s, v.loc); ok {
		v.past(name, at)
		return at
	}
	return v.zoned(name, s)
}

// zoned reads when something was said and keeps the zone it was given in.
func (v *validator) zoned(name, s string) time.Time {
	at := v.time(name, s)
	if at.IsZero() {
		return at
	}
	v.past(name, at)
	t, _ := readTime(strings.TrimSpace(s), v.loc)
	return at.In(t.Location())
}

// finishTurns takes secrets out, gives a time to turns that have none and drops
// those that say nothing. What a text's lines say of a time to come is no time at which
// they were said.
func (m *Memory) finishTurns(t *task) {
	now := m.now()
	at := t.Observed // its offset tells whose days count
	if at.IsZero() {
		at = now.In(m.opts.Location)
	}
	t.turns = slices.DeleteFunc(t.turns, func(turn conversation.Turn) bool { return strings.TrimSpace(turn.Content) == "" })
	for i := range t.turns {
		turn := &t.turns[i]
		turn.Content, _ = redact.Redact(turn.Content)
		turn.Name, _ = redact.Redact(turn.Name)
		if turn.Time.IsZero() || ahead(turn.Time, now) {
			turn.Time, turn.Assumed = at, true
		}
	}
}

// messageHash stands for a message of a source where it comes again. Without an id
// its words and its time are what it is known by, and without a source or a session
// too: an id such as m1 is then nobody's, every conversation has one. In a session
// each turn without a time is a new one: people say the same again.
func (m *Memory) messageHash(t *task, turn *conversation.Turn) string {
	word := t.SourceID + "\x00" + t.Session + "\x00id\x00" + turn.ID
	if turn.ID == "" || t.SourceID == "" && t.Session == "" {
		at := turn.Time.UTC().Format(time.RFC3339Nano)
		if turn.Assumed && t.Session == "" {
			at = ""
		}
		word = strings.Join([]string{t.SourceID, t.Session, "text", turn.Role, turn.Name, at, turn.Content}, "\x00")
	}
	return m.opts.Store.Hash("seen", word)[:seenDigits]
}

// seenDigits is how much of a hash is kept of a message: 128 bits.
const seenDigits = 32

// unseen returns the turns that were not extracted before, and none twice. A
// forced task reads all.
func (m *Memory) unseen(t *task) []conversation.Turn {
	var out []conversation.Turn
	in := map[string]bool{}
	for i := range t.turns {
		hash := m.messageHash(t, &t.turns[i])
		if in[hash] || (!t.Force && m.opts.Store.Seen(t.User, hash)) {
			continue
		}
		in[hash] = true
		out = append(out, t.turns[i])
	}
	return out
}

// begin runs a task at once, or leaves it to the background where its caller does
// not wait.
func (m *Memory) begin(ctx context.Context, t *task) (ExtractOutput, error) {
	t.Turns = heardTurns(t.turns)
	t.Wait = t.Wait || t.DryRun // it leaves no job that could be asked for later
	if t.Wait && !m.asks(t) {
		return m.run(ctx, t)
	}
	if !t.DryRun { // what waits or takes time is on disk before it starts
		if err := m.storeJob(ctx, t, t.output(JobQueued)); err != nil {
			return ExtractOutput{}, err
		}
	}
	m.jobs.claim(t.ID) // nobody else knows the id yet
	return m.await(ctx, t, m.jobs.run(m, t))
}

// await returns what a task came to, or, where its caller does not wait, that it is
// queued.
func (m *Memory) await(ctx context.Context, t *task, done <-chan ended) (ExtractOutput, error) {
	if !t.Wait {
		return t.output(JobQueued), nil
	}
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done(): // the job goes on
		return ExtractOutput{}, fmt.Errorf("extract: job %s goes on: %w", t.ID, ctx.Err())
	}
}

// output is what is known of a task before it ran.
func (t *task) output(status string) ExtractOutput {
	if t.before != nil {
		out := t.before.Output
		out.Status, out.Gate.Layers, out.Layers = status, maps.Clone(out.Gate.Layers), maps.Clone(out.Layers)
		return out
	}
	out := ExtractOutput{
		JobID: t.ID, Status: status, TraceID: t.Trace, Dropped: []Dropped{},
		Gate: GateOutput{Mode: GateNone, Layers: map[string]gatekeeper.Verdict{}}, Layers: map[string]LayerOutput{},
		Counts: ExtractCounts{Stored: t.Kept},
	}
	if t.DryRun { // it leaves no job
		out.JobID = ""
	}
	why := "the gate was not asked"
	if t.idle != "" {
		why += ": " + t.idle
	}
	for _, l := range gatekeeper.Layers {
		out.Gate.Layers[string(l)] = gatekeeper.Verdict{Reasoning: why}
		out.Layers[string(l)] = LayerOutput{Status: LayerSkipped, Memories: []string{}}
	}
	return out
}

// jobOutput is what is known of a job.
func (m *Memory) jobOutput(ctx context.Context, user, id string) (ExtractOutput, error) {
	body, _, err := m.jobBody(ctx, user, id)
	return body.View.Output, err
}
