package state

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/crawl/report"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/urlkey"
)

func openQueue(t *testing.T, dir string) *Crawl {
	q, err := Open(disk.OS, dir)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestQueueKeeps shows that what is committed is there again, and what is not is
// not.
func TestQueueKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	q := openQueue(t, dir)
	add := func(url string, priority uint64) report.Queued {
		u := report.Queued{URL: url, Host: "a.cn", Priority: priority, Due: record.NoTime}
		if _, err := q.Add(&u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	add("http://a.cn/2", 2)
	one := add("http://a.cn/1", 1)
	if _, err := Open(disk.OS, dir); !errors.Is(err, report.ErrCrawlRunning) {
		t.Errorf("opened twice: %v", err)
	}
	must(t, q.Commit())
	add("http://a.cn/3", 0)
	must(t, q.Close())

	q = openQueue(t, dir)
	list, more, err := q.Load("a.cn", 0, 0, 10)
	must(t, err)
	if len(list) != 2 || more || list[0] != one || list[1].URL != "http://a.cn/2" {
		t.Errorf("after a restart %+v, %v", list, more)
	}
	if again, err := q.Add(&report.Queued{URL: "http://a.cn/1", Host: "a.cn"}); again || err != nil {
		t.Errorf("a URL that was met is added: %v, %v", again, err)
	}
	must(t, q.Postpone(&list[0], 1000))
	if ripe, err := q.Ripe(999, 10); err != nil || len(ripe) != 0 {
		t.Errorf("ripe too early: %v, %v", ripe, err)
	}
	if due, err := q.NextRipe(); due != 1000 || err != nil {
		t.Errorf("next ripe %d, %v", due, err)
	}
	if ripe, err := q.Ripe(1000, 10); err != nil || len(ripe) != 1 || ripe[0].URL != "http://a.cn/1" || ripe[0].Due != record.NoTime {
		t.Errorf("ripe %v, %v", ripe, err)
	}
	must(t, q.Done(&list[1]))
	hosts, err := q.Hosts()
	must(t, err)
	if !reflect.DeepEqual(hosts, []string{"a.cn"}) {
		t.Errorf("hosts %v", hosts)
	}
	must(t, q.Close())
}

// TestOtherFormat opens the state of a crawl in another format, and one without a
// format: neither the crawl nor a visitor reads it.
func TestOtherFormat(t *testing.T) {
	for _, format := range []string{"draft 2", ""} {
		dir := filepath.Join(t.TempDir(), "c")
		q := openQueue(t, dir)
		must(t, q.Reset())
		must(t, q.Commit())
		must(t, q.Close())
		q = openQueue(t, dir) // Reset keeps the format
		b, err := q.bucket(bucketAbout)
		must(t, err)
		must(t, b.Put(keyFormat, []byte(format)))
		must(t, q.Commit())
		must(t, q.Close())
		_, err = Open(disk.OS, dir)
		_, _, look := Look(dir)
		for who, err := range map[string]error{"the crawl": err, "a visitor": look} {
			if other := new(disk.FormatError); !errors.As(err, &other) || !strings.Contains(err.Error(), filepath.Join(dir, fileState)) {
				t.Errorf("format %q: %s gets %v, want a FormatError that names the file", format, who, err)
			}
		}
	}
}

// TestVisit shows that others look and give orders while a crawl runs, and soon.
func TestVisit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	q := openQueue(t, dir)
	defer q.Close()
	must(t, q.SetCrawl(&report.Crawl{Name: "x"}))
	must(t, q.Log(&report.Fetch{URL: "http://a.cn/", Outcome: report.OutcomeTimeout, Bytes: -1, Elapsed: time.Second}))
	must(t, q.Commit())
	done := make(chan error)
	go func() {
		c, _, err := Look(dir)
		if err == nil && c.Name != "x" {
			err = errors.New("the crawl is called " + c.Name)
		}
		n := 0
		for list, e := range Fetches(dir) {
			err = errors.Join(err, e)
			n += len(list)
		}
		if n != 1 {
			err = errors.Join(err, errors.New("not one attempt"))
		}
		err = errors.Join(err, Order(dir, func(o *report.CrawlOrders) { o.Workers = 7 }))
		done <- errors.Join(err, Give(dir, []report.Queued{{URL: "http://a.cn/new"}}))
	}()
	for {
		must(t, q.SetHost("a.cn", []byte("robots")))
		must(t, q.Commit())
		select {
		case err := <-done:
			must(t, err)
			o, err := q.Orders()
			must(t, err)
			given, err := q.Inbox(10)
			must(t, err)
			if o.Workers != 7 || len(given) != 1 || given[0].URL != "http://a.cn/new" {
				t.Errorf("orders %+v, inbox %+v", o, given)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// TestCodec shows that entries are read as they were written, and that no bytes
// make the reading of one panic.
func TestCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := report.Queued{
			URL: rapid.String().Draw(t, "url"), Host: rapid.String().Draw(t, "host"), Priority: rapid.Uint64().Draw(t, "priority"), Seq: rapid.Uint64().Draw(t, "seq"),
			Layer: rapid.IntRange(0, 1<<40).Draw(t, "layer"), Via: rapid.String().Draw(t, "via"), Due: record.Time(rapid.Int64().Draw(t, "due")), Forced: rapid.Bool().Draw(t, "forced"), Sitemap: rapid.Bool().Draw(t, "sitemap"), Guessed: rapid.Bool().Draw(t, "guessed"), Post: rapid.SampledFrom([]*report.Post{nil, {Body: []byte{}}, {Media: "a/b", Body: []byte("q=1")}}).Draw(t, "post"), Score: rapid.Float64().Draw(t, "score"),
		}
		got, err := DecodeQueued(AppendQueued(nil, &u))
		if err != nil || !reflect.DeepEqual(got, u) {
			t.Fatalf("%+v, %v, want %+v", got, err, u)
		}
		u.Off = rapid.IntRange(0, 1<<20).Draw(t, "off")
		if rapid.Bool().Draw(t, "terms") {
			u.Terms = &report.Terms{Domain: u.Score, Parent: -1, Hosts: rapid.SliceOfN(rapid.Uint32(), 1, 3).Draw(t, "hosts")}
		}
		if got, err := DecodeQueued(AppendQueued(nil, &u)); err != nil || !reflect.DeepEqual(got, u) {
			t.Fatalf("%+v, %v, want %+v", got, err, u)
		}
		f := report.Fetch{
			Layer: u.Layer, Links: u.Off, Took: [report.Stages]time.Duration{report.StagePost: 7},
			URL: u.URL, Time: u.Due, Outcome: report.Outcome(rapid.IntRange(0, int(report.OutcomeInternal)).Draw(t, "outcome")),
			Status: rapid.IntRange(0, 999).Draw(t, "status"), Elapsed: time.Duration(rapid.Int64Min(0).Draw(t, "elapsed")), Bytes: rapid.Int64().Draw(t, "bytes"), Reason: u.Via,
		}
		if rapid.Bool().Draw(t, "shown") {
			f.Shown = &report.Shown{
				Rendered: rapid.Bool().Draw(t, "rendered"), Gained: rapid.Bool().Draw(t, "gained"), Parts: f.Links, Refused: 1, Sockets: 2,
				Why: u.Via, Consent: u.Host, Behaviours: u.URL,
			}
		}
		gotFetch, err := decodeFetch(appendFetch(nil, &f))
		if err != nil || !reflect.DeepEqual(gotFetch, f) {
			t.Fatalf("%+v, %v, want %+v", gotFetch, err, f)
		}
		junk := rapid.SliceOf(rapid.Byte()).Draw(t, "junk")
		DecodeQueued(junk)
		decodeFetch(junk)
	})
}

// TestMoveAndLeave shows that a URL whose priority rises is found in its new place,
// and that one which was left out may be met yet.
func TestMoveAndLeave(t *testing.T) {
	q := openQueue(t, filepath.Join(t.TempDir(), "c"))
	defer q.Close()
	u := report.Queued{URL: "http://a.cn/1", Host: "a.cn", Priority: 9, Due: record.NoTime, Terms: &report.Terms{Depth: 1}}
	_, err := q.Add(&u)
	must(t, err)
	v, ok, err := q.Find("a.cn", u.URL)
	if err != nil || !ok || v.Seq != u.Seq {
		t.Fatalf("found %+v, %v, %v", v, ok, err)
	}
	v.Terms.Popularity, v.Terms.Hosts = 1, []uint32{7}
	must(t, q.Move(&v, 3))
	list, _, err := q.Load("a.cn", 0, 0, 10)
	if err != nil || len(list) != 1 || !reflect.DeepEqual(list[0], v) {
		t.Errorf("the queue has %+v, %v, want %+v", list, err, v)
	}
	if again, ok, err := q.Find("a.cn", u.URL); err != nil || !ok || again.Priority != 3 {
		t.Errorf("found %+v, %v, %v", again, ok, err)
	}
	must(t, q.Done(&v))
	if _, ok, err := q.Find("a.cn", u.URL); ok || err != nil {
		t.Errorf("what is done is found, %v", err)
	}
	for i, want := range []bool{false, true} {
		if before, err := q.Leave("http://a.cn/2"); err != nil || before != want {
			t.Errorf("left out %d: before %v, %v", i, before, err)
		}
	}
	if met, err := q.Meet("http://a.cn/2"); err != nil || met {
		t.Errorf("what was left out was met, %v", err)
	}
	if before, err := q.Leave("http://a.cn/2"); err != nil || !before {
		t.Errorf("what was met may be left out, %v", err)
	}
}

// TestFull shows that a batch is full when it has changed many pages of the
// database, not when it is long; and empty again once it is committed.
func TestFull(t *testing.T) {
	q := openQueue(t, filepath.Join(t.TempDir(), "c"))
	defer q.Close()
	add := func(host, path int) {
		name := fmt.Sprintf("h%d.example", host)
		u := report.Queued{URL: fmt.Sprintf("http://%s/%d", name, path), Host: name, Due: record.NoTime}
		if _, err := q.Add(&u); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20_000 {
		add(i%2000, i/2000)
		if q.Full() {
			must(t, q.Commit())
			if q.Full() {
				t.Fatal("a batch is full that has just begun")
			}
		}
	}
	must(t, q.Commit())
	for i := range 1000 {
		if add(7, 100+i); q.Full() {
			t.Fatalf("%d URLs of one host fill a batch", i+1)
		}
	}
	for i := range 2000 {
		if add(i, 5000); q.Full() {
			return
		}
	}
	t.Error("a URL each of two thousand hosts does not fill a batch")
}

// TestFailures shows which URLs count as failed, and that ranges of keys select some.
func TestFailures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	q := openQueue(t, dir)
	defer q.Close()
	log := func(url string, at record.Time, bytes int64, outcome report.Outcome) {
		t.Helper()
		must(t, q.Log(&report.Fetch{URL: url, Time: at, Bytes: bytes, Outcome: outcome}))
	}
	check := func(what string, ranges []urlkey.Range, want ...report.Failure) {
		t.Helper()
		must(t, q.Commit())
		must(t, q.Rest())
		var got []report.Failure
		for list, err := range Failures(dir, ranges) {
			must(t, err)
			got = append(got, list...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	a, b, c := report.Failure{URL: "http://a.cn/", Time: 7}, report.Failure{URL: "http://b.cn/x", Time: 8}, report.Failure{URL: "http://c.cn/", Time: 9}
	for _, f := range []report.Failure{b, a, c} {
		log(f.URL, f.Time-1, 5, report.OutcomeOK)
		log(f.URL, f.Time, -1, report.OutcomeTimeout)
	}
	check("all", nil, a, b, c)
	key := urlkey.Key(b.URL)
	check("one URL", []urlkey.Range{{From: key, To: key + "\x00"}}, b)
	check("two ranges", []urlkey.Range{{From: "", To: key}, {From: key + "\x00", To: ""}}, a, c)
	log(a.URL, 10, -1, report.OutcomeFiltered)
	must(t, q.Log(&report.Fetch{URL: "http://d.cn/", Time: 10, Bytes: -1, Outcome: report.OutcomeUnreachable, Unasked: true}))
	log(b.URL, 11, 0, report.OutcomeNotModified)
	log(c.URL, 12, -1, report.OutcomeUnreachable)
	c.Time = 12
	check("later", nil, a, c)
	must(t, q.Reset())
	check("after a new beginning", nil, a, c)
	for i := range 2*visitRows + 1 {
		log(fmt.Sprintf("http://d.cn/%d", i), 13, -1, report.OutcomeTimeout)
	}
	must(t, q.Commit())
	must(t, q.Rest())
	n := 0
	for list, err := range Failures(dir, nil) {
		must(t, err)
		n += len(list)
	}
	if n != 2*visitRows+3 {
		t.Errorf("%d failures, want %d", n, 2*visitRows+3)
	}
}
