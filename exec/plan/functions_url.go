package plan

import (
	"strings"

	"infomall/exec/value"
	"infomall/store/urlkey"
)

// onURL returns an applier that calls f with the canonical form of its first
// argument. The result is NULL if the argument is a text that is not a URL.
func onURL(f func(url string) value.Value) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, a []value.Value) (value.Value, error) {
		u, ok := canonicalValue(a[0])
		if !ok {
			return value.Value{}, nil
		}
		return f(u), nil
	}
}

// canonicalValue returns v as a canonical URL, and reports whether it is one.
func canonicalValue(v value.Value) (string, bool) {
	if v.Type == value.URL {
		return v.Text, true
	}
	u, err := urlkey.Canonical(v.Text)
	return u, err == nil
}

var (
	host   = onURL(func(u string) value.Value { return value.OfText(urlkey.Host(u)) })
	domain = onURL(func(u string) value.Value { return value.OfText(urlkey.Domain(u)) })
	path   = onURL(func(u string) value.Value { return value.OfText(urlkey.Path(u)) })
	depth  = onURL(func(u string) value.Value { return value.OfInt(int64(urlkey.Depth(u))) })
	surt   = onURL(func(u string) value.Value { return value.OfText(urlkey.Key(u)) })
	cdx    = onURL(func(u string) value.Value { return value.OfText(urlkey.CDX(u)) })
)

// urlParam returns the first parameter with the name. Case counts in names.
func urlParam(_ *Env, a []value.Value) (value.Value, error) {
	u, ok := canonicalValue(a[0])
	if !ok {
		return value.Value{}, nil
	}
	_, query, ok := strings.Cut(u, "?")
	for ok {
		var pair string
		pair, query, ok = strings.Cut(query, "&")
		name, text, _ := strings.Cut(pair, "=")
		if decodedParam(name) == a[1].Text {
			return value.OfText(decodedParam(text)), nil
		}
	}
	return value.Value{}, nil
}

// decodedParam decodes the escapes in a parameter of a query, and + as a space.
func decodedParam(s string) string {
	return urlkey.Unescape(strings.ReplaceAll(s, "+", " "))
}
