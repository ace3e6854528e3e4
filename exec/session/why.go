package session

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/urlkey"
)

const (
	// probeRowsMax is about how many captures are read at most to find why an
	// answer is empty. An empty answer should not take long.
	probeRowsMax = 100_000
	// probeHostsMax is how many hosts are compared at most to find one with a similar
	// name.
	probeHostsMax = 64
)

// whyEmpty returns notes for the user on why the query node has no rows. src
// is the only source of the query. It returns nil if the cause is the
// condition in WHERE, and not what the archive contains.
func (s *Session) whyEmpty(ctx context.Context, snap relation.Snapshot, node plan.Node, src *plan.Source) []string {
	if src.Relation.OfSession {
		return nil
	}
	if !src.Relation.Scoped || limitsAll(node) {
		return nil
	}
	if r := src.Relation; r.Results != "" {
		return noResults(ctx, snap, r.Results, r.NoResults)
	}
	note, err := s.probe(ctx, snap, src)
	if err != nil {
		return nil // a note is no reason to fail
	}
	if note == "" {
		note = otherValue(node, src.Relation)
	}
	if note == "" {
		return nil
	}
	return []string{note}
}

// lowerColumns lists the columns whose values have no capital letters.
var lowerColumns = []string{"host", "domain", "mime", "lang", "kind", "change", "op", "label", "page_type", "digest"}

// otherValue returns a note for the user about a condition that compares a column with a
// text that its values can never have, such as charset = 'GB2312' (its values are in lower
// case). It returns "" if the query node has no such condition. r is the relation that the
// query reads.
func otherValue(node plan.Node, r *relation.Relation) (note string) {
	plan.Walk(node, func(n plan.Node, _ int) {
		f, ok := n.(*plan.Filter)
		if !ok {
			return
		}
		for _, c := range f.Conds {
			var x, y expr.Expr
			like := false
			switch c := c.(type) {
			case *expr.Compare:
				if c.Op == expr.EQ {
					x, y = c.X, c.Y
				}
			case *expr.Like:
				x, y, like = c.X, c.Pattern, true
			}
			column, isColumn := x.(*expr.Col)
			text, isConst := y.(*expr.Const)
			switch {
			case note != "" || !isColumn || !isConst || text.V.Type != value.Text:
			case !like:
				note = valueNote(r, column.Name, text.V.Text)
			case column.T == value.URL && !strings.HasPrefix(text.V.Text, "%") && !strings.HasPrefix(text.V.Text, "http"):
				note = fmt.Sprintf("a URL begins with http:// or https://: write %s LIKE '%%%s'", column.Name, text.V.Text)
			}
		}
	})
	return note
}

// closedColumns lists the columns whose descriptions name all their values.
var closedColumns = []string{"kind", "change", "op", "label", "page_type", "charset_source", "via_record"}

// valueNote returns a note for the user if the column of r can never have the value text,
// for example because its values are in lower case. Otherwise it returns "".
func valueNote(r *relation.Relation, column, text string) string {
	lower := strings.ToLower(text)
	switch {
	case column == "charset":
		if name := charset.Lookup(text); name != "" && name != text {
			return fmt.Sprintf("pages in %s have charset = '%s'", text, name)
		}
	case column == "mime" && !strings.Contains(text, "/"):
		return fmt.Sprintf("mime is a media type such as 'text/html': write mime LIKE '%%%s%%'", lower)
	case column == "lang" && strings.ContainsAny(text, "-_"):
		return fmt.Sprintf("write lang = '%s', without a country", lower[:strings.IndexAny(lower, "-_")])
	case column == "host" && strings.Contains(text, "/"):
		return fmt.Sprintf("a host has no slash: write host = '%s'", urlkey.Host(lower))
	case slices.Contains(lowerColumns, column) && lower != text:
		return fmt.Sprintf("%s has small letters: write %[1]s = '%s'", column, lower)
	}
	if c := r.Column(column); c != nil && slices.Contains(closedColumns, column) && !strings.Contains(c.Doc, lower) {
		return fmt.Sprintf("%s is never '%s': %s", column, text, c.Doc)
	}
	return ""
}

// noResults returns a list with the note if the archive has stored no result of this kind,
// such as a PageRank. Otherwise it returns nil.
func noResults(ctx context.Context, snap relation.Snapshot, kind, note string) []string {
	results, err := snap.Results(ctx, kind)
	if err != nil || len(results) > 0 {
		return nil // a note is no reason to fail
	}
	return []string{note}
}

// limitsAll reports whether the LIMIT or OFFSET of the plan node may be why the query has no rows.
func limitsAll(node plan.Node) bool {
	all := false
	plan.Walk(node, func(n plan.Node, _ int) {
		l, ok := n.(*plan.Limit)
		all = all || ok && (l.N == 0 || l.Skip > 0)
	})
	return all
}

// probe looks for captures in the scope of src, first within the time of src and then at any
// time. It returns a note for the user about what it found. The note is "" if the condition
// in WHERE may be why the query has no rows.
func (s *Session) probe(ctx context.Context, snap relation.Snapshot, src *plan.Source) (string, error) {
	what := "the archive"
	if src.Scope != "" {
		what = src.Scope
	}
	inTime, err := look(ctx, snap, src.Scan(0), 1)
	if err != nil {
		return "", err
	}
	if inTime.any {
		return visitedOnly(ctx, snap, src)
	}
	always := src.Scan(0)
	always.From, always.To = record.MinTime, record.MaxTime+1
	seen, err := look(ctx, snap, always, probeRowsMax)
	switch {
	case err != nil:
		return "", err
	case seen.any && seen.whole:
		return fmt.Sprintf("%s has captures at other times only: from %s to %s", what, s.Stamp(seen.first), s.Stamp(seen.last)), nil
	case seen.any:
		return fmt.Sprintf("%s has captures at other times only, such as %s", what, s.Stamp(seen.first)), nil
	case src.Scope == "" && src.Ranges == nil:
		return "the archive holds no captures", nil
	}
	return s.neverHeld(ctx, snap, what, src)
}

// visitedOnly returns a note for the user if the source src asks for
// versions, but in its scope and time there are only captures that found no
// change. Otherwise it returns "".
func visitedOnly(ctx context.Context, snap relation.Snapshot, src *plan.Source) (string, error) {
	if !src.Relation.OfVersions {
		return "", nil
	}
	scan := src.Scan(record.ColChange)
	rows := 0
	for b, err := range snap.Scan(ctx, scan) {
		if err != nil {
			return "", err
		}
		for _, c := range b.Change[:b.N] {
			if c != record.ChangeSame {
				return "", nil // a version began, so WHERE dropped the row
			}
		}
		if rows += b.N; rows >= probeRowsMax {
			return "", nil
		}
	}
	return "pages were visited then and had not changed, so no version began; the relation captures has the visits", nil
}

// sighting is what the function look has found out about the captures of a scan.
type sighting struct {
	any, whole  bool        // any: there is a capture; whole: look read all captures, not only the first rowsMax
	first, last record.Time // earliest and latest time of the captures that look read
}

// look reads the times of the captures of a scan. It stops after about
// rowsMax of them.
func look(ctx context.Context, snap relation.Snapshot, scan record.Scan, rowsMax int) (sighting, error) {
	var s sighting
	if scan.From >= scan.To || scan.Ranges != nil && len(scan.Ranges) == 0 {
		return s, nil
	}
	rows := 0
	for b, err := range snap.Scan(ctx, scan) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return s, err
		}
		for _, t := range b.Time[:b.N] {
			if !s.any {
				s.any, s.first, s.last = true, t, t
			}
			s.first, s.last = min(s.first, t), max(s.last, t)
		}
		if rows += b.N; rows >= rowsMax {
			return s, nil
		}
	}
	s.whole = true
	return s, nil
}

// neverHeld returns a note for the user that nothing in the scope of src was ever captured.
// The note names the most similar host that the archive has. The parameter what names the
// scope in the note.
func (s *Session) neverHeld(ctx context.Context, snap relation.Snapshot, what string, src *plan.Source) (string, error) {
	note := what + " was never captured"
	if file, ok := s.scopeFile(src.Scope); ok {
		return fmt.Sprintf("%s; there is a file of this name: FILE '%s' reads it", note, file), nil
	}
	if src.Scope == "" {
		note = "nothing that WHERE asks for was ever captured"
	}
	if len(src.Ranges) == 0 {
		return note, nil
	}
	labels := hostLabels(src.Ranges[0].From)
	asked := hostName(labels)
	for n := len(labels); n >= 0; n-- {
		prefix := ""
		if n > 0 {
			prefix = strings.Join(labels[:n], ",") + ","
		}
		hosts, err := hostsUnder(ctx, snap, prefix)
		switch {
		case err != nil:
			return "", err
		case slices.Contains(hosts, asked):
			if other, err := otherForm(ctx, snap, src); other != "" || err != nil {
				return fmt.Sprintf("%s; the archive has %s", note, other), err
			}
			return fmt.Sprintf("%s; the archive has other pages of %s", note, asked), nil
		case len(hosts) > 0:
			near := ast.Nearest(asked, hosts)
			if near == "" {
				near = hosts[0]
			}
			return fmt.Sprintf("%s; the nearest host in the archive is %s", note, near), nil
		}
	}
	return note, nil
}

// otherForm returns a similar URL that the archive has if src asks for one URL only, for
// example with https in place of http. It returns "" if src asks for more than one URL, or
// if the archive has no similar one.
func otherForm(ctx context.Context, snap relation.Snapshot, src *plan.Source) (string, error) {
	r := src.Ranges[0]
	if len(src.Ranges) != 1 || r.To != r.From+"\x00" {
		return "", nil
	}
	for _, url := range urlkey.OtherForms(urlkey.URL(r.From)) {
		key := urlkey.Key(url)
		scan := record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: record.MaxTime + 1}
		if found, err := look(ctx, snap, scan, 1); err != nil || found.any {
			return url, err
		}
	}
	return "", nil
}

// fileNotes returns notes for the user of a query without rows. There is one note for each
// scope in sources that is the name of an existing file that FILE could read. fileNotes does
// not look in the archive.
func (s *Session) fileNotes(sources []*plan.Source) (notes []string) {
	for _, src := range sources {
		if file, ok := s.scopeFile(src.Scope); ok {
			notes = append(notes, fmt.Sprintf("%s is a scope; there is a file of this name: FILE '%s' reads it", src.Scope, file))
		}
	}
	return notes
}

// scopeFile returns the name in scope, a list of scopes in quotes, if the list has
// one name, such as 'a.csv', and FILE reads an existing file of this name.
// Otherwise, or if the session reads no files, it returns false.
func (s *Session) scopeFile(scope string) (string, bool) {
	if len(scope) < 2 || s.o.NoFiles {
		return "", false
	}
	name := scope[1 : len(scope)-1]
	if strings.Contains(name, "'") || !rowio.Readable(name) {
		return "", false
	}
	info, err := os.Stat(name)
	return name, err == nil && info.Mode().IsRegular()
}

// hostLabels returns the labels of the host in a sort key of a URL, or in
// the start of such a key. The top-level domain comes first: "org",
// "example".
func hostLabels(key string) []string {
	if i := strings.IndexAny(key, "):"); i >= 0 {
		key = key[:i]
	}
	return strings.FieldsFunc(key, func(r rune) bool { return r == ',' })
}

// hostName returns the host with these labels. The top-level domain is the first label:
// "org", "example" give example.org.
func hostName(labels []string) string {
	name := slices.Clone(labels)
	slices.Reverse(name)
	return strings.Join(name, ".")
}

// hostsUnder returns up to probeHostsMax hosts whose sort keys begin with
// prefix. It reads one capture of each host and skips the others.
func hostsUnder(ctx context.Context, snap relation.Snapshot, prefix string) ([]string, error) {
	var hosts []string
	end := ""
	if prefix != "" {
		end = prefix + "\xff"
	}
	for from := prefix; len(hosts) < probeHostsMax; {
		key, url, err := firstIn(ctx, snap, urlkey.Range{From: from, To: end})
		if err != nil {
			return nil, err
		}
		if key == "" {
			break
		}
		if h := urlkey.Host(url); h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
		from = key + "\x00"
		if i := strings.IndexAny(key, "):"); i >= 0 {
			from = key[:i] + string(key[i]+1) // past the pages of this host and port
		}
	}
	return hosts, nil
}

// firstIn returns the first URL of the archive in the range r, and its sort
// key. Both are "" if the range has no captures.
func firstIn(ctx context.Context, snap relation.Snapshot, r urlkey.Range) (key, url string, err error) {
	scan := record.Scan{Ranges: []urlkey.Range{r}, From: record.MinTime, To: record.MaxTime + 1}
	for b, err := range snap.Scan(ctx, scan) {
		if err != nil {
			return "", "", err
		}
		if b.N > 0 {
			return b.Key[0], b.URLs()[0], nil
		}
	}
	return "", "", nil
}
