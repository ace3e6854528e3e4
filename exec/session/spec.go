package session

import (
	"context"
	"reflect"
	"strings"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Spec declares one type of statement: its names and properties, and how it
// is read. Session.Run, Session.Check, EXPLAIN, SCHEDULE, the log of jobs
// and the shell all ask the Spec. (The shell prints the answers of a script
// on standard output.)
type Spec struct {
	// Names are the first words of the statement, for HELP and messages. A type with
	// several forms has several names, such as MERGE POOL and SEAL POOL.
	Names   []string
	Of      reflect.Type // the type of the statement in lang/ast
	Writes  bool         // whether the statement changes the archive; a read-only session refuses it
	Works   bool         // whether its runs are noted as jobs
	Answers bool         // whether its purpose is its result, not a change
	Holds   bool         // whether it holds much in memory, so that garbage is to be collected more often
	// Anywhere says that the statement also runs without an archive, unless its Deed is
	// an ArchiveUser that needs one.
	Anywhere bool
	// Asks is the interface that the archive must have for this statement, beside
	// Archive; nil if Archive is enough.
	Asks reflect.Type

	read  func(*Session, ast.Statement) (Deed, error)
	alias func(ast.Statement) *ast.Name // returns the name for the log of jobs; nil if the type has none
	noted func(ast.Statement) string    // returns the text for the log of jobs; nil means the whole statement
}

// Deed is a statement whose clauses and parameters were read and are valid,
// ready to run. It belongs to the session that read it. The caller calls
// either Run or Would, once.
type Deed interface {
	// Run runs the statement and returns its result.
	Run(ctx context.Context) (*Result, error)
	// Would returns the lines that EXPLAIN prints: what Run would read and
	// change. It changes nothing.
	Would(ctx context.Context) ([]string, error)
}

// A Deed may also implement one or more of these interfaces.
type (
	// An Assumption is a Deed that sets or defines something that later statements use.
	// Assume sets or defines it in the session only, not in the archive, so that Check
	// can read these later statements.
	Assumption interface{ Assume() }
	// An Analysis is a Deed that EXPLAIN ANALYZE takes. Analyze runs the statement to
	// its end, and returns what each step did.
	Analysis interface {
		Analyze(ctx context.Context) (*Result, error)
	}
	// An ArchiveUser is a Deed whose clauses decide whether it needs an archive.
	ArchiveUser interface{ NeedsArchive() bool }
	// An Explained is a Deed that must know that EXPLAIN explains it. Explain is called with
	// analyze set for EXPLAIN ANALYZE. It returns an error if the statement cannot be
	// explained in this way.
	Explained interface{ Explain(analyze bool) error }
)

// Trait is a set of properties of a type of statement, one bit each.
type Trait uint8

// The traits stand for the fields of Spec with the same names.
const (
	Writes Trait = 1 << iota
	Works
	Answers
	Anywhere
	Holds
)

// Declare returns the Spec of the statements of type S. names are their first words,
// separated by commas. The function read reads the clauses and parameters of a statement.
// From the archive it reads only definitions. Commands that check a statement, such as
// --check and SCHEDULE, report the error of read.
func Declare[S ast.Statement, D Deed](names string, t Trait, read func(*Session, S) (D, error)) *Spec {
	return &Spec{
		Names:  strings.Split(names, ", "),
		Of:     reflect.TypeFor[S](),
		Writes: t&Writes != 0, Works: t&Works != 0, Answers: t&Answers != 0, Anywhere: t&Anywhere != 0, Holds: t&Holds != 0,
		read: func(s *Session, st ast.Statement) (Deed, error) {
			d, err := read(s, st.(S))
			if err != nil {
				return nil, err
			}
			return d, nil
		},
	}
}

// DeclareFor does what Declare does, for a statement that calls methods of the archive that
// are not in the interface Archive. A is the interface with these methods. If the archive of
// a session does not implement A, the statement is refused.
func DeclareFor[A any, S ast.Statement, D Deed](names string, t Trait, read func(*Session, A, S) (D, error)) *Spec {
	sp := Declare(names, t, func(s *Session, st S) (d D, err error) {
		a, ok := s.o.Archive.(A)
		if !ok {
			return d, ast.Errorf(st, "this archive takes no %s", s.language.SpecOf(st).name(st))
		}
		return read(s, a, st)
	})
	sp.Asks = reflect.TypeFor[A]()
	return sp
}

// Read reads the clauses and parameters of the statement st for the session
// s.
func (sp *Spec) Read(s *Session, st ast.Statement) (Deed, error) { return sp.read(s, st) }

// Named sets the function that finds the name under which the log of jobs lists a statement.
// alias returns nil for a statement without a name. Named returns sp.
func (sp *Spec) Named(alias func(ast.Statement) *ast.Name) *Spec {
	sp.alias = alias
	return sp
}

// NotedAs sets the function that returns the text of a statement for the log of jobs.
// Without it, the log has the whole statement. NotedAs returns sp.
func (sp *Spec) NotedAs(text func(ast.Statement) string) *Spec {
	sp.noted = text
	return sp
}

// name returns the name in sp.Names with which the statement st begins, such as
// MERGE POOL.
func (sp *Spec) name(st ast.Statement) string {
	text := st.String()
	for _, n := range sp.Names[1:] {
		if strings.HasPrefix(text, n+" ") {
			return n
		}
	}
	return sp.Names[0]
}

// needsArchive reports whether the statement d is refused if there is no archive. It returns
// false for some statements that find out only when they run that they need one.
func (sp *Spec) needsArchive(d Deed) bool {
	if u, ok := d.(ArchiveUser); ok {
		return u.NeedsArchive()
	}
	return !sp.Anywhere
}

// Read reads the clauses and parameters of the statement st, and returns a
// Deed that is ready to run.
func (s *Session) Read(st ast.Statement) (Deed, error) { return s.language.SpecOf(st).read(s, st) }

// NeedsArchive reports whether the statement st, which was read as d, is
// refused if there is no archive.
func (s *Session) NeedsArchive(st ast.Statement, d Deed) bool {
	return s.language.SpecOf(st).needsArchive(d)
}

// Run runs the statement st and returns its result. (It does not run a RUN,
// see Expand.) A mistake in the statement is an *ast.Error. If the statement
// needs an archive and there is none, the error is a *NoArchiveError. A
// statement that works on the archive is noted in the log of jobs.
func (s *Session) Run(ctx context.Context, st ast.Statement) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.mayWrite(st); err != nil {
		return nil, err
	}
	spec := s.language.SpecOf(st)
	begun := record.At(s.Now()) // before any time at which the statement says it computed something
	d, err := spec.read(s, st)
	if !s.o.Archive.Exists() {
		switch {
		case err != nil:
			return nil, err
		case spec.needsArchive(d):
			return nil, s.findArchive()
		}
	}
	run := func() (*Result, error) {
		if err != nil {
			return nil, err
		}
		if spec.Holds && s.o.Frugal != nil {
			defer s.o.Frugal()()
		}
		return d.Run(ctx)
	}
	if spec.Works && s.o.Jobs != nil && !s.o.ReadOnly {
		return s.runJob(ctx, st, begun, run)
	}
	return run()
}

// Check reads the statement st without running it. It returns the error with which Run would
// refuse st before using the archive, a crawl or a file. From the archive, Check reads only
// definitions. If st sets or defines something, Check does so in this session only, for
// later statements.
func (s *Session) Check(st ast.Statement) error {
	if err := s.mayWrite(st); err != nil {
		return err
	}
	d, err := s.Read(st)
	if err != nil {
		return err
	}
	if a, ok := d.(Assumption); ok {
		a.Assume()
	}
	return nil
}

// mayWrite returns an error if the statement st writes, and the session is
// read-only or in a RUN … KNOWN AT, otherwise nil.
func (s *Session) mayWrite(st ast.Statement) error {
	spec := s.language.SpecOf(st)
	switch {
	case !spec.Writes:
		return nil
	case s.known != 0:
		return ast.Errorf(st, "%s writes, and RUN … KNOWN AT only reads", spec.name(st))
	case s.o.ReadOnly && !s.trying:
		return ast.Errorf(st, "%s writes, but this session is read-only", spec.name(st))
	}
	return nil
}

// ReadExplained reads the statement st, which an EXPLAIN explains. If analyze is set, for
// EXPLAIN ANALYZE, the result is an Analysis; if st cannot be analyzed, an error is
// returned.
func (s *Session) ReadExplained(st ast.Statement, analyze bool) (Deed, error) {
	switch st.(type) {
	case *ast.Explain, *ast.ExplainRank:
		return nil, ErrExplained(st)
	}
	d, err := s.Read(st)
	if err != nil {
		return nil, err
	}
	if x, ok := d.(Explained); ok {
		return d, x.Explain(analyze)
	}
	if _, ok := d.(Analysis); analyze && !ok {
		err := ast.Errorf(st, "EXPLAIN ANALYZE runs the statement, and takes queries only")
		err.Hint = "leave out ANALYZE"
		return nil, err
	}
	return d, nil
}

// ErrExplained returns the error for an EXPLAIN of st, which is itself an
// EXPLAIN.
func ErrExplained(st ast.Statement) error { return ast.Errorf(st, "EXPLAIN of EXPLAIN says nothing") }

// PlanTable returns the result of EXPLAIN: one row for each of the lines.
func PlanTable(lines []string) *Result {
	t := NewTable(Text("plan"))
	for _, l := range lines {
		t.Add(value.OfText(l))
	}
	return t.Result()
}
