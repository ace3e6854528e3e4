package urlkey

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// CDX returns the folded key of a canonical URL, such as cn,edu,pku)/news?a=1&b=2. Other archives
// use these keys in their CDX files, so a caller can find the same page there. A folded key has no
// scheme, user, www, upper case, trailing slash, empty query or session ids, and the arguments of
// the query are sorted. Many URLs share one folded key, so it cannot be turned back into a URL.
//
// CDX follows the SURT rules of the Internet Archive and pywb, including odd ones: escapes are
// resolved until none is left, several slashes count as one, an IPv4 address is reversed like a
// name, and a ;jsessionid in the path stays. A URL without a host is its own folded key. So is the
// URL of what a browser made of a page (see [DOM] and [Screenshot]): a search in a CDX file for a
// page then finds only the page.
func CDX(canonical string) string {
	authority, rest, ok := authority(canonical)
	if _, shown := Shown(canonical); shown || !ok || authority == "" {
		return canonical
	}
	host, port := authority[strings.LastIndexByte(authority, '@')+1:], ""
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && host[len(host)-1] != ']' {
		host, port = host[:colon], host[colon:]
	}
	path, query, _ := strings.Cut(rest, "?")

	var b strings.Builder
	b.Grow(len(canonical))
	writeFoldedHost(&b, host)
	b.WriteString(port)
	b.WriteByte(')')
	b.WriteString(foldPath(path))
	if query = foldQuery(query); query != "" {
		b.WriteByte('?')
		b.WriteString(query)
	}
	return b.String()
}

// writeFoldedHost writes the labels of host to b in reverse order, joined by commas
// and without a first label such as www.
func writeFoldedHost(b *strings.Builder, host string) {
	host = stripWWW(strings.Trim(host, "."))
	for {
		dot := strings.LastIndexByte(host, '.')
		b.WriteString(host[dot+1:])
		if dot < 0 {
			return
		}
		b.WriteByte(',')
		host = host[:dot]
	}
}

// stripWWW returns host without its first label if that is www or www with digits,
// such as www2.
func stripWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if !strings.HasPrefix(rest, ".") {
		return host
	}
	return rest[1:]
}

func foldPath(path string) string {
	if strings.IndexByte(path, '%') >= 0 {
		path = escapeMinimal(foldSlashes(unescapeAll(path)))
	} else {
		path = foldSlashes(path)
	}
	path = strings.ToLower(path)
	if strings.Contains(path, ".aspx") && strings.Contains(path, "(") {
		for _, re := range pathSessions() {
			path = re.ReplaceAllString(path, "$1$2")
		}
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

// foldSlashes returns path with several slashes in a row replaced by one, and without
// dot segments, which may have appeared when escapes were decoded. An empty path
// becomes "/".
func foldSlashes(path string) string {
	if !strings.Contains(path, "//") && !strings.Contains(path, "/.") {
		if path == "" {
			return "/"
		}
		return path
	}
	var kept []string
	for _, s := range strings.Split(path, "/")[1:] {
		switch {
		case s == ".":
		case s == ".." && len(kept) > 0:
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, s)
		}
	}
	last := len(kept) - 1
	if last < 0 {
		return "/"
	}
	named := slices.DeleteFunc(kept[:last:last], func(s string) bool { return s == "" })
	return "/" + strings.Join(append(named, kept[last]), "/")
}

func foldQuery(query string) string {
	if strings.IndexByte(query, '%') >= 0 {
		query = escapeMinimal(unescapeAll(query))
	}
	query = strings.ToLower(query)
	// Each pattern in querySessions contains one of these three texts.
	if strings.Contains(query, "sessionid") || strings.Contains(query, "sid=") || strings.Contains(query, "cftoken=") {
		for _, re := range querySessions() {
			query = re.ReplaceAllString(query, "$1$2")
		}
	}
	if strings.IndexByte(query, '&') < 0 {
		return query
	}
	args := strings.Split(query, "&")
	slices.SortFunc(args, compareArgs)
	return strings.Join(args, "&")
}

// compareArgs compares two arguments of a query, such as "a=1", for sorting: by
// name, then arguments without a value first, then by value. It returns a negative
// number, 0 or a positive number.
func compareArgs(a, b string) int {
	aName, aValue, aHas := strings.Cut(a, "=")
	bName, bValue, bHas := strings.Cut(b, "=")
	if c := strings.Compare(aName, bName); c != 0 {
		return c
	}
	if aHas != bHas {
		if bHas {
			return -1
		}
		return 1
	}
	return strings.Compare(aValue, bValue)
}

// pathSessions and querySessions return patterns that match a path or a query, in lower case, with
// a session id in it. The two groups of a match are the text before and after the session id.
var (
	pathSessions = patterns(
		`^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$`,
		`^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$`,
	)
	querySessions = patterns(
		`^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$`,
		`^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$`,
		`^(.*)sid=[0-9a-z]{32}(?:&(.*))?$`,
		`^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$`,
		`^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$`,
	)
)

// patterns returns a function that returns the compiled patterns. The first call of that
// function compiles them, because few runs of the program need them.
func patterns(list ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() (compiled []*regexp.Regexp) {
		for _, p := range list {
			compiled = append(compiled, regexp.MustCompile(p))
		}
		return compiled
	})
}

// unescapeAll replaces percent-escapes by their bytes until no escape is left. So %2541 becomes %41
// and then A.
func unescapeAll(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		b = append(b, s[i])
		for n := len(b); n >= 3 && b[n-3] == '%' && isHex(b[n-2]) && isHex(b[n-1]); n = len(b) {
			b = append(b[:n-3], unhex(b[n-2])<<4|unhex(b[n-1]))
		}
	}
	return string(b)
}

// escapeMinimal returns s with some bytes percent-encoded, because a folded key must not
// contain them: control characters, blanks, bytes beyond ASCII, # and %.
func escapeMinimal(s string) string {
	b := make([]byte, 0, len(s)+16)
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7F || c == '#' || c == '%' {
			b = appendEscaped(b, c)
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}
