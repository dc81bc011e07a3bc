//go:build !unix

package bunt_test

import (
	"errors"

	"mcp-memory/storage/bunt"
)

func hitLimit(*bunt.Store) error { return errors.New("no limit of a file's size here") }
