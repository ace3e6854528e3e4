// Command systems reports the errors that a compiler would find in this module on
// other systems: it checks the types of all packages and compiles nothing. That takes
// an eighth of the time of go build.
//
//	go run ./.ci/systems linux/386 windows/amd64
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

func main() {
	wrong := false
	for _, system := range os.Args[1:] {
		fmt.Println(system)
		if err := check(system); err != nil {
			fmt.Fprintf(os.Stderr, "on %s:\n%v\n", system, err)
			wrong = true
		}
	}
	if wrong {
		os.Exit(1)
	}
}

// pkg is a package as go list prints it, and its types.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string          // names of the files that belong to the package on the system
	Imports    []string          // the packages that it imports, after ImportMap
	ImportMap  map[string]string // from the path in an import line to the path of the package
	DepOnly    bool              // the package is of another module
	Module     *struct{ GoVersion string }
	Error      *struct{ Err string }

	checked chan struct{} // closed once types is set
	types   *types.Package
	err     error
}

// check returns the errors of all packages of the module on a system, such as
// linux/386. Of the packages of other modules it reads the declarations, not the
// bodies of functions.
func check(system string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	sizes := types.SizesFor("gc", goarch)
	if sizes == nil {
		return fmt.Errorf("no system %q: want one like linux/386", system)
	}
	pkgs, err := list(goos, goarch)
	if err != nil {
		return err
	}
	byPath := map[string]*pkg{"unsafe": {types: types.Unsafe, checked: make(chan struct{})}}
	close(byPath["unsafe"].checked)
	for _, p := range pkgs {
		if p.ImportPath != "unsafe" {
			p.checked = make(chan struct{})
			byPath[p.ImportPath] = p
		}
	}
	var all sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range pkgs {
		if p.ImportPath == "unsafe" {
			continue
		}
		all.Go(func() {
			defer close(p.checked)
			for _, path := range p.Imports {
				if imported := byPath[path]; imported != nil {
					<-imported.checked
				}
			}
			free <- struct{}{}
			defer func() { <-free }()
			p.check(byPath, sizes)
		})
	}
	all.Wait()
	var errs []error
	for _, p := range pkgs {
		errs = append(errs, p.err)
	}
	return errors.Join(errs...)
}

// list returns the packages of the module, and all packages that these import, on a system.
func list(goos, goarch string) ([]*pkg, error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,Imports,ImportMap,DepOnly,Module,Error", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var pkgs []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := d.Decode(p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go list printed: %w", err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) == 0 {
		return nil, errors.New("go list names no packages")
	}
	return pkgs, nil
}

// check sets the types of a package whose imports are checked, and its errors.
func (p *pkg) check(byPath map[string]*pkg, sizes types.Sizes) {
	var errs []error
	if p.Error != nil {
		errs = append(errs, fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err))
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			errs = append(errs, err)
		}
		if f != nil {
			files = append(files, f)
		}
	}
	c := types.Config{
		Sizes:            sizes,
		IgnoreFuncBodies: p.DepOnly,
		FakeImportC:      true,
		Error:            func(err error) { errs = append(errs, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if imported := byPath[path]; imported != nil && imported.types != nil {
				return imported.types, nil
			}
			return nil, fmt.Errorf("package %s cannot be read", path)
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		c.GoVersion = "go" + p.Module.GoVersion
	}
	// The function Error above gets each error. Check returns the first of them again.
	p.types, _ = c.Check(p.ImportPath, fset, files, nil)
	p.err = errors.Join(errs...)
}

// importer finds an imported package by the path in the import line.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
