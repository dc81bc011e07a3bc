package relay

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Over a loopback port both sides prove that they know the secret of the file,
// and neither sends it: a port that an owner left when it was killed may be
// another user's by now.
//
//	attached ── nonce A ─────────────────────────────> owner
//	         <── HMAC(secret, "owner" A), nonce B ────
//	         ── HMAC(secret, "attached" B) ──────────>

const (
	nonceLen = 32 // letters
	macLen   = 2 * sha256.Size
)

// errStranger says that the other side does not know the secret.
var errStranger = errors.New("the other side does not know the data directory's secret")

func newSecret() string { return rand.Text() + rand.Text() }

func newNonce() string { return (rand.Text() + rand.Text())[:nonceLen] }

func proof(secret, side, nonce string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(side + nonce))
	return hex.EncodeToString(mac.Sum(nil))
}

// proveOwner is the owner's side. The caller has set a deadline.
func proveOwner(conn net.Conn, secret string) error {
	nonce, err := readExactly(conn, nonceLen)
	if err != nil {
		return err
	}
	mine := newNonce()
	if _, err := io.WriteString(conn, proof(secret, "owner", nonce)+mine); err != nil {
		return fmt.Errorf("prove who we are: %w", err)
	}
	got, err := readExactly(conn, macLen)
	if err != nil {
		return err
	}
	return compare(got, proof(secret, "attached", mine))
}

// proveAttached is the other side.
func proveAttached(conn net.Conn, secret string) error {
	if err := conn.SetDeadline(time.Now().Add(helloTime)); err != nil {
		return fmt.Errorf("set a deadline: %w", err)
	}
	nonce := newNonce()
	if _, err := io.WriteString(conn, nonce); err != nil {
		return fmt.Errorf("prove who we are: %w", err)
	}
	got, err := readExactly(conn, macLen+nonceLen)
	if err != nil {
		return err
	}
	if err := compare(got[:macLen], proof(secret, "owner", nonce)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, proof(secret, "attached", got[macLen:])); err != nil {
		return fmt.Errorf("prove who we are: %w", err)
	}
	return nil
}

func readExactly(conn net.Conn, n int) (string, error) {
	buffer := make([]byte, n)
	if _, err := io.ReadFull(conn, buffer); err != nil {
		return "", fmt.Errorf("read a proof: %w", err)
	}
	return string(buffer), nil
}

func compare(got, want string) error {
	if !hmac.Equal([]byte(got), []byte(want)) {
		return errStranger
	}
	return nil
}
