package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
)

// TestRevisitsRead imports revisits with headers of their own, their originals, and a
// capture after both, in several orders. What the archive says of each is what it says
// where the revisit came as a response with its body.
func TestRevisitsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	heads := []string{
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n",
		"HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nLocation: /b\r\n\r\n",
		"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n",
	}
	var originals, revisits, responses, later []*record.Capture
	for _, body := range []string{"<title>Not found</title>Not found", "<title>\xb1\xb1\xbe\xa9</title><p>\xb1\xb1\xbe\xa9<p><a href=/b>two</a>"} {
		for _, there := range heads {
			for _, own := range heads {
				for _, host := range []string{"a", "b"} {
					n := len(originals)
					original := fmt.Sprintf("http://a%d.example/", n)
					capture := func(url string, day int, head string) *record.Capture {
						c := &record.Capture{AskedURL: url, Time: day0 + record.Time(day)*dayMillis, Source: "test", RefersTime: record.NoTime}
						message.Set(c, []byte(head+body))
						return c
					}
					url := fmt.Sprintf("http://%s%d.example/", host, n)
					originals = append(originals, capture(original, 0, there))
					responses = append(responses, capture(url, 35, own))
					v := capture(url, 35, own)
					v.Via, v.Body, v.RefersURL, v.RefersTime = record.ViaRevisit, nil, original, day0
					revisits = append(revisits, v)
					later = append(later, capture(url, 65, heads[0]))
				}
			}
		}
	}
	for _, order := range []string{"ovl", "o vl", "v ol", "v l o", "v ol m", "v l o m", "v ol s", "v ol d m"} {
		rows := func(visits []*record.Capture) []string {
			a := openAt(t.TempDir(), Options{})
			defer a.Close()
			var batch []*record.Capture
			for _, step := range order + " " {
				switch step {
				case 'o':
					batch = append(batch, originals...)
				case 'v':
					batch = append(batch, visits...)
				case 'l':
					batch = append(batch, later...)
				case ' ':
					putCaptures(t, a, batch)
					batch = nil
				case 'd':
					if _, err := deleteWhere(a, func(_ string, at record.Time) bool { return at == day0 }); err != nil {
						t.Fatal(err)
					}
				case 'm', 's':
					for _, pool := range poolNames(t, a) {
						if _, err := a.Merge(context.Background(), task.MergeOptions{Pools: []string{pool}, Seal: step == 's'}); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			return append(readingRows(t, a, record.MinTime), readingRows(t, a, later[0].Time)...)
		}
		got, want := rows(revisits), rows(responses)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("in the order %q:\n got %s\nwant %s", order, got[i], want[i])
			}
		}
	}
}

// putCaptures imports captures as one import does.
func putCaptures(t *testing.T, a *Archive, captures []*record.Capture) {
	t.Helper()
	ctx := context.Background()
	g, err := a.intake.NewImporter(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, c := range captures {
		c := *c
		if err := g.Add(ctx, &c, new(task.ImportResult)); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

// readingRows is what the archive says of captures since a time that depends on
// how their bodies are read.
func readingRows(t *testing.T, a *Archive, from record.Time) (rows []string) {
	t.Helper()
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if _, err := checkKept(v); err != nil {
		t.Fatal(err)
	}
	scan := record.Scan{From: from, To: record.MaxTime, Columns: record.ColStatus | record.ColKind | record.ColMime | record.ColBytes | record.ColChange | record.ColDigest | record.ColPage}
	for b, err := range v.Scan(context.Background(), scan) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			rows = append(rows, fmt.Sprintf("%s %v: %d %v %s, %d bytes, %v, %x, %q %s %s %s %q %v, %d links, %d blocks", b.URLs()[i], b.Time[i].Std(), b.Status[i], b.Kind[i], b.Mime[i], b.Bytes[i],
				b.Change[i], b.Digest[i][:4], b.Title[i], b.Lang[i], b.Charset[i], b.DeclaredCharset[i], b.Reason[i], b.NoArchive[i], b.LinkCount[i], b.BlockCount[i]))
		}
	}
	slices.Sort(rows)
	return rows
}

// TestBareNotModifiedTwice imports a 304 that names no other capture from two files,
// in which it stands in different places. The archive must know it again, whether
// the first import already gave it the body of the capture before, or did not.
func TestBareNotModifiedTwice(t *testing.T) {
	const u = "http://a.cn/"
	for name, first := range map[string][]*visit{
		"with the capture before": {{url: u, time: day0, seq: 1, status: 200, body: "x"}},
		"alone":                   nil,
	} {
		t.Run(name, func(t *testing.T) {
			a := openAt(t.TempDir(), Options{})
			defer a.Close()
			put(t, a, append(first, &visit{url: u, time: day0 + 5, seq: 2, as: "before"}))
			if res := put(t, a, []*visit{{url: u, time: day0 + 5, seq: 9, as: "before"}}); res.Stored+res.Visits != 0 {
				t.Errorf("the second import stored %d and noted %d visits, want none", res.Stored, res.Visits)
			}
			// Both in one batch, and a third at another time, which is its own.
			put(t, a, []*visit{
				{url: u, time: day0 + 9, seq: 3, as: "before"}, {url: u, time: day0 + 9, seq: 4, as: "before"}, {url: u, time: day0 + 10, seq: 4, as: "before"},
			})
			if rows, want := readRows(t, a, record.MinTime, record.MaxTime), len(first)+3; len(rows) != want {
				t.Errorf("%d captures, want %d: %v", len(rows), want, rows)
			}
		})
	}
}
