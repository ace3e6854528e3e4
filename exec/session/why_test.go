package session

import (
	"os"
	"testing"
)

// TestScopeFile shows that a note names the file that a scope may mean only if the session reads files.
// A session of the web server says nothing about the files of its machine.
func TestScopeFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.csv", []byte("x\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for noFiles, want := range map[bool]string{false: "a.csv", true: ""} {
		s := New(Options{NoFiles: noFiles}, Language{})
		if file, ok := s.scopeFile("'a.csv'"); file != want || ok != (want != "") {
			t.Errorf("NoFiles %v: got %q, %v", noFiles, file, ok)
		}
	}
}
