package ask

import (
	"net/url"
	"strconv"
	"strings"

	"infomall/lang/ast"
	"infomall/repl/serve/lookup"
)

// Literal returns a text as a constant of the query language, in quotes.
func Literal(text string) string { return (&ast.String{Value: text}).String() }

// timeClause returns a clause such as AT 2008-06: the parameter word, and then the time that the
// parameter of the request called name has. People write times as 2008-06 or 20080602. It
// returns "" if the request has no such parameter.
func timeClause(v url.Values, name, word string) string {
	text := v.Get(name)
	if text == "" {
		return ""
	}
	return " " + word + " " + Literal(Dashed(text))
}

// Dashed returns a time of digits only with separators: 20080602 becomes 2008-06-02. It returns
// any other text unchanged.
func Dashed(text string) string {
	if len(text) < 6 || len(text) > 14 || strings.Trim(text, "0123456789") != "" {
		return text
	}
	var b strings.Builder
	for i, c := range text {
		switch i {
		case 4, 6:
			b.WriteByte('-')
		case 8:
			b.WriteByte('T')
		case 10, 12:
			b.WriteByte(':')
		}
		b.WriteRune(c)
	}
	switch len(text) {
	case 10:
		b.WriteString(":00:00Z")
	case 12:
		b.WriteString(":00Z")
	case 14:
		b.WriteByte('Z')
	}
	return b.String()
}

// Search returns a SEARCH statement for the parameters q, scope, from, to, at, limit and offset
// of a request.
func Search(v url.Values, limitDefault int64) (string, error) {
	words := v.Get("q")
	if words == "" {
		return "", paramf("the parameter q is missing; write q=WORDS")
	}
	st := "SEARCH " + Literal(words)
	for i, scope := range v["scope"] {
		switch {
		case scope == "":
		case i == 0:
			st += " IN " + Literal(scope)
		default:
			st += ", " + Literal(scope)
		}
	}
	switch from, to := v.Get("from"), v.Get("to"); {
	case v.Get("at") != "":
		st += timeClause(v, "at", "AT")
	case from != "" && to != "":
		st += timeClause(v, "from", "BETWEEN") + timeClause(v, "to", "AND")
	case from != "":
		st += timeClause(v, "from", "SINCE")
	case to != "":
		st += timeClause(v, "to", "UNTIL")
	}
	limit, offset := limitDefault, int64(0)
	for name, to := range map[string]*int64{"limit": &limit, "offset": &offset} {
		if text := v.Get(name); text != "" {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil || n < 0 {
				return "", paramf("%s=%s: write a whole number", name, text)
			}
			*to = n
		}
	}
	st += " LIMIT " + strconv.FormatInt(limit, 10)
	if offset > 0 {
		st += " OFFSET " + strconv.FormatInt(offset, 10)
	}
	return st, nil
}

// Page returns a SHOW PAGE statement for the parameters url, at and as of a request.
func Page(v url.Values) (string, error) {
	u, err := URL(v)
	if err != nil {
		return "", err
	}
	st := "SHOW PAGE " + Literal(u) + timeClause(v, "at", "AT")
	switch as := v.Get("as"); as {
	case "":
	case "text", "html", "raw", "wire", "headers", "blocks":
		st += " AS " + as
	default:
		return "", paramf("as=%s: write text, html, raw, wire, headers or blocks", as)
	}
	return st, nil
}

// Diff returns a DIFF statement for the parameters url, from and to of a request.
func Diff(v url.Values) (string, error) {
	u, err := URL(v)
	if err != nil {
		return "", err
	}
	return "DIFF " + Literal(u) + timeClause(v, "from", "FROM") + timeClause(v, "to", "TO"), nil
}

// URL returns the canonical form of the URL in the parameter url of a request.
func URL(v url.Values) (string, error) {
	text := v.Get("url")
	if text == "" {
		return "", paramf("the parameter url is missing; write url=http://www.pku.edu.cn/")
	}
	u, err := lookup.Canonical(text)
	if err != nil {
		return "", paramf("url=%s: %v", text, err)
	}
	return u, nil
}
