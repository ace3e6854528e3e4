package fetch

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"infomall/crawl/report"
	"infomall/store/record/message"
)

// proxy is the HTTP proxy of a client. The proxy looks up the addresses of
// hosts itself. So the client cannot check them; it can only refuse a URL
// that contains an address.
type proxy struct {
	host   string // with port
	auth   string // value of Proxy-Authorization; "" if the proxy needs no password
	direct bool   // whether there is no proxy
}

// newProxy returns the proxy whose URL is text, such as http://host:port; ""
// means no proxy. p may have the proxy's password.
func newProxy(text string, p passwords) (proxy, error) {
	if text == "" {
		return proxy{direct: true}, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Host == "" || u.User != nil {
		return proxy{}, fmt.Errorf("write a proxy as http://host:port; its password belongs in the file of the setting netrc")
	}
	x := proxy{host: u.Host, auth: p[strings.ToLower(u.Hostname())]}
	if u.Port() == "" {
		x.host = net.JoinHostPort(u.Hostname(), "80")
	}
	return x, nil
}

// url returns the proxy's own URL.
func (p *proxy) url() *url.URL { return &url.URL{Scheme: "http", Host: p.host} }

// checkTarget returns an error if the client must not ask the proxy for u. The
// host of u is then localhost, or an address that the guard refuses.
func (c *Client) checkTarget(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil:
		err = c.guard.Check(a)
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		err = c.guard.Check(netip.IPv6Loopback())
	default:
		return nil
	}
	if err != nil {
		return &fault{report.OutcomeFiltered, err}
	}
	return nil
}

// tunnel asks the proxy, to which nc is connected, to pass on all bytes to
// the host of u. nc is then a connection to that host.
func (c *Client) tunnel(ctx context.Context, nc net.Conn, u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = "443"
	}
	to := net.JoinHostPort(u.Hostname(), port)
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	text := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n" + c.proxyAuth() + "\r\n"
	if _, err := nc.Write([]byte(text)); err != nil {
		return err
	}
	// Nothing after the response may be read here: TLS reads it.
	head, err := readHead(bufio.NewReaderSize(oneByte{nc}, 16), nil)
	if err != nil {
		return err
	}
	if status := message.Status(head); status < 200 || status > 299 {
		line, _, _ := strings.Cut(string(head), "\r\n")
		return &fault{report.OutcomeUnreachable, fmt.Errorf("the proxy does not connect to %s: %.100q", to, line)}
	}
	return nil
}

// oneByte is a connection that reads one byte at a time. So a buffered
// reader on it reads nothing ahead.
type oneByte struct{ net.Conn }

func (o oneByte) Read(p []byte) (int, error) { return o.Conn.Read(p[:min(len(p), 1)]) }

// proxyAuth returns the header line with the proxy's password, with CR LF,
// or "" if there is no password.
func (c *Client) proxyAuth() string {
	if c.proxy.auth == "" {
		return ""
	}
	return "Proxy-Authorization: " + c.proxy.auth + "\r\n"
}
