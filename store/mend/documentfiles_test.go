package mend

import (
	"testing"

	"infomall/store/commit"
)

// TestJoinable shows that many small files of readings are joined, but not files that are of as
// many db-files as a file can be: each import would write them again.
func TestJoinable(t *testing.T) {
	files := func(n, of int) (names []string) {
		for i := range n {
			numbers := make([]uint32, of)
			for k := range numbers {
				numbers[k] = uint32(i*of + k + 1)
			}
			names = append(names, commit.Documents.FileOf(numbers, 0))
		}
		return names
	}
	again := make([]string, smallFiles) // of one db-file
	for i := range again {
		again[i] = commit.Documents.FileOf([]uint32{7}, uint32(i))
	}
	for _, c := range []struct {
		name  string
		small []string
		want  int // files
	}{
		{"few", files(smallFiles-1, 1), 0},
		{"many", files(smallFiles, 1), smallFiles},
		{"many of one db-file", again, smallFiles},
		{"many full ones", files(100, commit.DerivedMost), 0},
		{"full ones and many of one", append(files(100, commit.DerivedMost), files(9, 1)...), 9},
		{"nearly full ones", files(smallFiles, commit.DerivedMost-1), 0},
		{"half full ones", files(smallFiles, commit.DerivedMost/2), smallFiles},
	} {
		if got := len(joinable(c.small)); got != c.want {
			t.Errorf("%s: %d are joined, want %d", c.name, got, c.want)
		}
	}
}
