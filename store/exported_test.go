package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// roots are the types of this package that other packages work with. Every other exported
// name of the package serves one of them.
var roots = []string{"Archive", "Snapshot"}

// unreachable are the exported names that no root needs, each with the reason why it is
// exported. There are none.
var unreachable = map[string]string{}

// TestExported shows that the package exports no more than its users need. Each exported
// name is a root, or the signature of a root's exported method or field names it, or it
// creates a root. Each exported function and method is named in a package outside store,
// and not only in tests.
func TestExported(t *testing.T) {
	p := readExported(t)
	named := namedOutside(t)
	for name, pos := range p.pos {
		if !p.reached[name] && unreachable[name] == "" {
			t.Errorf("%s: no signature of %s names the exported %s: unexport it, or move it to the package that uses it", pos, strings.Join(roots, ", "), name)
		}
	}
	for name, pos := range p.deeds {
		use := "store." + name
		if _, method, ok := strings.Cut(name, "."); ok {
			use = method
		}
		if !named[use] {
			t.Errorf("%s: no package outside store calls %s, except perhaps tests: unexport it, or delete it", pos, name)
		}
	}
	for _, name := range roots {
		if _, ok := p.pos[name]; !ok {
			t.Errorf("there is no type %s", name)
		}
	}
	for name := range unreachable {
		if _, ok := p.pos[name]; !ok || p.reached[name] {
			t.Errorf("%s is no exception any more: take it off the list", name)
		}
	}
	if len(p.deeds) < len(roots) {
		t.Errorf("found %d exported functions and methods: the test reads the wrong files", len(p.deeds))
	}
}

// exported is what the files of this package export.
type exported struct {
	pos     map[string]token.Position // of each exported name of the package
	deeds   map[string]token.Position // of each exported function and method: Open, Archive.Copy
	reached map[string]bool           // the names that the roots need
}

// readExported parses the files of this package, except tests.
func readExported(t *testing.T) exported {
	t.Helper()
	p := exported{map[string]token.Position{}, map[string]token.Position{}, map[string]bool{}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	needs := map[string][]string{}   // the names that the exported parts of a type mention
	creates := map[string][]string{} // the types that a function returns
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						p.pos[s.Name.Name] = set.Position(s.Pos())
						needs[s.Name.Name] = append(needs[s.Name.Name], namesIn(s.Type)...)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							p.pos[n.Name] = set.Position(n.Pos())
						}
					}
				}
			case *ast.FuncDecl:
				if !d.Name.IsExported() {
					continue
				}
				if d.Recv != nil {
					of := namesIn(d.Recv.List[0].Type)[0]
					needs[of] = append(needs[of], namesIn(d.Type)...)
					p.deeds[of+"."+d.Name.Name] = set.Position(d.Pos())
					continue
				}
				p.pos[d.Name.Name] = set.Position(d.Pos())
				p.deeds[d.Name.Name] = set.Position(d.Pos())
				needs[d.Name.Name] = namesIn(d.Type)
				if d.Type.Results != nil {
					creates[d.Name.Name] = namesIn(d.Type.Results)
				}
			}
		}
	}
	for name := range p.pos {
		if !ast.IsExported(name) {
			delete(p.pos, name)
		}
	}
	var reach func(names []string)
	reach = func(names []string) {
		for _, n := range names {
			if !p.reached[n] && ast.IsExported(n) {
				p.reached[n] = true
				reach(needs[n])
			}
		}
	}
	reach(roots)
	for name, types := range creates {
		if slices.ContainsFunc(types, func(n string) bool { return slices.Contains(roots, n) }) {
			reach([]string{name})
		}
	}
	return p
}

// namesIn returns the names of this package's types in a type or signature. It leaves out
// the names of other packages, and the fields of a struct that are not exported.
func namesIn(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.StructType:
			for _, f := range n.Fields.List {
				if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
					names = append(names, namesIn(f.Type)...)
				}
			}
			return false
		case *ast.Field:
			names = append(names, namesIn(n.Type)...)
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// namedOutside returns the names that the Go files outside the folder store use, except
// tests: "store.Open" for a name of this package, and "Copy" for a method of any type. It
// does not know types, so a method with the same name as a used one counts as used.
func namedOutside(t *testing.T) map[string]bool {
	t.Helper()
	named := map[string]bool{}
	set := token.NewFileSet()
	for _, dir := range []string{"crawl", "exec", "lang", "queries", "repl"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					named[s.Sel.Name] = true
					if x, ok := s.X.(*ast.Ident); ok {
						named[x.Name+"."+s.Sel.Name] = true
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return named
}
