package pool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/rank"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/formats/glob"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// importFormats are the words that can follow FORMAT in an IMPORT statement.
var importFormats = []string{"auto", "tianwang", "warc", "arc", "wacz", "html", rank.GraphFormat, placesFormat}

// Formats returns the words that can follow FORMAT in an IMPORT statement, such
// as "warc".
func Formats() []string { return importFormats }

// DamageError is the error of an IMPORT that found damage in files. It comes
// after the rows. All records that can be read are in the archive, so a script
// may go on.
type DamageError struct{ message string }

func (e *DamageError) Error() string { return e.message }

// damageError returns a *DamageError that says how many damaged places the files have, and
// how to list them. It returns nil if there is no damage.
func (im *fileImport) damageError(results []task.ImportResult) error {
	var places int64
	var files int
	var first *task.ImportResult
	for i := range results {
		if r := &results[i]; r.Damaged > 0 {
			places += r.Damaged
			if files++; first == nil {
				first = r
			}
		}
	}
	if first == nil {
		return nil
	}
	d := first.Damages[0]
	var m string
	switch {
	case places == 1:
		m = fmt.Sprintf("1 place in %s is damaged, at byte %d: %s", first.Source, d.Offset, d.Why)
	case files == 1:
		m = fmt.Sprintf("%d places in %s are damaged, the first at byte %d: %s", places, first.Source, d.Offset, d.Why)
	default:
		m = fmt.Sprintf("%d places in %d of %s are damaged, the first in %s at byte %d: %s", places, files, value.Counted(len(results), "file"), first.Source, d.Offset, d.Why)
	}
	m += "; every record that can be read is in the archive"
	if !im.s.Verbose() {
		m += fmt.Sprintf("\nto list each place, without adding anything twice: infomall --verbose -c \"%s\"", im.st)
	}
	return &DamageError{m}
}

// importer is the method of an archive that IMPORT needs.
type importer interface {
	// Import reads files into the archive, and returns one result per file. It
	// creates the archive if there is none. With an error, also the error of
	// ctx, it returns the results of the files that were read; the records that
	// these results count are in the archive.
	Import(ctx context.Context, o task.ImportOptions) ([]task.ImportResult, error)
}

// fileImport is an IMPORT statement for captures that is ready to run. Package rank imports
// graphs, and a placesImport imports places.
type fileImport struct {
	a  importer
	s  *session.Session
	st *ast.Import
	o  task.ImportOptions
}

// Import is the statement IMPORT, which reads files of captures, a graph, or a list of
// places, into the archive.
var Import = session.DeclareFor("IMPORT", session.Writes|session.Works|session.Anywhere|session.Holds, readImport).Named(func(st ast.Statement) *ast.Name { return st.(*ast.Import).Alias })

// readImport makes a fileImport of an IMPORT statement and checks its clauses.
// With FORMAT graph it returns the Deed (a statement that is ready to run) that
// package rank makes of the statement, with FORMAT places a placesImport.
func readImport(s *session.Session, a importer, st *ast.Import) (session.Deed, error) {
	if st.Format != nil && strings.EqualFold(st.Format.Text, rank.GraphFormat) {
		return rank.ImportGraph.Read(s, st)
	}
	if st.Format != nil && strings.EqualFold(st.Format.Text, placesFormat) {
		return importPlaces.Read(s, st)
	}
	im := &fileImport{a: a, s: s, st: st}
	return im, im.readOptions()
}

// Run imports the files. Its result has one row per file. If an error comes
// after some files were imported, these files are in the archive, and the error
// comes after their rows.
func (im *fileImport) Run(ctx context.Context) (*session.Result, error) {
	if tell := im.s.ReportEach("import", "bytes"); tell != nil {
		im.o.Progress = func(p task.ImportProgress) { tell(p.Source, p.Done, p.Total) }
	}
	results, err := im.a.Import(ctx, im.o)
	if err != nil && len(results) == 0 {
		return nil, placedAtPattern(err, im.st, im.o.Patterns)
	}
	if err == nil {
		err = im.s.ReadNewDocuments(ctx)
	}
	if err == nil {
		err = im.damageError(results)
	}
	var n session.Count
	for i := range results {
		n.Rows, n.Bytes = n.Rows+results[i].Records, n.Bytes+results[i].Bytes
	}
	res := im.table(results).Work(n, err)
	for i := range results {
		res.Notes = append(res.Notes, importNotes(&results[i], im.s.Verbose())...)
	}
	return res, nil
}

// Would returns the lines for EXPLAIN: the archive, then the files that would
// be read, one per line.
func (im *fileImport) Would(context.Context) ([]string, error) {
	lines := []string{"import into " + im.s.Archive().Path()}
	for i, pattern := range im.o.Patterns {
		files, err := glob.Files(pattern)
		if err != nil {
			return nil, ast.Errorf(im.st.Paths[i], "%v", err)
		}
		for _, f := range files {
			lines = append(lines, "  "+f.Name+": "+value.Counted(f.Size, "byte"))
		}
	}
	return lines, nil
}

// placedAtPattern adds a position to err if err says that a pattern matches no files: the
// position of that pattern in the statement. It returns any other error unchanged.
func placedAtPattern(err error, st *ast.Import, patterns []string) error {
	for i, p := range patterns {
		if _, why := glob.Files(p); why != nil && why.Error() == err.Error() {
			return ast.Errorf(st.Paths[i], "%v", err)
		}
	}
	return err
}

// readOptions checks the clauses of the statement and sets im.o.
func (im *fileImport) readOptions() error {
	s, st, o := im.s, im.st, &im.o
	*o = task.ImportOptions{Zone: s.Settings().ImportTimezone, PoolLimit: s.Settings().PoolLimit, PageLimit: s.Settings().PageLimit, Earliest: s.Settings().Earliest, Latest: s.Settings().Latest, Requests: s.Settings().RequestHeaders}
	env := s.Env()
	for _, p := range st.Paths {
		path, err := expr.ConstantText(p, env)
		if err != nil {
			return err
		}
		o.Patterns = append(o.Patterns, path)
	}
	if st.Format != nil {
		name := strings.ToLower(st.Format.Text)
		if !slices.Contains(importFormats, name) {
			return expr.UnknownName(st.Format, "import format", st.Format.Text, "", importFormats)
		}
		if name != "auto" {
			o.Format = name
		}
	}
	if st.Alias != nil {
		o.Job = st.Alias.Text
	}
	return im.readMirror()
}

// readMirror checks the clauses BASE and AT, which are for plain files (FORMAT
// html), and sets im.o. With another format, these clauses are an error.
func (im *fileImport) readMirror() error {
	s, st, o := im.s, im.st, &im.o
	if o.Format != "html" {
		for _, x := range []ast.Expr{st.Base, st.Time} {
			if x != nil {
				err := ast.Errorf(x, "BASE and AT are for plain files; records have a URL and a time of their own")
				err.Hint = "add FORMAT html if files are pages by themselves"
				return err
			}
		}
		return nil
	}
	if st.Base != nil {
		base, err := expr.ConstantText(st.Base, s.Env())
		if err != nil {
			return err
		}
		if _, err := urlkey.Canonical(base); err != nil || !strings.Contains(base, "://") {
			return ast.Errorf(st.Base, "BASE %q is no URL such as 'http://www.pku.edu.cn/'", base)
		}
		o.Base = base
		if files, err := glob.Files(o.Patterns[0]); err == nil && !strings.HasSuffix(base, "/") && len(files)+len(o.Patterns) > 2 {
			return ast.Errorf(st.Base, "BASE %q is the URL of one page, but there are several files: the URL of their folder ends in a slash", base)
		}
	}
	if st.Time != nil {
		p, err := value.PeriodOf(st.Time, s.Env())
		if err != nil {
			return err
		}
		o.At = p.From.Std()
	}
	return nil
}

// table returns a table with one row per file. If the session is verbose, the
// table also has one row per damaged place and one per wrong digest.
func (im *fileImport) table(results []task.ImportResult) *session.Table {
	s := im.s
	cols := []value.Column{session.Text("source"), session.Whole("records"), session.Whole("stored"), session.Whole("visits"), session.Whole("skipped"),
		session.Whole("damaged"), session.Whole("bytes"), session.Whole("new_bytes"), session.Whole("ms")}
	if s.Verbose() {
		cols = append(cols, session.Whole("offset"), session.Whole("length"), session.Text("why"))
	}
	t := session.NewTable(cols...)
	for i := range results {
		r := &results[i]
		source := value.OfText(r.Source)
		t.Add(source, value.OfInt(r.Records), value.OfInt(r.Stored), value.OfInt(r.Visits), value.OfInt(r.Skipped),
			value.OfInt(r.Damaged), value.OfInt(r.Bytes), value.OfInt(r.NewBytes), value.OfInt(r.Elapsed.Milliseconds()))
		if !s.Verbose() {
			continue
		}
		var null value.Value
		for _, d := range slices.Concat(r.Damages, r.Mismatches) {
			length := value.OfInt(d.Length)
			if d.Length == 0 {
				length = null
			}
			t.Add(source, null, null, null, null, null, null, null, null, value.OfInt(d.Offset), length, value.OfText(d.Why))
		}
	}
	return t
}

// importNotes returns notes for the user on one file: why records were skipped,
// and how many digests that the file declares are wrong. If verbose is set,
// wrong digests have rows of their own and no note.
func importNotes(r *task.ImportResult, verbose bool) []string {
	var notes []string
	for _, why := range slices.Sorted(maps.Keys(r.Skips)) {
		if why == task.SkipBlocked {
			notes = append(notes, fmt.Sprintf("%s: left out, because the block-list keeps it out: %s; SELECT * FROM blocked lists it", r.Source, value.Counted(r.Skips[why], "capture")))
			continue
		}
		notes = append(notes, fmt.Sprintf("%s: %d skipped: %s", r.Source, r.Skips[why], why))
	}
	if n := r.Digests; n.Wire > 0 {
		notes = append(notes, fmt.Sprintf("%s: declared digests: %d of the chunks as sent, %d of the body", r.Source, n.Wire, n.Body))
	}
	if n := r.Digests.Wrong; n > 0 && !verbose {
		m := r.Mismatches[0]
		notes = append(notes, fmt.Sprintf("%s: declared digests: %d wrong, the first at byte %d: %s", r.Source, n, m.Offset, m.Why))
	}
	return notes
}
