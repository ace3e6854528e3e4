package repl

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"infomall/repl/term"
)

// pane is a terminal of tmux in which a shell runs. Unlike a bare
// pseudo-terminal it has cells, a cursor, a window that changes its size, and a
// job control above the program.
type pane struct {
	t      *testing.T
	socket string
}

// inTmux starts tmux with bash in home, on a screen of 80 by 24 cells.
func inTmux(t *testing.T, home string) *pane {
	t.Helper()
	for _, name := range []string{"tmux", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not there: %v", name, err)
		}
	}
	p := &pane{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	cmd := exec.Command("tmux", "-u", "-S", p.socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "bash --norc --noprofile")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "INFOMALL_ARCHIVE=", "NO_COLOR=1",
		"LC_ALL=C.UTF-8", "TERM=xterm", "TMUX=", "HISTFILE=", "PAGER=", "LESS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("tmux does not start: %v: %s", err, out)
	}
	t.Cleanup(p.end)
	p.types("PS1='% '<Enter>")
	p.sees("\n%")
	return p
}

// end ends tmux and waits for the program in it, which may still write its
// history.
func (p *pane) end() {
	tty := p.tmux("display-message", "-p", "#{pane_tty}")
	// Without ps nothing is waited for.
	out, _ := exec.Command("ps", "-o", "pid=", "-t", tty).Output()
	p.tmux("kill-server")
	deadline := time.Now().Add(patience)
	for _, field := range strings.Fields(string(out)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			p.t.Errorf("ps says %q", out)
			return
		}
		process, err := os.FindProcess(pid)
		for err == nil && process.Signal(syscall.Signal(0)) == nil && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
	}
}

// tmux runs a command of tmux and returns its output.
func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %s: %v: %s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// types sends text to the pane. A name in brackets, such as <C-c> or <Enter>,
// means a key.
func (p *pane) types(text string) {
	p.t.Helper()
	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		if before != "" {
			p.tmux("send-keys", "-l", "--", strings.TrimSuffix(before, ";"))
			if strings.HasSuffix(before, ";") {
				p.tmux("send-keys", "-l", "--", `\;`) // tmux takes a ; at the end for its own
			}
		}
		if !found {
			return
		}
		key, after, _ := strings.Cut(rest, ">")
		p.tmux("send-keys", key)
		text = after
	}
}

// screen returns the text that the pane shows.
func (p *pane) screen() string { return p.tmux("capture-pane", "-p") }

// sees waits until text is on the screen.
func (p *pane) sees(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// shows waits until the last rows of the screen equal rows and the cursor is in
// column.
func (p *pane) shows(rows string, column int) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q at the end, the cursor in column %d", rows, column), func(screen string) bool {
		return strings.HasSuffix(strings.TrimRight(screen, "\n "), rows) && p.tmux("display-message", "-p", "#{cursor_x}") == strconv.Itoa(column)
	})
}

// until waits until ok returns true for the text on the screen.
func (p *pane) until(want string, ok func(screen string) bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok(p.screen()) {
			return
		}
	}
	p.t.Fatalf("the screen never showed %s; last it was\n%s\nthe cursor at %s", want, p.screen(), p.tmux("display-message", "-p", "#{cursor_x},#{cursor_y}"))
}

// resize changes the width of the window, and waits until the program can know
// it: tmux wraps the rows again at once, and tells the program up to 250 ms
// later.
func (p *pane) resize(columns int) {
	p.t.Helper()
	p.tmux("resize-window", "-x", strconv.Itoa(columns), "-y", "24")
	tty, err := os.OpenFile(p.tmux("display-message", "-p", "#{pane_tty}"), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer tty.Close()
	p.until(fmt.Sprintf("%d columns", columns), func(string) bool { return term.Width(tty) == columns })
}

// TestResize shows that the line is drawn again when the width of the window
// changes, and that nothing of the old drawing stays.
func TestResize(t *testing.T) {
	p := inTmux(t, t.TempDir())
	// A narrower window has less room, and tmux takes it from the top.
	p.types("clear; echo; echo; infomall --quiet<Enter>")
	p.sees("infomall>")
	p.types("SELECT '" + strings.Repeat("标题", 10) + "', 1")
	p.shows("infomall> SELECT '"+strings.Repeat("标题", 10)+"', 1", 62)
	p.resize(40)
	p.shows("infomall> SELECT '标题标题标题标题标题标\n题标题标题标题标题', 1", 22)
	p.types("<Home>")
	p.shows("infomall> SELECT '标题标题标题标题标题标\n题标题标题标题标题', 1", 10)
	p.resize(70)
	p.shows("infomall> SELECT '"+strings.Repeat("标题", 10)+"', 1", 10)
	p.types("<End>;<Enter>")
	p.sees("(1 row")
	p.until("one prompt with the text", func(screen string) bool { return strings.Count(screen, "infomall> SELECT") == 1 })
}

// TestStop shows that Ctrl-Z returns the terminal to the shell above, at the
// prompt and during a statement, and that fg continues, any number of times.
func TestStop(t *testing.T) {
	p := inTmux(t, t.TempDir())
	p.types("clear; endless<Enter>")
	p.sees("infomall>")
	p.types("SELECT 标题")
	p.sees("SELECT 标题")
	for range 2 {
		p.types("<C-z>")
		p.sees("Stopped                 endless\n%")
		p.types("clear; fg<Enter>")
		p.shows("infomall> SELECT 标题", 21)
	}
	p.types("<Home><Right><C-c>")
	p.types("SELECT count(*) FROM captures;<Enter>")
	p.sees("select  ") // it runs
	p.types("<C-z>")
	p.sees("Stopped")
	p.types("clear; fg<Enter>")
	p.until("the job go on", func(screen string) bool {
		return !strings.Contains(screen, "Stopped") && strings.Contains(screen, "select  ")
	})
	p.types("<C-c>")
	p.sees("interrupted")
	p.types("SELECT 42;<Enter>")
	p.sees("42 │")
	p.types("<C-d>")
	p.types("echo left<Enter>")
	p.sees("left")
}

// TestTmuxKeys shows the place of the cursor as tmux counts cells, and the keys
// as tmux sends them.
func TestTmuxKeys(t *testing.T) {
	p := inTmux(t, t.TempDir())
	p.types("clear; infomall --quiet<Enter>")
	p.sees("infomall>")
	for _, c := range []struct {
		keys, row string
		column    int
	}{
		{"SELECT 标题 FROM 'x'", "infomall> SELECT 标题 FROM 'x'", 30},
		{"SELECT 标题<C-a>", "infomall> SELECT 标题", 10},
		{"标题<Left>", "infomall> 标题", 12},
		{"标题<Home>x<End>y", "infomall> x标题y", 16},
		{"，。😀é<Left><Left><Left>", "infomall> ，。😀é", 12},
		{"ab 标题<C-Left><C-Left>x<C-Right>y", "infomall> xaby 标题", 14},
		{"标题<Home><DC>", "infomall> 题", 10},
		{"<DC><DC><DC>x", "infomall> x", 11},
	} {
		p.types(c.keys)
		p.shows(c.row, c.column)
		p.types("<C-e><C-u>")
	}
	p.tmux("set-buffer", "SELECT 1,\n\t'标',\n2\\;")
	p.tmux("paste-buffer", "-p", "-r")
	p.shows("infomall> SELECT 1,⏎⇥'标',⏎2;", 29)
	p.types("<Enter>")
	p.sees("(1 row)")
	p.types("<Up>")
	p.shows("infomall> SELECT 1,⏎⇥'标',⏎2;", 29)
}

// TestTop shows that .top draws again until Ctrl-C or q, which lead back to the prompt,
// and that with .output it shows the crawls once.
func TestTop(t *testing.T) {
	home := t.TempDir()
	web := filepath.Join(home, "web")
	if err := os.MkdirAll(web, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(web, "a.html"), []byte("<p>a page"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := inTmux(t, home)
	p.types("clear; infomall --quiet<Enter>")
	p.sees("infomall>")
	p.types("CRAWL 'file://" + web + "/a.html' AS pages;<Enter>")
	p.sees("(1 row)")
	p.types(".top pages<Enter>")
	p.sees("finished")
	p.until("only the crawl", func(screen string) bool {
		return !strings.Contains(screen, "infomall>") && strings.Contains(screen, "pages")
	})
	p.types("<C-c>")
	p.sees("infomall>")
	p.types("SELECT 42;<Enter>")
	p.sees("42 │")
	p.types(".top pages<Enter>")
	p.until("only the crawl", func(screen string) bool {
		return !strings.Contains(screen, "infomall>") && strings.Contains(screen, "finished")
	})
	p.types("xq")
	p.sees("infomall>")
	p.types("SELECT 41;<Enter>") // the keys are no part of it, and it is shown while it is typed
	p.sees("infomall> SELECT 41;")
	p.sees("41 │")
	p.types(".output top.txt<Enter>.top<Enter>.output<Enter>SELECT 43;<Enter>")
	p.sees("43 │")
	text, err := os.ReadFile(filepath.Join(home, "top.txt"))
	if err != nil || strings.Count(string(text), "finished") != 1 || strings.Contains(string(text), "\x1b") {
		t.Errorf("top.txt: %v\n%s", err, text)
	}
}
