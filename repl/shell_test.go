package repl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"infomall/exec/rowio"
	"infomall/repl/history"
)

// patience is how long a test waits for something that must happen. It does not
// measure speed.
const patience = time.Minute

// terminalSession is a running program, with the test at the other end of its
// terminal.
type terminalSession struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File
	done chan struct{} // closed at the end of output

	mu    sync.Mutex
	seen  []byte // all output
	taken int    // bytes of the output that sees has consumed
}

// onTerminal starts a program of TestMain on a terminal of 100 columns. home is
// its home folder.
func onTerminal(t *testing.T, home, name string, args ...string) *terminalSession {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "INFOMALL_ARCHIVE=", "TERM=xterm", "NO_COLOR=1")
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	s := &terminalSession{t: t, cmd: cmd, keys: keys, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		buf := make([]byte, 1<<16)
		for {
			n, err := keys.Read(buf)
			s.mu.Lock()
			s.seen = append(s.seen, buf[:n]...)
			s.mu.Unlock()
			if err != nil {
				return // EIO, once the program has ended
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill() // harmless if it has ended
		<-s.done
		keys.Close()
	})
	return s
}

// types sends keys to the program.
func (s *terminalSession) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// sees waits until text is in the output and consumes the output up to its end.
// It returns the output before text.
func (s *terminalSession) sees(text string) (before string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		from := s.taken
		at := bytes.Index(s.seen[from:], []byte(text))
		if at >= 0 {
			before, s.taken = string(s.seen[from:from+at]), from+at+len(text)
		}
		s.mu.Unlock()
		if at >= 0 {
			return before
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.seen[max(s.taken, len(s.seen)-2000):]
	s.t.Fatalf("the terminal never showed %q; last it showed %q", text, shown)
	return ""
}

// until waits until ok returns true, for effects outside of the output.
func (s *terminalSession) until(what string, ok func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	s.t.Fatalf("waited in vain until %s", what)
}

// ends waits for the program to end, and compares its exit status with want.
func (s *terminalSession) ends(want int) {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Fatal("the program does not end")
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if got := s.cmd.ProcessState.ExitCode(); got != want {
		s.t.Errorf("ended with status %d, want %d", got, want)
	}
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	enter = "\r"
	keyUp = "\x1b[A"
)

// TestShell shows how statements are entered.
func TestShell(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "infomall")
	s.sees("Ctrl-D leaves.")
	s.sees(prompt)
	s.types("SELECT 'a;b' AS x," + enter)
	s.sees("      ..> ")
	s.types("'it''s" + enter)
	s.sees("      '.> ")
	s.types("' AS y;" + enter)
	s.sees("(1 row)")
	s.sees(prompt)

	// An empty line runs a statement only if it is complete.
	s.types("SELECT (1" + enter)
	s.sees("      (.> ")
	s.types(enter + "+ 41)" + enter)
	s.sees(promptWhole)
	s.types(enter)
	s.sees("42 │")
	s.sees(prompt)

	// An error is no end.
	s.types("SELCT 1;" + enter)
	s.sees("did you mean SELECT?")
	s.sees(prompt)

	// Ctrl-C drops the lines of an unfinished statement.
	s.types("SELECT 'begun" + enter)
	s.sees("      '.> ")
	s.types("half" + ctrlC)
	s.sees("^C")
	s.sees(prompt)
	s.types("SELECT 43;" + enter)
	s.sees("│ 43")
	s.sees(prompt)

	// Several statements in a line; settings last.
	s.types("SET mode = json; SELECT 44 AS x;" + enter)
	s.sees(`{"x":44}`)
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestDotCommands shows the commands for the shell's own state.
func TestDotCommands(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "two.iql"), []byte("SELECT 21 AS x; SELECT nope; SELECT 22 AS x;"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := onTerminal(t, home, "infomall", "--quiet")
	for _, c := range []struct{ line, want string }{
		{".mode", "auto"},
		{`\copy (SELECT 1 AS n) TO 'n.csv' WITH CSV HEADER`, "n.csv │    1"},
		{`\copy (SELECT 1 AS n) TO 'm.csv' (format csv, header)`, "m.csv │    1"},
		{`\timing`, prompt},
		{"SHOW timer", "│ on"},
		{".mode jsonl", prompt},
		{"SELECT NULL AS x;", `{"x":null}`},
		{".mode jsnl", "did you mean jsonl?"},
		{".mode auto", prompt},
		{".nullvalue none", prompt},
		{"SELECT NULL AS x;", "│ none"},
		{".timer on", prompt},
		{"SELECT 1;", "s, rows: 1"},
		{".timer maybe", `.timer needs on or off, not "maybe"`},
		{"SHOW timer", "│ on"},
		{".timer off", prompt},
		{".read two.iql", `two.iql:1:24: no column "nope"`},
		{".read", ".read needs FILE"},
		{`\dv`, "no archive at archive"},
		{".once 'once.csv'", prompt},
		{"SELECT 5 AS x;", prompt},
		{"SELECT 6 AS x;", "│ 6"},
		{".once |tr a-z A-Z", prompt},
		{"SELECT 'loud' AS x;", "LOUD"},
		{".once |exit 3", prompt},
		{"SELECT 1 AS x;", "exit status 3"},
		{".output all.csv", prompt},
		{".headers off", prompt},
		{"SELECT 7 AS x;", prompt},
		{"SELECT 8 AS x;", prompt},
		{".output", prompt},
		{"SELECT 9 AS x;", "│ 9"},
		{".last jsonl", `{"x":9}`},
		{"SET timer = off;", prompt},
		{".once last.html", prompt},
		{".last html", prompt},
		{".last jsnl", "did you mean jsonl?"},
		{".width 20", prompt},
		{".width", "20"},
		{"SELECT 'a long text to be shortened' AS x;", "│ a long text to … │"},
		{".last vertical", "x: a long text to be shortened"},
		{".width auto", prompt},
		{".headers on", prompt},
		{"SELECT 1 AS a0123456789, 2 AS b0123456789, 3 AS c0123456789, 4 AS d0123456789, 5 AS e0123456789, 6 AS f0123456789, 7 AS g0123456789xyz;", "g0123456789xyz: 7"},
		{".last table", "hidden: g0123456789xyz"},
		{".pager", "(less -SRFX)"},
		{".pager maybe", `setting pager: there is no "maybe"; write auto, on, off`},
		{".outptu", "did you mean .output?"},
		{".bogus", ".help lists them"},
		{".help", ".nullvalue TEXT"},
		{".history 2", ".history 2"},
	} {
		s.sees(prompt)
		s.types(c.line + enter)
		s.sees(c.line)
		if c.want != prompt {
			s.sees(c.want)
		}
	}
	s.sees(prompt)
	s.types(".quit" + enter)
	s.ends(statusDone)
	if last, err := os.ReadFile(filepath.Join(home, "last.html")); err != nil || !bytes.Contains(last, []byte("SELECT 9 AS x")) {
		t.Errorf("last.html has no statement: %v: %s", err, last)
	}
	for file, want := range map[string]string{"once.csv": "x\n5\n", "all.csv": "7\n\n8\n"} {
		got, err := os.ReadFile(filepath.Join(home, file))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s has %q, want %q", file, got, want)
		}
	}
}

// TestHabits shows that what users of other shells type without a semicolon is
// run, and that none of it becomes part of a statement.
func TestHabits(t *testing.T) {
	home := t.TempDir()
	s := onTerminal(t, home, "infomall", "--quiet")
	for _, c := range []struct{ line, want string }{
		{".pager off", prompt},
		{`\set token opensesame`, prompt},
		{"SELECT upper($token) AS t;", "OPENSESAME"},
		{"help", "CREATE VIEW"},
		{"?", "CREATE VIEW"},
		{`\?`, "CREATE VIEW"},
		{"help limit", "LIMIT"},
		{`\d`, "one state of a page"},
		{`\dt`, "one state of a page"},
		{".tables", "one state of a page"},
		{"SHOW TABLES", "one state of a page"},
		{`\d pools`, "first_url"},
		{".schema pools", "first_url"},
		{"desc pools", "first_url"},
		{"DESCRIBE pools", "first_url"},
		{"describe nothing", `no relation`},
		{"DESCRIBE", "one state of a page"},
		{"desc;", "one state of a page"},
		{".mode", "auto"},
	} {
		s.sees(prompt)
		s.types(c.line + enter)
		s.sees(c.line)
		if c.want != prompt {
			s.sees(c.want)
		}
	}
	// Within a statement, a command is not added to the statement.
	s.sees(prompt)
	s.types("SELECT 42 AS x" + enter)
	for _, command := range []string{"exit", "help", `\q`, ".tables", ".mode csv"} {
		s.sees(promptWhole)
		s.types(command + enter)
		s.sees(command + " is no part of the statement")
	}
	s.sees(promptWhole)
	s.types(";" + enter)
	s.sees("│ 42")
	// psql and MySQL end a statement by a command, too.
	for _, c := range []struct{ line, want string }{
		{`SELECT 43 AS y \g`, "│ 43"},
		{`SELECT 44 AS y\gx`, "y: 44"},
		{`SELECT 45 AS y, '\g' AS z \G`, "z: \\g"},
		{`SELECT 46 AS y \g (format=csv)`, "y\r\n46"},
		{`SELECT 47 AS y;`, "│ 47"},
	} {
		s.sees(prompt)
		s.types(c.line + enter)
		s.sees(c.want)
	}
	kept, err := os.ReadFile(filepath.Join(home, ".local/state/infomall/history"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(kept, []byte("opensesame")) {
		t.Errorf(`the history has the value of \set: %s`, kept)
	}
	for _, leave := range []string{".exit", "exit", "quit;", `\q`} {
		s.sees(prompt)
		s.types(leave + enter)
		s.ends(statusDone)
		s = onTerminal(t, t.TempDir(), "infomall", "--quiet")
	}
}

// TestInterruptQuery shows that Ctrl-C ends a query and not the shell, every
// time: while it is silent and while it fills the screen.
func TestInterruptQuery(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "endless")
	s.sees(prompt)
	s.types(".pager off" + enter)
	s.sees(prompt)
	for _, query := range []string{
		"SELECT count(*) FROM captures;",
		"SELECT url, time FROM captures;",
		"SELECT DISTINCT url, status FROM captures;",
		"SELECT url FROM captures;",
	} {
		for range 3 {
			s.types(query + enter)
			if strings.HasPrefix(query, "SELECT url") {
				s.sees("www.lanshan.example")
			} else {
				s.sees("select  ") // it runs
			}
			s.types(ctrlC)
			s.sees("interrupted")
			s.sees(prompt)
		}
	}
	// The only URL comes once, not once for each capture.
	s.types("SELECT DISTINCT url FROM captures;" + enter)
	s.sees("(1 row)")
	s.sees(prompt)
	s.types("SELECT 42;" + enter)
	s.sees("│ 42")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestShellHistory shows that another shell recalls a statement whole, and
// that nobody else can read it.
func TestShellHistory(t *testing.T) {
	home := t.TempDir()
	s := onTerminal(t, home, "infomall")
	s.sees(prompt)
	s.types("SELECT 'first'," + enter)
	s.sees("      ..> ")
	s.types("'标题';" + enter)
	s.sees("(1 row)")
	s.sees(prompt)
	s.types(" SELECT 'kept out';" + enter)
	s.sees("(1 row)")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)

	s = onTerminal(t, home, "infomall")
	s.sees(prompt)
	s.types(keyUp)
	s.sees("SELECT 'first',⏎'标题';")
	s.types(enter)
	s.sees("(1 row)")
	s.sees(prompt)
	// The entry was not added again: Up finds it, and no entry comes before it.
	s.types(keyUp + keyUp + enter)
	s.sees("(1 row)")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)

	path := filepath.Join(home, ".local/state/infomall/history")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("history has mode %o, want 600", got)
	}
	h, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Entries) != 1 || h.Entries[0].Text != "SELECT 'first',\n'标题';" {
		t.Errorf("history has %+v, want the one statement", h.Entries)
	}
	if e := h.Entries[0]; e.Status != "done" || e.Rows != 1 {
		t.Errorf("history has %+v, want it done with its row", e)
	}

	// Two shells at once share it.
	a, b := onTerminal(t, home, "infomall"), onTerminal(t, home, "infomall")
	a.sees(prompt)
	b.sees(prompt)
	a.types("SELECT 'of the other';" + enter)
	a.sees("(1 row)")
	a.sees(prompt)
	b.types(enter)
	b.sees(prompt)
	b.types(keyUp)
	b.sees("SELECT 'of the other';")
	b.types(ctrlC)
	b.sees(prompt)
	b.types("SHOW HISTORY;" + enter)
	b.sees("SELECT 'of the other';")
}

// TestShellWithoutHistory shows that the shell says once that it cannot use its history file, and works.
func TestShellWithoutHistory(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".local"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := onTerminal(t, home, "infomall")
	if before := s.sees(prompt); strings.Count(before, "the history") != 1 {
		t.Errorf("the shell begins with %q", before)
	}
	s.types("SELECT 1 AS x;" + enter)
	if before := s.sees("(1 row)"); strings.Contains(before, "the history") {
		t.Errorf("the first statement shows %q", before)
	}
}

// TestStartScript shows that the shell runs the user's start script.
func TestStartScript(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".config/infomall/rc")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("-- mine\n.mode\tjsonl\nSET $n =\n  5;\nSET timer\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := onTerminal(t, home, "infomall")
	s.sees("the last statement has no ;")
	s.sees(prompt)
	s.types("SELECT $n AS n;" + enter)
	s.sees(`{"n":"5"}`)
	s.types("quit" + enter)
	s.ends(statusDone)

	s = onTerminal(t, home, "infomall", "--no-rc")
	s.sees(prompt)
	s.types("SELECT 1 AS n;" + enter)
	s.sees("(1 row)")
	s.types("exit;" + enter)
	s.ends(statusDone)
}

// TestTerminate shows that a wish to end the program is heeded at the prompt
// and within a statement.
func TestTerminate(t *testing.T) {
	for _, statement := range []string{"", "SELECT count(*) FROM captures;" + enter} {
		s := onTerminal(t, t.TempDir(), "endless")
		s.sees(prompt)
		s.types(statement)
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.ends(statusInterrupted)
	}
}

// TestBatchOnTerminal shows that a script on a terminal prints tables, that
// Ctrl-C ends it.
func TestBatchOnTerminal(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "endless", "-c", "SELECT 42; SELECT count(*) FROM captures; SELECT 'unreached'")
	s.sees("│ 42")
	s.sees("select  ") // the next one runs
	s.types(ctrlC)
	before := s.sees("interrupted")
	s.ends(statusInterrupted)
	if strings.Contains(before+string(s.seen[s.taken:]), "unreached") {
		t.Error("the statement after the one interrupted has run")
	}
}

// TestEcho shows that a script on a terminal shows each comment and statement
// before the rows, unless it has one statement only or --quiet is given.
func TestEcho(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"two.iql": "#!/usr/bin/env infomall\n-- First; why?\nSELECT 1\n  AS x; /* Then. */ SELECT 'a;b' AS y;\n",
		"one.iql": "-- Alone.\nSELECT 1 AS x;",
	} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"two.iql"}, "-- First; why?\r\nSELECT 1\r\n  AS x;\r\n┌───┐\r\n│ x │\r\n├───┤\r\n│ 1 │\r\n└───┘\r\n(1 row)\r\n\r\n/* Then. */\r\nSELECT 'a;b' AS y;\r\n┌─────┐"},
		{[]string{"--quiet", "two.iql"}, "┌───┐"},
		{[]string{"one.iql"}, "┌───┐"},
		{[]string{"-c", "-- Not of a file.\nSELECT 1 AS x; SELECT 2;"}, "┌───┐"},
	} {
		s := onTerminal(t, home, "infomall", c.args...)
		if before := s.sees(c.want); before != "" {
			t.Errorf("%q shows %q first", c.args, before)
		}
		s.ends(statusDone)
	}
	s := onTerminal(t, home, "infomall")
	s.sees(prompt)
	s.types(".read two.iql" + enter)
	s.sees("/* Then. */")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestCtrlDWhileBusy shows that a Ctrl-D typed while a statement runs leaves
// the shell after it.
func TestCtrlDWhileBusy(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "endless")
	s.sees(prompt)
	s.types(".pager off" + enter)
	s.sees(prompt)
	s.types("SELECT url FROM captures LIMIT 100000;" + enter)
	s.sees("www.lanshan.example") // it runs
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestKeysOfCommands shows that keys typed while a command runs go to the
// command, also after Ctrl-Z.
func TestKeysOfCommands(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "infomall", "--quiet")
	s.sees(prompt)
	for _, keys := range []string{"", "\x1a"} {
		s.types(keys + ".once |cat >/dev/null; echo it waits; read line </dev/tty; echo \"it got: $line\"" + enter)
		s.sees("$line")
		s.types("SELECT 1;" + enter)
		s.sees("it waits\r\n")
		s.types("some text" + enter)
		s.sees("it got: some text")
		s.sees(prompt)
	}
}

// TestTab shows that Tab completes a word, and lists the candidates if there
// are several.
func TestTab(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "infomall")
	s.sees(prompt)
	s.types("sel\t")
	s.sees("select")
	s.types(" ur\t")
	s.sees("url")
	s.types(" from c\t")
	s.sees("changes")
	s.sees(prompt)
	s.types(ctrlC)
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestHarmless shows that no format lets archived text command the terminal.
func TestHarmless(t *testing.T) {
	home := t.TempDir()
	script := "SELECT 'a\x1b]0;evil\x07\u202e\r标题' AS x;\n"
	if err := os.WriteFile(filepath.Join(home, "evil.iql"), []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, format := range rowio.Formats() {
		if format == "chart" {
			continue // draws no texts alone
		}
		s := onTerminal(t, home, "infomall", "--format", format, "evil.iql")
		s.sees("标题")
		s.ends(statusDone)
		<-s.done
		if out := string(s.seen); strings.ContainsAny(out, "\x1b\x07\u202e") || strings.Contains(out, "\r标") {
			t.Errorf("%s writes %q to a terminal", format, out)
		}
	}
}

// TestHelpColored shows that HELP has the colours of statements if colours are
// on.
func TestHelpColored(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "infomall", "--color", "always", "-c", "HELP SHOW PAGE")
	s.sees("\x1b[1;34mSHOW\x1b[0m")
	s = onTerminal(t, t.TempDir(), "infomall", "-c", "HELP SHOW PAGE") // NO_COLOR is set
	if before := s.sees("SHOW"); strings.Contains(before, "\x1b") {
		t.Errorf("NO_COLOR gives %q", before)
	}
}

// TestShellNoArchive starts the shell on a folder that does not exist. The
// shell says so, and the first statement that stores something creates the
// archive.
func TestShellNoArchive(t *testing.T) {
	home := t.TempDir()
	s := onTerminal(t, home, "infomall")
	s.sees("No archive at archive yet: IMPORT or CRAWL makes one.")
	s.types("SELECT url FROM captures;\r")
	s.sees("no archive at archive; IMPORT or CRAWL makes one there")
	if _, err := os.Stat(filepath.Join(home, "archive")); err == nil {
		t.Error("a question made the archive")
	}
	s.types("CREATE VIEW v AS SELECT 7 AS seven;\r")
	s.sees(prompt)
	s.types("SELECT seven + 70 AS n FROM v;\r")
	s.sees("77")
	s.types("\x04")
	s.ends(statusDone)
}
