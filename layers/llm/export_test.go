package llm

// Spent is what was used so far.
func (b *Budget) Spent() (calls, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, b.tokens
}
