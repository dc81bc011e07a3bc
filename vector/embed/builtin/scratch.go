package builtin

import "mcp-memory/vector/embed/builtin/kernel"

// scratch is the memory of one pass, kept for the next. For T tokens of hidden
// width H, inner width F of the feed-forward part:
//
//	states  [T·H]  what the layers pass on
//	mixed   [T·H]  what attention makes of them; then what a part adds to states
//	wide           │ query │ key │ value │ out │  of some heads
//	               │ inner                     │  [t·F] of the feed-forward part
//
// In windows of some thousand tokens too, wide is no larger than passTokens need:
// more of them have fewer heads at once and several stretches t. So 64 tokens
// need 0.7 MB and 512 need 2.3.
type scratch struct {
	states, mixed, wide []float32
	acts                kernel.Activations
	attention           []float32 // the attention kernel's own
}

// fit sets the slices up for the rows of p. Room is made for whole passes of
// short windows, so that lengths which grow by and by do not leave a trail of
// outgrown slices.
func (s *scratch) fit(p *pass) {
	room := (p.rows + passTokens - 1) / passTokens * passTokens
	s.states = resize(s.states, p.rows*p.hidden, room*p.hidden)
	s.mixed = resize(s.mixed, p.rows*p.hidden, room*p.hidden)
	need := max(4*p.rows*p.group()*p.hidden/p.heads, min(p.rows, passTokens)*p.ffn)
	s.wide = resize(s.wide, need, max(need, passTokens*max(4*p.hidden, p.ffn)))
}

// resize returns a slice of length n with any content: s where it is large
// enough, else a new one with that much room.
func resize(s []float32, n, room int) []float32 {
	if cap(s) < n {
		return make([]float32, n, room)
	}
	return s[:n]
}
