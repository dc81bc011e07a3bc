package builtin

import (
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin/kernel"
	"mcp-memory/vector/embed/embedtest"
)

// The whole model keeps the contract, on this machine's best kernels. Where those
// are plain Go, it is two layers of the model, whose vectors do not follow what
// texts mean: the whole takes minutes there. What plain Go makes of the whole is
// held by TestEmbed_AgreesWithReferenceEngine.
func TestEmbedder_KeepsContract(t *testing.T) {
	if set := kernel.Best(); set.Name == "go" {
		embedtest.Suite{NoMeaning: true}.Run(t, func(t *testing.T) embed.Embedder {
			return newEmbedder(shallow(t), set, 2)
		})
		return
	}
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		e, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}
