package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPager shows that a result taller than the window goes through less, that
// leaving less ends the query, and that a smaller result does not go through
// it.
func TestPager(t *testing.T) {
	p := inTmux(t, t.TempDir())
	p.types("clear; endless --quiet<Enter>")
	p.sees("infomall>")
	p.types("SELECT url, time FROM captures;<Enter>")
	p.sees("\n:") // the prompt of less
	p.types("q")
	p.shows("infomall>", 10)
	p.types("clear<C-u>SELECT url FROM captures LIMIT 3;<Enter>")
	p.sees("(3 rows)")

	// Ctrl-C within less is no wish to end the program.
	p.types("SELECT url, time AS stands FROM captures;<Enter>")
	p.sees("stands")
	p.sees("\n:")
	p.types("<C-c><C-c><C-c>")
	// When less is interrupted, it drops keys that were typed before.
	p.until("the prompt", func(screen string) bool {
		if strings.Contains(screen, "\ninfomall>") {
			return true
		}
		p.types("q")
		time.Sleep(100 * time.Millisecond)
		return false
	})
	p.types("<C-u>SELECT 'still here' AS x;<Enter>")
	p.sees("│ still here │")

	p.types("<C-l>.pager off<Enter>")
	p.sees("infomall> .pager off\ninfomall>")
	p.types("SELECT url, status FROM captures LIMIT 100;<Enter>")
	p.sees("(100 rows)\ninfomall>")
	p.types("<C-d>")
}

// TestOtherPager shows that $PAGER names the program, and that one which is not
// there is done without.
func TestOtherPager(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "mine"), []byte("#!/bin/sh\necho \"$1:\" $(wc -l) lines\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PAGER", filepath.Join(home, "mine")+" -x")
	s := onTerminal(t, home, "endless")
	s.sees(prompt)
	s.types("SELECT url FROM captures LIMIT 100;" + enter)
	s.sees("-x: 105 lines")
	s.sees(prompt)
	s.types("SELECT url FROM captures LIMIT 10;" + enter)
	s.sees("(10 rows)")
	s.sees(prompt)
	s.types(".pager on" + enter)
	s.sees(prompt)
	s.types("SELECT url FROM captures LIMIT 10;" + enter)
	s.sees("-x: 15 lines")

	t.Setenv("PAGER", filepath.Join(home, "nowhere"))
	s = onTerminal(t, home, "endless")
	s.sees(prompt)
	s.types("SELECT url FROM captures LIMIT 100;" + enter)
	s.sees("(100 rows)")
	s.sees(prompt)
}
