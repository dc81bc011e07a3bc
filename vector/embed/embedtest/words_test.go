package embedtest_test

import (
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
)

func TestWords_KeepsTheContract(t *testing.T) {
	suite := embedtest.Suite{NoMeaning: true}
	suite.Run(t, func(*testing.T) embed.Embedder { return embedtest.Words(64) })
}
