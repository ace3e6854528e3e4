package urlkey

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scope is a set of URLs that a query names. The zero Scope is empty.
type Scope struct {
	ranges []Range
	port   string // if not "", the scope has only the URLs in ranges with this port, whether they name it or it is the default of their scheme
}

// ParseScope parses a scope as a query spells it:
//
//	pku.edu.cn  *.pku.edu.cn    this host and every host below it
//	pku.edu.cn:8080             likewise, but on this port only
//	=pku.edu.cn  =pku.edu.cn:80 this host only, on every port or on one
//	x.cn/news/  http://x.cn/a*  URLs on that host whose path starts so
//	http://x.cn/a.htm           exactly this URL
//	*                           everything
//
// The scope of a host includes every scheme and, unless it names a port, every
// port. A path prefix includes every scheme, each on its default port unless
// the prefix names a port. A path prefix may end inside a word: /news includes
// /newspaper. Hosts may be Unicode; paths are escaped as in a canonical URL. A
// * inside a URL with a scheme is an ordinary character. The error says what is
// wrong and what to write.
func ParseScope(s string) (Scope, error) {
	text := clean(s)
	scope, err := parseScope(text)
	if err != nil {
		return Scope{}, fmt.Errorf("scope %q: %w", clip(text), err)
	}
	return scope, nil
}

func parseScope(s string) (Scope, error) {
	switch {
	case s == "":
		return Scope{}, errors.New("it is empty; write a host such as 'pku.edu.cn', or '*' for everything")
	case s == "*":
		return Scope{ranges: []Range{{}}}, nil
	case strings.HasPrefix(s, "="):
		return parseHostScope(s[1:], false)
	case isURL(s) && !strings.HasSuffix(s, "*"):
		u, err := parse(s)
		if err != nil {
			return Scope{}, fmt.Errorf("it is no URL: %w", err)
		}
		key := Key(u)
		return Scope{ranges: []Range{{key, key + "\x00"}}}, nil
	case isURL(s):
		if prefix, _ := cutShown(s); prefix != "" {
			return Scope{}, fmt.Errorf("a URL with %s takes no *; a host or a path without a scheme has these URLs too", prefix)
		}
		s = s[schemeEnd(s)+1:]
		if !strings.HasPrefix(s, "//") {
			return Scope{}, errors.New("a scheme without a host takes no *; write the whole URL")
		}
		s = s[2:]
	}
	if strings.Contains(s, "#") {
		return Scope{}, errors.New("it has a fragment (#…), which no URL of the archive has; leave it out")
	}
	if host, ok := strings.CutPrefix(s, "*."); ok {
		host = strings.TrimSuffix(strings.TrimSuffix(host, "*"), "/")
		return parseHostScope(host, true)
	}
	if strings.ContainsAny(s, `/?\`) {
		return parsePrefixScope(s)
	}
	return parseHostScope(s, true)
}

// isURL reports whether the scope s begins with the scheme of a URL. A name, a
// colon and a number, such as a:80, are always a host and its port in a scope.
func isURL(s string) bool {
	if !hasScheme(s) {
		return false
	}
	port := s[schemeEnd(s)+1:]
	if end := strings.IndexAny(port, `/?\`); end >= 0 {
		port = port[:end]
	}
	return !isDigits(port)
}

// ParseScopeRange parses the scope 'from' .. 'to' of a query. It has all URLs from the first
// URL that the text from names up to, but not including, the first URL that the text to names.
// Each of the two texts is a host (with all hosts below it), a path prefix or a URL, as in
// ParseScope but without *.
func ParseScopeRange(from, to string) (Scope, error) {
	low, err := parseBound(from)
	if err != nil {
		return Scope{}, err
	}
	high, err := parseBound(to)
	if err != nil {
		return Scope{}, err
	}
	if low >= high {
		return Scope{}, fmt.Errorf("the range %q .. %q is empty: in SURT order its end does not come after its start", clip(from), clip(to))
	}
	return Scope{ranges: []Range{{low, high}}}, nil
}

// parseBound parses one end of a range of scopes. It returns the lowest sort key that a URL in the
// scope s can have. It returns an error if s begins or ends with *.
func parseBound(s string) (string, error) {
	if strings.HasPrefix(s, "*") || strings.HasSuffix(s, "*") {
		return "", fmt.Errorf("%q cannot bound a range; write a host, a path prefix or a URL without *", clip(s))
	}
	scope, err := ParseScope(s)
	if err != nil {
		return "", err
	}
	return scope.ranges[0].From, nil
}

// parseHostScope parses s, a host with an optional port. If below is set, the scope
// includes all hosts below that host.
func parseHostScope(s string, below bool) (Scope, error) {
	if i := strings.IndexAny(s, `/?\`); i >= 0 {
		return Scope{}, fmt.Errorf("no path can follow a host with = or *; write '%s' for those pages", s)
	}
	host, port, err := scopeHost(s)
	if err != nil {
		return Scope{}, err
	}
	switch {
	case below:
		return Scope{ranges: []Range{prefixRange(host)}, port: port}, nil
	case port == "":
		return Scope{ranges: []Range{prefixRange(host + ")"), prefixRange(host + ":")}}, nil
	default:
		return portScope(host, port, ""), nil
	}
}

// parsePrefixScope parses s: a host, an optional port and the start of a path.
func parsePrefixScope(s string) (Scope, error) {
	i := strings.IndexAny(s, `/?\`)
	host, port, err := scopeHost(s[:i])
	if err != nil {
		return Scope{}, err
	}
	path := strings.TrimSuffix(s[i:], "*")
	if strings.Contains(path, "*") {
		return Scope{}, errors.New("a * may only end a scope; for others write: WHERE url LIKE '…%…'")
	}
	// The x keeps a final dot from being resolved: the prefix /a/. must also
	// find /a/.htaccess.
	u, err := parse("http://h" + path + "x")
	if err != nil {
		return Scope{}, err
	}
	path = u[len("http://h") : len(u)-1]
	if port == "" {
		return Scope{ranges: []Range{prefixRange(host + ")" + path)}}, nil
	}
	return portScope(host, port, path), nil
}

// portScope returns the scope of the URLs of one host and port whose path starts
// with path. labels is the host as in a key, such as "cn,edu,pku,". A canonical URL
// does not name the default port of its scheme. So if port is a default port, the
// scope has two ranges: keys without a port, and keys with it.
func portScope(labels, port, path string) Scope {
	named := prefixRange(labels + ":" + port + ")" + path)
	if !isDefaultPort(port) {
		return Scope{ranges: []Range{named}}
	}
	return Scope{ranges: []Range{prefixRange(labels + ")" + path), named}, port: port}
}

// scopeHost parses s, a host with an optional port. It returns the host as its
// labels in a key, such as "cn,edu,pku,", and the port as digits or "".
func scopeHost(s string) (labels, port string, err error) {
	if strings.Contains(s, "*") {
		return "", "", errors.New("a * may only stand for hosts below, as in '*.edu.cn', or end a path")
	}
	if strings.Contains(s, "@") {
		return "", "", errors.New("a user may only stand in a whole URL with its scheme")
	}
	host := s
	if colon := strings.LastIndexByte(s, ':'); colon >= 0 && !strings.HasSuffix(s, "]") {
		host, port = s[:colon], s[colon+1:]
		if len(port) > 5 || !isDigits(port) {
			return "", "", fmt.Errorf("%q is no port; write a number, as in '=pku.edu.cn:8080'", port)
		}
		if port = strings.TrimLeft(port, "0"); port == "" {
			port = "0"
		}
	}
	if strings.Trim(host, ".") == "" {
		return "", "", errors.New("it has no host; write one such as 'pku.edu.cn'")
	}
	if host[0] == '.' {
		return "", "", fmt.Errorf("a host begins with no dot; write '%s'", strings.TrimLeft(host, "."))
	}
	u, err := parse("http://" + host + "/")
	if err != nil {
		return "", "", fmt.Errorf("%q is no host: %w", host, err)
	}
	name := Host(u)
	if isIP(name) && name[0] != '[' && name != host {
		return "", "", fmt.Errorf("%q is no whole IP address; write '%s' if you mean that", host, name)
	}
	return string(appendLabels(nil, name)), port, nil
}

// prefixRange returns the range of the keys that begin with prefix.
func prefixRange(prefix string) Range {
	// The last byte is never 0xFF: keys are ASCII.
	last := len(prefix) - 1
	return Range{prefix, prefix[:last] + string(rune(prefix[last]+1))}
}

// PrefixRange returns a range of sort keys that contains the keys of all canonical URLs that
// begin with text. The range may contain keys of other URLs too. ok is false if text does not
// reach into the path of an http, https or ftp URL, or is not ASCII, as canonical URLs are.
func PrefixRange(text string) (Range, bool) {
	p, ok := split(text)
	if !ok || strings.IndexFunc(text, func(r rune) bool { return r >= 0x7f }) >= 0 {
		return Range{}, false
	}
	return prefixRange(string(appendLabels(nil, p.host)) + p.port + ")" + p.path), true
}

// Ranges returns ranges of keys, sorted and disjoint, that contain the keys of all URLs in s.
// If s.Exact is false, they may contain keys of other URLs too.
func (s Scope) Ranges() []Range { return slices.Clone(s.ranges) }

// Exact reports whether every key in s.Ranges belongs to a URL in s. Then the caller need not
// call Contains for each key.
func (s Scope) Exact() bool { return s.port == "" }

// Contains reports whether the URL with this sort key is in s.
func (s Scope) Contains(key string) bool {
	for _, r := range s.ranges {
		if r.Contains(key) {
			return s.port == "" || s.port == keyPort(key)
		}
	}
	return false
}

// keyPort returns the port from which the URL with this sort key is fetched, such
// as "443" for https, or "" for a URL without a host.
func keyPort(key string) string {
	k, ok := splitKey(key)
	switch {
	case !ok:
		return ""
	case k.port != "":
		return k.port[1:]
	default:
		return defaultPort(k.scheme)
	}
}

// defaultPort returns the default port of the scheme of a key: of http, https and ftp.
// It returns "" for other schemes.
func defaultPort(scheme string) string {
	switch scheme {
	case "http", DOM + "http", Screenshot + "http":
		return "80"
	case "https", DOM + "https", Screenshot + "https":
		return "443"
	case "ftp":
		return "21"
	}
	return ""
}

func isDefaultPort(port string) bool {
	return port == "80" || port == "443" || port == "21"
}

// Union returns the ranges of keys of all scopes together, sorted and disjoint. If
// there is no key in them, the result is an empty slice, not nil.
func Union(scopes ...Scope) []Range {
	var all []Range
	for _, s := range scopes {
		all = append(all, s.ranges...)
	}
	return Merge(all)
}
