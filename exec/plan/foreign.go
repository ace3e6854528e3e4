package plan

import (
	"slices"
	"strings"

	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/lang/ast"
)

// foreignColumns maps words that mean something in other databases, and that
// parse as column names here, to hints for error messages.
var foreignColumns = map[string]string{
	"current_date":      "write TODAY",
	"current_timestamp": "write NOW",
	"current_time":      "write NOW",
	"sysdate":           "write NOW",
	"rowid":             "rows have none; url and time identify them",
	"rownum":            "write LIMIT n",
	"all":               "name the columns, or give their numbers: 1, 2",
}

// otherNames maps the names that columns have in other archives and databases to the names
// that such columns have here. At most one of the names here is a column of any one
// relation.
var otherNames = map[string][]string{
	"source": {"url"}, "source_url": {"url"}, "src": {"url"}, "from_url": {"url"}, "page": {"url"}, "original": {"url"}, "uri": {"url"},
	"destination": {"target"}, "dest": {"target"}, "to_url": {"target"}, "target_url": {"target"}, "link": {"target"}, "href": {"target"},
	"text": {"anchor"}, "anchor_text": {"anchor"}, "link_text": {"anchor"}, "words": {"anchor"}, "content": {"text"}, "body": {"text"},
	"redirect": {"location"}, "redirect_url": {"location"}, "redirect_to": {"location"},
	"timestamp": {"time"}, "date": {"time"}, "captured_at": {"time"}, "crawled_at": {"time"}, "fetched": {"time"}, "fetched_at": {"time"},
	"mimetype": {"mime"}, "mime_type": {"mime"}, "content_type": {"mime"}, "media_type": {"mime"}, "type": {"mime", "kind"}, "filetype": {"mime"},
	"size": {"bytes"}, "length": {"bytes"}, "content_length": {"bytes"}, "statuscode": {"status"}, "status_code": {"status"}, "http_status": {"status"}, "code": {"status"},
	"hash": {"digest"}, "checksum": {"digest"}, "sha256": {"digest"}, "language": {"lang"}, "site": {"host"}, "hostname": {"host"}, "surt": {"urlkey"},
}

// otherName returns the name that r uses for the column that other archives call name, or ""
// if r has no such column.
func otherName(r *relation.Relation, name string) string {
	for _, n := range otherNames[strings.ToLower(name)] {
		if r.Column(n) != nil {
			return n
		}
	}
	return ""
}

// withoutFrom returns a hint for the error about the column c in a query
// without FROM: what the user may have meant, such as a quoted string.
func (b *builder) withoutFrom(c *ast.Column) string {
	if hint := foreignColumns[strings.ToLower(c.Name.Text)]; hint != "" && !c.Name.Quoted {
		return hint
	}
	if c.Name.Quoted {
		return "strings are quoted like this: " + quote(c.Name.Text)
	}
	for i := range b.sel.Items {
		if as := b.sel.Items[i].Alias; as != nil && all.Find(as.Text) != nil {
			return "is FROM missing before " + as.Text + "?"
		}
	}
	return "is FROM missing?"
}

// otherColumn returns a hint for the error about the unknown column c: whether
// it may be meant as a quoted string, a column of another relation, or a
// relation. The parameter among has the inputs that were searched, and names has
// the names of their columns. otherColumn returns "" if nothing fits, or if one of
// names is similar, because then UnknownName suggests that name.
func otherColumn(c *ast.Column, among []*input, names []string) string {
	name := c.Name.Text
	if c.Name.Quoted {
		return "strings are quoted like this: " + quote(name)
	}
	if hint := foreignColumns[strings.ToLower(name)]; hint != "" {
		return hint
	}
	in := among[0]
	if in.src == nil {
		return ""
	}
	if n := otherName(in.rel, name); n != "" {
		return "did you mean " + n + "?"
	}
	if r := all.Find(name); r != nil {
		return "a relation belongs in FROM: SELECT * FROM " + r.Name
	}
	var have []string
	for _, r := range all.Relations() {
		if r.Column(name) != nil && !slices.ContainsFunc(among, func(in *input) bool { return in.rel == r }) {
			have = append(have, r.Name)
		}
	}
	switch {
	case len(have) == 1:
		return "it is a column of " + have[0]
	case len(have) > 1:
		return "it is a column of " + strings.Join(have[:min(len(have), 4)-1], ", ") + " and " + have[min(len(have), 4)-1]
	case ast.Nearest(name, names) != "" || len(among) > 1:
		return ""
	}
	return "DESCRIBE " + in.rel.Name + " lists its columns; a text is quoted like this: " + quote(name)
}
