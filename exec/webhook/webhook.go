// Package webhook sends files to web servers by POST. It knows nothing of queries and
// formats: package export writes the file.
//
// The client of package crawl/fetch cannot be used for this. It refuses the addresses of
// this machine, and most rows are sent to this machine. It also keeps cookies, holds each
// body in memory, and makes a capture of each answer.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Bounds of one request.
const (
	connectTimeout = 10 * time.Second
	// timeoutDefault is for the whole request: a server may store all rows before it answers.
	timeoutDefault = 10 * time.Minute
	// answerMax is how many bytes of an answer are read. Only an error shows some of them.
	answerMax = 4 << 10
	// shownMax is how many bytes of the first line of an answer an error shows.
	shownMax = 200
)

// Is reports whether name is the URL of a web server, and not the name of a file.
func Is(name string) bool {
	scheme, _, ok := strings.Cut(name, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Parse returns the URL that name is. It returns an error if the URL has no host, or
// contains a password, or if its host is the address of another machine and remote is not set.
func Parse(name string, remote bool) (*url.URL, error) {
	u, err := url.Parse(name)
	switch {
	case err != nil:
		return nil, err
	case u.Hostname() == "":
		return nil, fmt.Errorf("the URL %q has no host", name)
	case u.User != nil:
		return nil, errors.New("the URL contains a name or password, which would be stored with the statement: leave it out")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return u, check(a, remote)
	}
	return u, nil
}

// remoteError says that an address is not on this machine.
type remoteError struct{ Addr netip.Addr }

func (e *remoteError) Error() string {
	return fmt.Sprintf("address %s is not on this machine: SET webhooks = any allows it", e.Addr)
}

// check returns a *remoteError if a is the address of another machine, unless remote is
// set.
func check(a netip.Addr, remote bool) error {
	if remote || a.Unmap().IsLoopback() {
		return nil
	}
	return &remoteError{a}
}

// Post is one request.
type Post struct {
	URL  *url.URL // as Parse returns it
	Type string   // the media type of Body
	// Key is the value of the header Idempotency-Key: a server that gets two requests with one
	// key has to take the second as a repetition. "" means no header.
	Key     string
	Gzip    bool // whether Body is compressed by gzip
	Body    io.Reader
	Size    int64         // of Body
	Agent   string        // the value of User-Agent
	Remote  bool          // also connect to other machines
	Timeout time.Duration // for the whole request; 0 means ten minutes
}

// Send sends the request, and returns when the server has answered with a status from 200
// to 299. Any other answer is an error, also one that redirects: it could lead to
// another machine. Send checks each address to which the host's name leads.
func (p *Post) Send(ctx context.Context) (status int, err error) {
	timeout := p.Timeout
	if timeout == 0 {
		timeout = timeoutDefault
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %s", timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL.String(), io.NopCloser(p.Body))
	if err != nil {
		return 0, fmt.Errorf("POST %s: %w", p.URL, err)
	}
	req.ContentLength = p.Size
	if p.Size == 0 {
		req.Body = http.NoBody
	}
	req.Header.Set("Content-Type", p.Type)
	req.Header.Set("User-Agent", p.Agent)
	if p.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	if p.Key != "" {
		req.Header.Set("Idempotency-Key", p.Key)
	}
	dialer := &net.Dialer{Timeout: connectTimeout, Control: func(_, addr string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(addr)
		if err != nil {
			return err
		}
		return check(to.Addr(), p.Remote)
	}}
	client := &http.Client{
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // the error of POST names the URL already
		}
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return 0, fmt.Errorf("POST %s: %w", p.URL, err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, answerMax)) // the status alone decides
	if res.StatusCode >= 200 && res.StatusCode <= 299 {
		return res.StatusCode, nil
	}
	err = fmt.Errorf("POST %s: the server answered %s", p.URL, res.Status)
	if line := firstLine(answer); line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return res.StatusCode, err
}

// firstLine returns the first line of an answer for a message, without control
// characters and cut if it is long.
func firstLine(answer []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(answer)), "\n")
	line = strings.ToValidUTF8(line[:min(len(line), shownMax)], "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, line))
}
