package repl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sessionTakers lists the files outside exec/session in which a function that reads no
// statement takes a Session, with the reason.
var sessionTakers = map[string]string{
	"exec/statements.go":  "a Language makes the rows of some relations for a session",
	"repl/serve.go":       "the server has a session for each request, and may not import package complete",
	"repl/serve/serve.go": "the type of that function",
}

// TestSessionTaken shows that outside exec/session only the function Read of a statement takes
// a Session, and that a Session has no exported field. Other functions take the parts of a
// Session that they use, such as its settings.
func TestSessionTaken(t *testing.T) {
	met := make(map[string]bool)
	byFolder := make(map[string][]*ast.File)
	set := token.NewFileSet()
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && file != ".." && (name == "testdata" || name == "archive" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(set, file, nil, 0)
		if err == nil {
			folder := filepath.ToSlash(filepath.Dir(file))
			byFolder[folder] = append(byFolder[folder], f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, files := range byFolder {
		if folder == "../exec/session" {
			for _, f := range files {
				for _, name := range exportedFields(f, "Session") {
					t.Errorf("the field %s of session.Session is exported; give Session a method", name)
				}
			}
			continue
		}
		for _, at := range sessionTaken(files) {
			p := set.Position(at)
			name := strings.TrimPrefix(filepath.ToSlash(p.Filename), "../")
			if met[name] = true; sessionTakers[name] == "" {
				t.Errorf("%s:%d: a function takes a Session; give it what it uses, or make it a method of its statement", name, p.Line)
			}
		}
	}
	for name := range sessionTakers {
		if !met[name] {
			t.Errorf("no function in %s takes a Session; delete the exception", name)
		}
	}
}

// sessionTaken returns the places of the functions and types of functions in the files of one
// package that have a parameter with the type Session of exec/session. It leaves out the
// functions that the package hands to session.Declare and session.DeclareFor.
func sessionTaken(files []*ast.File) (found []token.Pos) {
	taking := make(map[string]token.Pos) // functions of the package, by name
	read := make(map[string]bool)        // functions that read a statement, by name
	for _, f := range files {
		local := importName(f, "infomall/exec/session")
		if local == "" {
			continue
		}
		isOf := func(e ast.Expr, name string) bool {
			s, ok := e.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != name {
				return false
			}
			x, ok := s.X.(*ast.Ident)
			return ok && x.Name == local
		}
		takes := func(of *ast.FuncType) (takes bool) {
			ast.Inspect(of.Params, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncType); ok {
					return false // it is a type of its own, which is looked at by itself
				}
				e, ok := n.(ast.Expr)
				takes = takes || ok && isOf(e, "Session")
				return true
			})
			return takes
		}
		named := make(map[*ast.FuncType]bool)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && takes(d.Type) {
				named[d.Type], taking[d.Name.Name] = true, d.Pos()
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				fun := n.Fun
				switch x := fun.(type) {
				case *ast.IndexExpr:
					fun = x.X
				case *ast.IndexListExpr:
					fun = x.X
				}
				if (isOf(fun, "Declare") || isOf(fun, "DeclareFor")) && len(n.Args) > 0 {
					switch last := n.Args[len(n.Args)-1].(type) {
					case *ast.Ident:
						read[last.Name] = true
					case *ast.FuncLit:
						named[last.Type] = true
					}
				}
			case *ast.FuncType:
				if !named[n] && takes(n) {
					found = append(found, n.Pos())
				}
			}
			return true
		})
	}
	for name, at := range taking {
		if !read[name] {
			found = append(found, at)
		}
	}
	return found
}

// importName returns the name that a file has for the package with an import path, or "" if
// it does not import it.
func importName(f *ast.File, imported string) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// exportedFields returns the names of the exported fields of a struct type of a file.
func exportedFields(f *ast.File, name string) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			if len(field.Names) == 0 {
				names = append(names, "embedded") // its exported methods and fields are those of the struct
			}
			for _, n := range field.Names {
				if n.IsExported() {
					names = append(names, n.Name)
				}
			}
		}
		return false
	})
	return names
}

// TestSessionTakenFaults shows what TestSessionTaken finds.
func TestSessionTakenFaults(t *testing.T) {
	for source, want := range map[string]int{
		`import "infomall/exec/session"; func f(s *session.Session) {}`:                                                      1,
		`import "infomall/exec/session"; func (x y) f(s *session.Session) {}`:                                                1,
		`import "infomall/exec/session"; func f(all ...[]session.Session) {}`:                                                1,
		`import "infomall/exec/session"; var f = func(s *session.Session) {}`:                                                1,
		`import "infomall/exec/session"; type f func(*session.Session)`:                                                      1,
		`import other "infomall/exec/session"; func f(s *other.Session) {}`:                                                  1,
		`import "infomall/exec/session"; var _ = session.Declare("F", 0, f); func f(s *session.Session, st int) {}`:          0,
		`import "infomall/exec/session"; var _ = session.DeclareFor[a]("F", 0, f); func f(s *session.Session, a, st int) {}`: 0,
		`import "infomall/exec/session"; var _ = session.Declare("F", 0, func(s *session.Session, st int) {})`:               0,
		`import "infomall/exec/session"; var _ = session.Named("F", 0, f); func f(s *session.Session, st int) {}`:            1,
		`import "infomall/exec/session"; func f() *session.Session { return nil }`:                                           0,
		`import "infomall/exec/session"; func f(open func() *session.Session) {}`:                                            0,
		`import "infomall/exec/session"; func f(do func(*session.Session)) {}`:                                               1,
		`func f(s *session.Session) {}`: 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sessionTaken([]*ast.File{f})); got != want {
			t.Errorf("%s\nfound %d, want %d", source, got, want)
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\ntype Session struct { A, b int; C string; d }", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := exportedFields(f, "Session"); !slices.Equal(got, []string{"A", "C", "embedded"}) {
		t.Errorf("exported fields %q", got)
	}
}
