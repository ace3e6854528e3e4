package repl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// counted finds a number in a format and the noun in the plural after it, such as
// "%d captures" or "%d of its pages". Group 1 is all before the number's verb, group
// 2 the noun.
var countedNoun = regexp.MustCompile(`%(?:\[\d+\])?[dv] (?:(?:other|further|damaged|such) )*(?:[a-z]+ )?([a-z]+s)\b`)

// noNouns are words that end in s after a number and are no nouns in the plural, or
// that are never said of one: a month has more days, a field of a time has more
// digits, and where a size in bytes is said, it is a limit, or about a file.
var noNouns = map[string]bool{
	"is": true, "was": true, "has": true, "does": true, "its": true, "this": true, "runs": true, "says": true, "names": true, "allows": true, "as": true, "less": true,
	"shares": true, "differs": true, "comes": true, "goes": true, "gives": true, "needs": true, "stands": true, "of": true, "robots": true, "bytes": true, "days": true, "digits": true,
}

// TestPlural goes over the formats of all messages. A number before a noun in the
// plural must be a constant, which is more than 1. Other numbers are written by
// Counted, which knows the singular.
func TestPlural(t *testing.T) {
	files := token.NewFileSet()
	constants := map[string]bool{}
	var all []*ast.File
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		all = append(all, f)
		ast.Inspect(f, func(n ast.Node) bool {
			if g, ok := n.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					for _, name := range s.(*ast.ValueSpec).Names {
						constants[name.Name] = true
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	formats := 0
	for _, f := range all {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for i, arg := range call.Args {
				lit, ok := arg.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				format, err := strconv.Unquote(lit.Value)
				if err != nil || !strings.Contains(format, "%") {
					continue
				}
				formats++
				for _, at := range countedNoun.FindAllStringSubmatchIndex(format, -1) {
					if noNouns[format[at[2]:at[3]]] {
						continue
					}
					which := i + 1 + verbsIn(format[:at[0]])
					if which < len(call.Args) && constant(call.Args[which], constants) {
						continue
					}
					t.Errorf("%s: %q is wrong for 1: write the number by Counted", files.Position(lit.Pos()), format[at[0]:at[1]])
				}
			}
			return true
		})
	}
	if formats < 500 {
		t.Errorf("only %d formats were found", formats)
	}
}

// verbsIn returns how many verbs the start of a format has.
func verbsIn(format string) int { return strings.Count(strings.ReplaceAll(format, "%%", ""), "%") }

// constant reports whether the expression x has constants and literals only.
func constant(x ast.Expr, constants map[string]bool) bool {
	switch x := x.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return constants[x.Name]
	case *ast.SelectorExpr:
		return constants[x.Sel.Name]
	case *ast.BinaryExpr:
		return constant(x.X, constants) && constant(x.Y, constants)
	case *ast.ParenExpr:
		return constant(x.X, constants)
	case *ast.CallExpr: // a conversion
		return len(x.Args) == 1 && constant(x.Args[0], constants)
	}
	return false
}
