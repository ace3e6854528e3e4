package crawls

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"infomall/exec/expr"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// crawlURLs returns the canonical form of the URLs that a statement lists. An
// expression that is not an http or https URL is an error, and so is a URL with
// a name or password. If files is set, URLs of files on this machine are
// allowed too.
func crawlURLs(list []ast.Expr, files bool, env *expr.Env) ([]string, error) {
	var urls []string
	for _, e := range list {
		written, err := expr.ConstantText(e, env)
		if err != nil {
			return nil, err
		}
		u, err := crawlURL(written, files)
		if errors.Is(err, errUser) {
			return nil, noPassword(e, "a URL to crawl")
		}
		if err != nil {
			return nil, ast.Errorf(e, "%v", err)
		}
		urls = append(urls, u)
	}
	return urls, nil
}

// errUser is returned by crawlURL for a URL with a name or a password.
var errUser = errors.New("it has a name or a password")

// crawlURL returns the canonical form of a URL to crawl. If files is set, the URL may name a
// file on this machine.
func crawlURL(written string, files bool) (string, error) {
	u, err := urlkey.Canonical(written)
	switch {
	case err != nil:
		return "", err
	case !urlkey.IsHTTP(u) && !(files && strings.HasPrefix(u, "file:///")):
		return "", fmt.Errorf("%q is no URL to crawl: only http and https are crawled, and from seeds file:///… files of this machine", written)
	case urlkey.HasUser(u):
		return "", errUser
	}
	return u, nil
}

// noPassword returns an error that a URL must not contain a name and password,
// because statements are stored in the archive and in the history. The
// parameter what names the URL in the message, such as "a seed".
func noPassword(at ast.Expr, what string) error {
	err := ast.Errorf(at, "%s must not contain a name and password: statements are stored", what)
	err.Hint = "write them into a file that only you can read, machine HOST login NAME password WORD, and SET netrc = 'that file'"
	return err
}

// proxyURL returns the text of the clause PROXY, after checking that it is the
// URL of an HTTP proxy without name and password.
func proxyURL(e ast.Expr, env *expr.Env) (string, error) {
	text, err := expr.ConstantText(e, env)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return "", ast.Errorf(e, "PROXY takes the URL of a proxy that speaks HTTP, such as 'http://proxy.example:3128', not %q", text)
	}
	if u.User != nil {
		return "", noPassword(e, "the URL of a proxy")
	}
	return text, nil
}

// isLoopback reports whether the URL u leads to this machine: its host is a
// loopback address or localhost, or it is a file URL.
func isLoopback(u string) bool {
	host := strings.Trim(urlkey.Host(u), "[]")
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || strings.HasPrefix(u, "file:") || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
