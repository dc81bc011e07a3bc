//go:build !unix

package main

import "errors"

// canFreeze says that processes can be stopped.
const canFreeze = false

func freeze(int) error { return errors.ErrUnsupported }

func thaw(int) error { return errors.ErrUnsupported }
