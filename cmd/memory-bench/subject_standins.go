package main

import (
	"context"
	"fmt"
)

// anyPort is where stand-ins of a new store are served.
const anyPort = "127.0.0.1:0"

// serveStandIns makes the stand-ins of a corpus and serves them, where they are
// wanted: at the address that the vectors of a kept store came from, since a server
// takes those of another for those of another model.
func (s *subject) serveStandIns(ctx context.Context) error {
	if !s.options.standIns {
		return nil
	}
	model, err := openBuiltin("", "")
	if err != nil {
		return err
	}
	cache, err := openVectorCache(model, s.progress)
	if err != nil {
		return err
	}
	made, err := openStandIns(ctx, cache, basisTexts(s.options.seed, s.row.Size, s.options.length()))
	if err != nil {
		return fmt.Errorf("make stand-ins: %w", err)
	}
	if s.address == "" {
		s.address = anyPort
	}
	if s.service, err = serveEmbeddings(ctx, made, s.address); err != nil {
		return err
	}
	s.address, s.standIns = s.service.address, made.Model()
	return nil
}

// stopStandIns ends the service, if there is one.
func (s *subject) stopStandIns() error {
	if s.service == nil {
		return nil
	}
	err := s.service.close()
	s.service = nil
	return err
}

// environment is the server's settings beside those that all measurements make.
func (s *subject) environment() (env []string) {
	if s.options.engine != "" {
		env = append(env, "MCP_MEMORY_VECTOR_ENGINE="+s.options.engine)
	}
	if s.service != nil {
		env = append(env, s.service.environment()...)
	}
	return env
}
