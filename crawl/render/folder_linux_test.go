package render

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// TestSweepOthers shows that the folder that the browser of another user has made does not keep a browser from
// starting. The thread of the test has the rights of another user.
func TestSweepOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take the rights of another user")
	}
	temp := t.TempDir()
	for _, path := range []string{filepath.Dir(temp), temp} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(temp, folderPrefix+"1-x")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // the thread ends with the test
	if err := syscall.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	err := sweep(temp)
	if back := syscall.Setfsuid(0); back != nil {
		t.Fatal(back)
	}
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(other, "lock")); err != nil {
		t.Error(err)
	}
}
