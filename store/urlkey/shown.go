package urlkey

import (
	"slices"
	"strings"
)

// The prefixes of the URLs under which the archive keeps what a browser made of a page. The URL
// of the page follows the prefix, as in dom:https://www.pku.edu.cn/. The host, path and query
// of such a URL are those of the page.
const (
	DOM        = "dom:"        // the document after load, as HTML
	Screenshot = "screenshot:" // a picture of the page, as PNG
)

// Shown returns the URL of the page if url is the URL of what a browser made of a page: a canonical
// URL with the prefix DOM or Screenshot. For other URLs, ok is false.
func Shown(url string) (page string, ok bool) {
	if page = PageOf(url); len(page) == len(url) {
		return "", false
	}
	return page, true
}

// PageOf returns url without the prefix DOM or Screenshot. It returns a URL that has neither
// prefix unchanged.
func PageOf(url string) string {
	if url == "" || url[0] != DOM[0] && url[0] != Screenshot[0] {
		return url
	}
	for _, prefix := range []string{DOM, Screenshot} {
		if page, ok := strings.CutPrefix(url, prefix); ok && IsHTTP(page) {
			return page
		}
	}
	return url
}

// WithShown returns s. If s is a single URL of a page, such as https://a.example/x, the result
// also has the URLs of what a browser made of the page (see DOM and Screenshot). Other scopes
// that contain a page contain these URLs already.
func (s Scope) WithShown() Scope {
	if len(s.ranges) != 1 || s.ranges[0].To != s.ranges[0].From+"\x00" {
		return s
	}
	url := URL(s.ranges[0].From)
	for _, prefix := range []string{DOM, Screenshot} {
		if PageOf(prefix+url) == url {
			key := Key(prefix + url)
			s.ranges = append(slices.Clip(s.ranges), Range{key, key + "\x00"})
		}
	}
	s.ranges = Merge(s.ranges)
	return s
}

// cutShown splits s, a URL that may not be canonical, after the prefix DOM or
// Screenshot. prefix is that prefix in lower case. It is "" if s begins with none of
// them, or the rest is not an http or https URL.
func cutShown(s string) (prefix, page string) {
	for _, prefix := range []string{DOM, Screenshot} {
		if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
			continue
		}
		page := s[len(prefix):]
		if end := schemeEnd(page); end >= 0 && (strings.EqualFold(page[:end], "http") || strings.EqualFold(page[:end], "https")) {
			return prefix, page
		}
	}
	return "", s
}
