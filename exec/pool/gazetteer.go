package pool

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/places"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/formats/glob"
	"infomall/store/record/task"
)

// placesFormat is the word after FORMAT with which IMPORT reads files that list places.
const placesFormat = "places"

// placesMax is how many places a list has at most. The bound is needed because a query that
// looks for places holds the whole list in memory.
const placesMax = 200_000

// placesImport is an IMPORT … FORMAT places statement that is ready to run.
type placesImport struct {
	s     *session.Session
	st    *ast.Import
	paths []string
}

// importPlaces is the statement IMPORT … FORMAT places, which stores a list of places. The
// declaration of IMPORT uses it for that format.
var importPlaces = session.Declare("IMPORT", session.Writes|session.Works|session.Anywhere, readPlacesImport)

// readPlacesImport makes a placesImport of an IMPORT … FORMAT places statement. It returns
// an error if a clause cannot be used with that format.
func readPlacesImport(s *session.Session, st *ast.Import) (*placesImport, error) {
	for _, x := range []ast.Expr{st.Base, st.Time} {
		if x != nil {
			return nil, ast.Errorf(x, "BASE and AT are for plain files; a place has no address, and no time")
		}
	}
	if st.Alias != nil {
		return nil, ast.Errorf(st.Alias, "a list of places has no name: an archive has one, and the list that was imported last replaces it")
	}
	in := &placesImport{s: s, st: st}
	for _, p := range st.Paths {
		path, err := expr.ConstantText(p, s.Env())
		if err != nil {
			return nil, err
		}
		in.paths = append(in.paths, path)
	}
	return in, nil
}

// files returns the files that match the patterns in the statement. It returns an error at
// the first pattern that cannot be read.
func (in *placesImport) files() (files []glob.File, err error) {
	for i, pattern := range in.paths {
		list, err := glob.Files(pattern)
		if err != nil {
			return nil, ast.Errorf(in.st.Paths[i], "%v", err)
		}
		files = append(files, list...)
	}
	return files, nil
}

// Would returns the lines for EXPLAIN: the name of the archive, then one line per file.
func (in *placesImport) Would(context.Context) ([]string, error) {
	files, err := in.files()
	if err != nil {
		return nil, err
	}
	lines := []string{"import as list of places into " + in.s.Archive().Path()}
	for _, f := range files {
		lines = append(lines, "  "+f.Name+": "+value.Counted(f.Size, "byte"))
	}
	return lines, nil
}

// Run reads the files and stores their places in the archive as one list. The list replaces
// the earlier list. After an error in a file, the earlier list stays in use.
func (in *placesImport) Run(ctx context.Context) (*session.Result, error) {
	begun, s := time.Now(), in.s
	files, err := in.files()
	if err != nil {
		return nil, err
	}
	report := s.Report("import", "places")
	var list []places.Place
	for _, f := range files {
		for p, err := range readPlaces(ctx, s.Env(), f.Name) {
			if err != nil {
				return nil, fmt.Errorf("import of %s: %w", f.Name, err)
			}
			if len(list) == placesMax {
				return nil, fmt.Errorf("import of %s: a list has at most %d places", f.Name, placesMax)
			}
			list = append(list, *p)
		}
		if report != nil {
			report(int64(len(list)), 0)
		}
	}
	_, release, err := s.SnapshotOrEmpty(ctx)
	if err != nil {
		return nil, err
	}
	release()
	kept := task.Result{Kind: task.ResultGazetteer, Name: places.ListName, Computed: s.Env().Now, AsOf: s.Env().Now, Statement: in.st.String(),
		Properties: map[string]string{"places": strconv.Itoa(len(list))}}
	rows := places.Rows(list)
	kept, err = s.Archive().SaveResult(ctx, kept, func(yield func(task.ResultRow, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Whole("places"), session.Whole("bytes"), session.Whole("ms"))
	t.Add(value.OfInt(int64(len(list))), value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	return t.Work(session.Count{Rows: int64(len(list)), Bytes: kept.Bytes}, nil), nil
}

// placeColumns are the columns of a file that lists places. Only the column name is
// required.
var placeColumns = []string{"name", "variants", "country", "latitude", "longitude", "kind", "chinese"}

// readPlaces yields the places in the file path. A place is valid until the next one is
// yielded. An error names the row, counted from 1 after the header line.
func readPlaces(ctx context.Context, env *expr.Env, path string) iter.Seq2[*places.Place, error] {
	return func(yield func(*places.Place, error) bool) {
		if env.Table == nil {
			yield(nil, fmt.Errorf("this session cannot read files"))
			return
		}
		table, err := env.Table(path)
		if err != nil {
			yield(nil, err)
			return
		}
		at := make([]int, len(placeColumns)) // the place of each column in the file, or -1
		for i, name := range placeColumns {
			at[i] = slices.IndexFunc(table.Columns(), func(c value.Column) bool { return strings.EqualFold(strings.TrimSpace(c.Name), name) })
		}
		if at[0] < 0 {
			yield(nil, fmt.Errorf("the first line names no column \"name\"; a list of places has the columns %s, of which only name must be there", strings.Join(placeColumns, ", ")))
			return
		}
		row := 0
		for b, err := range table.Rows(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				row++
				p, err := placeOf(func(column int) string {
					if at[column] < 0 {
						return ""
					}
					v := b.Cols[at[column]].At(i)
					if v.IsNull() {
						return ""
					}
					return strings.TrimSpace(string(v.Append(nil, env.Location())))
				})
				if err != nil {
					err = fmt.Errorf("row %d: %w", row, err)
				}
				if !yield(p, err) || err != nil {
					return
				}
			}
		}
	}
}

// placeOf returns the place that one row describes. field returns the text in the row of the
// column placeColumns[column].
func placeOf(field func(column int) string) (*places.Place, error) {
	p := &places.Place{Name: strings.Clone(field(0)), Kind: strings.Clone(field(5)), Chinese: strings.Clone(field(6)), User: true}
	if p.Name == "" {
		return nil, fmt.Errorf("the name is empty")
	}
	for v := range strings.SplitSeq(field(1), "|") {
		if v = strings.TrimSpace(v); v != "" {
			p.Variants = append(p.Variants, strings.Clone(v))
		}
	}
	if p.Country = strings.ToUpper(field(2)); p.Country != "" && len(p.Country) != 2 {
		return nil, fmt.Errorf("the country %q is no ISO 3166 code of two letters, such as CN", field(2))
	}
	var err error
	if p.Latitude, err = degrees("latitude", field(3), 90); err != nil {
		return nil, err
	}
	p.Longitude, err = degrees("longitude", field(4), 180)
	return p, err
}

// degrees returns a latitude or longitude, or NaN if the text is "".
func degrees(what, text string, most float64) (float64, error) {
	if text == "" {
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= -most && x <= most) {
		return 0, fmt.Errorf("the %s %q is no number from -%v to %v; write degrees, such as 39.9", what, text, most, most)
	}
	return x, nil
}

// DropGazetteer is the statement DROP GAZETTEER, which removes the list of places that was
// imported.
var DropGazetteer = session.Declare("DROP GAZETTEER", session.Writes|session.Works, readDropGazetteer)

// gazetteerDrop is a DROP GAZETTEER statement.
type gazetteerDrop struct {
	s  *session.Session
	st *ast.DropGazetteer
}

// readDropGazetteer makes a gazetteerDrop of a statement. The error is always nil.
func readDropGazetteer(s *session.Session, st *ast.DropGazetteer) (*gazetteerDrop, error) {
	return &gazetteerDrop{s, st}, nil
}

// Run removes the list. Its result has no rows.
func (d *gazetteerDrop) Run(ctx context.Context) (*session.Result, error) {
	if _, err := d.find(ctx); err != nil {
		return nil, err
	}
	if _, err := d.s.Archive().DropResult(ctx, task.ResultGazetteer, places.ListName); err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// find returns the stored list of places. If the archive has none, find returns an error.
func (d *gazetteerDrop) find(ctx context.Context) (*task.Result, error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	results, err := snap.Results(ctx, task.ResultGazetteer)
	if err != nil {
		return nil, err
	}
	if len(results) == 0 {
		err := ast.Errorf(d.st, "the archive has no list of places; the places of the program cannot be removed")
		err.Hint = "IMPORT 'places.csv' FORMAT places stores a list"
		return nil, err
	}
	return &results[len(results)-1], nil
}

// Would returns one line for EXPLAIN, which says how many places the list has.
func (d *gazetteerDrop) Would(ctx context.Context) ([]string, error) {
	r, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	n, _ := strconv.ParseInt(r.Properties["places"], 10, 64)
	return []string{fmt.Sprintf("removes the list of %s from %s; those of the program stay", value.Counted(n, "place"), d.s.Archive().Path())}, nil
}
