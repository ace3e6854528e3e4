package plan

import (
	"strings"

	"infomall/lang/ast"
)

// equalName reports whether two names are equal. Case is ignored.
func equalName(a, b string) bool { return strings.EqualFold(a, b) }

// listedMax is how many names an error lists at most if none is similar to the
// unknown one.
const listedMax = 24

// UnknownName returns the error for a name that is not in names, such as: no
// column "colour" in relation versions. Its hint suggests the nearest of names,
// or lists them if they are few. within is "" or says where the name was looked
// up, starting with a space.
func UnknownName(at interface{ At() ast.Span }, thing, name, within string, names []string) *ast.Error {
	err := ast.Errorf(at, "no %s %q%s", thing, name, within)
	if near := ast.Nearest(name, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	} else if len(names) > 0 && len(names) <= listedMax {
		err.Hint = "there are " + strings.Join(names, ", ")
	}
	return err
}
