package format

import (
	"slices"
	"testing"
)

// TestNewest shows the latest versions of formats.
func TestNewest(t *testing.T) {
	for id, want := range map[ID]ID{
		"fmt/100":   "fmt/471", // HTML 4.01 and 5
		"fmt/97":    "fmt/471",
		"fmt/471":   "",
		"fmt/18":    "fmt/276", // PDF 1.4 and 1.7
		"fmt/276":   "",
		"fmt/42":    "fmt/44", // JFIF 1.00 and 1.02
		"fmt/39":    "fmt/40", // Word 6.0/95 and 97-2003
		"fmt/96":    "",       // HTML of unknown version
		"x-fmt/111": "",
		"":          "",
	} {
		if got, ok := Newest(id); got != want || ok != (want != "") {
			t.Errorf("the latest version of %s is %q, want %q", id, got, want)
		}
	}
	for text, want := range map[string][]int{"1.0-1.4": {1, 4}, "97-2003": {2003}, "R14": {14}, "": nil, "2007 onwards": nil, "1.": nil, "8 & 8X": nil, "88": nil, "6.0/95": {95}} {
		if got := versionNumbers(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
