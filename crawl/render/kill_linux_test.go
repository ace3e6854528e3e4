package render

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// killedEnv is set in a process that is killed while its browser runs. Its value is the
// folder of the profiles.
const killedEnv = "INFOMALL_TEST_KILLED"

// TestKill kills a process whose browser shows a page. All processes of the browser must
// end, and the next start must remove its profile.
func TestKill(t *testing.T) {
	if temp := os.Getenv(killedEnv); temp != "" {
		showForever(t, temp)
		return
	}
	o := testOptions(t)
	// The processes of the browser become children of this one, which can wait for them.
	const setChildSubreaper = 36
	if _, _, no := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); no != 0 {
		t.Fatal(no)
	}
	defer syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 0, 0)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKill$", "-test.v")
	cmd.Env = append(os.Environ(), killedEnv+"="+o.Temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "page is shown") {
	}
	list := processesOf(t, o.Temp)
	if len(list) == 0 {
		t.Error("the process has no browser")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for _, id := range list {
		var status syscall.WaitStatus
		for {
			_, err := syscall.Wait4(id, &status, 0, nil)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			break // it ended, here or in the hands of its parent
		}
	}
	if left := processesOf(t, o.Temp); len(left) > 0 {
		t.Errorf("of %d processes of the browser, %v are left", len(list), left)
	}
	t.Logf("%d processes of the browser ended with their owner", len(list))
	if len(names(t, o.Temp)) != 1 {
		t.Errorf("the killed process left %q", names(t, o.Temp))
	}
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(names(t, o.Temp)) != 1 {
		t.Errorf("after a start there is %q", names(t, o.Temp))
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if len(names(t, o.Temp)) != 0 {
		t.Errorf("after the end there is %q", names(t, o.Temp))
	}
}

// showForever shows a page that never ends.
func showForever(t *testing.T, temp string) {
	p, err := Start(t.Context(), Options{NoSandbox: os.Geteuid() == 0, Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	w := &web{pages: map[string]string{"http://a.test/": "<script src=/shown></script>"}, answer: func(r *Request) (*Response, error) {
		fmt.Println("page is shown")
		select {}
	}}
	p.Show(t.Context(), Page{URL: "http://a.test/", Send: w.send})
}

// processesOf returns the numbers of the running processes whose arguments name the
// folder.
func processesOf(t *testing.T, folder string) []int {
	t.Helper()
	all, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, e := range all {
		id, err := strconv.Atoi(e.Name())
		if err != nil || id == os.Getpid() {
			continue
		}
		args, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && bytes.Contains(args, []byte("--user-data-dir="+folder)) {
			list = append(list, id)
		}
	}
	return list
}
