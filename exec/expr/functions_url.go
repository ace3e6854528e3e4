package expr

import (
	"strings"

	"infomall/exec/value"
	"infomall/store/urlkey"
)

// onURL returns an applier for a function of a URL: it calls f with the first
// argument as a canonical URL. If the argument is a text that is not a URL, the
// result is NULL.
func onURL(f func(url string) value.Value) func(*Env, []value.Value) (value.Value, error) {
	return func(_ *Env, a []value.Value) (value.Value, error) {
		u, ok := canonicalValue(a[0])
		if !ok {
			return value.Value{}, nil
		}
		return f(u), nil
	}
}

// canonicalValue returns v, a URL or a text, as a canonical URL. It returns
// false if v is not a valid URL.
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

// urlParam computes the function urlparam: the decoded value of the first
// parameter in the query of the URL a[0] that has the name a[1]. Case counts in
// names. It returns NULL if there is no such parameter.
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

// decodedParam returns s, a name or value in the query of a URL, with
// percent-escapes decoded and each + replaced by a space.
func decodedParam(s string) string {
	return urlkey.Unescape(strings.ReplaceAll(s, "+", " "))
}

// canonicalCall returns an expression that converts the text x to a canonical
// URL, or to NULL if x is not a URL.
func canonicalCall(x Expr) Expr {
	return &Call{Func: canonicalFunction, Args: []Expr{x}, T: value.URL, apply: canonicalFunction.apply}
}

// canonicalFunction is the function that converts a text to a canonical URL, if
// a join compares the text with a URL. A query cannot call it by name.
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

// urlFunctions declares the functions that take URLs.
var urlFunctions = []Function{
	{Name: "depth", Example: `depth('http://a.cn/b/c.htm')`, Doc: "The number of segments in the URL's path: 0 for /, 2 for /a/b.htm.",
		params: []param{{"url", urlKind}}, result: value.Int, apply: depth},
	{Name: "domain", Example: `domain('http://www.pku.edu.cn/')`, Doc: "The registered domain of the URL's host, such as pku.edu.cn.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: domain},
	{Name: "host", Example: `host('http://www.pku.edu.cn:8080/')`, Doc: "The host of the URL, without its port.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: host},
	{Name: "path", Example: `path('http://a.cn/b/c.htm?d=1')`, Doc: "The path of the URL, with percent-escapes decoded as UTF-8, or as GB18030 if they are not UTF-8.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: path},
	{Name: "surt", Example: `surt('http://www.pku.edu.cn/a')`, Doc: "The sort key of URLs: host reversed, then path, then scheme.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: surt},
	{Name: "urlkey", Example: `urlkey('https://www.pku.edu.cn/A')`, Doc: "The normalized URL key of CDX files, the same for http and https, with and without www.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: cdx},
	{Name: "urlparam", Example: `urlparam('http://a.cn/?id=7&q=x', 'id')`, Doc: "The value of a parameter in the URL's query, decoded; NULL if the query has no such parameter.",
		params: []param{{"url", urlKind}, {"name", textKind}}, result: value.Text, apply: urlParam},
}
