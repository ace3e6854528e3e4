package expr

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

// canonicalCall returns a call that converts the text x to a URL, or to NULL if
// it is none.
func canonicalCall(x Expr) Expr {
	return &Call{Func: canonicalFunction, Args: []Expr{x}, T: value.URL, apply: canonicalFunction.apply}
}

// canonicalFunction converts a text to a URL, where a join compares it with a
// URL.
var canonicalFunction = &Function{
	Name: "canonical", Doc: "The text as a canonical URL; NULL if it is none.",
	params: []param{{"s", textKind}}, result: value.URL,
	apply: func(_ *Env, a []value.Value) (value.Value, error) {
		u, err := urlkey.Canonical(a[0].Text)
		if err != nil {
			return value.Value{}, nil
		}
		return value.OfURL(u), nil
	},
}

// urlFunctions are the functions that take URLs.
var urlFunctions = []Function{
	{Name: "depth", Doc: "The number of segments in the URL's path: 0 for /, 2 for /a/b.htm.",
		params: []param{{"url", urlKind}}, result: value.Int, apply: depth},
	{Name: "domain", Doc: "The registered domain of the URL's host, such as pku.edu.cn.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: domain},
	{Name: "host", Doc: "The host of the URL, without its port.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: host},
	{Name: "path", Doc: "The path of the URL, with percent-escapes decoded as UTF-8, or as GB18030 if they are not UTF-8.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: path},
	{Name: "surt", Doc: "The sort key of URLs: host reversed, then path, then scheme.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: surt},
	{Name: "urlkey", Doc: "The normalized URL key of CDX files, the same for http and https, with and without www.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: cdx},
	{Name: "urlparam", Doc: "The value of a parameter in the URL's query, decoded; NULL if the query has no such parameter.",
		params: []param{{"url", urlKind}, {"name", textKind}}, result: value.Text, apply: urlParam},
}
