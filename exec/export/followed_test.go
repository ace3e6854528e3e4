package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
)

// openTest opens the output in a folder, with files of some kilobytes.
func openTest(t interface{ Fatal(...any) }, dir string, zip bool) *followed {
	name := "a.warc"
	if zip {
		name += ".gz"
	}
	f, err := openFollowed(target{path: filepath.Join(dir, name), format: warcFormat, gzip: zip}, followState{Query: "q", Archive: "a"}, 1_000)
	if err != nil {
		t.Fatal(err)
	}
	f.limit = 4_000
	return f
}

// readFollowed returns the URLs of the records in the files of f, of the last committed file
// only the committed bytes.
func readFollowed(t interface{ Fatal(...any) }, f *followed) (urls []string) {
	for n := 1; n <= f.state.File; n++ {
		b, err := os.ReadFile(f.pathOf(n))
		if err != nil {
			t.Fatal(err)
		}
		if n == f.state.File {
			b = b[:f.state.Size]
		}
		for it, err := range warc.Read(context.Background(), bytes.NewReader(b), warc.Options{}) {
			if err != nil || it.Damage != "" {
				t.Fatal(err, it.Damage)
			}
			if it.Capture != nil {
				urls = append(urls, it.Capture.AskedURL)
			}
		}
	}
	return urls
}

// TestFollowed writes publications of random sizes, and stops at random: in good order, or
// as if the process was killed, with half a record at the end of a file. The files must have
// each committed capture once and in order, whatever happens, and so must they at the end.
func TestFollowed(t *testing.T) {
	rolled, killed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "followed")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		zip := rapid.Bool().Draw(t, "gzip")
		f := openTest(t, dir, zip)
		defer func() { f.close() }()
		var want []string
		for i := range rapid.IntRange(1, 3).Draw(t, "publications") {
			added := record.Time(10 + i)
			var come []*message.Stored
			for k := range rapid.IntRange(1, 12).Draw(t, "captures") {
				s := &message.Stored{URL: fmt.Sprintf("http://a.example/%d/%d", i, k)}
				s.AskedURL, s.Time, s.RefersTime, s.Status = s.URL, 1_000_000, record.NoTime, 200
				s.Head = []byte("HTTP/1.1 200 OK\r\n\r\n")
				s.Body = bytes.Repeat([]byte{byte('a' + k)}, rapid.IntRange(0, 1500).Draw(t, "bytes"))
				s.Size = int64(len(s.Body))
				copy(s.Digest[:], s.URL)
				come = append(come, s)
			}
			for kill := rapid.Bool().Draw(t, "kill"); ; kill = false {
				until := len(come)
				if kill {
					until = rapid.IntRange(0, len(come)).Draw(t, "until")
				}
				for _, s := range come[:until] {
					if err := f.Write(s); err != nil {
						t.Fatal(err)
					}
				}
				if !kill {
					break
				}
				killed++
				f.file.WriteString("half a rec")
				f.file.Close()
				f = openTest(t, dir, zip)
				if got := readFollowed(t, f); !slices.Equal(got, want) {
					t.Fatalf("after a kill the files have %q, want %q", got, want)
				}
			}
			if err := f.commit(added); err != nil {
				t.Fatal(err)
			}
			for _, s := range come {
				want = append(want, s.URL)
			}
			if got := readFollowed(t, f); !slices.Equal(got, want) || f.state.Added != added || f.state.Captures != int64(len(want)) {
				t.Fatalf("publication %d: the files have %q, want %q; the state is %+v", i, got, want, f.state)
			}
			if rapid.Bool().Draw(t, "close") {
				if err := f.close(); err != nil {
					t.Fatal(err)
				}
				f = openTest(t, dir, zip)
			}
		}
		if err := f.Write(&message.Stored{URL: "http://a.example/uncommitted"}); err != nil {
			t.Fatal(err)
		}
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
		bytes := int64(0)
		for n := 1; n <= f.state.File+1; n++ {
			info, err := os.Stat(f.pathOf(n))
			switch {
			case n > f.state.File && !errors.Is(err, fs.ErrNotExist):
				t.Fatalf("there is file %d of %d: %v", n, f.state.File, err)
			case n <= f.state.File && err != nil:
				t.Fatal(err)
			case n <= f.state.File:
				bytes += info.Size()
			}
		}
		if bytes != f.state.Bytes {
			t.Fatalf("the files have %d bytes, and the state says %d", bytes, f.state.Bytes)
		}
		rolled += f.state.File - 1
	})
	if rolled == 0 || killed == 0 {
		t.Errorf("%d files were full, %d kills", rolled, killed)
	}
}

// TestFollowedRefuses opens outputs that belong to something else.
func TestFollowedRefuses(t *testing.T) {
	dir := t.TempDir()
	f := openTest(t, dir, false)
	other := openTest(t, dir, false)
	if err := f.Write(&message.Stored{URL: "http://a.example/"}); err != nil {
		t.Fatal(err)
	}
	if err := f.commit(1); err != nil {
		t.Fatal(err)
	}
	if err := other.commit(1); err == nil || !strings.Contains(err.Error(), "another process writes the same files") {
		t.Errorf("two writers: %v", err)
	}
	other.file.Close()
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	to := f.to
	for _, c := range []struct {
		change func()
		begin  followState
		want   string
	}{
		{func() {}, followState{Query: "r", Archive: "a"}, "was written for another query, q, in the archive a"},
		{func() {}, followState{Query: "q", Archive: "b"}, "was written for another query, q, in the archive a"},
		{func() { os.Truncate(to.path, 3) }, followState{Query: "q", Archive: "a"}, "the file has 3 bytes, and "},
		{func() { os.WriteFile(f.statePath(), []byte("{"), 0o666) }, followState{Query: "q", Archive: "a"}, ".follow is damaged: remove it"},
		{func() { os.Remove(f.statePath()) }, followState{Query: "q", Archive: "a"}, "exists, and "},
	} {
		c.change()
		if _, err := openFollowed(to, c.begin, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestPathOf names the files after the first.
func TestPathOf(t *testing.T) {
	for path, want := range map[string]string{
		"d/a.warc.gz": "d/a-2.warc.gz", "a.warc": "a-2.warc", "A.WARC": "A-2.WARC", "a.warc.warc.gz": "a.warc-2.warc.gz", "x.warc/a": "x.warc/a-2",
	} {
		if got := (&followed{to: target{path: path}}).pathOf(2); filepath.ToSlash(got) != want {
			t.Errorf("after %s comes %s, want %s", path, got, want)
		}
	}
}
