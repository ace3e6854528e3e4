package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/record"
	"infomall/store/record/message"
)

// crawled is a capture as a crawl hands it in.
func crawled(n int) *record.Capture {
	c := &record.Capture{AskedURL: fmt.Sprintf("http://www.example.com/%d", n), Time: day0 + record.Time(n), IP: "192.0.2.1", RefersTime: record.NoTime}
	message.Set(c, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd:  kept \r\n\r\n<title>%d</title><p>Page number %d.</p>", n, n))
	return c
}

// journals lists the journals of an archive.
func journals(t *testing.T, a *Archive) []string {
	names, err := glob(filepath.Join(a.Local(), "journal", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// capturesOf counts the captures in force.
func capturesOf(t *testing.T, a *Archive) (n int) {
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		n += b.N
	}
	return n
}

func TestSinkPublishes(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	s, err := a.NewSink(t.Context(), "a crawl/1", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		if err := s.Put(t.Context(), crawled(n)); err != nil {
			t.Fatal(err)
		}
		if n%10 == 9 {
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := capturesOf(t, a); n != 100 {
		t.Errorf("%d captures, want 100", n)
	}
	if left := journals(t, a); len(left) > 0 {
		t.Errorf("journals are left: %v", left)
	}
	if c := s.Counts(); c.Stored != 100 || c.Records != 100 {
		t.Errorf("counts %+v", c)
	}
}

// leaveJournal puts this number of captures into a journal of the crawl k~1, which it leaves as a
// process that is killed does.
func leaveJournal(t *testing.T, a *Archive, captures int) {
	t.Helper()
	s, err := a.NewSink(t.Context(), "k~1", 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range captures {
		if err := s.Put(t.Context(), crawled(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ended); err == nil {
		t.Error("Close of a sink whose context has ended has no error")
	}
}

// TestDamagedJournal damages a record of a journal that a killed process left. The captures before and
// after it are imported, and the file is kept, because the record was reported as stored.
func TestDamagedJournal(t *testing.T) {
	var warned []string
	a := openAt(t.TempDir(), Options{Warn: func(err error) { warned = append(warned, err.Error()) }})
	defer a.Close()
	leaveJournal(t, a, 3)
	left := journals(t, a)
	if len(left) != 1 {
		t.Fatalf("journals %v", left)
	}
	b, err := readFile(left[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b[1:], []byte("version: 1.0")) + 1 // of the second record
	b[at] = 'V' ^ 1
	if err := writeFile(left[0], b); err != nil {
		t.Fatal(err)
	}
	next, err := a.NewSink(t.Context(), "next", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := capturesOf(t, a); n != 2 {
		t.Errorf("%d captures, want 2", n)
	}
	if left := journals(t, a); len(left) != 1 || !strings.HasSuffix(left[0], ".damaged") {
		t.Errorf("the journals are %v, want the damaged one", left)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "is damaged at offset") {
		t.Errorf("warnings: %q", warned)
	}
	if next, err = a.NewSink(t.Context(), "next", 0); err != nil {
		t.Fatal(err)
	}
	if err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := capturesOf(t, a); n != 2 || len(warned) != 1 {
		t.Errorf("the damaged journal was taken up again: %d captures, warnings %q", n, warned)
	}
}

// TestJournalIsTakenUp shows that what a process left that was killed comes in
// with the next writer, but for what is torn at its end.
func TestJournalIsTakenUp(t *testing.T) {
	a := openAt(t.TempDir(), Options{Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	leaveJournal(t, a, 10)
	left := journals(t, a)
	if len(left) != 1 || capturesOf(t, a) != 0 {
		t.Fatalf("journals %v, %d captures in force", left, capturesOf(t, a))
	}
	b, err := readFile(left[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFile(left[0], b[:len(b)-20]); err != nil {
		t.Fatal(err)
	}
	next, err := a.NewSink(t.Context(), "next", 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := capturesOf(t, a); n != 9 {
		t.Errorf("%d captures, want 9", n)
	}
	if err := next.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := journals(t, a); len(left) > 0 {
		t.Errorf("journals are left: %v", left)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for batch, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColJob}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.N {
			c := crawled(0)
			got, err := v.Stored(t.Context(), batch.Ref[i])
			if err != nil {
				t.Fatal(err)
			}
			if batch.Job[i] != "k~1" || string(got.Head) != string(c.Head) || got.IP != c.IP || !strings.Contains(string(got.Body), "Page number") {
				t.Errorf("job %q, head %q, body %q", batch.Job[i], got.Head, got.Body)
			}
		}
	}
}
