package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// modelOptions say which models are asked, through which server of ours.
type modelOptions struct {
	modelFlags
	embedModel string // "": the built-in embedder
	parallel   int
	server     string
	talks      int
}

func newModel() *cobra.Command {
	var p printing
	o := modelOptions{}
	cmd := p.command("model", "Run the whole pipeline once through a real model server: gate, five extractors, summary, embeddings",
		func(cmd *cobra.Command) (printable, error) {
			if o.baseURL == "" || o.model == "" {
				return nil, errors.New("--base-url and --model say which server and which model; test/llm/llm.sh starts one")
			}
			r, err := measureModel(cmd.Context(), o, cmd.ErrOrStderr())
			if err != nil {
				return nil, err
			}
			if p.check {
				r.Limits = checkModel(&r)
			}
			return &r, nil
		})
	cmd.Long = `Start the server as a client would, with the models of an OpenAI-compatible server,
extract two short conversations (the second is forced, so that every extractor is
asked), sum them up, and tell what became of each call. It is about the protocol:
whether calls are answered, how long they take, what fails and why. Quality is not
looked at. test/llm/llm.sh starts such a server with a small model.`
	flags := cmd.Flags()
	o.register(flags)
	flags.Lookup("timeout").DefValue, o.timeout = "10m0s", 10*time.Minute
	flags.StringVar(&o.embedModel, "embed-model", "", "`name` of the model there that makes vectors; default the built-in one")
	flags.IntVar(&o.parallel, "parallel", 1, "calls at once")
	flags.IntVar(&o.talks, "conversations", 2, "how many are extracted; 0: embeddings and summary alone")
	flags.StringVar(&o.server, "server", "", "built mcp-memory `binary`; default: build this checkout's")
	return cmd
}
