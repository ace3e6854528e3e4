package repl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store"
	"infomall/store/record/task"
)

// hostilePages are pages that are hard to search, by their paths.
func hostilePages() map[string]string {
	var many, binary strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "term%dx ", i*7919%1_000_003)
	}
	for n, i := uint32(1), 0; i < 50_000; i++ {
		n = n*1664525 + 1013904223
		binary.WriteByte(byte(n >> 24))
	}
	return map[string]string{
		"many":   "<title>many</title><p>" + many.String() + "zookeeper</p>",
		"long":   "<title>long</title><p>zookeeper " + strings.Repeat("x", 10<<10) + " " + strings.Repeat("图", 10<<10) + "</p>",
		"binary": binary.String(), // without the signature of any format
		"regex":  `<title>regex</title><p>^a.*\d+[a-z]{3,}(\w|x)+$ zookeeper &lt;script&gt; ' " ( ) OR</p>`,
		"image":  "\x89PNG\r\n\x1a\n" + binary.String(),
	}
}

// TestHostileWords puts questions that are hard to answer to pages that are hard to
// search. Each has an answer or an error that says what is wrong, in little memory.
func TestHostileWords(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	file := filepath.Join(t.TempDir(), "hostile.warc")
	var warc strings.Builder
	for path, body := range hostilePages() {
		http := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
		fmt.Fprintf(&warc, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h.example/%s\r\nWARC-Date: 2008-06-01T00:00:00Z\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", path, len(http), http)
	}
	if err := os.WriteFile(file, []byte(warc.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{file}}); err != nil {
		t.Fatal(err)
	}
	settings := session.DefaultSettings()
	settings.MemoryBytes = 1 << 20
	s := exec.New(session.Options{Archive: joined(a, nil), Settings: settings})
	letters := func(sep string, n int, of string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(of, 'a'+i%26))
		}
		return strings.Join(list, sep)
	}
	for _, c := range []struct {
		question string
		urls     string // the last parts of the URLs found; or
		fault    string // the error
	}{
		{"zookeeper", "many long regex", ""},
		{"term7919x", "many", ""},
		{"t*", "binary many", ""},
		{"term* zookeeper -nothing", "many", ""},
		{"图", "long", ""},
		{strings.Repeat("图", 900), "long", ""},
		{strings.Repeat("x", 10<<10), "long", ""},
		{strings.Repeat("x", 10<<10-1) + "*", "long", ""},
		{strings.Repeat("x", 10<<10-1), "", ""},
		{`^a.*\d+[a-z]{3,}(\w|x)+$`, "regex", ""},
		{`[a-z](\d`, "", "a bracket is not closed"},
		{`"^a.*\d+[a-z]{3,}"`, "regex", ""},
		{letters(" OR ", 900, "%c*"), "binary many long regex", ""},
		{letters(" ", 50, "NEAR(%c z*, 10000)"), "binary", ""},
		{letters(" OR ", 999, "%c1"), "binary", ""},
		{"NEAR(" + letters(" ", 50, "%c*") + ", 10000)", "binary", ""},
		{"NEAR(" + letters(" ", 900, "%c*") + ")", "", "NEAR takes 50 words and phrases at most"},
		{strings.Repeat("zookeeper ", 1001), "", "more than 1000 words are asked for"},
		{letters(" ", 10_000, "%c"), "", "more than 1000 words are asked for"},
		{strings.Repeat("zookeeper ", 100_000), "", "the words asked for take 1000000 bytes, and at most 65536 are allowed"},
		{strings.Repeat("(", 5000) + "a", "", "brackets are nested more than 100 deep"},
		{strings.Repeat("\x00", 100), "", "there is no word to look for"},
		{"\xff\xfe zookeeper", "many long regex", ""},
	} {
		name := fmt.Sprintf("%.40q (%d bytes)", c.question, len(c.question))
		s.SetParams(map[string]string{"words": c.question})
		for _, query := range []string{"SELECT url FROM findings($words)", "SELECT url, snippet(text) FROM versions WHERE text MATCH $words"} {
			found, err := func() (found map[string]bool, err error) {
				st, err := lang.ParseOne(query, "")
				if err != nil {
					return nil, err
				}
				res, err := s.Run(context.Background(), st)
				if err != nil {
					return nil, err
				}
				defer res.Close()
				found = make(map[string]bool)
				for b, err := range res.Rows {
					if err != nil {
						return nil, err
					}
					for i := range b.N {
						found[strings.TrimPrefix(b.Cols[0].At(i).Text, "http://h.example/")] = true
					}
				}
				for _, note := range res.Notes {
					if len(note) > 1000 {
						t.Errorf("%s: a note has %d bytes", name, len(note))
					}
				}
				return found, nil
			}()
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) || len(err.Error()) > 1000 {
					t.Errorf("%s: %s: error %.300v, want %q", name, query, err, c.fault)
				}
				continue
			}
			want := make(map[string]bool)
			for _, url := range strings.Fields(c.urls) {
				want[url] = true
			}
			if err != nil || fmt.Sprint(found) != fmt.Sprint(want) {
				t.Errorf("%s: %s: found %v (%.300v), want %v", name, query, found, err, want)
			}
		}
	}
}
