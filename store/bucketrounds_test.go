package store

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
	"infomall/store/record/task"
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

// pageCost is what one page took.
type pageCost struct {
	s3.Stats
	asked int64 // the bytes of the ranges that a local archive reads
}

// counted is an archive in a bucket, opened by a machine that has nothing in its cache.
type counted struct {
	*Archive
	t  *testing.T
	c  *s3.Client
	fs *askedFS
}

func openCounted(t *testing.T, place s3.Server) *counted {
	t.Helper()
	c, err := place.Open(s3.Scheme + s3test.Bucket + "/archive")
	if err != nil {
		t.Fatal(err)
	}
	b := BucketOptions{Folder: t.TempDir()}
	objects, err := b.fs(c, commit.PlaceOf)
	if err != nil {
		t.Fatal(err)
	}
	fs := &askedFS{FS: objects, asked: make(map[string][][2]int64)}
	a := Open(fs.Root(), Options{Disk: fs, Warn: func(err error) { t.Error(err) }})
	t.Cleanup(func() { a.Close() })
	return &counted{a, t, c, fs}
}

// page reads all captures of a URL and the body of the last one, and returns the cost. It is an error if
// there are not want captures.
func (a *counted) page(url string, want int) pageCost {
	a.t.Helper()
	return a.pageSince(record.MinTime, url, want)
}

// pageSince does what page does, with the captures from a time on.
func (a *counted) pageSince(from record.Time, url string, want int) pageCost {
	a.t.Helper()
	return a.cost(func(v *Snapshot) { a.read(v, from, url, want) })
}

// latest reads the last capture of a URL and its body, as SHOW PAGE does, and returns the cost.
func (a *counted) latest(url string) pageCost {
	a.t.Helper()
	return a.cost(func(v *Snapshot) {
		a.read(v, v.Since(urlkey.Key(url), record.MaxTime, 1), url, anyNumber)
	})
}

// cost returns what it costs to take a snapshot and to call do with it.
func (a *counted) cost(do func(v *Snapshot)) pageCost {
	a.t.Helper()
	before := a.c.Stats()
	v, err := a.Snapshot(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	defer v.Close()
	do(v)
	after := a.c.Stats()
	return pageCost{s3.Stats{Requests: after.Requests - before.Requests, Rounds: after.Rounds - before.Rounds, In: after.In - before.In}, a.fs.bytes()}
}

// read reads the captures of a URL from a time on, and the body of the last one. It is an error if
// there are not want captures.
func (a *counted) read(v *Snapshot, from record.Time, url string, want int) {
	a.t.Helper()
	ctx := a.t.Context()
	key := urlkey.Key(url)
	found := 0
	var last record.Ref
	for b, err := range v.Scan(ctx, record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: from, To: record.MaxTime}) {
		if err != nil {
			a.t.Fatal(err)
		}
		if found += b.N; b.N > 0 {
			last = b.Ref[b.N-1]
		}
	}
	if found != want && (want != anyNumber || found == 0) {
		a.t.Fatalf("%s has %d captures, want %d", url, found, want)
	}
	if p, err := v.Payload(ctx, last); err != nil || !bytes.Contains(p.Body, []byte("a")) {
		a.t.Fatalf("%s: %d bytes, %v", url, len(p.Body), err)
	}
}

// anyNumber, as the number of captures that a test wants, stands for any but 0.
const anyNumber = -1

// madeVisit returns a visit whose body has 2,000 random letters.
func madeVisit(r *rand.Rand, url string, minute int) *visit {
	body := make([]byte, 2000)
	for i := range body {
		body[i] = 'a' + byte(r.Uint32()%20)
	}
	return &visit{url: url, time: day0 + record.Time(minute)*dayMillis, status: 200, body: string(body)}
}

// TestBucketRounds counts the requests and the bytes for one page: with an empty cache, and with the
// catalogue and the index in the cache. A local archive reads the same ranges of the same files. The
// store sends at most a quarter more.
func TestBucketRounds(t *testing.T) {
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for part := range 2 {
		var visits []*visit
		for n := range 900 {
			visits = append(visits, madeVisit(r, fmt.Sprintf("http://a.example/%d", n), part*60+n%20))
		}
		put(t, a, visits)
	}
	reader := openCounted(t, server.Place())
	cold := reader.page("http://a.example/7", 2)
	warm, again := reader.page("http://a.example/100", 2), reader.page("http://a.example/100", 2)
	t.Logf("cold %+v, warm %+v, again %+v", cold, warm, again)
	if cold.Rounds > 4 || cold.Requests > 20 {
		t.Errorf("a page cold took %+v; want 4 rounds and 20 requests at most", cold)
	}
	if cold.In*4 > cold.asked*5 {
		t.Errorf("a page cold took %d bytes; a local archive reads %d of them, want a quarter more at most", cold.In, cold.asked)
	}
	if warm.Rounds > 3 || again.Rounds > 1 {
		t.Errorf("a page with catalogue and index in the cache took %+v, and again %+v; want 3 rounds and 1 at most", warm, again)
	}
}

// together returns a way to the server on which n requests for files of a folder, after the first few
// of them, wait until all n have come.
func together(t *testing.T, server *s3test.Server, folder string, after, n int) s3.Server {
	var passed atomic.Int64
	came, all := make(chan struct{}, n), make(chan struct{})
	go func() { // it ends when all have come or the test ends
		for range n {
			select {
			case <-came:
			case <-t.Context().Done():
			}
		}
		close(all)
	}()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/"+folder+"/") && passed.Add(1) > int64(after) {
			select {
			case came <- struct{}{}:
			case <-all:
			}
			select {
			case <-all:
			case <-time.After(time.Minute):
				t.Errorf("%d requests for files of %s did not come together", n, folder)
			}
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	place := server.Place()
	place.Endpoint = front.URL
	return place
}

// TestBucketRoundsOfShared counts the requests for a page that changes a little each month, so that its
// blocks lie in many segments. They are read at once, and no index says where they are.
func TestBucketRoundsOfShared(t *testing.T) {
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	r := rand.New(rand.NewPCG(1, 2))
	const months = 12
	page := make([]string, months)
	for month := range months {
		for i := range page {
			if i >= month {
				page[i] = fmt.Sprintf("<p>%s</p>\n", madeVisit(r, "", 0).body)
			}
		}
		visits := []*visit{{url: "http://a.example/page", time: day0 + record.Time(month*31)*dayMillis, status: 200,
			body: "<html><head><title>a page</title></head><body>" + strings.Join(page, "") + "</body></html>"}}
		for n := range 30 {
			visits = append(visits, madeVisit(r, fmt.Sprintf("http://a.example/%d/%d", n, month), month*31))
		}
		put(t, a, visits)
	}
	last := func(place s3.Server) pageCost {
		return openCounted(t, place).pageSince(day0+record.Time((months-1)*31)*dayMillis, "http://a.example/page", 1)
	}
	files, indexes := make(map[string]bool), 0
	server.SetFault(func(r *http.Request, _ int) s3test.Fault {
		switch {
		case strings.Contains(r.URL.Path, "/"+commit.DirPools+"/"):
			files[r.URL.Path] = true
		case strings.Contains(r.URL.Path, "/"+commit.DirIndex+"/"):
			indexes++
		}
		return s3test.Works
	})
	cold := last(server.Place())
	server.SetFault(nil)
	if len(files) < months/2 || indexes != 1 {
		t.Fatalf("the page took %d db-files and %d requests for indexes; want %d files at least and 1 request", len(files), indexes, months/2)
	}
	if cold.Requests > 20 || cold.In*2 > cold.asked*3 {
		t.Errorf("a page of %d db-files took %+v; want 20 requests at most, and half more bytes than a local archive reads", len(files), cold)
	}
	atOnce := last(together(t, server, commit.DirPools, 1, len(files)-1))
	if atOnce.Rounds > 5 {
		t.Errorf("a page of %d db-files took %+v; want 5 rounds at most", len(files), atOnce)
	}
	t.Logf("of %d db-files %+v", len(files), atOnce)
}

// TestBucketRoundsOfSealed counts the requests for pages of a sealed archive of many small pools, whose
// runs build on each other. A body needs few runs. All but the first are asked for at once, whatever
// they build on.
func TestBucketRoundsOfSealed(t *testing.T) {
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	for _, visits := range changingPages(28) {
		put(t, a, visits)
	}
	seal(t, a)
	if ofRun, ofBody := needs(t, a); ofRun < 2 || ofRun > 3 || ofBody < 10 || ofBody > 16 {
		t.Errorf("a run needs up to %d others, and a body up to %d runs; want 2 to 3, and 10 to 16", ofRun, ofBody)
	}
	for n := range changingPagesCount {
		url := changingPage(n)
		files := 0
		server.SetFault(func(r *http.Request, _ int) s3test.Fault {
			if strings.Contains(r.URL.Path, "/"+commit.DirPools+"/") {
				files++
			}
			return s3test.Works
		})
		cold := openCounted(t, server.Place()).latest(url)
		server.SetFault(nil)
		if cold.Requests > 20 || files < 8 {
			t.Fatalf("%s took %+v, %d requests for db-files; want 20 requests at most, 8 for db-files at least", url, cold, files)
		}
		openCounted(t, together(t, server, commit.DirPools, 1, files-1)).latest(url)
		t.Logf("%s: %d requests for db-files, %+v", url, files, cold)
	}
}

// TestBucketRoundsOfHeld counts the requests for the last capture of a page, whose body an earlier
// capture of the page, or of another URL, holds. The capture says where that is, so the index of its
// segment is not asked.
func TestBucketRoundsOfHeld(t *testing.T) {
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	r := rand.New(rand.NewPCG(1, 2))
	first := madeVisit(r, "http://a.example/", 0)
	put(t, a, []*visit{first})
	for part := 1; part <= 3; part++ {
		again := *first
		again.time += record.Time(part*31) * dayMillis
		put(t, a, []*visit{&again, {url: "http://b.example/", time: again.time, status: 200, body: first.body, as: "url", refers: first}})
	}
	for _, sealed := range []bool{false, true} {
		if sealed {
			seal(t, a)
		}
		for _, url := range []string{"http://a.example/", "http://b.example/"} {
			asked := ""
			server.SetFault(func(r *http.Request, _ int) s3test.Fault {
				asked += strings.TrimPrefix(r.URL.Path, "/bucket/archive/") + " "
				return s3test.Works
			})
			cost := openCounted(t, server.Place()).latest(url)
			server.SetFault(nil)
			// CURRENT, an index, the entry, and the entry that has the body.
			if n := strings.Count(asked, commit.DirPools+"/"); n != 2 || cost.Requests != 4 {
				t.Errorf("sealed %t: the last capture of %s took %+v, want 4 requests, 2 of them of db-files:\n%s", sealed, url, cost, asked)
			}
		}
	}
}

// TestBucketRoundsOfMany counts the requests for one page of an archive of 18 segments that are not
// merged. The catalogue says which segments cannot have the URL. A page that only one of them has takes
// as few requests as in a small archive, and one that all have takes one or two for each segment, at once.
func TestBucketRoundsOfMany(t *testing.T) {
	server := s3test.Start(t)
	a := machine(t, server, server.Place())
	defer a.Close()
	r := rand.New(rand.NewPCG(1, 2))
	const segments = 18
	for part := range segments {
		visits := []*visit{madeVisit(r, "http://a.example/everywhere", part*31)}
		for n := range 100 {
			visits = append(visits, madeVisit(r, fmt.Sprintf("http://a.example/%d/%d", n, part), part*31))
		}
		put(t, a, visits)
	}
	c, err := a.folder.InForce()
	if err != nil || len(c.Segments) != segments {
		t.Fatalf("%d segments, %v", len(c.Segments), err)
	}
	one := openCounted(t, server.Place()).page("http://a.example/77/9", 1)
	if one.Rounds > 3 || one.Requests > 3 {
		t.Errorf("a page of one segment took %+v; want 3 rounds and 3 requests at most", one)
	}
	if one.In*2 > one.asked*3 {
		t.Errorf("a page of one segment took %d bytes; a local archive reads %d of them, want half more at most", one.In, one.asked)
	}
	reader := openCounted(t, together(t, server, commit.DirIndex, 0, segments))
	all := reader.page("http://a.example/everywhere", segments)
	if all.Rounds > 4 || all.Requests > segments+2 {
		t.Errorf("a page of %d segments took %+v; want 4 rounds and %d requests at most", segments, all, segments+2)
	}
	if last := openCounted(t, server.Place()).latest("http://a.example/everywhere"); last.Rounds > 5 || last.Requests > 6 {
		t.Errorf("the last capture of a page of %d segments took %+v; want 5 rounds and 6 requests at most", segments, last)
	}
	warm := reader.page("http://a.example/77/9", 1)
	if warm.Rounds > 3 {
		t.Errorf("a page with catalogue and index in the cache took %+v; want 3 rounds at most", warm)
	}
	t.Logf("of one segment %+v, of all %+v, then %+v", one, all, warm)
	// A copy gets its filters from the indexes, as the archive itself does after REINDEX.
	local := Open(t.TempDir(), Options{})
	defer local.Close()
	for part := range segments {
		put(t, local, []*visit{madeVisit(r, "http://a.example/everywhere", part*31), madeVisit(r, fmt.Sprintf("http://a.example/b/%d", part), part*31)})
	}
	other := s3test.Start(t)
	local.opts.Bucket = func(url string) (*s3.Client, BucketOptions, error) {
		c, err := other.Place().Open(url)
		return c, BucketOptions{Folder: t.TempDir()}, err
	}
	if _, err := local.Copy(t.Context(), task.CopyOptions{Dir: s3.Scheme + s3test.Bucket + "/archive"}); err != nil {
		t.Fatal(err)
	}
	if copied := openCounted(t, other.Place()).page("http://a.example/b/5", 1); copied.Rounds > 5 || copied.Requests > 8 {
		t.Errorf("a page of one segment of a copy took %+v; want 5 rounds and 8 requests at most", copied)
	}
}
