package value

import (
	"infomall/lang/ast"
	"infomall/store/record"
)

// KnownAt returns the time up to which a query sees what was added to the archive. t is the
// expression after KNOWN AT: the result is the last moment of its period, or env.Known if that is
// earlier or t is nil. 0 means that there is no KNOWN AT. Each error is an *ast.Error.
func KnownAt(t ast.Expr, env *Env) (record.Time, error) {
	if t == nil {
		return env.Known, nil
	}
	p, err := PeriodOf(t, env)
	if err != nil {
		return 0, err
	}
	known := p.To - 1
	if known == 0 {
		known = -1 // no archive is that old
	}
	if env.Known != 0 {
		known = min(known, env.Known)
	}
	return known, nil
}
