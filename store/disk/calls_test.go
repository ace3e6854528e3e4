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
	eachSource(t, func(rel string, parsed *ast.File) {
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
	})
	for name := range callers {
		if !seen[name] {
			t.Errorf("store/%s is in the list of callers, but calls the operating system no more: remove it from the list", name)
		}
	}
}

// knowers are the files of store, outside the packages disk and commit, that may use the Disk of an
// archive's folder, whose files are named by their paths on disk, and the reason.
var knowers = map[string]string{
	"archive.go":   "it opens the folder on its disk",
	"bucket.go":    "it asks which kind of disk the folder has",
	"mend/move.go": "it makes the folder of a tier, and asks the disk for the tier",
}

// TestPathsOfArchives shows that only the packages disk and commit know where an archive's folder
// is on disk. The others ask Folder.Files for a file, by its name in the archive: they do not use
// Folder.Disk, and pass no Path to package filepath.
func TestPathsOfArchives(t *testing.T) {
	folder := regexp.MustCompile(`^(?i:folder|far|target|there|copied)$`)
	seen := make(map[string]bool)
	eachSource(t, func(rel string, parsed *ast.File) {
		if strings.HasPrefix(rel, "commit/") {
			return
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Name == "Disk" && folder.MatchString(lastName(n.X)) {
					if seen[rel] = true; knowers[rel] == "" {
						t.Errorf("store/%s uses %s.Disk: ask Files for a file by its name in the archive", rel, lastName(n.X))
					}
				}
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || lastName(f.X) != "filepath" {
					return true
				}
				for _, arg := range n.Args {
					if s, ok := arg.(*ast.SelectorExpr); ok && s.Sel.Name == "Path" {
						t.Errorf("store/%s passes %s.Path to filepath.%s: only the packages disk and commit know where an archive is on disk", rel, lastName(s.X), f.Sel.Name)
					}
				}
			}
			return true
		})
	})
	for name := range knowers {
		if !seen[name] {
			t.Errorf("store/%s is in the list of knowers, but does not use the Disk of a folder any more: remove it from the list", name)
		}
	}
}

// lastName returns the last name of an expression such as a.folder, or "".
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// eachSource calls do for each file of the source of package store and the packages below it,
// except package disk, tests, packages for tests and programs that make tables. rel is the path
// of the file in the folder of package store.
func eachSource(t *testing.T, do func(rel string, parsed *ast.File)) {
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
		if err == nil && parsed.Name.Name != "main" {
			do(strings.TrimPrefix(filepath.ToSlash(file), "../"), parsed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
