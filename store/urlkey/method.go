package urlkey

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The arguments with which a URL names a request that is not a GET. Other tools for
// WARC files use the same arguments.
const (
	methodArg = "__wb_method="
	dataArg   = "__wb_post_data="
)

// digestArg is the argument that WithBody adds to a query to distinguish long bodies. Other tools
// do not have it. digestMax is the length in bytes of the argument with its value and the &
// before it.
const (
	digestArg = "__wb_digest="
	digestMax = 1 + len(digestArg) + 2*16
)

// The bounds of what WithMethod reads from a body and adds to a URL. Other tools for WARC files cut
// the query after the same number of characters.
const (
	queryRunesMax = 4096     // characters of the query
	queryBytesMax = 8 << 10  // bytes of the query after it is escaped
	bodyBytesMax  = 16 << 10 // bytes of a part of a multipart body, or of a body that is not text
	jsonDepthMax  = 1000     // nesting of objects and lists in a body of JSON
)

// WithMethod returns the URL under which an archive keeps the response to a request:
// url itself for GET, and otherwise url with the method, and for POST and PUT the
// body, in its query. The response to a form with the field q is kept under
// http://x.cn/find?__wb_method=POST&q=word. This is what pywb, warcio and jwarc do
// (the IIPC guideline "CDX non-GET requests"), so they have
// the same URL for the same request.
//
// contentType is the value of the header Content-Type of the request. A form is
// decoded, except for the few escapes without which two bodies would look the same;
// fields of multipart and values of JSON become arguments; any other body is written
// in base64. The query of a long body is cut, so two long bodies with the same
// beginning give the same URL; see WithBody. The result has no fragment.
func WithMethod(url, method, contentType string, body []byte) string {
	return withQuery(url, method, cutQuery(bodyOf(method, contentType, body), 0))
}

// WithBody returns the same URL as WithMethod, except for a long body, for which WithMethod cuts
// the query. WithBody then cuts the query earlier and adds a digest of the body, so that two
// different long bodies give different URLs. The URL is not longer than that of WithMethod. If a
// client takes the query of this URL from Method, and sends FormBody(query) as a form, WithMethod
// returns the same URL for that request.
func WithBody(url, method, contentType string, body []byte) string {
	q := bodyOf(method, contentType, body)
	if len(cutQuery(q, 0)) < len(q) {
		sum := sha256.Sum256(withoutBoundary(contentType, body))
		q = cutQuery(q, digestMax) + "&" + digestArg + hex.EncodeToString(sum[:16])
	}
	return withQuery(url, method, q)
}

// withoutBoundary returns body, without the boundary between the parts if it is a multipart body.
// Browsers choose another boundary for each request.
func withoutBoundary(contentType string, body []byte) []byte {
	_, params, err := mime.ParseMediaType(contentType)
	if b := params["boundary"]; err == nil && b != "" {
		return bytes.ReplaceAll(body, []byte(b), nil)
	}
	return body
}

// withQuery returns url with two parts added to its query: the method, and q, the arguments that
// stand for the body. For GET it returns url itself.
func withQuery(url, method, q string) string {
	if method = strings.ToUpper(method); method == "" || method == "GET" {
		return url
	}
	url, _, _ = strings.Cut(url, "#")
	query := methodArg + escapeArg(method, "%&#=")
	if q != "" {
		query += "&" + q
	}
	if strings.Contains(url, "?") {
		return url + "&" + query
	}
	return url + "?" + query
}

// bodyOf returns the arguments that stand for the body of a request. It returns "" if the
// method is neither POST nor PUT.
func bodyOf(method, contentType string, body []byte) string {
	if method = strings.ToUpper(method); method == "POST" || method == "PUT" {
		return bodyQuery(contentType, body)
	}
	return ""
}

// Method returns the request that url stands for, if WithMethod made url for a method other than
// GET. page is the URL that was requested, and query stands for the body of the request. A form
// with the body FormBody(query) has the same URL in an archive. For any other URL, ok is false.
func Method(url string) (page, method, query string, ok bool) {
	at := strings.LastIndex(url, methodArg)
	if at < 1 || url[at-1] != '?' && url[at-1] != '&' {
		return "", "", "", false
	}
	method, query, _ = strings.Cut(url[at+len(methodArg):], "&")
	if method == "" {
		return "", "", "", false
	}
	return url[:at-1], method, query, true
}

// FormBody returns a body of a form (application/x-www-form-urlencoded). If WithMethod is given
// that body, it adds query to the URL. query must be a result of Method.
func FormBody(query string) []byte { return []byte(strings.ReplaceAll(query, "+", "%2B")) }

// bodyQuery returns the arguments of a query that stand for a body with this Content-Type. It
// returns "" for JSON that cannot be parsed.
func bodyQuery(contentType string, body []byte) string {
	media, _, _ := strings.Cut(contentType, ";")
	switch media = strings.ToLower(strings.TrimSpace(media)); {
	case media == "application/x-www-form-urlencoded":
		if utf8.Valid(body) {
			return formQuery(string(body))
		}
	case strings.HasPrefix(media, "multipart/"):
		if q, err := multipartQuery(contentType, body); err == nil {
			return q
		}
	case media == "application/json":
		q, err := jsonQuery(body)
		if err != nil {
			return ""
		}
		return q
	case media == "text/plain":
		if q, err := jsonQuery(body); err == nil {
			return q
		}
	}
	return dataArg + base64.StdEncoding.EncodeToString(body[:min(len(body), bodyBytesMax)])
}

// cutQuery returns the longest beginning of query that is within queryRunesMax and queryBytesMax
// and leaves room for further characters; the parameter room is their number. It does not cut an
// escape in two.
func cutQuery(query string, room int) string {
	runes := 0
	for i := 0; i < len(query); i++ {
		c := query[i]
		if i+3 > queryBytesMax-room || runes == queryRunesMax-room {
			return query[:i]
		}
		if c == '%' && i+2 < len(query) {
			b, err := strconv.ParseUint(query[i+1:i+3], 16, 8)
			if err == nil && b&0xC0 == 0x80 {
				runes-- // it continues a character
			}
			i += 2
		}
		runes++
	}
	return query
}

// formQuery returns the body of a form with its escapes decoded. Some escapes stay: those of
// bytes that are not UTF-8, of control characters, of the characters %, & and #, and of = in a
// name. Blanks and characters beyond ASCII are escaped as in a URL.
func formQuery(body string) string {
	var out []byte
	for i, pair := range strings.Split(body, "&") {
		if i > 0 {
			out = append(out, '&')
		}
		name, value, has := strings.Cut(pair, "=")
		out = append(out, escapeArg(unescapeForm(name), "%&#=")...)
		if has {
			out = append(out, '=')
			out = append(out, escapeArg(unescapeForm(value), "%&#")...)
		}
		if len(out) > queryBytesMax*2 {
			break
		}
	}
	return string(out)
}

// unescapeForm decodes + and the escapes in a name or value of a form. A % that begins no valid
// escape stays as it is.
func unescapeForm(s string) string {
	if !strings.ContainsAny(s, "+%") {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s):
			b, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				out = append(out, '%')
				continue
			}
			out = append(out, byte(b))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// escapeArg returns s with these characters percent-encoded: those that a canonical URL must escape
// in its query, and those that occur in the text more.
func escapeArg(s, more string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"'<>`+more, c) >= 0 {
			out = appendEscaped(out, c)
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// args builds a query from its arguments.
type args struct {
	b     strings.Builder
	times map[string]int // how often each name came; nil if names may repeat
}

// add adds an argument to the query, with + in place of blanks. If a.times is not nil, and an
// argument with that name was added before, the name gets a number, as in name.2_.
func (a *args) add(name, value string) {
	if a.b.Len() > queryBytesMax {
		return // what follows is cut
	}
	if a.times != nil {
		a.times[name]++
		if n := a.times[name]; n > 1 {
			name += "." + strconv.Itoa(n) + "_"
		}
	}
	if a.b.Len() > 0 {
		a.b.WriteByte('&')
	}
	plus := func(s string) string { return strings.ReplaceAll(s, " ", "+") }
	a.b.WriteString(escapeArg(plus(name), "%&#=") + "=" + escapeArg(plus(value), "%&#"))
}

// multipartQuery returns the fields of a multipart body in the form of a URL's query, such as
// "a=1&b=2". It returns an error if the body is not in the format multipart.
func multipartQuery(contentType string, body []byte) (string, error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", err
	}
	if params["boundary"] == "" {
		return "", errors.New("multipart without a boundary")
	}
	var a args
	for r := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return a.b.String(), nil
		}
		if err != nil {
			return "", err
		}
		value, err := io.ReadAll(io.LimitReader(p, bodyBytesMax))
		if err != nil {
			return "", err
		}
		a.add(p.FormName(), string(value))
	}
}

// jsonQuery returns the values in a body of JSON as arguments of a query. The name of
// an argument is the name of the innermost object field that contains the value; a
// value in no such field is left out. The body may have several JSON values, each on
// lines of its own.
func jsonQuery(body []byte) (string, error) {
	a := args{times: make(map[string]int)}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	for values := 0; ; values++ {
		t, err := d.Token()
		if err == io.EOF && values > 0 {
			return a.b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if values > 0 && bytes.IndexByte(body, '\n') < 0 {
			return "", errors.New("more than one value on a line")
		}
		if err := jsonValue(d, t, "", &a, 0); err != nil {
			return "", err
		}
	}
}

// jsonValue adds the JSON value that begins with the token t, which was read from d, to a. name is
// the name of the innermost object field that contains the value. depth is the number of objects
// and lists that contain it.
func jsonValue(d *json.Decoder, t json.Token, name string, a *args, depth int) error {
	open, nested := t.(json.Delim)
	if !nested {
		if name != "" {
			a.add(name, jsonText(t))
		}
		return nil
	}
	if depth == jsonDepthMax {
		return errors.New("JSON that is nested too deep")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if open == '{' {
			name, _ = t.(string)
			if t, err = d.Token(); err != nil {
				return err
			}
		}
		if err := jsonValue(d, t, name, a, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token() // the end of the object or list
	return err
}

// jsonText returns a JSON value as Python writes it, like other tools for WARC files: True and
// None, and 44.0 for a number whose fraction is zero.
func jsonText(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "None"
	case bool:
		if t {
			return "True"
		}
		return "False"
	case json.Number:
		f, err := t.Float64()
		if err != nil || !strings.ContainsAny(t.String(), ".eE") {
			return t.String()
		}
		if size := max(f, -f); size >= 1e16 || size < 1e-4 && f != 0 {
			return strconv.FormatFloat(f, 'e', -1, 64)
		}
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	case string:
		return t
	}
	return "" // Unreachable: a Delim is no value.
}
