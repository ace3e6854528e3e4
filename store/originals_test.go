package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// fact is a capture of the model of revisits: what its record says, and when it came
// and went.
type fact struct {
	url    string
	time   record.Time
	head   string // "" for a revisit without headers
	class  int    // of factBodies
	via    record.Via
	digest bool  // it declares the digest of its body
	refers *fact // nil for none

	came, gone int  // steps; 0 for not yet
	had        bool // a body, when it went
}

// String describes f for the log of a history.
func (f *fact) String() string {
	s := fmt.Sprintf("%s at %d (%s) class %d", f.url, f.time, f.time.Pool(), f.class)
	if f.digest {
		s += " with digest"
	}
	if f.via == record.ViaRevisit {
		s += fmt.Sprintf(" revisit, head %.12q", f.head)
	}
	if f.refers != nil {
		s += fmt.Sprintf(" of %s at %d", f.refers.url, f.refers.time)
	}
	return s
}

// factClass is a body and the head that a response with it has.
type factClass struct{ head, body string }

const (
	headFound   = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	headMissing = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"
	headGBK     = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\n\r\n"
	headMoved   = "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n"
)

var factClasses = []factClass{
	{headFound, "<title>one</title><p>one and all<p>two"},
	{headFound, "<title>Not found</title>Not found"},
	{headMissing, "<p>gone"},
	{headMoved, "moved"},
}

func (f *fact) capture() *record.Capture {
	c := &record.Capture{AskedURL: f.url, Time: f.time, Offset: int64(f.time % 1e9), Source: "test", RefersTime: record.NoTime}
	body := factClasses[f.class].body
	if f.head != "" {
		message.Set(c, []byte(f.head+body))
	}
	if f.digest {
		c.DeclaredDigest = f.declared()
	}
	if c.Via = f.via; f.via != record.ViaResponse {
		c.Body = nil
	}
	if f.refers != nil {
		c.RefersURL, c.RefersTime = f.refers.url, f.refers.time
	}
	return c
}

// declared is the digest of the body, as its record says it.
func (f *fact) declared() string { return fmt.Sprintf("sha1:%d", f.class) }

// drawFacts draws captures of a few URLs over some months: responses, and revisits
// that refer to any captures with the same body, also to each other.
func drawFacts(t *rapid.T) []*fact {
	var all []*fact
	for i := range rapid.IntRange(1, 24).Draw(t, "captures") {
		f := &fact{
			url:   rapid.SampledFrom([]string{"http://a.example/", "http://b.example/", "http://c.example/"}).Draw(t, "url"),
			time:  day0 + record.Time(rapid.IntRange(0, 95).Draw(t, "day")*dayMillis+i*1000+i),
			class: rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "class"),
		}
		f.head, f.digest = factClasses[f.class].head, rapid.Bool().Draw(t, "digest")
		if rapid.IntRange(0, 3).Draw(t, "via") > 0 {
			f.via = record.ViaRevisit
			f.head = rapid.SampledFrom([]string{f.head, f.head, headFound, headMissing, headGBK, ""}).Draw(t, "head")
			f.digest = f.digest && f.head != ""
		}
		all = append(all, f)
	}
	for _, f := range all {
		if f.via != record.ViaRevisit || rapid.IntRange(0, 4).Draw(t, "names") == 0 {
			continue
		}
		to := rapid.SampledFrom(all).Draw(t, "refers")
		if to.class == f.class || to.digest && f.digest {
			f.refers = to
		}
	}
	return all
}

// factRow is what the archive must say of a capture.
type factRow struct {
	row
	status int32
}

// factModel computes what the archive must say, the plain way.
type factModel struct{ all []*fact }

// follow gives the headers that capture f counts as having, and whether it has a body.
// seen are the revisits on the way.
func (m *factModel) follow(f *fact, seen []*fact) (head string, ok bool) {
	if f.via == record.ViaResponse {
		return f.head, true
	}
	head, ok = "", false
	if to := m.names(f); to != nil {
		if i := slices.Index(seen, to); i >= 0 || to == f {
			return m.ring(f)
		}
		head, ok = m.follow(to, append(seen[:len(seen):len(seen)], f))
	}
	if !ok {
		head, ok = m.byDigest(f)
	}
	if f.head != "" {
		head = f.head
	}
	return head, ok
}

// ring is follow for a revisit that leads to itself, or to such a one.
func (m *factModel) ring(f *fact) (head string, ok bool) {
	at := f
	for range m.all {
		if head, ok = m.byDigest(at); ok {
			// Those without digest have what the next has, and the headers of the last of these.
			for g := f; g != at; g = m.names(g) {
				if g.head != "" {
					return g.head, true
				}
			}
			if at.head != "" {
				head = at.head
			}
			return head, true
		}
		at = m.names(at)
	}
	return f.head, false
}

// names gives the capture that f names, if it is here and may be taken.
func (m *factModel) names(f *fact) *fact {
	if f.refers == nil || f.refers == f || !m.takes(f, f.refers) || f.refers.class != f.class || f.refers.via == record.ViaRevisit && f.refers.refers == nil && !f.refers.digest {
		return nil
	}
	return f.refers
}

// takes reports whether f may take a body from o. If o was deleted, f came in before that
// and o had a body then.
func (m *factModel) takes(f, o *fact) bool {
	return o.came > 0 && o != f && o.time.Pool() <= f.time.Pool() && (o.gone == 0 || f.came < o.gone && o.had)
}

func (m *factModel) byDigest(f *fact) (head string, ok bool) {
	if !f.digest {
		return f.head, false
	}
	for _, o := range m.all {
		if o.via == record.ViaResponse && o.url == f.url && o.class == f.class && o.digest && m.takes(f, o) {
			return o.head, true
		}
	}
	return f.head, false
}

// remove deletes captures.
func (m *factModel) remove(step int, list []*fact) {
	for _, f := range list {
		_, f.had = m.follow(f, nil)
	}
	for _, f := range list {
		f.gone = step
	}
}

// rows is what the archive must answer.
func (m *factModel) rows() (out []factRow) {
	list := slices.DeleteFunc(slices.Clone(m.all), func(f *fact) bool { return f.came == 0 || f.gone > 0 })
	sort.Slice(list, func(i, j int) bool {
		if list[i].url != list[j].url {
			return urlkey.Key(list[i].url) < urlkey.Key(list[j].url)
		}
		return list[i].time < list[j].time
	})
	var last *factRow
	id := ""
	for i, f := range list {
		head, ok := m.follow(f, nil)
		r := factRow{row: row{url: f.url, time: f.time, previous: record.NoTime, version: f.time, versionBefor: record.NoTime, body: "(none)", bytes: -1}}
		fmt.Sscanf(head, "HTTP/1.1 %d", &r.status)
		r.kind = record.KindOf(int(r.status), strings.Contains(head, "Location"))
		was := id
		if ok {
			r.body = factClasses[f.class].body
			id, r.bytes = r.body, int64(len(r.body))
			if f.class == 1 && r.status == 200 {
				r.kind = record.KindSoftMissing
			}
		} else {
			if head == "" {
				r.kind = record.KindPage
			}
			id = "refers to"
			if f.refers != nil {
				id += f.refers.url
			}
			if f.digest {
				id = f.declared()
			}
		}
		if i > 0 && list[i-1].url == f.url {
			r.previous, r.versionBefor = last.time, last.version
			lost := func(k record.Kind) bool { return k == record.KindMissing || k == record.KindSoftMissing }
			switch {
			case last.kind == r.kind && was == id:
				r.change, r.version, r.versionBefor = record.ChangeSame, last.version, last.versionBefor
			case lost(r.kind) && !lost(last.kind):
				r.change = record.ChangeGone
			case lost(last.kind) && r.kind == record.KindPage:
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
	return out
}

// factRows asks the archive for the same, from a time on.
func factRows(t rapid.TB, a *Archive, from record.Time) (out []factRow) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	scan := record.Scan{From: from, To: record.MaxTime, Columns: record.ColStatus | record.ColKind | record.ColChange | record.ColPrevious | record.ColVersionTime | record.ColDigest | record.ColBytes}
	for b, err := range v.Scan(ctx, scan) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				t.Fatalf("payload of %s at %d: %v", b.URLs()[i], b.Time[i], err)
			}
			r := factRow{row{b.URLs()[i], b.Time[i], b.Kind[i], b.Change[i], b.Previous[i], b.VersionTime[i], b.PreviousVersion[i], string(p.Body), b.Bytes[i]}, b.Status[i]}
			if p.NoBody != "" {
				r.body = "(none)"
			} else if sha256.Sum256(p.Body) != [32]byte(b.Digest[i]) || p.Digest != b.Digest[i] {
				t.Fatalf("digest of %s at %d is not that of its body", b.URLs()[i], b.Time[i])
			}
			out = append(out, r)
		}
	}
	return out
}

// TestRevisitModel imports revisits that refer to each other in any way, in any order,
// and merges, seals and deletes between. From each month on the archive says of them
// what the model does. The histories are the same in each run, unless a flag says
// otherwise.
func TestRevisitModel(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	seed := flag.Lookup("rapid.seed").Value
	if seed.String() != "0" || *revisitSeeds == 0 {
		rapid.Check(t, revisitHistory(t))
		return
	}
	defer seed.Set("0")
	for n := 1; n <= *revisitSeeds; n++ {
		if err := seed.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, revisitHistory(t))
	}
}

// revisitSeeds is how many seeds TestRevisitModel draws its histories from.
var revisitSeeds = flag.Int("revisits.seeds", 1, "how many seeds TestRevisitModel draws histories from, -rapid.checks of each; 0: one by chance")

// revisitHistory returns a function that draws one history and compares the archive
// with the model after each step of it.
func revisitHistory(t *testing.T) func(*rapid.T) {
	return func(rt *rapid.T) {
		m := &factModel{all: drawFacts(rt)}
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		drawBounds(rt, a)
		rest := rapid.Permutation(m.all).Draw(rt, "order")
		for step := 1; step < 14; step++ {
			switch rapid.SampledFrom([]string{"import", "import", "import", "delete", "merge"}).Draw(rt, "do") {
			case "import":
				n := rapid.IntRange(0, len(rest)).Draw(rt, "part")
				var batch []*record.Capture
				for _, f := range rest[:n] {
					f.came = step
					rt.Logf("step %d: import %s", step, f)
					batch = append(batch, f.capture())
				}
				rest = rest[n:]
				putFacts(rt, a, batch)
			case "delete":
				var list []*fact
				gone := make(map[string]bool)
				for _, f := range m.all {
					if f.came > 0 && f.gone == 0 && rapid.IntRange(0, 3).Draw(rt, "gone") == 0 {
						rt.Logf("step %d: delete %s", step, f)
						list = append(list, f)
						gone[fmt.Sprint(f.url, f.time)] = true
					}
				}
				m.remove(step, list)
				if _, err := deleteWhere(a, func(url string, at record.Time) bool { return gone[fmt.Sprint(url, at)] }); err != nil {
					rt.Fatal(err)
				}
			case "merge":
				rt.Logf("step %d: merge", step)
				someMerged(rt, a, rapid.IntRange(0, 3).Draw(rt, "seal") == 0)
			}
			compareFacts(rt, step, a, m)
		}
		if got := verify(t, a.Local(), task.VerifyOptions{}); len(got) > 0 {
			rt.Fatalf("VERIFY finds %+v", got)
		}
	}
}

// compareFacts compares what the archive says with the model: of all captures, and from
// each month on.
func compareFacts(t rapid.TB, step int, a *Archive, m *factModel) {
	want := m.rows()
	for _, days := range []record.Time{-1, 0, 30, 61, 92} {
		from := day0 + days*dayMillis
		part := slices.DeleteFunc(slices.Clone(want), func(r factRow) bool { return r.time < from })
		if got := factRows(t, a, from); !slices.Equal(got, part) {
			t.Fatalf("step %d, from day %d:\n%s", step, days, diffRows(got, part))
		}
	}
}

// TestRevisitCases is histories of revisits in which something was wrong once. Each is
// compared with the model after each step.
func TestRevisitCases(t *testing.T) {
	const a, b, c = "http://a.example/", "http://b.example/", "http://c.example/"
	at := func(day int) record.Time { return day0 + record.Time(day*dayMillis) }
	found := func(url string, day int) *fact { return &fact{url: url, time: at(day), head: headFound} }
	revisit := func(url string, day int, of *fact) *fact {
		return &fact{url: url, time: at(day), head: headFound, via: record.ViaRevisit, refers: of}
	}
	type step struct {
		put, remove []*fact
		merge       []string // pools
		limit       int64
	}
	x, x2 := found(b, 20), found(b, 3)
	h := revisit(a, 2, x)
	y := found(c, 20)
	h2 := revisit(a, 2, y)
	k, late := revisit(c, 10, x2), revisit(c, 40, x2)
	everything := []string{"200806", "200807", "200808"}
	cases := map[string][]step{
		"a revisit gets a body after the hints of what follows it in a later month": {
			{put: []*fact{h}}, {put: []*fact{found(a, 40)}}, {put: []*fact{x}}, {remove: []*fact{x}}, {merge: everything},
		},
		"a revisit gets a body after the hints of what follows it in its month": {
			{put: []*fact{h}}, {put: []*fact{found(a, 31)}}, {put: []*fact{x, found(c, 31)}},
		},
		"a revisit gets a body after its own hints": {
			{put: []*fact{found(a, 1)}}, {put: []*fact{revisit(a, 40, x2)}}, {put: []*fact{x2}},
		},
		"a revisit without a body is deleted before its original comes in": {
			{put: []*fact{h, revisit(c, 40, h)}}, {remove: []*fact{h}}, {put: []*fact{x}}, {merge: everything},
		},
		"two revisits refer to one that is deleted without a body": {
			{put: []*fact{h, revisit(a, 4, h), revisit(c, 40, h)}}, {remove: []*fact{h}}, {put: []*fact{x}}, {merge: everything},
		},
		"a deleted capture that is needed has its body from another that is deleted": {
			{put: []*fact{x2}}, {put: []*fact{revisit(a, 70, late)}}, {put: []*fact{late}}, {remove: []*fact{x2, late}}, {merge: []string{"200806"}},
		},
		"a chain leads through a deleted capture of a pool that is split": {
			{put: []*fact{revisit(a, 40, k)}}, {put: []*fact{k}}, {put: []*fact{x2, found(a, 1), found(c, 1)}}, {remove: []*fact{k}}, {merge: []string{"200806"}, limit: 1},
		},
		"the original is in another part of the month, and only the revisit's part is merged": {
			{put: []*fact{h2, found(b, 1)}}, {merge: []string{"200806"}, limit: 1}, {put: []*fact{y, found(a, 5)}}, {remove: []*fact{y}}, {merge: []string{"200806"}},
			{merge: []string{"200806A"}},
		},
		"the original is in another part of the month, and only its own part is merged": {
			{put: []*fact{h2, found(b, 1)}}, {merge: []string{"200806"}, limit: 1}, {put: []*fact{y, found(a, 5)}}, {remove: []*fact{y}}, {merge: []string{"200806A"}},
			{merge: []string{"200806"}},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			for _, s := range steps {
				for _, f := range s.put {
					f.came, f.gone, f.had = 0, 0, false // cases have facts in common
				}
			}
			m := &factModel{}
			ar := openAt(t.TempDir(), Options{})
			defer ar.Close()
			for i, s := range steps {
				var batch []*record.Capture
				for _, f := range s.put {
					f.came = i + 1
					m.all = append(m.all, f)
					batch = append(batch, f.capture())
				}
				if batch != nil {
					putFacts(t, ar, batch)
				}
				if s.remove != nil {
					m.remove(i+1, s.remove)
					_, err := deleteWhere(ar, func(url string, at record.Time) bool {
						return slices.ContainsFunc(s.remove, func(f *fact) bool { return f.url == url && f.time == at })
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				for _, p := range s.merge {
					var none *task.NoPoolError
					if _, err := ar.Merge(context.Background(), task.MergeOptions{Pools: []string{p}, PoolLimit: s.limit}); err != nil && !errors.As(err, &none) {
						t.Fatal(err)
					}
				}
				compareFacts(t, i+1, ar, m)
			}
			if got := verify(t, ar.Local(), task.VerifyOptions{}); len(got) > 0 {
				t.Fatalf("VERIFY finds %+v", got)
			}
		})
	}
}

func putFacts(t rapid.TB, a *Archive, captures []*record.Capture) {
	ctx := context.Background()
	g, err := a.intake.NewImporter(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, c := range captures {
		if err := g.Add(ctx, c, new(task.ImportResult)); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Flush(ctx); err != nil {
		t.Fatal(err)
	}
}

// TestLongChain imports chains of revisits in the order in which they refer to each
// other and against it, and asks for all of their bodies. Chains twice as long take
// no more than about twice the reading.
func TestLongChain(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	read := func(n, parts int, urls int) int64 {
		var chain []*record.Capture
		for i := range n {
			f := &fact{url: fmt.Sprintf("http://chain.example/%d", i%urls), time: day0 + record.Time(i)*60_000, head: headFound}
			if i > 0 {
				f.via = record.ViaRevisit
				f.refers = &fact{url: fmt.Sprintf("http://chain.example/%d", (i-1)%urls), time: f.time - 60_000}
			}
			chain = append(chain, f.capture())
		}
		a := openAt(t.TempDir(), Options{})
		defer a.Close()
		for i := parts - 1; i >= 0; i-- {
			putFacts(t, a, chain[n*i/parts:n*(i+1)/parts])
		}
		ctx := context.Background()
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		rows := 0
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColDigest | record.ColPage}) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				s, err := v.Stored(ctx, b.Ref[i])
				if err != nil || string(s.Body) != factClasses[0].body || b.Title[i] != "one" {
					t.Fatalf("%s at %d has title %q and body %q, error %v", b.URLs()[i], b.Time[i], b.Title[i], s.Body, err)
				}
				rows++
			}
		}
		if rows != n {
			t.Fatalf("%d captures, want %d", rows, n)
		}
		_, err = v.Delete(ctx, task.DeleteOptions{Dry: true, Targets: targets(ctx, v, func(_ string, at record.Time) bool { return at/60_000%2 == 0 })})
		if err != nil {
			t.Fatal(err)
		}
		stats := v.Stats()
		return stats.Chunks + stats.Runs
	}
	for _, c := range []struct{ parts, urls int }{{1, 1}, {4, 1}, {4, 2}, {4, 1 << 20}} {
		one, two := read(2000, c.parts, c.urls), read(4000, c.parts, c.urls)
		if two > 3*one+100 {
			t.Errorf("in %d imports, of %d URLs: %d chunks and runs were read for 2,000 revisits, %d for 4,000", c.parts, c.urls, one, two)
		}
		t.Log(c, one, two)
	}
}
