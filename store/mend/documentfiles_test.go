package mend

import (
	"encoding/binary"
	"io"
	"testing"

	"infomall/store/commit"
	"infomall/store/readings"
	"infomall/store/segment"
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

// TestFull shows that a file of readings is full when it has many rows, even if the rows have no
// text. Copying the rows of an archive with millions of pictures must not keep all in memory.
func TestFull(t *testing.T) {
	b, err := readings.NewBuilder(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	b.Begin(readings.Name{}, 0)
	for n := range documentsRows {
		if full(b) {
			t.Fatalf("full after %d rows, want %d", n, documentsRows)
		}
		var id segment.ID
		binary.BigEndian.PutUint64(id[:], uint64(n))
		if err := b.Add(readings.Key{Body: id}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !full(b) {
		t.Errorf("not full after %d rows", documentsRows)
	}
}
