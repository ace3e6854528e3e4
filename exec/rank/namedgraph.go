package rank

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/relation/result"
	"infomall/lang/ast"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// findGraph returns the stored graph with this name, or nil if the archive does
// not have it. Upper and lower case are the same.
func findGraph(ctx context.Context, snap relation.Snapshot, name string) (*task.Result, error) {
	list, err := result.KeptGraphs(ctx, snap)
	var found *task.Result
	for i := range list {
		if list[i].Name == strings.ToLower(name) {
			found = &list[i]
		}
	}
	return found, err
}

// keptGraph returns the stored graph with this name. If the archive does not
// have it, the error is an *ast.Error at the position of the name.
func keptGraph(ctx context.Context, snap relation.Snapshot, name *ast.Name) (*task.Result, error) {
	g, err := findGraph(ctx, snap, name.Text)
	if err != nil || g != nil {
		return g, err
	}
	list, err := result.KeptGraphs(ctx, snap)
	if err != nil {
		return nil, err
	}
	e := expr.UnknownName(name, "graph", name.Text, " in the archive", graphNames(list))
	if e.Hint == "" {
		e.Hint = "IMPORT 'file' FORMAT graph AS " + name.String() + " brings one"
	}
	return nil, e
}

// graphNames returns the names of the graphs in list.
func graphNames(list []task.Result) (names []string) {
	for _, g := range list {
		names = append(names, g.Name)
	}
	return names
}

// nodeName returns the name of a node in the form in which a graph stores it: a
// URL in its canonical form, any other name unchanged. The result may share the
// memory of name. A name that is not UTF-8, or that is the sort key of a URL,
// is an error.
func nodeName(name []byte) ([]byte, error) {
	switch {
	case isWord(name):
		return name, nil
	case bytes.Contains(name, []byte("://")):
		if n := urlkey.Prefix(name); n > 0 {
			return name[:n], nil
		}
		if canonical, err := urlkey.Canonical(string(name)); err == nil {
			return []byte(canonical), nil
		}
	}
	switch {
	case !utf8.Valid(name) || bytes.IndexByte(name, 0) >= 0:
		return nil, fmt.Errorf("the name %q is no text in UTF-8", name)
	case urlkey.URL(urlkey.Key(string(name))) != string(name):
		return nil, fmt.Errorf("the name %q is the sort key of a URL: write the URL", name)
	}
	return name, nil
}

// isWord reports whether name consists of ASCII letters and digits only.
// nodeName returns such a name without a further check.
func isWord(name []byte) bool {
	for _, c := range name {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}

// errOfGraph returns the error for a clause that cannot be used with OVER
// GRAPH, at the position of the node at. clause is the name of the clause in
// the message, such as "WITHOUT".
func errOfGraph(at ast.Node, clause string) error {
	return ast.Errorf(at, "a graph has names and weights alone: OVER GRAPH goes without %s", clause)
}
