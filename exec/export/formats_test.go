package export

import "testing"

// TestFormatSuffixes shows that no two formats share a suffix.
func TestFormatSuffixes(t *testing.T) {
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
