//go:build unix

package main

import "syscall"

// canFreeze says that processes can be stopped.
const canFreeze = true

func freeze(pid int) error { return syscall.Kill(pid, syscall.SIGSTOP) }

func thaw(pid int) error { return syscall.Kill(pid, syscall.SIGCONT) }
