package glob

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles shows which files a pattern matches.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.warc", "b.raw", "m/index.html", "m/x/a.html", "m/x/y/b.html", "m/x/y/c.png", "n[1].raw", "e/f/g.warc", ".x.warc", ".h/i.raw", "k/.l/m.css", "k/.n.css"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ pattern, want string }{
		{"a.warc", "a.warc"},
		{"*.warc", "a.warc"},
		{"*", "a.warc b.raw n[1].raw"},
		{"n[1].raw", "n[1].raw"},
		{".*.warc", ".x.warc"},
		{".x.warc", ".x.warc"},
		{"?x.warc", "no file matches ?x.warc"},
		{"[.]x.warc", "no file matches [.]x.warc"},
		{"./*.warc", "a.warc"},
		{"*/i.raw", "no file matches */i.raw"},
		{".h/*", ".h/i.raw"},
		{"./.h/*", ".h/i.raw"},
		{"k/**", "k/.l/m.css k/.n.css"},
		{"k/**/*.css", "k/.l/m.css"},
		{"m/**", "m/index.html m/x/a.html m/x/y/b.html m/x/y/c.png"},
		{"./m/**", "m/index.html m/x/a.html m/x/y/b.html m/x/y/c.png"},
		{"m/**/*.html", "m/index.html m/x/a.html m/x/y/b.html"},
		{"**/*.html", "m/index.html m/x/a.html m/x/y/b.html"},
		{"m/**/y/*", "m/x/y/b.html m/x/y/c.png"},
		{"m/*/**", "m/x/a.html m/x/y/b.html m/x/y/c.png"},
		{"**/f/**/g.*", "e/f/g.warc"},
		{"m", "m is a folder: name its files, such as 'm/*', or 'm/**' for all below it"},
		{"x.warc", "no file x.warc: file does not exist"},
		{"x/*.warc", "no file matches x/*.warc: there is no folder x"},
		{"x/**", "no file matches x/**: there is no folder x"},
		{"*.x", "no file matches *.x"},
		{"[a", `pattern "[a": syntax error in pattern`},
		{"**/[a", `pattern "**/[a": syntax error in pattern`},
	} {
		files, err := Files(filepath.FromSlash(tt.pattern))
		var names []string
		for _, f := range files {
			names = append(names, filepath.ToSlash(f.Name))
			if f.Size != int64(len(filepath.ToSlash(f.Name))) {
				t.Errorf("%s has %d bytes, want %d", f.Name, f.Size, len(f.Name))
			}
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = filepath.ToSlash(err.Error())
		}
		if got != tt.want {
			t.Errorf("Files(%q) = %s, want %s", tt.pattern, got, tt.want)
		}
	}
}

func TestRoot(t *testing.T) {
	for pattern, want := range map[string]string{
		"a.warc": ".", "*.warc": ".", "**": ".", "m/**": "m", "m/a.html": "m", "/x/y/*/z/*.html": "/x/y", "m/n/[ab]*/c": "m/n", "/*": "/",
	} {
		if got := filepath.ToSlash(Root(filepath.FromSlash(pattern))); got != want {
			t.Errorf("Root(%q) = %q, want %q", pattern, got, want)
		}
	}
}
