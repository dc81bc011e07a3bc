package worth

import "mcp-memory/storage"

// Model names the embedder whose vectors the classifier knows.
func Model() string { return weights().model }

// Dim is the length of the vectors that the classifier knows.
func Dim() int { return len(weights().mean) }

// Plain are the layers that a sentence says so plainly that it needs no weighing.
func Plain(s string) (out []storage.Layer) {
	p := plain()
	z := p.raise(s, Scores{})
	for i := range z {
		if z[i] > 0 {
			out = append(out, Layers[i])
		}
	}
	return out
}
