package wholefile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestFault shows that the message of a failed export has the path, the cause and what to do.
func TestFault(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("f", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want string
	}{
		{"none/x.csv", "export to none/x.csv: there is no folder none: make it, or name a file in another folder"},
		{"f/x.csv", "export to f/x.csv: f is a file and no folder: name a file in a folder"},
	} {
		if _, err := Create(c.path); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{syscall.ENOSPC, "export to x.csv: write x: no space left on device: delete other files, or name a file on another disk"},
		{fs.ErrPermission, "export to x.csv: write x: permission denied: name a file in a folder into which you may write"},
		{fs.ErrNotExist, "export to x.csv: write x: file does not exist"}, // a file of the archive
	} {
		if got := Fault("x.csv", fmt.Errorf("write x: %w", c.err)).Error(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
