package expr

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"infomall/exec/value"
	"infomall/lang/ast"
)

// Function declares a function of the language: a scalar function, which
// computes a value from those of one row, or an aggregate, which computes one
// from the rows of a group.
type Function struct {
	Name      string
	Doc       string // one line, for SHOW FUNCTIONS
	Aggregate bool   // computed over the rows of a group, by an operator
	Window    bool   // computed over the rows of a window, by an operator; OVER must follow
	Drawn     bool   // each row has a result of its own, although the arguments are the same
	Also      string // another name of the function, or ""
	Example   string // what to write after SELECT, for HELP; the result is computed there if it is constant

	params []param
	min    int        // the least number of arguments; 0 means one per parameter
	many   bool       // the last parameter may be repeated
	result value.Type // Null means the type of the arguments of kind number or any
	nulls  bool       // apply is called also if an argument is NULL; otherwise the result is NULL then
	asked  bool       // the first two parameters are a text and a question; without them, the function takes those of MATCH in WHERE
	marks  bool       // the result has marks around words, see value.MarkFrom
	stored bool       // the function needs a result that the archive stores, or a file, so it is not computed before the first row
	apply  applier
	// prepare, if not nil, is called once per query with the bound arguments.
	// It reports errors in constant arguments before any row is read. It may
	// return an applier that replaces apply and has the constant arguments
	// built in.
	prepare func(env *Env, args []Expr) (applier, error)
}

// applier computes the result of a function from the values of its arguments.
// The error has no position; the caller adds that of the call.
type applier func(env *Env, args []value.Value) (value.Value, error)

// param declares one parameter of a function.
type param struct {
	name string
	kind kind
}

// kind says which types of arguments a parameter of a function accepts.
type kind uint8

const (
	textKind kind = iota
	urlKind       // a URL, or a text, which is made canonical if constant
	intKind
	numberKind // an Int or a Float
	timeKind   // a Time, or something written as a period, for its start
	spanKind   // like timeKind, or a Duration
	anyKind    // any type; all arguments of this kind have the same
)

// kindNames holds the names of the kinds as Signature prints them, indexed by
// kind.
var kindNames = [...]string{"text", "url", "int", "number", "time", "time or duration", "any"}

// Signature returns how f is called, and the type of its result, such as
// substr(s text, start int [, length int]) text.
func (f *Function) Signature() string {
	var b strings.Builder
	b.WriteString(f.Name + "(")
	for i, p := range f.params {
		optional := i >= f.least()
		switch {
		case optional && i > 0:
			b.WriteString(" [, ")
		case optional:
			b.WriteString("[")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(p.name + " " + kindNames[p.kind])
		if f.many && i == len(f.params)-1 {
			b.WriteString(", …")
		}
		if optional {
			b.WriteString("]")
		}
	}
	b.WriteString(") " + f.resultName())
	return b.String()
}

// resultName returns the type of f's result as Signature prints it, such as
// "text". If the result has the type of the arguments, it returns "number" or
// "any".
func (f *Function) resultName() string {
	if f.result != value.Null {
		return f.result.String()
	}
	for _, p := range f.params {
		if p.kind == anyKind || p.kind == numberKind {
			return kindNames[p.kind]
		}
	}
	return "any"
}

// least returns how many arguments a call of f must have at least.
func (f *Function) least() int {
	if f.min == 0 && !f.Aggregate && !f.Window && !f.asked {
		return len(f.params)
	}
	return f.min
}

// Arguments returns how many arguments a call of f has at least and at most, if
// its last parameter may not be repeated.
func (f *Function) Arguments() (least, most int) { return f.least(), len(f.params) }

// functions holds all functions of the language, sorted by name. The lists that
// it joins stand in the files that have the code of the functions.
var functions = sync.OnceValue(func() []Function {
	return slices.SortedFunc(slices.Values(slices.Concat(
		anyFunctions, numberFunctions, partFunctions, placeFunctions, regionFunctions, similarFunctions, storedFunctions, textFunctions, timeFunctions, urlFunctions, wordFunctions,
		aggregateFunctions, windowFunctions,
	)), func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
})

// Draws reports whether a part of e is a function such as random, whose result differs from
// row to row.
func Draws(e Expr) bool {
	if c, ok := e.(*Call); ok && c.Func.Drawn {
		return true
	}
	return slices.ContainsFunc(Operands(e), Draws)
}

// Functions returns all functions of the language, sorted by name.
func Functions() []*Function {
	all := functions()
	list := make([]*Function, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

// FindFunction returns the function with this name, or nil if there is none.
// Case is ignored.
func FindFunction(name string) *Function {
	name = strings.ToLower(name)
	all := functions()
	for i := range all {
		if all[i].Name == name || all[i].Also == name && name != "" {
			return &all[i]
		}
	}
	return nil
}

// call returns the call of a function as an Expr. For an aggregate, it returns
// the column that b.Aggregate gives. The error says which name or argument is
// wrong.
func (b *Binder) call(e *ast.Call) (Expr, error) {
	f := FindFunction(e.Name.Text)
	if f == nil {
		return nil, unknownFunction(e)
	}
	switch {
	case e.Over != nil && !f.Window && !f.Aggregate:
		err := ast.Errorf(e.Over, "%s takes no OVER", f.Name)
		err.Hint = "OVER follows an aggregate, or a function such as row_number()"
		return nil, err
	case e.Over != nil && b.Window == nil:
		err := ast.Errorf(e, "%s may not contain a function with OVER", b.Where)
		err.Hint = "put the query in brackets, and test its column: SELECT * FROM (SELECT …, " + f.Name + "(…) OVER (…) AS n …) WHERE n = 1"
		return nil, err
	case e.Over != nil:
		return b.Window(e)
	case f.Window:
		err := ast.Errorf(e, "%s needs OVER", f.Name)
		err.Hint = "such as " + e.String() + " OVER (PARTITION BY url ORDER BY time)"
		return nil, err
	}
	if f.Aggregate {
		if b.Aggregate == nil {
			err := ast.Errorf(e, "%s may not contain an aggregate, and %s is one", b.Where, f.Name)
			if b.Where == "WHERE" {
				err.Hint = "ask about groups in HAVING"
			}
			return nil, err
		}
		return b.Aggregate(e)
	}
	if e.Star || e.Distinct || e.Filter != nil || len(e.OrderBy) > 0 {
		return nil, ast.Errorf(e, "%s is no aggregate: it takes neither *, DISTINCT nor ORDER BY, and no FILTER after it", f.Name)
	}
	if len(e.Args) < f.least() || len(e.Args) > len(f.params) && !f.many {
		return nil, ast.Errorf(e, "%s has %s here; it is called as %s", f.Name, arguments(len(e.Args)), f.Signature())
	}
	if f.asked && len(e.Args) < 2 {
		var err error
		if e, err = b.withQuestion(f, e); err != nil {
			return nil, err
		}
	}
	args, t, err := b.arguments(f, e)
	if err != nil {
		return nil, err
	}
	if question, ok := constantText(args, 1); ok && f.asked {
		if _, err := Question(question, e.Args[1], b.Env); err != nil {
			return nil, err
		}
	}
	if f.result != value.Null {
		t = f.result
	}
	c := &Call{Func: f, Args: args, T: t, Env: b.Env, At: e.At(), apply: f.apply}
	if f.prepare != nil {
		prepared, err := f.prepare(b.Env, args)
		if err != nil {
			return nil, ast.Errorf(e, "%s: %v", f.Name, err)
		}
		if prepared != nil {
			c.apply = prepared
		}
	}
	if f.stored || f.Drawn {
		return c, nil
	}
	return fold(c)
}

// constantText returns the text of args[i] if that is a constant and not NULL.
// Otherwise, or if there is no argument i, it returns false.
func constantText(args []Expr, i int) (string, bool) {
	if i >= len(args) {
		return "", false
	}
	c, ok := args[i].(*Const)
	if !ok || c.V.IsNull() {
		return "", false
	}
	return c.V.Text, true
}

// arguments returns a number of arguments as an error message says it: "no
// arguments", "1 argument" or "2 arguments".
func arguments(n int) string {
	if n == 0 {
		return "no arguments"
	}
	return value.Counted(n, "argument")
}

// arguments returns the arguments of a call of f as Exprs. The second result is
// the common type of the arguments for parameters of kind any or number, which
// may also be the type of f's result.
func (b *Binder) arguments(f *Function, e *ast.Call) ([]Expr, value.Type, error) {
	args := make([]Expr, len(e.Args))
	var open []ast.Expr // of kind any
	var openAt []int
	t := value.Null
	for i, a := range e.Args {
		k := f.params[min(i, len(f.params)-1)].kind
		if k == anyKind {
			open, openAt = append(open, a), append(openAt, i)
			continue
		}
		x, err := b.argument(f, k, a)
		if err != nil {
			return nil, t, err
		}
		if k == numberKind {
			t = x.Type()
		}
		args[i] = x
	}
	if open != nil {
		bound, common, err := b.common(open, f.Name)
		if err != nil {
			return nil, t, err
		}
		for i, at := range openAt {
			args[at] = bound[i]
		}
		t = common
	}
	return args, t, nil
}

// kindTypes maps each kind to the type that an argument for such a parameter
// has after binding. An argument of kind number may also be a Float.
var kindTypes = [...]value.Type{textKind: value.Text, urlKind: value.URL, intKind: value.Int, numberKind: value.Int, timeKind: value.Time, spanKind: value.Time}

// argument returns e, an argument of f for a parameter of kind k, as an Expr.
// The error says that e has another type.
func (b *Binder) argument(f *Function, k kind, e ast.Expr) (Expr, error) {
	want := kindTypes[k]
	if (k == timeKind || k == spanKind) && value.IsPeriod(e) {
		p, err := value.PeriodOf(e, b.Env)
		return Constant(value.OfTime(p.From)), err
	}
	x, err := b.bind(e, want)
	if err != nil {
		return nil, err
	}
	t := x.Type()
	switch {
	case t == value.Null:
		return &Const{T: want}, nil
	case k == urlKind && t == value.Text:
		return canonical(x, e)
	case t == want, k == textKind && t.Textual(), k == numberKind && t.Numeric(), k == spanKind && t == value.Duration:
		return x, nil
	}
	fault := ast.Errorf(e, "%s is %s; it is called as %s", e, t, f.Signature())
	if value.Castable(t, want) && k != urlKind {
		fault.Hint = fmt.Sprintf("CAST(%s AS %s)", e, want)
	}
	return nil, fault
}
