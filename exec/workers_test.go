package exec_test

import (
	"context"
	"errors"
	"flag"
	"iter"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"infomall/exec"
	"infomall/exec/cost"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/exec/worker"
	"infomall/exec/worker/workertest"
	"infomall/lang"
	"infomall/store/record"
)

// workerFaults is how many questions TestWorkerFaults asks.
var workerFaults = flag.Int("faults.workers", 40, "questions to workers that fail")

var askWorkers = flag.Bool("workers", false, "let the sessions of all tests ask three workers for parts of each query")

// workersOf returns three workers for a session with the options o. Their sessions have these options, too.
func workersOf(o session.Options) session.Workers {
	transport := workertest.New(o.Archive, 3, func() *session.Session { return exec.New(o) })
	return &fiveParts{Asker: worker.NewAsker(transport, worker.Options{})}
}

// needsNoWorkers skips a test of something that is different with workers. why says the reason.
func needsNoWorkers(t *testing.T, why string) {
	t.Helper()
	if *askWorkers {
		t.Skip("not with workers: " + why)
	}
}

// fiveParts divides every question into five parts.
type fiveParts struct {
	*worker.Asker
	asked atomic.Int64
}

func (*fiveParts) Parts(float64) (parts, least int) { return 5, 0 }

func (f *fiveParts) Ask(ctx context.Context, q *session.Question) iter.Seq2[[]byte, error] {
	f.asked.Add(1)
	return f.Asker.Ask(ctx, q)
}

// asking returns a session with this much memory that asks three workers, the transport to them, and how
// it divides questions.
func asking(t *testing.T, a session.Archive, memory int64) (*session.Session, *workertest.Transport, *fiveParts) {
	transport := workertest.New(a, 3, func() *session.Session {
		s := newSession(a)
		s.Settings().MemoryBytes = memory
		return s
	})
	t.Cleanup(transport.Close)
	parts := &fiveParts{Asker: worker.NewAsker(transport, worker.Options{})}
	s := sessionWith(a, func(o *session.Options) { o.Workers = parts })
	s.Settings().MemoryBytes = memory
	return s, transport, parts
}

// TestWorkersAnswerQueries runs the queries of other tests with three workers. Each must give
// the same rows as without.
func TestWorkersAnswerQueries(t *testing.T) {
	type cases []struct{ src, want string }
	for _, c := range []struct {
		memory int64
		lists  []cases
		least  int64 // of questions that workers are asked
	}{
		{1 << 20, []cases{queryCases, aggregateCases, joinCases, subqueryCases}, 40},
		{1, []cases{aggregateCases}, 10},
	} {
		s, _, parts := asking(t, archive{smallSite()}, c.memory)
		for _, list := range c.lists {
			for _, q := range list {
				if got, _, err := ask(s, q.src); err != nil || got != q.want {
					t.Errorf("%s\nwith %d bytes: got\n%swant\n%serror %v", q.src, c.memory, got, q.want, err)
				}
			}
		}
		if n := parts.asked.Load(); n < c.least {
			t.Errorf("with %d bytes, workers were asked %d questions, want %d or more", c.memory, n, c.least)
		}
	}
}

// TestWorkersEndedRows ends the context of a query when its first rows have come. Workers have computed
// many of the other rows by then. The query must end with the context's error, and yield few of them.
func TestWorkersEndedRows(t *testing.T) {
	s, _, _ := asking(t, archive{manyCaptures(10*endedRows, 2*endedRows)}, 64<<20)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	st, err := lang.ParseOne("SELECT url, time FROM captures", "")
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(ctx, st)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	after := -1
	for batch, e := range res.Rows {
		if err = e; err != nil {
			break
		}
		if after++; after > 0 {
			after += batch.N - 1
		}
		cancel()
	}
	if !errors.Is(err, context.Canceled) || after > endedRows {
		t.Errorf("%d rows came after the end, and error %v; want at most %d, and that of the context", after, err, endedRows)
	}
}

// generatedSite is an archive with pages of several hosts and times.
func generatedSite() *relationtest.Archive {
	var list []relationtest.Capture
	for i := range 300 {
		list = append(list, relationtest.Capture{
			URL:    "http://" + []string{"a", "b", "c.b"}[i%3] + ".example/" + strings.Repeat("x", i%7) + string(rune('a'+i%23)),
			Time:   at("2008-01-01") + record.Time(i)*7_654_321,
			Status: []int{200, 200, 404, 301}[i%4], Mime: html, Body: strings.Repeat("word ", i%11),
		})
	}
	return relationtest.New(list...)
}

// workerQueries are queries whose plans are divided in different ways.
var workerQueries = []string{
	"SELECT url, time, status FROM captures",
	"SELECT url, bytes FROM captures WHERE status = 404 LIMIT 7 OFFSET 3",
	"SELECT host, count(*) AS n, sum(bytes) AS b, avg(bytes) AS a, min(time) AS t, max(url) AS u FROM captures GROUP BY host",
	"SELECT status, count(DISTINCT url) AS u, approx_count_distinct(url) AS c, median(bytes) AS m, quantile(bytes, 0.9) AS q FROM versions GROUP BY status",
	"SELECT host, string_agg(url, ' ') AS urls, any_value(url) AS one, arg_max(url, bytes) AS big FROM captures GROUP BY host",
	"SELECT url, bytes FROM versions ORDER BY bytes DESC, time LIMIT 9",
	"SELECT DISTINCT status, mime FROM captures",
	"SELECT url, text FROM versions WHERE text CONTAINS 'word word word' ORDER BY url DESC",
	"SELECT host, n FROM (SELECT host, count(*) AS n FROM pages GROUP BY host) AS x WHERE n > 2",
	"SELECT url, row_number() OVER (PARTITION BY host ORDER BY bytes, url, time) AS r FROM captures",
	"SELECT avg(bytes / 3) AS f, stddev(bytes) AS s FROM captures",
	"SELECT url FROM pages WHERE status = 404 UNION ALL SELECT url FROM captures WHERE status = 301",
}

// TestWorkerFaults asks workers that die, dawdle, answer twice, answer in part, or send
// damaged messages, at random. Each answer must be whole, or an error.
func TestWorkerFaults(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	a := archive{generatedSite()}
	plain := newSession(a)
	whole := 0
	for i := range *workerFaults {
		src := workerQueries[i%len(workerQueries)]
		want, _, err := ask(plain, src)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) { // so that nobody waits for workers that dawdle
			s, transport, _ := asking(t, a, 1<<20)
			var number atomic.Uint64
			transport.Meddle = func(ctx context.Context, _ string, messages iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
				r := rand.New(rand.NewPCG(seed, number.Add(1)<<32|uint64(i)))
				fault := workertest.Fault(0)
				if r.IntN(4) == 0 {
					fault = workertest.Fault(r.IntN(int(workertest.Faults)))
				}
				return workertest.Meddled(ctx, fault, r, messages)
			}
			got, _, err := ask(s, src)
			switch {
			case err != nil:
				t.Logf("%s: %v", src, err)
			case got != want:
				t.Errorf("%s\ngot\n%swant\n%s", src, got, want)
			default:
				whole++
			}
		})
	}
	if whole < *workerFaults*3/4 {
		t.Errorf("%d of %d answers are whole", whole, *workerFaults)
	}
}

// TestWorkersAllFail shows that a question fails with a clear error if no worker can answer.
func TestWorkersAllFail(t *testing.T) {
	a := archive{generatedSite()}
	synctest.Test(t, func(t *testing.T) {
		s, transport, _ := asking(t, a, 1<<20)
		for _, c := range []struct {
			fault workertest.Fault
			want  string
		}{
			{workertest.Cut, "was tried 4 times; the last time, the worker on w"},
			{workertest.Dies, "no worker answers; start some with infomall -a DIR --worker URL"},
			{workertest.Dawdles, "no worker answers"},
		} {
			transport.Meddle = func(ctx context.Context, _ string, messages iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
				return func(yield func([]byte, error) bool) {
					switch c.fault {
					case workertest.Dies:
						yield(nil, worker.ErrLost)
					case workertest.Dawdles:
						<-ctx.Done()
					}
				}
			}
			_, _, err := ask(s, "SELECT url FROM captures")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("with fault %d: error %v, want %q", c.fault, err, c.want)
			}
		}
	})
}

// TestWorkerFaultOfQuery shows that an error of a query names the place in the script.
func TestWorkerFaultOfQuery(t *testing.T) {
	a := archive{smallSite()}
	plain := newSession(a)
	s, _, parts := asking(t, a, 1<<20)
	const src = "SELECT sum(bytes * 4000000000000000000) AS much FROM captures"
	_, _, want := ask(plain, src)
	_, _, got := ask(s, src)
	if got == nil || want == nil || got.Error() != want.Error() || parts.asked.Load() == 0 {
		t.Errorf("with workers: error %v; without: %v", got, want)
	}
}

// apart is an archive each of whose snapshots counts the scans that run in it.
type apart struct {
	archive
	begun  atomic.Int64  // scans of all snapshots
	both   chan struct{} // is closed when two scans have begun
	shared atomic.Bool   // two scans ran in one snapshot
}

func (a *apart) Snapshot(context.Context) (relation.Snapshot, error) {
	return &apartSnapshot{Archive: a.Archive, a: a}, nil
}

type apartSnapshot struct {
	*relationtest.Archive
	a     *apart
	scans atomic.Int64
}

func (s *apartSnapshot) Scan(ctx context.Context, scan record.Scan) iter.Seq2[*record.Batch, error] {
	return func(yield func(*record.Batch, error) bool) {
		if s.scans.Add(1) > 1 {
			s.a.shared.Store(true)
		}
		defer s.scans.Add(-1)
		if s.a.begun.Add(1) == 2 {
			close(s.a.both)
		}
		<-s.a.both
		s.Archive.Scan(ctx, scan)(yield)
	}
}

// TestWorkersApart has one worker compute two parts at once. Each has a snapshot of its own.
func TestWorkersApart(t *testing.T) {
	plain := archive{smallSite()}
	a := &apart{archive: plain, both: make(chan struct{})}
	transport := workertest.New(a, 1, func() *session.Session { return newSession(a) })
	t.Cleanup(transport.Close)
	s := sessionWith(plain, func(o *session.Options) {
		o.Workers = &fiveParts{Asker: worker.NewAsker(transport, worker.Options{})}
	})
	if _, _, err := ask(s, "SELECT url, status FROM captures"); err != nil {
		t.Fatal(err)
	}
	if n := a.begun.Load(); n < 2 || a.shared.Load() {
		t.Errorf("%d scans, two of them in one snapshot: %t; want two or more, each in its own", n, a.shared.Load())
	}
}

// TestWorkersTeachNothing shows that estimates learn nothing from a query that workers have computed: this
// process has read next to nothing, in all the time.
func TestWorkersTeachNothing(t *testing.T) {
	needsNoWorkers(t, "one of the sessions has none")
	a := archive{smallSite()}
	for _, workers := range []int{0, 1} {
		rates := new(cost.Rates)
		s := sessionWith(a, func(o *session.Options) {
			o.Rates = rates
			if workers > 0 {
				transport := workertest.New(a, workers, func() *session.Session { return newSession(a) })
				t.Cleanup(transport.Close)
				o.Workers = &fiveParts{Asker: worker.NewAsker(transport, worker.Options{})}
			}
		})
		if _, _, err := ask(s, "SELECT count(text) FROM versions"); err != nil {
			t.Fatal(err)
		}
		if want := workers == 0; rates.Changed() != want {
			t.Errorf("with %d workers: learned something: %t, want %t", workers, rates.Changed(), want)
		}
	}
}

// TestWorkersProgress shows that the progress of a question is how many of its parts were read.
func TestWorkersProgress(t *testing.T) {
	s, _, _ := asking(t, archive{smallSite()}, 1<<20)
	var got []session.Progress
	s.SetProgress(func(p session.Progress) { got = append(got, p) })
	if _, _, err := ask(s, "SELECT count(*) FROM captures"); err != nil {
		t.Fatal(err)
	}
	// Reports are a while apart, but the first one comes at once.
	if want := (session.Progress{What: "select", Done: 1, Total: 3, Unit: "parts"}); len(got) == 0 || got[0] != want {
		t.Errorf("progress %+v, want %+v first", got, want)
	}
}

// TestWorkersCancelled shows that the end of a question ends the work of its workers.
func TestWorkersCancelled(t *testing.T) {
	a := archive{generatedSite()}
	synctest.Test(t, func(t *testing.T) {
		s, transport, _ := asking(t, a, 1<<20)
		ctx, cancel := context.WithCancel(t.Context())
		var ended atomic.Int64
		transport.Meddle = func(ctx context.Context, _ string, messages iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
			return func(yield func([]byte, error) bool) {
				<-ctx.Done()
				ended.Add(1)
			}
		}
		time.AfterFunc(time.Second, cancel)
		_, _, err := askWith(ctx, s, "SELECT url FROM captures")
		if !errors.Is(err, context.Canceled) || ended.Load() == 0 {
			t.Errorf("error %v, %d attempts ended", err, ended.Load())
		}
	})
}

// slow is an archive whose reads wait before they begin.
type slow struct {
	archive
	wait time.Duration
}

func (a slow) Snapshot(context.Context) (relation.Snapshot, error) {
	return slowSnapshot{a.Archive, a.wait}, nil
}

type slowSnapshot struct {
	relation.Snapshot
	wait time.Duration
}

func (s slowSnapshot) Scan(ctx context.Context, scan record.Scan) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		time.Sleep(s.wait)
		s.Snapshot.Scan(ctx, scan)(yield)
	}
}

// TestWorkersSilent shows that workers are taken for dead after 3 s of silence, and that
// workers that work for longer before the first record are not.
func TestWorkersSilent(t *testing.T) {
	const src = "SELECT url, time, status FROM captures"
	a := archive{generatedSite()}
	synctest.Test(t, func(t *testing.T) {
		s, transport, _ := asking(t, a, 1<<20)
		transport.Meddle = func(ctx context.Context, _ string, _ iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
			return func(func([]byte, error) bool) { <-ctx.Done() }
		}
		began := time.Now()
		_, _, err := ask(s, src)
		// After the silence, it waits 3 s for another worker.
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), "no worker answers") || took != 6*time.Second {
			t.Errorf("silent workers: error %v after %v", err, took)
		}
	})
	want, _, err := ask(newSession(a), src)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := asking(t, slow{a, 20 * time.Second}, 1<<20)
		began := time.Now()
		got, _, err := ask(s, src)
		if took := time.Since(began); err != nil || got != want || took < 20*time.Second {
			t.Errorf("slow workers: error %v after %v, rows as without workers %v", err, took, got == want)
		}
	})
}

// homeless is an archive in a folder in which no file can be made.
type homeless struct{ archive }

func (homeless) Local() string { return "/dev/null/archive" }

// TestWorkersAskerFull shows that a process that cannot keep an answer says so of itself, and
// does not ask other workers.
func TestWorkersAskerFull(t *testing.T) {
	t.Setenv("TMPDIR", "/dev/null")
	s, transport, _ := asking(t, homeless{archive{generatedSite()}}, 1)
	var attempts atomic.Int64
	transport.Meddle = func(_ context.Context, _ string, messages iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
		attempts.Add(1)
		return messages
	}
	_, _, err := ask(s, "SELECT url, time, status FROM captures")
	if err == nil || !strings.HasPrefix(err.Error(), "this process cannot hold the answers of workers: make a temporary file") || attempts.Load() > 6 {
		t.Errorf("%d attempts, error %v", attempts.Load(), err)
	}
}
