package builtin

import "mcp-memory/vector/embed/builtin/kernel"

// model is what a model file holds, as views into its bytes. See ../FORMAT.md.
type model struct {
	name      string // Model() of the embedder: names the weights and their version
	hidden    int    // 384
	heads     int    // 12
	ffn       int    // 1536
	positions int    // tokens of a window with <s> and </s>, 512
	eps       float32

	words     wordTable // the embedding of each piece
	pages     pages     // of words
	position  []float32 // [positions·hidden], token type 0 already added
	embedNorm norm
	layers    []layer
	tokens    *tokenizer
}

// layer is one transformer layer (post-norm, as BERT).
type layer struct {
	query, key, value, attention linear // hidden → hidden
	attentionNorm                norm
	up, down                     linear // hidden → ffn → hidden
	outputNorm                   norm
}

type linear struct {
	weights kernel.Weights
	bias    []float32
}

type norm struct{ weight, bias []float32 }
