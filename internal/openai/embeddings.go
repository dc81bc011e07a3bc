package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	goopenai "github.com/sashabaranov/go-openai"
)

// encoding is what is known of how a server writes embeddings. Base64 is exact
// and a third of the size; it is asked for until the server refuses it, and
// numbers are taken even where it was asked for (older Ollama, SGLang, Infinity
// ignore the setting).
type encoding = int32

const (
	encodingUnknown encoding = iota
	encodingBase64           // was asked for, and not refused
	encodingFloat            // base64 was refused, numbers were not
)

// Embeddings returns the server's vector for every text, in their order, as it
// gives them: neither their length nor their norm is checked. All come from one
// request, so there may be no more texts than the server takes at once.
func (c *Client) Embeddings(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	known := c.format.Load()
	if known == encodingFloat {
		return c.embeddings(ctx, model, texts, goopenai.EmbeddingEncodingFormatFloat)
	}
	vectors, err := c.embeddings(ctx, model, texts, goopenai.EmbeddingEncodingFormatBase64)
	if err == nil {
		c.format.CompareAndSwap(encodingUnknown, encodingBase64)
		return vectors, nil
	}
	if known != encodingUnknown || !mayBeFormat(err) {
		return nil, err
	}
	vectors, err = c.embeddings(ctx, model, texts, goopenai.EmbeddingEncodingFormatFloat)
	if err == nil {
		c.format.CompareAndSwap(encodingUnknown, encodingFloat)
	}
	return vectors, err
}

// mayBeFormat reports whether err may be about the encoding that was asked for.
func mayBeFormat(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && errors.Is(failed, ErrRefused) &&
		(failed.Status == http.StatusBadRequest || failed.Status == http.StatusUnprocessableEntity)
}

// embeddings makes the call with the given encoding.
func (c *Client) embeddings(ctx context.Context, model string, texts []string, format goopenai.EmbeddingEncodingFormat) ([][]float32, error) {
	x := &exchange{client: c, of: "embeddings", only: "data"}
	answer, err := c.api(x).CreateEmbeddings(ctx, goopenai.EmbeddingRequest{
		Input:          texts,
		Model:          goopenai.EmbeddingModel(model),
		EncodingFormat: format,
	})
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) && format == goopenai.EmbeddingEncodingFormatBase64 {
		answer = goopenai.EmbeddingResponse{}
		err = json.Unmarshal(x.answer, &answer)
	}
	if err != nil {
		return nil, x.undecoded(err)
	}
	vectors, err := inOrder(answer.Data, len(texts))
	if err != nil {
		return nil, x.wrong(err.Error())
	}
	return vectors, nil
}

// undecoded is the error of an answer that go-openai does not understand; the
// exchange's own errors stay as they are.
func (x *exchange) undecoded(err error) error {
	var form *json.UnmarshalTypeError
	var corrupt base64.CorruptInputError
	switch {
	case errors.As(err, &form):
		return x.wrong(fmt.Sprintf("%s is a %s", tidy(form.Field), tidy(form.Value)))
	case errors.As(err, &corrupt):
		return x.wrong("an embedding is neither a list of numbers nor base64")
	case x.answer != nil:
		return x.wrong("it is not JSON")
	}
	return err
}

// wrong is the error of an answer that is not one to the request.
func (x *exchange) wrong(what string) *Error {
	return &Error{Kind: ErrRefused, URL: x.url, Status: http.StatusOK, Detail: "the answer is not one of " + x.of + ": " + what}
}

// inOrder returns the vectors in the order of the n texts: servers number them,
// and may send them in any order.
func inOrder(data []goopenai.Embedding, n int) ([][]float32, error) {
	if len(data) != n {
		return nil, fmt.Errorf("it holds %d for %d texts", len(data), n)
	}
	vectors := make([][]float32, n)
	for _, e := range data {
		switch {
		case e.Index < 0 || e.Index >= n:
			return nil, fmt.Errorf("it holds one with index %d, of %d texts", e.Index, n)
		case vectors[e.Index] != nil:
			return nil, fmt.Errorf("it holds two with index %d, or one without an index", e.Index)
		case len(e.Embedding) == 0:
			return nil, fmt.Errorf("the one with index %d is empty", e.Index)
		}
		vectors[e.Index] = e.Embedding
	}
	return vectors, nil
}
