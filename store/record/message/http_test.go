package message_test

import (
	"strings"
	"testing"

	"infomall/store/record/message"
)

func TestSplitHead(t *testing.T) {
	long := "HTTP/1.1 200 OK\r\nSet-Cookie: " + strings.Repeat("x", 990)
	tests := []struct {
		name, head, body string
	}{
		{"crlf", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "body"},
		{"crlf, then a bare LF", "HTTP/1.0 200 OK\r\nA: b\r\n\n", "body\n\nmore"},
		{"bare LF", "HTTP/1.0 200 OK\nA: b\n\n", "body\r\n\r\nmore"},
		{"bare LF without an empty line", "HTTP/1.0 200 OK\nServer: x\nContent-Type: text/html\n", "<html>\n\n<body>"},
		{"the same, text", "HTTP/1.0 200 OK\nServer: x\n", "Hello, world\r\n\r\nmore"},
		{"doubled CR", "HTTP/1.0 302 \r\r\nA: b\r\r\n\r\r\n", "body"},
		{"no header", "HTTP/1.0 200 OK\r\n\r\n", "body"},
		{"icy", "ICY 200 OK\r\nicy-name: x\r\n\r\n", "mp3"},
		{"body with an empty line first", "HTTP/1.0 200 OK\r\n\r\n", "\r\n\r\nbody"},
		{"continued line", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\tno colon\r\n\r\n", "body"},
		{"junk line", "HTTP/1.1 200 OK\r\njunk\r\nA: b\r\n\r\n", "body"},
		{"cut in a header, which goes on", long + "\nyy; path=/\r\nContent-Type: text/html\r\n\r\n", "<html>"},
		{"cut at the end of the headers", "HTTP/1.1 200 OK\r\nContent-Type: text/html\n", "<html>\r\n\r\n<p>"},
		{"cut within the empty line", "HTTP/1.1 200 OK\r\nContent-Type: text/html\n\n", "<html>\r\n\r\n<p>"},
		{"only a head", "HTTP/1.1 200 OK\r\nA: b\r\n", ""},
		{"only a status", "HTTP/1.1 200 OK", ""},
		{"empty", "", ""},
		{"not HTTP", "", "<html>\r\n\r\n"},
		{"not HTTP, with headers", "", "Content-Type: x/y\r\n\r\nbody"},
	}
	for _, tt := range tests {
		if got := message.SplitHead([]byte(tt.head + tt.body)); got != len(tt.head) {
			t.Errorf("%s: SplitHead = %d, want %d", tt.name, got, len(tt.head))
		}
	}
}

func TestStatus(t *testing.T) {
	tests := []struct {
		head string
		want int
	}{
		{"HTTP/1.1 200 OK\r\n", 200},
		{"HTTP/1.1 302\r\nLocation: /\r\n", 302},
		{"HTTP/1.1 302", 302},
		{"HTTP/2 404\n", 404},
		{"HTTP/1.0  503 Busy\n", 503},
		{"ICY 200 OK\r\n", 200},
		{"HTTP/1.1 2000\r\n", 0},
		{"HTTP/1.1 20\r\n", 0},
		{"HTTP/1.1 OK\r\n", 0},
		{"HTTP/1.1\r\n404", 0},
		{"GET 200", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got := message.Status([]byte(tt.head)); got != tt.want {
			t.Errorf("Status(%q) = %d, want %d", tt.head, got, tt.want)
		}
	}
}

func TestHeader(t *testing.T) {
	head := []byte("HTTP/1.1 200 OK\r\nContent-Type:  text/html; charset=gb2312 \r\nX-Empty:\r\nX-Spaced : a\r\n" +
		"X-Folded: one\r\n  two\r\n\tthree\r\nX-Twice: first\r\nx-twice: second\r\nBare: lf\nx-fold-first:\r\n late\r\nLast: end")
	tests := []struct{ name, want string }{
		{"content-type", "text/html; charset=gb2312"},
		{"CONTENT-TYPE", "text/html; charset=gb2312"},
		{"X-Empty", ""},
		{"X-Spaced", "a"},
		{"X-Folded", "one two three"},
		{"X-Twice", "first"},
		{"Bare", "lf"},
		{"X-Fold-First", "late"},
		{"Last", "end"},
		{"Content", ""},
		{"two", ""},
		{"HTTP/1.1 200 OK", ""},
	}
	for _, tt := range tests {
		if got := message.Header(head, tt.name); got != tt.want {
			t.Errorf("Header(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestMime(t *testing.T) {
	tests := []struct{ in, want string }{
		{"text/html", "text/html"},
		{" Text/HTML ; charset=x", "text/html"},
		{"text/html, text/html", "text/html"},
		{"image/svg+xml", "image/svg+xml"},
		{"html", ""},
		{"text/", ""},
		{"/html", ""},
		{"te xt/html", ""},
		{"a/b/c", ""},
		{`gif\image`, ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := message.Mime(tt.in); got != tt.want {
			t.Errorf("Mime(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzSplitHead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"))
	f.Add([]byte("HTTP/1.0 200 OK\nServer: x\n<html>\n\n"))
	f.Add([]byte("ICY 200\n cont\r\njunk\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := message.SplitHead(data)
		if n < 0 || n > len(data) {
			t.Fatalf("SplitHead(%q) = %d", data, n)
		}
		message.Status(data[:n])
		message.Header(data[:n], "a")
	})
}

func BenchmarkHeader(b *testing.B) {
	head := []byte("HTTP/1.1 200 OK\r\nDate: Wed, 30 Apr 2008 20:48:25 GMT\r\nServer: Apache\r\nLast-Modified: Wed, 09 Jan 2008 23:18:29 GMT\r\nContent-Type: text/html\r\n\r\n")
	for b.Loop() {
		message.Header(head, "Content-Type")
	}
}
