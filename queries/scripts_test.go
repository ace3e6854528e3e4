package queries_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"infomall/lang"
	"infomall/queries"
)

// TestScripts parses each script and reads its header comment, which must open
// with the script's name and a line on what it answers, and must tell of every
// parameter.
func TestScripts(t *testing.T) {
	names, err := fs.Glob(queries.FS, "*.iql")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 5 {
		t.Errorf("%d scripts are embedded, want 5 or more", len(names))
	}
	param := regexp.MustCompile(`\$(\w+)`)
	for _, name := range names {
		text, err := fs.ReadFile(queries.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		statements, err := lang.Parse(string(text), name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		header, _, _ := strings.Cut(string(text), "\n\n")
		if !strings.HasPrefix(header, "-- "+name+": ") {
			t.Errorf("%s opens with %.40q, want its name and what it answers", name, header)
		}
		for _, s := range statements {
			for _, p := range param.FindAllStringSubmatch(s.String(), -1) {
				if !strings.Contains(header, "\n--   "+p[1]+" ") {
					t.Errorf("%s: the header does not tell of parameter %s", name, p[1])
				}
				if !strings.Contains(header, "--param "+p[1]+"=") {
					t.Errorf("%s: the header's command does not give parameter %s", name, p[1])
				}
			}
		}
	}
}
