package exec

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"infomall/lang/ast"
)

// Spec describes one type of statement. Run, Check, EXPLAIN, SCHEDULE and the log of
// jobs get the properties of a statement from its Spec, and so does the shell, which
// prints the answers of a script on standard output.
type Spec struct {
	// Names are the first words of the statement, for HELP and messages. A type with
	// several forms has several names, such as MERGE POOL and SEAL POOL.
	Names   []string
	Writes  bool // it changes the archive; a session that only reads refuses it
	Works   bool // its runs are noted as jobs
	Answers bool // its purpose is its result, not a change

	anywhere bool // it also runs without an archive, unless its Deed is an archiveUser that needs one
	of       reflect.Type
	read     func(*Session, ast.Statement) (Deed, error)
	alias    func(ast.Statement) *ast.Name // returns the name for the log of jobs; nil if the type has none
}

// Deed is a statement whose clauses and parameters were read and are valid. It belongs to
// the session that read it. The caller calls either Run or Would, once.
type Deed interface {
	// Run does what the statement says.
	Run(ctx context.Context) (*Result, error)
	// Would returns what EXPLAIN prints, one line per element: what Run would read
	// and change. It changes nothing.
	Would(ctx context.Context) ([]string, error)
}

// A Deed may also have one of these methods.
type (
	// An assumption sets or defines something that later statements use. Assume changes
	// only the session, not the archive, so that Check can read these later statements.
	assumption interface{ Assume() }
	// An analysis runs the statement to its end, and returns what each step did.
	analysis interface {
		Analyze(ctx context.Context) (*Result, error)
	}
	// An archiveUser decides by its clauses whether it needs an archive.
	archiveUser interface{ needsArchive() bool }
)

// trait is a set of properties of a type of statement, one bit each.
type trait uint8

const (
	writes trait = 1 << iota
	works
	answers
	anywhere
)

// statements lists all types of statements in the order of HELP. It is a function
// because SCHEDULE, EXPLAIN and RUN look up the statement in them.
func statements() []Spec {
	return []Spec{
		specOf("SELECT", answers|anywhere, readQuery),
		specOf("IMPORT", writes|works|anywhere, readImport).named(func(st ast.Statement) *ast.Name { return st.(*ast.Import).Alias }),
		specOf("EXPORT", works|anywhere, readExport),
		specOf("CRAWL", writes|works|anywhere, readCrawl).named(func(st ast.Statement) *ast.Name { return st.(*ast.Crawl).Alias }),
		specOf("PAUSE CRAWL, RESUME CRAWL, STOP CRAWL, SET WORKERS", writes, readOrder),
		specOf("ADD", writes, readAdd),
		specOf("TRACE", answers, readTrace),
		specOf("SCHEDULE", writes|anywhere, readSchedule),
		specOf("UNSCHEDULE", writes, readUnschedule),
		specOf("RUN SCHEDULE", writes, readRunSchedule),
		specOf("COPY POOL", writes|works, readCopy),
		specOf("VERIFY", works|answers, readVerify),
		specOf("MERGE POOL, SEAL POOL", writes|works, readMerge),
		specOf("REPAIR POOL", writes|works, readRepair),
		specOf("REINDEX", writes|works, readReindex),
		specOf("DROP POOL", writes|works, readDropPool),
		specOf("CREATE VIEW", writes|anywhere, readCreateView),
		specOf("CREATE METADATA", writes|anywhere, readCreateMetadata),
		specOf("DROP VIEW", writes, readDropView),
		specOf("DROP GRAPH", writes|works, readDropGraph),
		specOf("DROP METADATA", writes, readDropMetadata),
		specOf("SAVE", writes|anywhere, readSave),
		specOf("RUN", answers|anywhere, readRun),
		specOf("DELETE", writes|works, readDelete),
		specOf("PAGERANK", writes|works, readPageRank).named(func(st ast.Statement) *ast.Name { return st.(*ast.PageRank).Name }),
		specOf("HITS", writes|works, readHITS).named(func(st ast.Statement) *ast.Name { return st.(*ast.HITS).Name }),
		specOf("DEDUP", writes|works, readDedup),
		specOf("EXPLAIN RANK", answers, readExplainRank),
		specOf("RECOVER", works|answers|anywhere, readRecover),
		specOf("SHOW PAGE", answers, readShowPage),
		specOf("SHOW ROBOTS", answers, readShowRobots),
		specOf("SHOW PATH", answers, readShowPath),
		specOf("DIFF", answers, readDiff),
		specOf("SHOW", answers|anywhere, readShow),
		specOf("DESCRIBE", answers|anywhere, readDescribe),
		specOf("EXPLAIN", answers|anywhere, readExplain),
		specOf("SET", anywhere, readSet),
		specOf("RESET", anywhere, readReset),
		specOf("HELP", answers|anywhere, readHelp),
	}
}

// specOf returns the Spec of the statements of type S. names are separated by commas. read
// reads the clauses and parameters of a statement. It reads nothing from the archive but
// definitions; its error is the one that --check and SCHEDULE report.
func specOf[S ast.Statement, D Deed](names string, t trait, read func(*Session, S) (D, error)) Spec {
	return Spec{
		Names:  strings.Split(names, ", "),
		Writes: t&writes != 0, Works: t&works != 0, Answers: t&answers != 0, anywhere: t&anywhere != 0,
		of: reflect.TypeFor[S](),
		read: func(s *Session, st ast.Statement) (Deed, error) {
			d, err := read(s, st.(S))
			if err != nil {
				return nil, err
			}
			return d, nil
		},
	}
}

// named returns s with alias, a function that returns the name in a statement under which
// the log of jobs lists it, or nil if the statement has none.
func (s Spec) named(alias func(ast.Statement) *ast.Name) Spec {
	s.alias = alias
	return s
}

var specs struct {
	once sync.Once
	by   map[reflect.Type]*Spec
}

// SpecOf returns the Spec of a statement.
func SpecOf(st ast.Statement) *Spec {
	specs.once.Do(func() {
		specs.by = make(map[reflect.Type]*Spec)
		for _, s := range statements() {
			specs.by[s.of] = &s
		}
	})
	s := specs.by[reflect.TypeOf(st)]
	if s == nil {
		panic(fmt.Sprintf("exec: unknown statement %T", st))
	}
	return s
}

// Specs lists what is declared of all statements, in the order of HELP.
func Specs() []Spec { return statements() }

// name returns the first words of a statement.
func (s *Spec) name(st ast.Statement) string {
	text := st.String()
	for _, n := range s.Names[1:] {
		if strings.HasPrefix(text, n+" ") {
			return n
		}
	}
	return s.Names[0]
}

// needsArchive reports whether a statement is refused without an archive. Some statements
// for which it returns false find out when they run that they need one.
func (s *Spec) needsArchive(d Deed) bool {
	if u, ok := d.(archiveUser); ok {
		return u.needsArchive()
	}
	return !s.anywhere
}

// Run runs one statement, but not RUN, for which see Expand. A mistake in the statement is
// an *ast.Error. If the statement needs an archive and there is none, the error is a
// *NoArchiveError. A statement that works on the archive is noted in the log of jobs.
func (s *Session) Run(ctx context.Context, st ast.Statement) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.mayWrite(st); err != nil {
		return nil, err
	}
	spec := SpecOf(st)
	d, err := spec.read(s, st)
	if !s.Archive.Exists() {
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
		return d.Run(ctx)
	}
	if spec.Works && s.Jobs != nil && !s.ReadOnly {
		return s.runJob(ctx, st, run)
	}
	return run()
}

// Check reads a statement without running it. It returns the error with which Run would
// refuse the statement before it reads or changes the archive, a crawl or a file. Check
// reads only definitions from the archive. What the statement would set or define is set
// or defined in this session afterwards.
func (s *Session) Check(st ast.Statement) error {
	if err := s.mayWrite(st); err != nil {
		return err
	}
	d, err := SpecOf(st).read(s, st)
	if err != nil {
		return err
	}
	if a, ok := d.(assumption); ok {
		a.Assume()
	}
	return nil
}

// mayWrite returns an error if the statement writes and the session only reads.
func (s *Session) mayWrite(st ast.Statement) error {
	if spec := SpecOf(st); s.ReadOnly && !s.trying && spec.Writes {
		return ast.Errorf(st, "%s writes, and this session only reads", spec.name(st))
	}
	return nil
}
