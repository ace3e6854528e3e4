package store

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// askedFS notes which bytes of the objects are read, as a local archive would read them.
type askedFS struct {
	*s3.FS
	mu    sync.Mutex
	asked map[string][][2]int64 // by file: offset and end of each read
}

func (d *askedFS) Open(name string) (disk.Source, error) {
	src, err := d.FS.Open(name)
	if err != nil || !strings.HasPrefix(name, d.Root()) {
		return src, err
	}
	return &askedSource{src, d, 0}, nil
}

func (d *askedFS) note(name string, off, n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[name] = append(d.asked[name], [2]int64{off, off + n})
}

// bytes returns how many different bytes were read since the last call.
func (d *askedFS) bytes() (n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, reads := range d.asked {
		slices.SortFunc(reads, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
		until := int64(0)
		for _, r := range reads {
			n += max(0, r[1]-max(r[0], until))
			until = max(until, r[1])
		}
	}
	d.asked = make(map[string][][2]int64)
	return n
}

type askedSource struct {
	disk.Source
	d  *askedFS
	at int64
}

func (s *askedSource) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.Source.ReadAt(p, off)
	s.d.note(s.Name(), off, int64(n))
	return n, err
}

func (s *askedSource) Read(p []byte) (int, error) {
	n, err := s.Source.Read(p)
	s.d.note(s.Name(), s.at, int64(n))
	s.at += int64(n)
	return n, err
}

// TestBucketRounds counts the requests and the bytes for one page: with an empty cache, and with the
// catalogue and the index in the cache. A local archive reads the same ranges of the same files. The
// store sends at most a quarter more.
func TestBucketRounds(t *testing.T) {
	ctx := t.Context()
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for part := range 2 {
		var visits []*visit
		for n := range 900 {
			body := make([]byte, 2000)
			for i := range body {
				body[i] = 'a' + byte(r.Uint32()%20)
			}
			visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%d", n), time: day0 + record.Time(part*60+n%20)*dayMillis, status: 200, body: string(body)})
		}
		put(t, a, visits)
	}
	c, err := server.Place().Open(s3.Scheme + s3test.Bucket + "/archive")
	if err != nil {
		t.Fatal(err)
	}
	b := BucketOptions{Folder: t.TempDir()}
	objects, err := b.fs(c, commit.PlaceOf)
	if err != nil {
		t.Fatal(err)
	}
	fs := &askedFS{FS: objects, asked: make(map[string][][2]int64)}
	reader := Open(fs.Root(), Options{Disk: fs, Warn: func(err error) { t.Error(err) }})
	defer reader.Close()
	var asked int64
	page := func(url string) (used s3.Stats) {
		before := c.Stats()
		v, err := reader.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		key := urlkey.Key(url)
		found := 0
		for b, err := range v.Scan(ctx, record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: record.MaxTime}) {
			if err != nil {
				t.Fatal(err)
			}
			if found += b.N; found == b.N && b.N > 0 {
				p, err := v.Payload(ctx, b.Ref[0])
				if err != nil || !bytes.Contains(p.Body, []byte("a")) {
					t.Fatalf("%s: %d bytes, %v", url, len(p.Body), err)
				}
			}
		}
		if found == 0 {
			t.Fatalf("%s was not found", url)
		}
		after := c.Stats()
		asked = fs.bytes()
		return s3.Stats{Requests: after.Requests - before.Requests, Rounds: after.Rounds - before.Rounds, In: after.In - before.In}
	}
	cold := page("http://a.example/7")
	coldAsked := asked
	warm, again := page("http://a.example/100"), page("http://a.example/100")
	t.Logf("cold %+v (a local archive reads %d bytes), warm %+v, again %+v", cold, coldAsked, warm, again)
	if cold.Rounds > 5 || cold.Requests > 20 {
		t.Errorf("a page cold took %+v; want 5 rounds and 20 requests at most", cold)
	}
	if cold.In*4 > coldAsked*5 {
		t.Errorf("a page cold took %d bytes; a local archive reads %d of them, want a quarter more at most", cold.In, coldAsked)
	}
	if warm.Rounds > 3 || again.Rounds > 1 {
		t.Errorf("a page with catalogue and index in the cache took %+v, and again %+v; want 3 rounds and 1 at most", warm, again)
	}
}
