package repl

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAsked shows that DROP and DELETE ask at the prompt, after saying what
// they would delete. Any answer but yes changes nothing.
func TestAsked(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "demo"), os.DirFS("../queries/demo")); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("infomall", "-c", "IMPORT 'demo/*.raw'")
	run.Dir = home
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const left = "SELECT 'left: ' || count(*) FROM captures IN 'www.lanshan.example/calendar.htm';"
	s := onTerminal(t, home, "infomall")
	s.sees(prompt)
	for _, answer := range []string{"n" + enter, enter, ctrlC, ctrlD, "yes please" + enter} {
		s.types("DELETE FROM 'www.lanshan.example/calendar.htm' WHERE status = 404;" + enter)
		s.sees("2 captures of 1 URL,")
		s.sees("Do it? [y/N]")
		s.types(answer)
		s.sees("nothing was done")
		s.sees(prompt)
		s.types(left + enter)
		s.sees("left: 6")
		s.sees(prompt)
	}
	s.types("DELETE FROM 'www.lanshan.example/calendar.htm' WHERE status = 404;" + enter)
	s.sees("Do it? [y/N]")
	s.types("y" + enter)
	s.sees("200807")
	s.sees(prompt)
	s.types(left + enter)
	s.sees("left: 4")
	s.sees(prompt)
	s.types("DROP POOL '200808';" + enter)
	s.sees("drop pool 200808")
	s.sees("Do it? [y/N]")
	s.types("Yes" + enter)
	s.sees("200808")
	s.sees(prompt)
	s.types(left + enter)
	s.sees("left: 2")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestAskedCost shows that a query above warn_cost asks at the prompt, and runs only if
// the answer is yes.
func TestAskedCost(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "demo"), os.DirFS("../queries/demo")); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("infomall", "-c", "IMPORT 'demo/*.raw'")
	run.Dir = home
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := onTerminal(t, home, "infomall")
	s.sees(prompt)
	s.types("SET warn_cost = 1KB;" + enter)
	s.sees(prompt)
	for _, answer := range []string{"n" + enter, enter, ctrlC, ctrlD} {
		s.types("SELECT 'found: ' || count(*) FROM captures;" + enter)
		s.sees("more than warn_cost (1KB). Run it? [y/N]")
		s.types(answer)
		s.sees("nothing was done")
		s.sees(prompt)
	}
	s.types("SELECT 'found: ' || count(*) FROM captures;" + enter)
	s.sees("Run it? [y/N]")
	s.types("y" + enter)
	s.sees("found: 109")
	s.sees(prompt)
	s.types("SET warn_cost = off;" + enter)
	s.sees(prompt)
	s.types("SELECT 'again: ' || count(*) FROM captures;" + enter)
	s.sees("again: 109")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}
