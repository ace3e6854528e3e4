// Package fetch asks servers for pages and keeps every byte of what they send.
//
// A Client sends requests of HTTP/1.1, directly or through a proxy:
//
//	Resolve ─▶ Do: guard, connect (proxy, TLS), send, read head and body ─▶ Response
//
// It keeps the status line, the headers and the body as they came, framing and
// content codings included: net/http would undo some of them. The package also
// remembers the addresses of hosts, unused connections, and the cookies that sites
// set; it sends the passwords of a netrc file; and it bounds what all requests
// together receive, in total (the quota) and per second (the rate).
//
// The caller decides when each host is asked, follows redirects, and tries again.
package fetch
