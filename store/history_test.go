package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/store/catalog"
	"infomall/store/merge"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// visit is a capture of the model: what anybody could say of it who sees the
// whole history at once.
type visit struct {
	url    string
	time   record.Time
	seq    int64
	status int
	body   string
	as     string // "": a response; else how its record names another's body
	refers *visit // for as "url": the capture that it refers to
}

// capture makes v what a reader of files would hand in.
func (v *visit) capture() *record.Capture {
	c := &record.Capture{
		AskedURL: v.url, Time: v.time, Offset: v.seq, Source: "test", Status: v.status, RefersTime: record.NoTime,
		Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Type: text/html\r\n\r\n", v.status), Body: []byte(v.body),
		DeclaredDigest: fmt.Sprintf("sha1:%x", v.body),
	}
	switch v.as {
	case "digest":
		c.Via, c.Body = record.ViaRevisit, nil
	case "url":
		c.Via, c.Body = record.ViaRevisit, nil
		c.RefersURL, c.RefersTime = v.refers.url, v.refers.time
	case "before":
		c.Via, c.Body, c.DeclaredDigest, c.Status = record.ViaNotModified, nil, "", 304
		c.Head = []byte("HTTP/1.1 304 Not Modified\r\n\r\n")
	}
	return c
}

// row is what the archive must say of a capture.
type row struct {
	url                             string
	time                            record.Time
	kind                            record.Kind
	change                          record.Change
	previous, version, versionBefor record.Time
	body                            string
	bytes                           int64
}

// historyOf computes the rows of a history the plain way.
func historyOf(visits []*visit) []row {
	byURL := make(map[string][]*visit)
	for _, v := range visits {
		byURL[v.url] = append(byURL[v.url], v)
	}
	var keys []string
	for u := range byURL {
		keys = append(keys, urlkey.Key(u))
	}
	sort.Strings(keys)
	var out []row
	for _, k := range keys {
		vs := byURL[urlkey.URL(k)]
		sort.Slice(vs, func(i, j int) bool {
			if vs[i].time != vs[j].time {
				return vs[i].time < vs[j].time
			}
			return vs[i].seq < vs[j].seq
		})
		var last *row
		for _, v := range vs {
			r := row{url: v.url, time: v.time, kind: record.KindOf(v.status, false), previous: record.NoTime, version: v.time, versionBefor: record.NoTime, body: v.body, bytes: int64(len(v.body))}
			if v.as == "before" {
				r.kind = record.KindPage
				if last != nil {
					r.kind, r.body, r.bytes = last.kind, last.body, last.bytes
				}
			}
			if last != nil {
				r.previous, r.versionBefor = last.time, last.version
				gone := func(k record.Kind) bool { return k == record.KindMissing }
				switch {
				case last.kind == r.kind && last.body == r.body:
					r.change, r.version, r.versionBefor = record.ChangeSame, last.version, last.versionBefor
				case gone(r.kind) && !gone(last.kind):
					r.change = record.ChangeGone
				case gone(last.kind) && r.kind == record.KindPage:
					r.change = record.ChangeBack
				case last.kind != r.kind:
					r.change = record.ChangeKind
				default:
					r.change = record.ChangeChanged
				}
			}
			out = append(out, r)
			last = &out[len(out)-1]
		}
	}
	return out
}

// readRows asks the archive for the same, from from up to to.
func readRows(t testing.TB, a *Archive, from, to record.Time) []row {
	t.Helper()
	out, err := tellRows(a, from, to)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tellRows is readRows, and gives the first thing that is wrong.
func tellRows(a *Archive, from, to record.Time) ([]row, error) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return rowsIn(v, from, to)
}

// rowsIn is tellRows of a snapshot.
func rowsIn(v *Snapshot, from, to record.Time) (out []row, err error) {
	ctx := context.Background()
	if _, err := checkKept(v); err != nil {
		return nil, err
	}
	for b, err := range v.Scan(ctx, record.Scan{From: from, To: to, Columns: record.ColKind | record.ColChange | record.ColPrevious | record.ColVersionTime | record.ColDigest | record.ColBytes}) {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			r := row{url: b.URLs()[i], time: b.Time[i], kind: b.Kind[i], change: b.Change[i], previous: b.Previous[i], version: b.VersionTime[i], versionBefor: b.PreviousVersion[i], bytes: b.Bytes[i]}
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				return nil, fmt.Errorf("payload of %s at %d: %w", r.url, r.time, err)
			}
			if p.NoBody == "" && (sha256.Sum256(p.Body) != [32]byte(b.Digest[i]) || p.Digest != b.Digest[i]) {
				return nil, fmt.Errorf("digest of %s at %d is not that of its body", r.url, r.time)
			}
			r.body = string(p.Body)
			if p.NoBody != "" {
				r.body = "(none)"
			}
			out = append(out, r)
		}
	}
	return out, checkSingles(v, from, to, out)
}

// checkSingles returns an error if a scan of single URLs does not return what a scan of all URLs has
// returned, the rows. It leaves out every third URL, and asks for one that the archive does not have.
// A second scan takes half of the URLs from the function More.
func checkSingles(v *Snapshot, from, to record.Time, rows []row) error {
	var ranges []urlkey.Range
	var want []row
	urls := 0
	for i, r := range rows {
		if i == 0 || r.url != rows[i-1].url {
			key := urlkey.Key(r.url)
			if urls++; urls%3 == 0 {
				key += "\x00"
			}
			ranges = append(ranges, urlkey.Range{From: key, To: key + "\x00"})
		}
		if urls%3 != 0 {
			want = append(want, row{url: r.url, time: r.time, change: r.change})
		}
	}
	if len(ranges) < 2 {
		return nil
	}
	for _, s := range []record.Scan{{Ranges: ranges}, {Ranges: ranges[:len(ranges)/2], More: func() (more []urlkey.Range) {
		more, ranges = ranges[len(ranges)/2:], nil
		return more
	}}} {
		s.From, s.To, s.Columns = from, to, record.ColChange
		var got []row
		for b, err := range v.Scan(context.Background(), s) {
			if err != nil {
				return err
			}
			for i := range b.N {
				got = append(got, row{url: b.URLs()[i], time: b.Time[i], change: b.Change[i]})
			}
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("a scan of %d single URLs returns %v, want %v", len(s.Ranges), got, want)
		}
	}
	return nil
}

// put imports captures as one import does.
func put(t testing.TB, a *Archive, visits []*visit) task.ImportResult {
	t.Helper()
	var res task.ImportResult
	if err := putErr(a, visits, &res); err != nil {
		t.Fatal(err)
	}
	return res
}

func putErr(a *Archive, visits []*visit, res *task.ImportResult) error {
	ctx := context.Background()
	g, err := a.intake.NewImporter(ctx, "test")
	if err != nil {
		return err
	}
	defer g.Close()
	for _, v := range visits {
		if err := g.Add(ctx, v.capture(), res); err != nil {
			return err
		}
	}
	return g.Flush(ctx)
}

// day0 is the first of June 2008.
var day0 = record.At(time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC))

const dayMillis = 86_400_000

// bodies are what captures of a drawn history have: some are pages that share
// blocks.
var bodies = func() []string {
	out := []string{"", "a", "b", storyOf("abc"), storyOf("ab!c"), storyOf("xac")}
	for i := range 4 {
		page := "<html><head><title>a page</title></head><body>"
		for j := range 4 {
			page += fmt.Sprintf("<h2>heading %d</h2><p>paragraph %d, which is long enough to be a block of its own on any page.</p>", j+i, j+i)
		}
		out = append(out, page+"</body></html>")
	}
	return out
}()

// drawHistory draws a history of a few URLs over three months, with bodies
// that repeat and records of every form. Times are distinct, but for pairs of
// captures within one millisecond.
func drawHistory(t *rapid.T) []*visit {
	n := rapid.IntRange(1, 30).Draw(t, "captures")
	var out []*visit
	for i := range n {
		v := &visit{
			url:    fmt.Sprintf("http://www.example.com/%d", rapid.IntRange(0, 3).Draw(t, "url")),
			time:   day0 + record.Time(rapid.IntRange(0, 85).Draw(t, "day")*dayMillis+rapid.IntRange(0, 3).Draw(t, "second")*1000),
			seq:    int64(i) * 100,
			status: rapid.SampledFrom([]int{200, 200, 200, 404, 403, 500}).Draw(t, "status"),
			body:   rapid.SampledFrom(bodies).Draw(t, "body"),
		}
		// A capture that came in twice is not two: keep them apart.
		for _, o := range out {
			if o.url == v.url && o.time == v.time {
				v.time += record.Time(100 + i)
			}
		}
		out = append(out, v)
	}
	for _, v := range out {
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			// A 304 is as the capture before; without one it has no body.
			if first := firstOf(out, v.url); first != v && first.as != "before" {
				v.as = "before"
			}
		case 1:
			for _, o := range out {
				if o.as == "" && o.time < v.time && o.time.Pool() <= v.time.Pool() && o != v && o.status == v.status {
					if o.url == v.url && rapid.Bool().Draw(t, "by digest") {
						v.as, v.body = "digest", o.body
					} else {
						v.as, v.refers, v.body = "url", o, o.body
					}
					break
				}
			}
		}
	}
	// Who refers to a capture that became a reference itself would name no body.
	for _, v := range out {
		if v.as == "url" && v.refers.as != "" || v.as == "digest" && !declaredBy(out, v) {
			v.as = ""
		}
	}
	return out
}

func firstOf(visits []*visit, url string) *visit {
	var first *visit
	for _, v := range visits {
		if v.url == url && (first == nil || v.time < first.time) {
			first = v
		}
	}
	return first
}

func declaredBy(visits []*visit, v *visit) bool {
	for _, o := range visits {
		if o != v && o.as == "" && o.url == v.url && o.body == v.body && o.time.Pool() <= v.time.Pool() {
			return true
		}
	}
	return false
}

// drawBounds draws what merges of an archive may hold: mostly next to nothing.
func drawBounds(rt *rapid.T, a *Archive) {
	b := &a.merger.Bounds
	b.Ways = rapid.SampledFrom([]int{2, 3, b.Ways}).Draw(rt, "ways")
	b.Runs = rapid.SampledFrom([]int64{1, 4 << 10, b.Runs}).Draw(rt, "bytes of runs")
	b.Places = rapid.SampledFrom([]int64{0, 500, b.Places}).Draw(rt, "bytes of places")
}

// TestAnyOrder imports a history in any number of parts and in any order, and
// the answers are those of the whole history, over all time and over any range
// of days.
func TestAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	drawFewer(t, 40)
	rapid.Check(t, func(rt *rapid.T) {
		visits := drawHistory(rt)
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		drawBounds(rt, a)
		shuffled := rapid.Permutation(visits).Draw(rt, "order")
		for rest := shuffled; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(rt, "merge") {
				mergeAny(rt, a)
			}
		}
		want := historyOf(visits)
		if got := readRows(t, a, record.MinTime, record.MaxTime); !equalRows(got, want) {
			rt.Fatalf("whole history:\n%s", diffRows(got, want))
		}
		from := day0 + record.Time(rapid.IntRange(0, 90).Draw(rt, "from")*dayMillis)
		to := from + record.Time(rapid.IntRange(0, 90).Draw(rt, "days")*dayMillis)
		var part []row
		for _, r := range want {
			if r.time >= from && r.time < to {
				part = append(part, r)
			}
		}
		if got := readRows(t, a, from, to); !equalRows(got, part) {
			rt.Fatalf("from %v to %v:\n%s", from.Std(), to.Std(), diffRows(got, part))
		}
		checkTally(rt, a)
		checkScans(rt, a)
		checkSizes(rt, a)
		checkPools(rt, a)
		// Again, and nothing is added.
		if res := put(t, a, visits); res.Stored+res.Visits != 0 {
			rt.Fatalf("a second import stored %d and visited %d", res.Stored, res.Visits)
		}
	})
}

// mergeAny merges or seals some of the pools, if there are any.
func mergeAny(rt *rapid.T, a *Archive) {
	someMerged(rt, a, rapid.Bool().Draw(rt, "seal"))
}

// someMerged merges or seals some of the pools, and splits them now and then.
func someMerged(rt *rapid.T, a *Archive, seal bool) {
	pools := poolNames(rt, a)
	if len(pools) == 0 {
		return
	}
	for _, p := range rapid.Permutation(pools).Draw(rt, "pools") {
		if !seal && rapid.Bool().Draw(rt, "by itself") { // as after an import
			most := rapid.IntRange(2, 4).Draw(rt, "segments")
			some := onlyOnce(func(c *catalog.Catalog) []*segment.Info {
				in := c.PoolSegments(p)
				return in[:min(most, len(in))]
			})
			if err := a.merger.Some(context.Background(), p, drawLimit(rt), some); err != nil {
				rt.Fatal(err)
			}
			continue
		}
		var static *task.StaticError
		if _, err := a.Merge(context.Background(), task.MergeOptions{Pools: []string{p}, Seal: seal, PoolLimit: drawLimit(rt)}); err != nil && !errors.As(err, &static) {
			rt.Fatal(err)
		}
		if rapid.Bool().Draw(rt, "enough") {
			return
		}
	}
}

// drawLimit draws a size of pools: the usual one, or one so small that they are
// split.
func drawLimit(rt *rapid.T) int64 {
	return rapid.SampledFrom([]int64{0, 0, 1, 2000}).Draw(rt, "limit")
}

func poolNames(t rapid.TB, a *Archive) (names []string) {
	c, err := a.folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Segments {
		names = append(names, s.Pool)
	}
	return slices.Compact(names)
}

// TestTwoWriters imports parts of a history through two archives on one
// folder at once, as two processes do, while a third merges pools.
func TestTwoWriters(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		visits := drawHistory(rt)
		dir := t.TempDir()
		var wg sync.WaitGroup
		cut := rapid.IntRange(0, len(visits)).Draw(rt, "cut")
		overlap := rapid.IntRange(cut, len(visits)).Draw(rt, "overlap")
		sealed := rapid.SampledFrom([]string{"", "200806", "200807", "200808"}).Draw(rt, "sealed")
		errs := make([]error, 3)
		for i, part := range [][]*visit{visits[:overlap], visits[cut:]} {
			wg.Go(func() {
				a := openAt(dir, Options{BatchBytes: 2000})
				defer a.Close()
				var res task.ImportResult
				errs[i] = putErr(a, part, &res)
			})
		}
		wg.Go(func() {
			a := openAt(dir, Options{})
			defer a.Close()
			for i := range 3 {
				for _, p := range []string{"200806", "200807", "200808"} {
					var none *task.NoPoolError
					o := task.MergeOptions{Pools: []string{p}, Seal: i == 1 && sealed == p}
					var static *task.StaticError
					_, err := a.Merge(context.Background(), o)
					if err != nil && !errors.As(err, &none) && !errors.As(err, &static) && !errors.Is(err, merge.ErrMerging) {
						errs[2] = err
					}
				}
			}
		})
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			rt.Fatal(err)
		}
		a := openAt(dir, Options{})
		defer a.Close()
		if got, want := readRows(t, a, record.MinTime, record.MaxTime), historyOf(visits); !equalRows(got, want) {
			rt.Fatalf("history:\n%s", diffRows(got, want))
		}
	})
}

func equalRows(got, want []row) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] {
			return false
		}
	}
	return true
}

// diffRows lists got and want side by side, with "!" before the pairs that differ.
func diffRows[T any](got, want []T) string {
	var b strings.Builder
	for i := range max(len(got), len(want)) {
		mark, g, w := "  ", "-", "-"
		if i < len(got) {
			g = fmt.Sprintf("%+v", got[i])
		}
		if i < len(want) {
			w = fmt.Sprintf("%+v", want[i])
		}
		if g != w {
			mark = "! "
		}
		fmt.Fprintf(&b, "%sgot  %s\n%swant %s\n", mark, g, mark, w)
	}
	return b.String()
}

// TestLargeBody stores bodies in pieces, from memory and from a spool, and
// gives them back whole or in pieces.
func TestLargeBody(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 6))
	body := make([]byte, 9<<20)
	for i := range body {
		body[i] = byte(r.Uint32() & 15)
	}
	spool := bytes.Repeat(body, 8) // above record.LargeBody
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	g, err := a.intake.NewImporter(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var res task.ImportResult
	head := []byte("HTTP/1.1 200 OK\r\n\r\n")
	if err := g.Add(ctx, &record.Capture{AskedURL: "http://a.example/memory", Time: day0, Status: 200, Head: head, Body: body}, &res); err != nil {
		t.Fatal(err)
	}
	s, err := message.NewSpool(bytes.NewReader(spool), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Add(ctx, &record.Capture{AskedURL: "http://a.example/spool", Time: day0, Status: 200, Head: head, Spool: s}, &res); err != nil {
		t.Fatal(err)
	}
	if err := g.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	got := make(map[string][]byte)
	for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				t.Fatal(err)
			}
			whole := p.Body
			if p.Large != nil {
				for piece, err := range p.Large {
					if err != nil {
						t.Fatal(err)
					}
					whole = append(whole, piece...)
				}
			}
			if int64(len(whole)) != p.Size {
				t.Errorf("%s: %d bytes, its size says %d", b.URLs()[i], len(whole), p.Size)
			}
			got[b.URLs()[i]] = whole
		}
	}
	if !bytes.Equal(got["http://a.example/memory"], body) || !bytes.Equal(got["http://a.example/spool"], spool) {
		t.Errorf("bodies of %d and %d bytes came back as %d and %d", len(body), len(spool), len(got["http://a.example/memory"]), len(got["http://a.example/spool"]))
	}
}
