package worth

// Model names the embedder whose vectors the classifier knows.
func Model() string { return weights().model }

// Dim is the length of the vectors that the classifier knows.
func Dim() int { return len(weights().mean) }
