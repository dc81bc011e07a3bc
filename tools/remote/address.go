package remote

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// checkAddr refuses an address to listen on that others could reach.
func checkAddr(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: host:port is wanted, such as %s: %w", addr, defaultAddr, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("address %q is reachable from other machines, and this version serves its own machine only: use 127.0.0.1, [::1] or localhost, with a tunnel such as ssh -L for others", addr)
	}
	return nil
}

// isLoopback reports whether a host name or address is this machine's loopback.
// Other names are never looked up: what they resolve to can change.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// hostAllowed reports whether the Host header names this server: a page of
// another site whose name was rebound to 127.0.0.1 names its own.
func hostAllowed(r *http.Request, port string) bool {
	host, given, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, given = strings.Trim(r.Host, "[]"), "80"
	}
	return isLoopback(host) && given == port
}

// originAllowed reports whether a request comes from no web page, or from one
// of this machine. "null" (sandboxed frames, files) is nobody's.
func originAllowed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !isLoopback(u.Hostname()) {
			return false
		}
	}
	return true
}
