package lang

import (
	"os"
	"strings"
	"testing"
)

// FuzzParse shows that no source panics or hangs the parser, that faults stand
// in their source, and that what parses prints as what parses to the same.
func FuzzParse(f *testing.F) {
	for _, tt := range someStatements {
		f.Add(tt.src)
	}
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(text), "\n----\n") {
		src, _, _ := strings.Cut(c, "\n\n")
		f.Add(src)
	}
	f.Add("'\n'")
	f.Add("SELECT 0e0KB, 1.5d")
	f.Fuzz(func(t *testing.T, src string) {
		list, err := Parse(src, "")
		if err != nil {
			checkMessages(t, src, err)
		}
		for _, st := range list {
			checkRoundTrip(t, st)
		}
		if state := Complete(src); err == nil && state.Open != "" {
			t.Errorf("%q parses and leaves %s open", src, state.Open)
		}
	})
}
