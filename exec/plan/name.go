package plan

import (
	"strings"

	"infomall/lang/ast"
)

func equalName(a, b string) bool { return strings.EqualFold(a, b) }

// listedMax is how many names an error lists where none is near.
const listedMax = 24

// UnknownName is the error of a name that is not among names: a thing called
// so does not exist. Within, if not "", says where it was looked for.
func UnknownName(at interface{ At() ast.Span }, thing, name, within string, names []string) *ast.Error {
	err := ast.Errorf(at, "no %s %q%s", thing, name, within)
	if near := ast.Nearest(name, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	} else if len(names) > 0 && len(names) <= listedMax {
		err.Hint = "there are " + strings.Join(names, ", ")
	}
	return err
}
