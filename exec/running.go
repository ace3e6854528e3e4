package exec

import (
	"context"
	"errors"
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
	"infomall/store/record/task"
)

// Program is the text of the statements that a RUN runs.
type Program struct {
	Name   string            // of the text, as errors name it
	Text   string            // the statements
	Params map[string]string // of the session, replaced or extended by those of the RUN
}

// errRun is returned by Run for a RUN statement: the caller must run the
// statements that Expand returns.
var errRun = errors.New("exec: RUN is not run itself, but what Expand gives for it")

// programBytesMax is the limit of the language for the size of a script.
const programBytesMax = 16 << 20

// Expand returns the program that a RUN names: a query saved in the archive, a script
// that comes with infomall, or a script in a file. The caller runs its statements with
// the parameters of the program instead of those of the session.
func (s *Session) Expand(ctx context.Context, st *ast.Run) (*Program, error) {
	given, err := s.arguments(st)
	if err != nil {
		return nil, err
	}
	p := &Program{Params: maps.Clone(s.Params)}
	if p.Params == nil {
		p.Params = map[string]string{}
	}
	maps.Copy(p.Params, given)
	if st.Name == nil {
		err = s.expandFile(p, st)
	} else {
		err = s.expandName(ctx, p, st)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// arguments returns the values of the parameters in a RUN, by name.
func (s *Session) arguments(st *ast.Run) (map[string]string, error) {
	given := map[string]string{}
	for i := range st.Args {
		v, err := s.constant(st.Args[i].Value)
		if err != nil {
			return nil, err
		}
		given[st.Args[i].Name.Text] = v
	}
	return given, nil
}

// expandFile reads a script.
func (s *Session) expandFile(p *Program, st *ast.Run) error {
	var err error
	if p.Name, err = expr.ConstantText(st.File, s.env()); err != nil {
		return err
	}
	f, err := os.Open(p.Name)
	if err != nil {
		return ast.Errorf(st.File, "%v", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, programBytesMax+1)) // the parser refuses what is longer
	if err != nil {
		return ast.Errorf(st.File, "%v", err)
	}
	p.Text = string(b)
	return p.takes(st)
}

// expandName finds a saved query, or a script that came with the program.
func (s *Session) expandName(ctx context.Context, p *Program, st *ast.Run) error {
	list, err := s.definitions(ctx)
	if err != nil {
		return err
	}
	if i := indexOf(list, task.KindQuery, st.Name.Text); i >= 0 {
		return p.saved(&list[i], st)
	}
	for _, name := range s.shipped() {
		if strings.EqualFold(name, st.Name.Text) {
			b, err := fs.ReadFile(s.Scripts, name+scriptSuffix)
			if err != nil {
				return err
			}
			p.Name, p.Text = name+scriptSuffix, string(b)
			return p.takes(st)
		}
	}
	return expr.UnknownName(st.Name, "saved query", st.Name.Text, "", append(namesOf(list, task.KindQuery), s.shipped()...))
}

// scriptSuffix is how the names of scripts end.
const scriptSuffix = ".iql"

// shipped returns the names of the scripts that are part of the program.
func (s *Session) shipped() []string {
	if s.Scripts == nil {
		return nil
	}
	files, err := fs.Glob(s.Scripts, "*"+scriptSuffix)
	if err != nil {
		panic(err) // the pattern is good
	}
	for i := range files {
		files[i] = strings.TrimSuffix(path.Base(files[i]), scriptSuffix)
	}
	return files
}

// saved is a query that was saved, of which every parameter must have a value.
func (p *Program) saved(d *task.Definition, st *ast.Run) error {
	def, err := parsed(d)
	if err != nil {
		return err
	}
	save := def.(*ast.Save)
	p.Name, p.Text = "query "+d.Name, save.Query.String()
	var names []string
	for _, n := range save.Params {
		names = append(names, n.Text)
	}
	if err := known(st, names); err != nil {
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

// takes returns an error for an argument that no statement of the script uses.
// If the script cannot be parsed yet, that is reported when it runs.
func (p *Program) takes(st *ast.Run) error {
	if _, err := lang.Parse(p.Text, p.Name); err != nil {
		return nil
	}
	return known(st, scriptParams(p.Text))
}

// known refuses an argument whose name is not among names.
func known(st *ast.Run, names []string) error {
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

// statements returns the statements that a RUN runs, and a copy of the session with
// their parameters. A syntax error in them is returned with the position of the RUN.
func (s *Session) statements(ctx context.Context, st *ast.Run) ([]ast.Statement, *Session, error) {
	p, err := s.Expand(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	list, err := lang.Parse(p.Text, p.Name)
	if err != nil {
		return nil, nil, atRun(st, err)
	}
	inner := *s
	inner.Params = p.Params
	return list, &inner, nil
}

// atRun returns an error inside a script as an error at the RUN, because its
// own place is in another text.
func atRun(st *ast.Run, err error) error {
	var placed *ast.Error
	if !errors.As(err, &placed) {
		return err
	}
	bare := *placed
	bare.Hint = ""
	return &ast.Error{Span: st.Span, Msg: bare.Error(), Hint: placed.Hint}
}

// script is a RUN statement whose statements were read and checked.
type script struct {
	s     *Session
	st    *ast.Run
	list  []ast.Statement // the statements that the RUN runs
	inner *Session        // the session before the first statement
	after *Session        // the session after all statements were checked
	only  Deed            // the statement that EXPLAIN explains; nil if there are several
}

// readRun reads a RUN statement, and reads and checks the statements that it runs.
func readRun(s *Session, st *ast.Run) (*script, error) {
	list, inner, err := s.statements(context.Background(), st)
	if err != nil {
		return nil, err
	}
	if inner.running++; inner.running > runDepthMax {
		return nil, errRunDepth(st)
	}
	after := *inner
	after.Params = maps.Clone(inner.Params)
	after.checked = slices.Clip(inner.checked)
	for _, one := range list {
		if err := after.Check(one); err != nil {
			return nil, atRun(st, err)
		}
	}
	return &script{s: s, st: st, list: list, inner: inner, after: &after}, nil
}

// Run returns errRun. The caller must run the statements of Expand, one by one.
func (r *script) Run(context.Context) (*Result, error) { return nil, errRun }

// Assume copies the settings and definitions of the statements to the session. It does
// not copy parameters, which belong to the script.
func (r *script) Assume() { r.s.checked, r.s.Settings = r.after.checked, r.after.Settings }

// readOnly sets r.only, for EXPLAIN, if the RUN runs exactly one statement.
func (r *script) readOnly(analyze bool) (err error) {
	if len(r.list) == 1 {
		r.only, err = readExplained(r.inner, r.list[0], analyze)
	}
	return atRun(r.st, err)
}

// Would explains the statement that the RUN runs. If there are several, it lists them,
// one per line.
func (r *script) Would(ctx context.Context) ([]string, error) {
	if r.only != nil {
		lines, err := r.only.Would(ctx)
		return lines, atRun(r.st, err)
	}
	lines := []string{"runs " + value.Counted(len(r.list), "statement")}
	for _, one := range r.list {
		lines = append(lines, "  "+one.String())
	}
	return lines, nil
}

// Analyze runs the only statement, and returns what it did. Of several statements it
// returns the list of Would.
func (r *script) Analyze(ctx context.Context) (*Result, error) {
	if r.only != nil {
		res, err := r.only.(analysis).Analyze(ctx)
		return res, atRun(r.st, err)
	}
	lines, err := r.Would(ctx)
	if err != nil {
		return nil, err
	}
	return planTable(lines), nil
}

func errRunDepth(st *ast.Run) error {
	return ast.Errorf(st, "scripts run scripts %d deep", runDepthMax)
}

// runDepthMax is how deep scripts may run others.
const runDepthMax = 20

// showQueries lists the saved queries, and the scripts that came with the
// program.
func (s *Session) showQueries(ctx context.Context) (*Result, error) {
	list, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	t := newTable(text("query"), text("parameters"), text("from"), text("meaning"), value.Column{Name: "created", Type: value.Time})
	for _, d := range sortedDefinitions(list, task.KindQuery) {
		st, err := parsed(&d)
		if err != nil {
			return nil, err
		}
		save := st.(*ast.Save)
		var params []string
		for _, n := range save.Params {
			params = append(params, n.Text)
		}
		t.add(value.OfText(d.Name), value.OfText(strings.Join(params, ", ")), value.OfText("archive"), value.OfText(save.Query.String()), value.OfTime(d.Created))
	}
	for _, name := range s.shipped() {
		b, err := fs.ReadFile(s.Scripts, name+scriptSuffix)
		if err != nil {
			return nil, err
		}
		t.add(value.OfText(name), value.OfText(strings.Join(scriptParams(string(b)), ", ")), value.OfText("program"), value.OfText(scriptTitle(string(b))))
	}
	return t.result(ResultRows, nil), nil
}

// scriptParams returns the names of the parameters in the statements of a script, each
// once.
func scriptParams(text string) []string {
	var names []string
	list, _ := lang.Parse(text, "") // of a statement with faults nothing is asked
	for _, st := range list {
		ast.Walk(st, func(n ast.Node) bool {
			if p, ok := n.(*ast.Param); ok && !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
			return true
		})
	}
	return names
}

// MissingParam returns the error for the first parameter without a value in a list of
// statements that run one after another, and the index of its statement. It returns nil
// if all parameters have values; a SET $name gives one to the statements after it.
func (s *Session) MissingParam(list []ast.Statement) (at int, err error) {
	env := value.Env{Params: maps.Clone(s.Params)}
	if env.Params == nil {
		env.Params = make(map[string]string)
	}
	for at, st := range list {
		if _, ok := st.(*ast.Save); ok {
			continue // they get values when it is run
		}
		ast.Walk(st, func(n ast.Node) bool {
			if p, ok := n.(*ast.Param); ok && err == nil {
				_, err = env.Param(p)
			}
			return err == nil
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

// scriptTitle returns the title in the first line of a script: the text after the first
// colon and space.
func scriptTitle(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	_, title, _ := strings.Cut(line, ": ")
	return title
}

// QueryNames returns the names that RUN takes: of saved queries and of scripts that come
// with the program.
func (s *Session) QueryNames(ctx context.Context) []string {
	list, err := s.definitions(ctx)
	if err != nil {
		return s.shipped()
	}
	return append(namesOf(list, task.KindQuery), s.shipped()...)
}

// QueryParams returns the names of the parameters of a saved query or script. It returns
// nil if there is none with that name.
func (s *Session) QueryParams(ctx context.Context, name string) []string {
	list, _ := s.definitions(ctx) // after an error no saved queries are offered
	if i := indexOf(list, task.KindQuery, name); i >= 0 {
		st, err := parsed(&list[i])
		if err != nil {
			return nil
		}
		var names []string
		for _, n := range st.(*ast.Save).Params {
			names = append(names, n.Text)
		}
		return names
	}
	for _, shipped := range s.shipped() {
		if strings.EqualFold(shipped, name) {
			b, _ := fs.ReadFile(s.Scripts, shipped+scriptSuffix)
			return scriptParams(string(b))
		}
	}
	return nil
}
