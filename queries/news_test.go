package queries_test

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"infomall/store/formats/warc"
	"infomall/store/record"
)

// newsBytesMax is how big the file of news may become. It is a part of the program.
const newsBytesMax = 150_000

// TestNews builds the WARC file of news from demo/news.txtar and compares its
// captures with those in the repository. It does not compare the bytes: another release
// of the compressor may write others.
func TestNews(t *testing.T) {
	n, err := openNews("demo/news.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want, err := n.build()
	if err != nil {
		t.Fatal(err)
	}
	const name = "demo/news.warc.gz"
	if *update {
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > newsBytesMax {
		t.Errorf("%s has %d bytes, want at most %d", name, len(got), newsBytesMax)
	}
	a, b := newsCaptures(t, got), newsCaptures(t, want)
	if len(a) < 200 || !reflect.DeepEqual(a, b) {
		t.Errorf("%s has %d captures and is not what news.txtar says: run go test ./queries -update", name, len(a))
	}
}

// newsCapture is the part of a capture that news.txtar gives.
type newsCapture struct {
	url        string
	time       record.Time
	head, body string
}

// newsCaptures returns the captures of a WARC file.
func newsCaptures(t *testing.T, file []byte) []newsCapture {
	t.Helper()
	var all []newsCapture
	for item, err := range warc.Read(t.Context(), bytes.NewReader(file), warc.Options{}) {
		if err != nil || item.Damage != "" {
			t.Fatal(err, item.Damage)
		}
		if c := item.Capture; c != nil {
			all = append(all, newsCapture{c.AskedURL, c.Time, string(c.Head), string(c.Body)})
			if c.Spool != nil {
				c.Spool.File.Close()
			}
		}
	}
	return all
}
