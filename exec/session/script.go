package session

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Program is the text of the statements that a RUN runs.
type Program struct {
	Name   string            // name of the text in errors, such as "query daily"
	Text   string            // the statements
	Run    string            // the RUN without its parameters, such as "RUN daily"
	Params map[string]string // the parameters of the session, replaced or extended by those of the RUN
	Known  record.Time       // the time at which what the statements read was known; 0 means all that is known
}

// Expand returns the program that the RUN statement st names: a query saved
// in the archive, a script that comes with infomall, or a script in a file.
// The caller then runs the statements of the program, after Enter.
func (s *Session) Expand(ctx context.Context, st *ast.Run) (*Program, error) {
	given, err := s.arguments(st)
	if err != nil {
		return nil, err
	}
	p := &Program{Params: maps.Clone(s.o.Params)}
	if p.Known, err = value.KnownAt(st.Known, s.Env()); err != nil {
		return nil, err
	}
	maps.Copy(p.Params, given)
	if st.Name == nil {
		p.Run = "RUN " + st.File.String()
		err = s.expandFile(p, st)
	} else {
		p.Run = "RUN " + st.Name.String()
		err = s.expandName(ctx, p, st)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Enter makes the session use the parameters of the program p, and its KNOWN AT time, if
// any. Errors about a parameter without a value then name the RUN. The caller calls leave
// after the program; it restores what was before.
func (s *Session) Enter(p *Program) (leave func()) {
	params, known, run := s.o.Params, s.known, s.run
	s.o.Params, s.known, s.run = p.Params, p.Known, p.Run
	return func() { s.o.Params, s.known, s.run = params, known, run }
}

// arguments returns the values that the RUN statement st gives to
// parameters, by name.
func (s *Session) arguments(st *ast.Run) (map[string]string, error) {
	given := map[string]string{}
	for i := range st.Args {
		v, err := Constant(st.Args[i].Value, s.Env())
		if err != nil {
			return nil, err
		}
		given[st.Args[i].Name.Text] = v
	}
	return given, nil
}

// expandFile sets the name and text of p to the script in the file that st
// names.
func (s *Session) expandFile(p *Program, st *ast.Run) error {
	if s.o.NoFiles {
		return ast.Errorf(st.File, "no files are read here")
	}
	var err error
	if p.Name, err = expr.ConstantText(st.File, s.Env()); err != nil {
		return err
	}
	f, err := os.Open(p.Name)
	if err != nil {
		return ast.Errorf(st.File, "%v", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, lang.ScriptBytesMax+1)) // the parser refuses a longer text
	if err != nil {
		return ast.Errorf(st.File, "%v", err)
	}
	p.Text = string(b)
	return p.checkArguments(st)
}

// expandName sets the name and text of p to the saved query that st names
// or, if there is none, to the script of that name that comes with the
// program.
func (s *Session) expandName(ctx context.Context, p *Program, st *ast.Run) error {
	list, err := s.Definitions(ctx)
	if err != nil {
		return err
	}
	if i := IndexDefinition(list, task.KindQuery, st.Name.Text); i >= 0 {
		return p.setSaved(&list[i], st)
	}
	shipped, err := s.Shipped()
	if err != nil {
		return err
	}
	names := definitionNames(list, task.KindQuery)
	for i := range shipped {
		if strings.EqualFold(shipped[i].Name, st.Name.Text) {
			p.Name, p.Text = shipped[i].Name+scriptSuffix, shipped[i].Text
			return p.checkArguments(st)
		}
		names = append(names, shipped[i].Name)
	}
	return expr.UnknownName(st.Name, "saved query", st.Name.Text, "", names)
}

// scriptSuffix is how the file name of a script ends.
const scriptSuffix = ".iql"

// Shipped is a script that comes with the program: its name without suffix,
// and its text.
type Shipped struct{ Name, Text string }

// Shipped returns the scripts that come with the program.
func (s *Session) Shipped() ([]Shipped, error) {
	if s.o.Scripts == nil {
		return nil, nil
	}
	files, err := fs.Glob(s.o.Scripts, "*"+scriptSuffix)
	if err != nil {
		panic(err) // the pattern is good
	}
	list := make([]Shipped, len(files))
	for i, name := range files {
		b, err := fs.ReadFile(s.o.Scripts, name)
		if err != nil {
			return nil, err
		}
		list[i] = Shipped{strings.TrimSuffix(path.Base(name), scriptSuffix), string(b)}
	}
	return list, nil
}

// Params returns the names of the parameters in the statements of the
// script, each name once.
func (x *Shipped) Params() []string { return paramsIn(x.Text) }

// Title returns the title in the first line of the script: the text after the first
// colon and space.
func (x *Shipped) Title() string {
	line, _, _ := strings.Cut(x.Text, "\n")
	_, title, _ := strings.Cut(line, ": ")
	return title
}

// setSaved sets p to d, a saved query. It returns an error if the RUN st gives
// a parameter that the query does not have, or if a parameter of the query
// has no value.
func (p *Program) setSaved(d *task.Definition, st *ast.Run) error {
	def, err := ParseDefinition(d)
	if err != nil {
		return err
	}
	save := def.(*ast.Save)
	p.Name, p.Text = "query "+d.Name, save.Query.String()
	var names []string
	for _, n := range save.Params {
		names = append(names, n.Text)
	}
	if err := checkNames(st, names); err != nil {
		return err
	}
	for _, n := range names {
		if _, ok := p.Params[n]; !ok {
			err := ast.Errorf(st, "parameter %s of %s has no value", n, d.Name)
			err.Hint = fmt.Sprintf("write RUN %s (%s = …)", st.Name, n)
			return err
		}
	}
	return nil
}

// checkArguments returns an error if the RUN statement st gives a parameter that no statement of the
// script uses. If the script has a syntax error, it returns nil, because running the script
// reports that error.
func (p *Program) checkArguments(st *ast.Run) error {
	if _, err := lang.Parse(p.Text, p.Name); err != nil {
		return nil
	}
	return checkNames(st, paramsIn(p.Text))
}

// checkNames returns an error if the RUN st gives a parameter whose name is not
// among names, otherwise nil.
func checkNames(st *ast.Run, names []string) error {
	for i := range st.Args {
		if n := &st.Args[i].Name; !slices.Contains(names, n.Text) {
			err := expr.UnknownName(n, "parameter", n.Text, "", names)
			if len(names) == 0 {
				err.Hint = "it takes none"
			}
			return err
		}
	}
	return nil
}

// paramsIn returns the names of the parameters in the statements of text,
// each name once. Statements with syntax errors are skipped.
func paramsIn(text string) []string {
	var names []string
	list, _ := lang.Parse(text, "") // statements with faults are not in list
	for _, st := range list {
		eachParam(st, func(p *ast.Param) {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		})
	}
	return names
}

// eachParam calls visit for each parameter in st that must have a value when st
// runs. The statement after THEN of a WATCH gets its values from the watch.
func eachParam(st ast.Statement, visit func(*ast.Param)) {
	ast.Walk(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Param:
			visit(n)
		case *ast.Watch:
			ast.Walk(n.Every, func(n ast.Node) bool {
				if p, ok := n.(*ast.Param); ok {
					visit(p)
				}
				return true
			})
			return false // the grammar accepts no parameter in the query
		}
		return true
	})
}

// MissingParam returns an error if one of the statements in list, which run
// one after another, uses a parameter that has no value. It returns the
// index of that statement too. A SET $name gives a value to the parameter
// for the statements after it. If every parameter has a value, it returns 0
// and nil.
func (s *Session) MissingParam(list []ast.Statement) (at int, err error) {
	env := value.Env{Params: maps.Clone(s.o.Params), Run: s.run}
	for at, st := range list {
		if _, ok := st.(*ast.Save); ok {
			continue // its parameters get values when the saved query runs
		}
		eachParam(st, func(p *ast.Param) {
			if err == nil {
				_, err = env.Param(p)
			}
		})
		if err != nil {
			return at, err
		}
		if set, ok := st.(*ast.Set); ok && set.Param {
			env.Params[set.Name.Text] = ""
		}
	}
	return 0, nil
}
