package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

const (
	savedPage    = "<!DOCTYPE html>\n<!-- saved from url=(0023)http://www.y.cn/page.htm -->\n<html>"
	mirroredPage = "<html><!-- Mirrored from www.z.cn/a/b.htm by HTTrack Website Copier/3.x [XR&CO'2014], Tue, 12 Mar 2013 10:11:12 GMT -->"
)

// files makes files in a new folder, and gives their names.
func files(t *testing.T, content ...string) (root string, names []string) {
	t.Helper()
	root = t.TempDir()
	for i := 0; i < len(content); i += 2 {
		name := filepath.Join(root, filepath.FromSlash(content[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
		when := time.Date(2008, 6, 15, 10, 30, 0, 0, time.UTC)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return root, names
}

// brief writes what items are.
func brief(t *testing.T, o Options) string {
	t.Helper()
	var b strings.Builder
	for it, err := range Read(t.Context(), o) {
		switch c := it.Capture; {
		case err != nil:
			t.Fatal(err)
		case c != nil:
			fmt.Fprintf(&b, "%s %s %s %d\n", c.AskedURL, c.Time.Std().Format(time.RFC3339), c.Mime, len(c.Body))
		case it.Skipped != "":
			fmt.Fprintf(&b, "skipped %s\n", it.Skipped)
		default:
			fmt.Fprintf(&b, "damaged %s\n", it.Damage)
		}
	}
	return b.String()
}

// TestRead shows whence URLs, times and types come.
func TestRead(t *testing.T) {
	asked := record.At(time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC))
	const changed = " 2008-06-15T10:30:00Z "
	tests := []struct {
		name, file, content string
		o                   Options
		want                string
	}{
		{"folder of wget", "www.x.cn/news/a.html", "page", Options{}, "http://www.x.cn/news/a.html" + changed + "text/html 4\n"},
		{"index of a folder", "www.x.cn/news/index.html", "page", Options{}, "http://www.x.cn/news/" + changed + "text/html 4\n"},
		{"query", "www.x.cn/a.php?id=3&x=y", "<HTML>", Options{}, "http://www.x.cn/a.php?id=3&x=y" + changed + "text/html 6\n"},
		{"port", "www.x.cn+8080/a.css", "", Options{}, "http://www.x.cn:8080/a.css" + changed + "text/css 0\n"},
		{"number sign", "www.x.cn/a#b.png", "", Options{}, "http://www.x.cn/a%23b.png" + changed + "image/png 0\n"},
		{"address", "192.0.2.7/a", "data", Options{}, "http://192.0.2.7/a" + changed + " 4\n"},
		{"no host", "images/a.gif", "gif", Options{}, "skipped " + noURL + "\n"},
		{"no folder", "a.html", "page", Options{}, "skipped " + noURL + "\n"},
		{"saved by a browser", "a.html", savedPage, Options{}, "http://www.y.cn/page.htm" + changed + "text/html 77\n"},
		{"mirrored by HTTrack", "x/index.html", mirroredPage, Options{}, "http://www.z.cn/a/b.htm 2013-03-12T10:11:12Z text/html 119\n"},
		{"told the folder", "news/index.html", mirroredPage, Options{Base: "https://q.cn/x/", Time: asked}, "https://q.cn/x/news/ 2009-01-01T00:00:00Z text/html 119\n"},
		{"told the page", "a.html", savedPage, Options{Base: "https://q.cn/page"}, "https://q.cn/page" + changed + "text/html 77\n"},
		{"told the time", "www.x.cn/a.txt", "text", Options{Time: asked}, "http://www.x.cn/a.txt 2009-01-01T00:00:00Z text/plain 4\n"},
		{"comment that names no URL", "a.html", "<!-- saved from url=(0014)about:internet -->", Options{}, "skipped " + noURL + "\n"},
	}
	for _, tt := range tests {
		o := tt.o
		o.Root, o.Files = files(t, tt.file, tt.content)
		if o.Time == 0 {
			o.Time = record.NoTime
		}
		if got := brief(t, o); got != tt.want {
			t.Errorf("%s: got %swant %s", tt.name, got, tt.want)
		}
	}
}

// TestUnreadable shows that a file that went meanwhile, or is none, is damage
// and no end.
func TestUnreadable(t *testing.T) {
	root, names := files(t, "www.x.cn/a.html", "a", "www.x.cn/d/b.html", "b", "www.x.cn/z.html", "z")
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	names[1] = filepath.Dir(names[1])
	got := brief(t, Options{Root: root, Files: names, Time: record.NoTime})
	if lines := strings.Split(got, "\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], "damaged") || !strings.HasPrefix(lines[1], "damaged") || !strings.HasPrefix(lines[2], "http://www.x.cn/z.html") {
		t.Errorf("got\n%s", got)
	}
}

// TestLarge reads a file that memory is not wanted for.
func TestLarge(t *testing.T) {
	root, names := files(t, "www.x.cn/a.html", strings.Repeat("text ", 1000))
	told := int64(0)
	o := Options{Root: root, Files: names, Limits: message.BodyLimits{MemoryMax: 100, TempDir: t.TempDir()}, Read: func(n int64) { told += n }}
	for it, err := range Read(t.Context(), o) {
		if err != nil || it.Capture == nil || it.Capture.Spool == nil || it.Capture.Spool.Size != 5000 {
			t.Fatalf("item %+v, %v, want a spool of 5000 bytes", it, err)
		}
		it.Capture.Close()
	}
	if told != 5000 {
		t.Errorf("told of %d bytes, want 5000", told)
	}
}

// TestCancelled ends with the cause.
func TestCancelled(t *testing.T) {
	root, names := files(t, "www.x.cn/a.html", "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range Read(ctx, Options{Root: root, Files: names}) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", last)
	}
}

// FuzzFile has pages and names of any kind: what is said is a URL, and nothing
// panics.
func FuzzFile(f *testing.F) {
	f.Add("www.x.cn/a.html", []byte(savedPage))
	f.Add("x/a?b#c", []byte(mirroredPage))
	f.Add("0", []byte("<!--saved from url=(0)//0-->"))
	f.Fuzz(func(t *testing.T, name string, page []byte) {
		s := saidBy(page)
		if s.url != "" && !strings.Contains(s.url, "://") {
			t.Errorf("a page is said to be from %q", s.url)
		}
		o := Options{Root: "/m"}
		if u := o.url("/m/"+name, s.url); u != "" {
			urlkey.Canonical(u) // may refuse it
		}
		mimeOf(name, page)
	})
}
