package repl

import (
	"reflect"
	"testing"

	"infomall/exec"
)

// TestArchiveTakesAll shows that the program's archive has the methods that each
// statement asks for. The compiler does not check this, because a statement declares
// them beside its own code.
func TestArchiveTakesAll(t *testing.T) {
	asked := 0
	for _, s := range exec.Specs() {
		if s.Asks == nil {
			continue
		}
		asked++
		if !reflect.TypeFor[archive]().Implements(s.Asks) {
			t.Errorf("%s asks for %v, which the archive does not implement", s.Names[0], s.Asks)
		}
	}
	if asked == 0 {
		t.Error("no statement asks for anything: the test shows nothing")
	}
}
