package repl

import (
	"context"
	"slices"
	"strings"
	"testing"

	"infomall/repl/complete"
	"infomall/store"
	"infomall/store/record/task"
)

// demoArchive returns an archive with the demo's captures. It is closed when
// the test ends.
func demoArchive(t testing.TB) *store.Archive {
	t.Helper()
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Error(err) }})
	t.Cleanup(func() { a.Close() })
	if _, err := a.Import(context.Background(), task.ImportOptions{Patterns: []string{"../queries/demo/*.raw"}}); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestSiteNames shows which hosts and URLs Tab finds in the archive.
func TestSiteNames(t *testing.T) {
	n := complete.NewSites(joined(demoArchive(t), nil))
	defer n.Close()
	n.Patience = patience
	<-n.Load()
	s := &shell{program: new(program), sites: n}
	for _, c := range []struct{ typed, want string }{
		{"FROM 'w|", "www.lanshan.example"},
		{"FROM 'W|", "www.lanshan.example"},
		{"FROM 'lan|", "lanshan.example"},
		{"FROM '=li|", "=lib.lanshan.example"},
		{"IN 'http://w|", "http://www.lanshan.example/"},
		{"IN 'www.lanshan.example/n|", "www.lanshan.example/news/ www.lanshan.example/notice/"},
		{"IN 'www.lanshan.example/ca|", "www.lanshan.example/calendar.htm"},
		{"IN 'http://www.lanshan.example/ca|", "http://www.lanshan.example/calendar.htm"},
		{"IN 'https://www.lanshan.example/ca|", ""},
		{"IN 'www.lanshan.example/no/such|", ""},
		{"IN 'www.lanshan.example/校|", ""},
		{"WHERE host = 'li|", "lib.lanshan.example"},
		{"WHERE url LIKE 'http://www.lanshan.example/ca|", "http://www.lanshan.example/calendar.htm"},
		{"WHERE title = 'li|", ""},
	} {
		before, _, _ := strings.Cut("SELECT url FROM captures "+c.typed, "|")
		if strings.HasPrefix(c.typed, "FROM") {
			before, _, _ = strings.Cut("SELECT url "+c.typed, "|")
		}
		_, got := s.complete(before, "'")
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s offers %q, want %q", c.typed, got, want)
		}
	}
	for _, statement := range []string{"DROP POOL '", "MERGE POOL '2008", "VERIFY POOL '", "COPY POOL '", "EXPLAIN DROP POOL '"} {
		if _, got := s.complete(statement, ""); !slices.Equal(got, []string{"200806", "200807", "200808"}) {
			t.Errorf("%s offers %q, want the three pools", statement, got)
		}
	}
	_, got := s.complete("SHOW PAGE 'http://www.lanshan.example/", "")
	if !slices.Contains(got, "http://www.lanshan.example/news/") || !slices.Contains(got, "http://www.lanshan.example/contact.htm") {
		t.Errorf("a page of the host is one of %q, want its folders and files", got)
	}
}

// BenchmarkTab measures one Tab within a statement, and one within the URL of a
// scope.
func BenchmarkTab(b *testing.B) {
	n := complete.NewSites(joined(demoArchive(b), nil))
	defer n.Close()
	n.Patience = patience
	<-n.Load()
	s := completing("")
	s.sites = n
	for _, typed := range []string{"SELECT url, ti", "SELECT url FROM 'w", "SELECT url FROM 'www.lanshan.example/n"} {
		b.Run(typed, func(b *testing.B) {
			for b.Loop() {
				if _, got := s.complete(typed, " FROM captures"); len(got) == 0 {
					b.Fatal("nothing is offered")
				}
			}
		})
	}
}
