package repl

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// TestInputs shows that the scripts to run keep their order, however the
// command line spells them.
func TestInputs(t *testing.T) {
	c := func(text string) input { return input{command: true, text: text} }
	f := func(name string) input { return input{text: name} }
	for _, tc := range []struct {
		args string
		want []input
	}{
		{"", nil},
		{"a.iql", []input{f("a.iql")}},
		{"-c one a.iql -c two -f b.iql - c.iql", []input{c("one"), f("a.iql"), c("two"), f("b.iql"), f("-"), f("c.iql")}},
		{"--command=one --file a.iql --command two", []input{c("one"), f("a.iql"), c("two")}},
		{"-a dir -qvc one", []input{c("one")}},
		{"-At -c one -qtAX -cone", []input{c("one"), c("one")}},
		{"-cone -fa.iql", []input{c("one"), f("a.iql")}},
		{"-c --x -c -q -c -- a.iql", []input{c("--x"), c("-q"), c("--"), f("a.iql")}},
		{"-q -- -c one", []input{f("-c"), f("one")}},
		{"--param a=b a.iql --no-header b.iql", []input{f("a.iql"), f("b.iql")}},
	} {
		o, err := parseOptions(strings.Fields(tc.args), io.Discard)
		if err != nil {
			t.Errorf("%q: %v", tc.args, err)
			continue
		}
		if !slices.Equal(o.inputs, tc.want) {
			t.Errorf("%q: got %v, want %v", tc.args, o.inputs, tc.want)
		}
	}
}

// TestOptionValues shows values that are hard to parse.
func TestOptionValues(t *testing.T) {
	o, err := parseOptions([]string{"-c", "", "--param", "a=b=c;d", "--param=e=", "-adir", "--no-rc", "--color", "never"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.inputs) != 1 || o.inputs[0].text != "" {
		t.Errorf("an empty -c gave %v", o.inputs)
	}
	if o.Param["a"] != "b=c;d" || o.Param["e"] != "" || len(o.Param) != 2 {
		t.Errorf("parameters %q", o.Param)
	}
	if o.Archive != "dir" || o.RC || !o.Header || o.Color != "never" {
		t.Errorf("archive %q, rc %v, header %v, color %q", o.Archive, o.RC, o.Header, o.Color)
	}
}

// TestOptionErrors shows the error messages for wrong command lines.
func TestOptionErrors(t *testing.T) {
	for args, want := range map[string]string{
		"--nope":            "unknown flag --nope",
		"-Z":                "unknown flag -Z",
		"-c":                "-c",
		"--param a":         "--param",
		"--color sometimes": "--color must be one of",
	} {
		_, err := parseOptions(strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one that says %q", args, err, want)
		}
	}
}

// TestUserFile shows the paths of the program's own files.
func TestUserFile(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/home/a"}, "/home/a/.local/state/infomall/history"},
		{map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "/var/a"}, "/var/a/infomall/history"},
		{map[string]string{"HOME": "/home/a", "XDG_STATE_HOME": "relative"}, "/home/a/.local/state/infomall/history"},
		{map[string]string{"XDG_STATE_HOME": "/var/a"}, "/var/a/infomall/history"},
		{nil, ""},
	} {
		if got := historyPath(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("with %v: got %q, want %q", c.env, got, c.want)
		}
	}
}
