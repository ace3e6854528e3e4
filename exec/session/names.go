package session

import (
	"context"
	"slices"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/relation/all"
	"infomall/exec/relation/result"
	"infomall/exec/relation/work"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// The functions of this file return names for completion. They leave out names that
// cannot be read, and report no errors.

// DefinedNames returns the names of the definitions of one kind, such as task.KindView, that the
// archive stores.
func (s *Session) DefinedNames(ctx context.Context, kind string) []string {
	list, _ := s.Definitions(ctx)
	return definitionNames(list, kind)
}

// ColumnNames returns the names of the columns of source, a view or a
// relation. Those of a relation include its metadata columns. It returns nil
// if there is no such view or relation.
func (s *Session) ColumnNames(source string) []string {
	d, err := s.Defined()()
	if err != nil {
		d = new(value.Defined)
	}
	if r := all.Find(source); r != nil {
		if r == work.Watched {
			r = s.Watched()
		}
		names := r.ColumnNames()
		for _, m := range d.Metadata {
			if plan.MetadataRelation(m.On) == r.Name {
				names = append(names, m.Name)
			}
		}
		return names
	}
	for _, v := range d.Views {
		if !strings.EqualFold(v.Name, source) {
			continue
		}
		node, err := plan.Build(v.Query, s.Env())
		if err != nil {
			return nil
		}
		var names []string
		for _, c := range node.Columns() {
			names = append(names, c.Name)
		}
		return names
	}
	return nil
}

// CrawlNames returns the names of the crawls of the archive.
func (s *Session) CrawlNames(ctx context.Context) []string {
	if s.Crawler() == nil {
		return nil
	}
	list, _ := s.Crawler().Crawls(ctx)
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// QueryNames returns the names that RUN takes: those of saved queries and of
// the scripts that come with the program.
func (s *Session) QueryNames(ctx context.Context) []string {
	list, _ := s.Definitions(ctx)
	names := definitionNames(list, task.KindQuery)
	shipped, _ := s.Shipped()
	for i := range shipped {
		names = append(names, shipped[i].Name)
	}
	return names
}

// QueryParams returns the names of the parameters of the saved query or
// script called name. It returns nil if there is none.
func (s *Session) QueryParams(ctx context.Context, name string) []string {
	list, _ := s.Definitions(ctx)
	if i := IndexDefinition(list, task.KindQuery, name); i >= 0 {
		st, err := ParseDefinition(&list[i])
		if err != nil {
			return nil
		}
		var names []string
		for _, n := range st.(*ast.Save).Params {
			names = append(names, n.Text)
		}
		return names
	}
	shipped, _ := s.Shipped()
	for i := range shipped {
		if strings.EqualFold(shipped[i].Name, name) {
			return shipped[i].Params()
		}
	}
	return nil
}

// StoredNames returns the names under which the archive stores results of this kind, sorted.
// If the archive cannot be read, it returns nil.
func (s *Session) StoredNames(kind string) []string {
	ctx := context.Background()
	snap, release, err := s.SnapshotOrEmpty(ctx)
	if err != nil {
		return nil
	}
	defer release()
	list, _ := snap.Results(ctx, kind)
	var names []string
	for _, r := range list {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// GraphNames returns the names of the graphs that were imported into the
// archive, or nil after an error.
func (s *Session) GraphNames(ctx context.Context) []string {
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil
	}
	defer release()
	list, _ := result.KeptGraphs(ctx, snap)
	var names []string
	for _, g := range list {
		names = append(names, g.Name)
	}
	return names
}
