package lang

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected messages")

// TestErrorMessages shows each source in testdata/errors.txt with the message
// that its writer gets. Cases are parted by lines of dashes, a source and its
// messages by an empty line.
func TestErrorMessages(t *testing.T) {
	const name, rule = "testdata/errors.txt", "\n----\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(string(text), "\n"), rule) {
		src, want, _ := strings.Cut(c, "\n\n")
		_, err := Parse(src, "e.iql")
		if err == nil {
			t.Errorf("%q is no error", src)
			continue
		}
		got := Render(err, src)
		if got != want && !*update {
			t.Errorf("%q gives\n%s\nwant\n%s", src, got, want)
		}
		checkMessages(t, src, err)
		out = append(out, src+"\n\n"+got)
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(out, rule)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// checkMessages shows that faults lie in their source, in order, each at a
// place of its own, and that none is shown in more than three lines.
func checkMessages(t testing.TB, src string, err error) {
	t.Helper()
	var faults Errors
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("%q: error is %T, want Errors", src, err)
	}
	last := -1
	for _, e := range faults {
		if e.Start.Line == 0 || e.Start.Offset < 0 || e.End.Offset > len(src) || e.Start.Offset > e.End.Offset {
			t.Errorf("%q: fault %q at %v", src, e.Msg, e.Span)
		}
		if e.Start.Offset <= last {
			t.Errorf("%q: fault %q is not behind the one before it", src, e.Msg)
		}
		last = e.Start.Offset
		if n := strings.Count(Render(e, src), "\n"); n > 2 {
			t.Errorf("%q: fault %q is shown in %d lines", src, e.Msg, n+1)
		}
		if e.Msg == "" || strings.Contains(e.Msg, "\n") {
			t.Errorf("%q: message %q", src, e.Msg)
		}
	}
}
