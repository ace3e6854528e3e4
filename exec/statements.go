package exec

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"infomall/lang/ast"
)

// Spec declares one type of statement. Whoever has to know something about a
// statement asks its Spec: Run, Check, EXPLAIN, SCHEDULE, the log of jobs, and the
// program, which prints the answers of a script on standard output.
type Spec struct {
	// Names are the statement's first words as HELP and messages have them. A type
	// that is written in several ways has several, such as MERGE POOL and SEAL POOL.
	Names   []string
	Writes  bool // it changes the archive; a session that only reads refuses it
	Works   bool // its runs are noted as jobs
	Answers bool // it is there for its result, and not for what it does

	anywhere bool // it runs without an archive too, unless its Deed says otherwise
	of       reflect.Type
	read     func(*Session, ast.Statement) (Deed, error)
	alias    func(ast.Statement) *ast.Name // nil if its work gets no name
}

// Deed is a statement whose clauses and parameters have been read, and are right.
// It belongs to the session that read it. Run or Would is called once.
type Deed interface {
	// Run does what the statement says.
	Run(ctx context.Context) (*Result, error)
	// Would returns what EXPLAIN prints, one line per element: what Run would read
	// and change. It changes nothing.
	Would(ctx context.Context) ([]string, error)
}

// Some deeds have one of these methods as well.
type (
	// An assumption sets or defines something that later statements use. Assume
	// gives it to the session only, so that Check can read these statements.
	assumption interface{ Assume() }
	// An analysis runs the statement to its end, and returns what each step did.
	analysis interface {
		Analyze(ctx context.Context) (*Result, error)
	}
	// archiveUser reports whether a statement of a type that runs anywhere needs an
	// archive all the same.
	archiveUser interface{ needsArchive() bool }
)

// trait is a bit of what holds for all statements of a type.
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

// specOf declares the statements of type S. Read reads the clauses and parameters of
// one, and touches nothing but what is defined by name: its error is what --check and
// SCHEDULE report. Names are parted by commas.
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

// named returns the Spec with alias, which finds the name that the statement gives its
// work, nil if it gives none. The log of jobs has that name.
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

// needsArchive reports whether a statement can do nothing without an archive. Of some
// statements what they read decides: they find out when they run.
func (s *Spec) needsArchive(d Deed) bool {
	if u, ok := d.(archiveUser); ok {
		return u.needsArchive()
	}
	return !s.anywhere
}

// Run runs one statement. A mistake in the statement is an *ast.Error. For RUN see
// Expand. If the statement works on the archive, the run is noted as a job. A
// statement that needs an archive where there is none is a *NoArchiveError.
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

// Check reads a statement. Its error is the one with which Run would refuse the
// statement before it reads or changes the archive, a crawl or a file; of the archive
// Check reads only what is defined by name. What the statement would set or define
// holds in this session from then on.
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

// mayWrite is the error of a statement that writes in a session that only reads.
func (s *Session) mayWrite(st ast.Statement) error {
	if spec := SpecOf(st); s.ReadOnly && !s.trying && spec.Writes {
		return ast.Errorf(st, "%s writes, and this session only reads", spec.name(st))
	}
	return nil
}
