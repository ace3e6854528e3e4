package export

import (
	"strings"
	"testing"

	"infomall/lang"
)

// TestHelpListsFormats shows that HELP EXPORT has the words of all formats, and
// that no two formats share a suffix.
func TestHelpListsFormats(t *testing.T) {
	help := strings.Join(strings.Fields(lang.Grammar("EXPORT")), " ")
	if want := "FORMAT (" + strings.Join(Formats(), " | ") + ")"; !strings.Contains(help, want) {
		t.Errorf("HELP EXPORT has not %q:\n%s", want, help)
	}
	of := map[string]string{}
	for _, f := range formats {
		for _, s := range f.suffixes {
			if of[s] != "" {
				t.Errorf("%s and %s have files named *%s", of[s], f.name, s)
			}
			of[s] = f.name
		}
	}
}
