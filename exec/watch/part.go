package watch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Part is a file with the rows of the batches First to Last.
type Part struct {
	task.Result
	First, Last int64
	Columns     []value.Column // the columns of the query when the rows were found
	edition     int64
	level       int64
}

// covers reports whether p has all batches of o, and is the one in force.
func (p *Part) covers(o *Part) bool {
	if p.First == o.First && p.Last == o.Last {
		return p.edition > o.edition
	}
	return p.First <= o.First && p.Last >= o.Last
}

// Column returns the index of the column with this name, or -1. Case is ignored.
func (p *Part) Column(name string) int {
	return slices.IndexFunc(p.Columns, func(c value.Column) bool { return strings.EqualFold(c.Name, name) })
}

// State says what the files of a watch hold.
type State struct {
	Parts     []Part // the parts in force, in the order of their batches
	Last      int64  // the number of the last batch; 0 before the first run
	Done      int64  // up to this batch THEN is done
	edition   int64  // the greatest edition of a part
	deletions []deletion
	spare     []task.Result // files that are no longer needed
}

// deletion is a file with hashes of URLs of which DELETE or DROP POOL has removed captures
// at the time at.
type deletion struct {
	task.Result
	at record.Time
}

// ErrIncomplete is returned if a file of a watch is missing or damaged.
var ErrIncomplete = errors.New("a file of the watch is missing or damaged, and VERIFY names a damaged one: copy it back from a copy of the archive, or remove the watch by UNWATCH and define it again")

// Read returns the state of the watch with this name that was defined at created.
// list has the results of the kind task.ResultWatches; those of other watches are
// ignored. If a part is missing, the error wraps ErrIncomplete.
func Read(list []task.Result, name string, created record.Time) (*State, error) {
	s := &State{}
	var all []Part
	var marks []task.Result
	var last int64
	for _, r := range list {
		if r.Name != name || number(&r, "created") != int64(created) {
			continue
		}
		s.Done = max(s.Done, number(&r, "done"))
		last = max(last, number(&r, "last"))
		p := Part{Result: r, First: number(&r, "first"), Last: number(&r, "last"), edition: number(&r, "edition"), level: number(&r, "level")}
		switch {
		case r.Properties["deleted"] != "":
			s.deletions = append(s.deletions, deletion{r, record.Time(number(&r, "deleted"))})
		case p.First == 0:
			marks = append(marks, r)
		default:
			p.Columns = parseColumns(r.Properties["columns"])
			s.edition = max(s.edition, p.edition)
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Part) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(b.Last, a.Last)) })
	partsDone := int64(0)
	for i := range all {
		p := &all[i]
		if slices.ContainsFunc(all, func(o Part) bool { return o.covers(p) }) {
			s.spare = append(s.spare, p.Result)
			continue
		}
		if p.First != s.Last+1 {
			return nil, fmt.Errorf("watch %s: batch %d: %w", name, s.Last+1, ErrIncomplete)
		}
		s.Parts, s.Last = append(s.Parts, *p), p.Last
		partsDone = max(partsDone, number(&p.Result, "done"))
	}
	if s.Last != last {
		return nil, fmt.Errorf("watch %s: batch %d: %w", name, last, ErrIncomplete)
	}
	for _, m := range marks {
		if done := number(&m, "done"); done < s.Done || done <= partsDone {
			s.spare = append(s.spare, m)
		}
	}
	return s, nil
}

// number returns the number in a property of r, or 0 if it has none.
func number(r *task.Result, property string) int64 {
	n, _ := strconv.ParseInt(r.Properties[property], 10, 64)
	return n
}

// formatColumns returns columns as the property columns holds them.
func formatColumns(cols []value.Column) string {
	var b strings.Builder
	for _, c := range cols {
		fmt.Fprintf(&b, "%s %s\n", c.Type, c.Name)
	}
	return b.String()
}

// parseColumns returns the columns that formatColumns wrote. A type that this
// program does not know becomes Text.
func parseColumns(text string) (cols []value.Column) {
	for line := range strings.Lines(text) {
		kind, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		t, err := value.ParseType(kind)
		if kind == value.Null.String() {
			t = value.Null
		} else if err != nil {
			t = value.Text
		}
		cols = append(cols, value.Column{Name: name, Type: t})
	}
	return cols
}
