package disk_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// callers are the files of store, outside package disk, that may call the operating
// system for a file, and the reason. A name that ends in a slash is a folder.
var callers = map[string]string{
	"commit/current.go":               "a pin locks the catalogue",
	"commit/sweep.go":                 "it tries the locks of writers and pins",
	"segment/indexfile/index.go":      "bbolt maps an index file, which must be a local file",
	"formats/":                        "imports read files of users",
	"record/message/spool.go":         "a spool is a temporary file",
	"document/child/process_linux.go": "it reads the state of a process",
}

// TestFilesOfArchives shows that package store and the packages below it read and
// change files of archives only through an FS: no other file of their source than
// those of callers calls the operating system for a file. Tests, packages for tests
// and programs that make tables are left out.
func TestFilesOfArchives(t *testing.T) {
	calls := regexp.MustCompile(`^os\.(Open|OpenFile|OpenRoot|ReadFile|ReadDir|Stat|Lstat|DirFS|Create|CreateTemp|WriteFile|Remove|RemoveAll|Rename|Mkdir|MkdirAll|MkdirTemp|Link|Symlink|Truncate)$|^filepath\.(Glob|Walk|WalkDir|EvalSymlinks)$`)
	seen := make(map[string]bool)
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == filepath.Join("..", "disk") || d.Name() == "testdata" || file != ".." && strings.HasSuffix(d.Name(), "test")):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if parsed.Name.Name == "main" {
			return nil
		}
		rel := strings.TrimPrefix(filepath.ToSlash(file), "../")
		top, _, _ := strings.Cut(rel, "/")
		ast.Inspect(parsed, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok || !calls.MatchString(x.Name+"."+s.Sel.Name) {
				return true
			}
			for _, name := range []string{rel, top + "/"} {
				if callers[name] != "" {
					seen[name] = true
					return true
				}
			}
			t.Errorf("store/%s calls %s.%s: files of an archive are read and changed through the disk.FS of its folder, because it may lie in a bucket", rel, x.Name, s.Sel.Name)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range callers {
		if !seen[name] {
			t.Errorf("store/%s is in the list of callers, but calls the operating system no more: remove it from the list", name)
		}
	}
}
