package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/work"
	"infomall/exec/value"
	"infomall/exec/watch"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Watched returns the relation watched with the columns of all watches of the
// archive. If these cannot be read, it returns the relation without them.
func (s *Session) Watched() *relation.Relation {
	columns, err := s.watched()("")
	if err != nil {
		return work.Watched
	}
	return work.WatchedWith(columns)
}

// watched returns a function that returns columns of the relation watched: the columns of
// the query of the watch with this name. If there is no such watch, it returns the columns of
// all watches in the order of the watches' names, each name once. If two watches have a column
// of the same name with different types, its type is one to which both can be converted. The
// function reads the archive only at its first call.
func (s *Session) watched() func(name string) ([]value.Column, error) {
	type query struct {
		name    string
		columns []value.Column
	}
	read := sync.OnceValues(func() (queries []query, err error) {
		list, err := s.Definitions(context.Background())
		if err != nil {
			return nil, err
		}
		env := s.Env()
		env.Watched = nil // a watch does not read the relation watched
		for _, d := range SortDefinitions(list, task.KindWatch) {
			w, err := ParseWatch(&d)
			if err != nil {
				return nil, err
			}
			if node, err := plan.Build(w.Query, env); err == nil {
				queries = append(queries, query{d.Name, node.Columns()})
				continue
			}
			// The runs of the watch report the error, such as that a view was dropped.
			columns, err := s.foundColumns(&d)
			if err != nil {
				return nil, err
			}
			queries = append(queries, query{d.Name, columns})
		}
		return queries, nil
	})
	return func(name string) (columns []value.Column, err error) {
		queries, err := read()
		for _, q := range queries {
			if q.name == name {
				return joinColumns(nil, q.columns), nil
			}
		}
		for _, q := range queries {
			columns = joinColumns(columns, q.columns)
		}
		return columns, err
	}
}

// foundColumns returns the columns of the rows that the watch d has found.
func (s *Session) foundColumns(d *task.Definition) (columns []value.Column, err error) {
	snap, err := s.Archive().Snapshot(context.Background())
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	state, err := watch.ReadState(context.Background(), snap, d.Name, d.Created)
	if errors.Is(err, watch.ErrIncomplete) {
		return nil, nil // reading the rows reports it
	}
	if err != nil {
		return nil, err
	}
	for _, p := range state.Parts {
		columns = joinColumns(columns, p.Columns)
	}
	return columns, nil
}

// joinColumns adds to list the columns in more whose names it does not have, and returns list. A column
// that both have gets a type to which both types can be converted. Columns that the relation watched
// has itself are left out.
func joinColumns(list, more []value.Column) []value.Column {
	for _, c := range more {
		if work.Watched.Column(c.Name) != nil {
			continue
		}
		i := slices.IndexFunc(list, func(o value.Column) bool { return strings.EqualFold(o.Name, c.Name) })
		if i < 0 {
			list = append(list, value.Column{Name: c.Name, Type: c.Type})
			continue
		}
		t, ok := value.Common(list[i].Type, c.Type)
		if !ok {
			t = value.Text
		}
		list[i].Type = t
	}
	return list
}

// ParseWatch returns the WATCH statement in the definition d. SET statements before
// it are ignored.
func ParseWatch(d *task.Definition) (*ast.Watch, error) {
	list, err := lang.Parse(d.Text, d.Kind+" "+d.Name)
	if err == nil && len(list) > 0 {
		if w, ok := list[len(list)-1].(*ast.Watch); ok {
			return w, nil
		}
	}
	if err == nil {
		err = errors.New("it is none")
	}
	return nil, fmt.Errorf("this program cannot read how the archive defines %s %s: %w", d.Kind, d.Name, err)
}
