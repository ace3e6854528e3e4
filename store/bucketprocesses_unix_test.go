//go:build unix

package store

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"infomall/store/commit"
	"infomall/store/disk/s3"
	"infomall/store/disk/s3/s3test"
	"infomall/store/record"
)

var (
	bucketProcessKills = flag.Int("faults.bucketprocesses", 5, "how often a process that works on an archive in a bucket, or its store, is killed or stopped")
	bucketProcessSeed  = flag.Uint64("faults.bucketseed", 0, "seed of these kills; 0: by chance")
	bucketStops        = flag.Bool("faults.bucketstops", false, "stop a writer each time instead of killing something")
	bucketGateway      = flag.String("faults.gateway", "", "an S3 store to be started for these kills instead of the one in this process, as a URL and a command: "+
		"'http://127.0.0.1:7171 versitygw --access key --secret secret --port 127.0.0.1:7171 posix DIR', where DIR/bucket is a folder")
)

// killsPerArchive is after how many kills the processes begin with an empty archive, and
// slowKillsPerArchive is the same if the store is a process or only writers are stopped. The
// archive grows much between two such kills, and each answer and each check reads all of it.
const (
	killsPerArchive     = 20
	slowKillsPerArchive = 5
)

// TestBucketProcesses lets two writers, a merger and two readers work on an archive in a bucket,
// each a process with a cache of its own. The store is behind a proxy that drops, delays and
// tears requests, answers 500 and SlowDown, and lists old objects. Processes are killed at any
// request, the store too. Writers are stopped between the first file that an import publishes and the
// write of CURRENT, for longer than their lease, while another writer clears up: each of them must
// find that it was expelled. After each kill, VERIFY is clean, all that was acknowledged is there, and each
// answer is what the archive held at a moment while it was made.
func TestBucketProcesses(t *testing.T) {
	seed := *bucketProcessSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	sum := make(map[string]int)
	each := killsPerArchive
	if *bucketGateway != "" || *bucketStops {
		each = slowKillsPerArchive
	}
	for n := 0; n < *bucketProcessKills && !t.Failed(); n += each {
		w := startBucketWorld(t, r, fmt.Sprintf("kills-%d-%d", seed, n))
		for i := range min(each, *bucketProcessKills-n) {
			what := w.harm(r, n+i)
			sum[what]++
			if t.Failed() {
				t.Fatalf("after kill %d: %s", n+i+1, what)
			}
		}
		w.end()
		t.Logf("%d kills", min(n+each, *bucketProcessKills))
		for i := range importers {
			sum["parts acknowledged"] += latest(w.watch.acks[i], math.MaxInt64)
		}
		sum["answers"] += len(w.watch.answers)
		sum["stopped writers expelled"] += w.expelled
		sum["files of stopped writers removed"] += w.cleared
		sum["writers beaten"] += w.beaten
	}
	t.Logf("%v", sum)
}

// bucketWorld is an archive in a bucket with the processes that work on it.
type bucketWorld struct {
	t        *testing.T
	store    *s3test.Server // nil if it is a process
	gateway  *exec.Cmd
	proxy    *s3test.Server
	place    string
	lease    time.Duration
	own      *Archive // of this process
	procs    []*bucketProcess
	watch    processWatch // watch.mu also guards what follows
	requests int
	down     int           // so many requests more are dropped
	moved    time.Duration // by which the clock of the store is ahead
	stop     *bucketStop   // nil if no writer is stopped, or is to be
	expelled int           // writers that were stopped and then expelled
	cleared  int           // files that they had put into the bucket, and that the other writer removed
	beaten   int           // writers to whom others were faster 20 times
	happened chan struct{} // has a token after a request or a line of a process
}

// bucketStop is one stop of a writer that is about to publish an import.
type bucketStop struct {
	p       *bucketProcess
	pass    int           // so many writes of the import are carried out before
	late    bool          // the write at which the writer is stopped is carried out only when the writer continues
	request string        // at which it was stopped
	over    chan struct{} // is closed when the writer continues
}

type bucketProcess struct {
	role   string
	number int
	cmd    *exec.Cmd
	in     io.Closer
	ended  chan struct{}
	front  *httptest.Server // where the process reaches the proxy
	killed bool             // a process that is killed may end as it likes

	lease    string // of its import
	phase    importPhase
	files    []string // that the import has put into the bucket
	expelled int      // how often the process was told that its right to write has ended
}

// importPhase says how far the import of a writer is, by the requests of its process.
type importPhase int

const (
	importRegisters  importPhase = iota // and then compares captures
	importPublishes                     // has taken a number, and has not yet written CURRENT
	importHasWritten                    // has written CURRENT, and may merge, or is not registered
)

// startFront starts the server through which a process reaches the proxy.
func (p *bucketProcess) startFront(w *bucketWorld) {
	p.phase = importHasWritten
	p.front = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if late := w.follow(p, r); late != nil {
			<-late
		}
		w.proxy.ServeHTTP(out, r)
	}))
	w.t.Cleanup(func() {
		p.front.CloseClientConnections()
		p.front.Close()
	})
}

// follow notes how far the import of a process is with a request that the process sends. It stops the
// process if that is to be stopped at this request. If it returns a channel, the request waits until
// the channel is closed.
func (w *bucketWorld) follow(p *bucketProcess, r *http.Request) <-chan struct{} {
	_, rel, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"+s3test.Bucket+"/"), "/")
	w.watch.mu.Lock()
	defer w.watch.mu.Unlock()
	s := w.stop
	own := s != nil && s.p == p
	if own && s.request != "" {
		return s.over // the process sent this before it was stopped
	}
	if r.Method != http.MethodPut {
		return nil
	}
	top, _, _ := strings.Cut(rel, "/")
	switch {
	case top == "leases" && rel != p.lease:
		p.lease, p.phase, p.files = rel, importRegisters, nil
	case p.phase == importHasWritten:
	case top == "NUMBER", top == commit.DirPools, top == commit.DirIndex:
		p.phase = importPublishes
	}
	if p.phase != importPublishes || top == "leases" {
		return nil
	}
	if own && (s.pass == 0 || top == commit.FileCurrent) {
		s.request = rel
		if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			w.t.Error(err)
		}
		w.tick()
		if s.late || top == commit.FileCurrent {
			return s.over
		}
	}
	if own {
		s.pass--
	}
	switch top {
	case commit.DirPools, commit.DirIndex:
		p.files = append(p.files, rel)
	case commit.FileCurrent:
		p.phase = importHasWritten
	}
	return nil
}

func startBucketWorld(t *testing.T, r *rand.Rand, prefix string) *bucketWorld {
	w := &bucketWorld{t: t, proxy: s3test.New(), lease: 2 * time.Minute, happened: make(chan struct{}, 1)}
	t.Cleanup(w.proxy.Close)
	if *bucketGateway == "" {
		prefix = "archive"
		w.store = s3test.Start(t)
		w.store.Now = func() time.Time {
			w.watch.mu.Lock()
			defer w.watch.mu.Unlock()
			return time.Now().Add(w.moved)
		}
		w.proxy.Behind = w.store.URL
	} else {
		w.lease = 25 * time.Second
		w.proxy.Behind, _, _ = strings.Cut(*bucketGateway, " ")
		w.startGateway()
		t.Cleanup(w.killGateway)
	}
	w.proxy.StaleLists = 3
	w.place = s3.Scheme + s3test.Bucket + "/" + prefix
	faults := rand.New(rand.NewPCG(r.Uint64(), 4))
	w.proxy.SetFault(func(*http.Request, int) s3test.Fault {
		w.watch.mu.Lock()
		w.requests++
		down := w.down > 0
		if down {
			w.down--
		}
		w.watch.mu.Unlock()
		w.tick()
		switch n := faults.IntN(80); {
		case down:
			return s3test.DropBefore
		case n < 10:
			return s3test.Faults[faults.IntN(len(s3test.Faults))]
		case n < 14:
			time.Sleep(time.Duration(faults.IntN(20)) * time.Millisecond) // the delay that the proxy makes
		}
		return s3test.Works
	})
	t.Setenv("AWS_ENDPOINT_URL_S3", w.proxy.URL)
	t.Setenv(sharedLease, w.lease.String())
	t.Setenv(sharedFolder, t.TempDir())
	var err error
	if w.own, err = openShared(w.place); err != nil {
		t.Fatal(err)
	}
	defer t.Cleanup(func() {
		for _, p := range w.procs {
			p.kill(w)
		}
	})
	for _, p := range []bucketProcess{{role: "writer"}, {role: "writer", number: 1}, {role: "merger"}, {role: "reader"}, {role: "reader", number: 1}} {
		t.Setenv(sharedFolder, t.TempDir())
		p.startFront(w)
		t.Setenv("AWS_ENDPOINT_URL_S3", p.front.URL)
		p.start(w)
		w.procs = append(w.procs, &p)
	}
	return w
}

// tick wakes wait.
func (w *bucketWorld) tick() {
	select {
	case w.happened <- struct{}{}:
	default:
	}
}

// wait returns when done, which is called with the lock held, is true, or the test has failed.
func (w *bucketWorld) wait(done func() bool) {
	for {
		w.watch.mu.Lock()
		is := done()
		w.watch.mu.Unlock()
		if is || w.t.Failed() {
			return
		}
		select {
		case <-w.happened:
		case <-w.t.Context().Done():
			w.t.Fatal("the test has ended")
		}
	}
}

// start starts the process, or starts it again in its working folder.
func (p *bucketProcess) start(w *bucketWorld) {
	env := os.Environ()
	if p.cmd != nil {
		env = p.cmd.Env
	} else {
		env = append(env, fmt.Sprintf("%s=%s %s %d", roleVariable, p.role, w.place, p.number))
	}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = env
	var errs strings.Builder
	p.cmd.Stderr = &errs
	in, err := p.cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	p.in, p.ended, p.killed = in, make(chan struct{}), false
	ended := p.ended
	go func() { // ended is closed when it has returned
		defer close(ended)
		w.listen(p, out)
		err := p.cmd.Wait()
		w.watch.mu.Lock()
		defer w.watch.mu.Unlock()
		if err != nil && !p.killed {
			w.t.Errorf("%s %d: %v: %s", p.role, p.number, err, errs.String())
		}
		w.tick()
	}()
}

// listen notes what a process says, until the process ends.
func (w *bucketWorld) listen(p *bucketProcess, out io.Reader) {
	asked := int64(0)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var at int64
		var what string
		var n [2 * importers]int
		_, err := fmt.Sscan(lines.Text(), &at, &what, &n[0], &n[1], &n[2], &n[3])
		w.watch.mu.Lock()
		switch {
		case what == "begun":
			w.watch.begins[p.number] = append(w.watch.begins[p.number], event{at, n[0]})
		case what == "acked":
			w.watch.acks[p.number] = append(w.watch.acks[p.number], event{at, n[0]})
		case what == "expelled":
			p.expelled++
		case what == "beaten":
			w.beaten++
		case what == "merged":
		case what == "asks":
			asked = at
		case what == "answer" && err == nil:
			w.watch.answers = append(w.watch.answers, answer{asked, at, [importers]int{n[0], n[2]}, [importers]int{n[1], n[3]}})
		case !p.killed: // the last line may be torn
			w.t.Errorf("%s %d: %s", p.role, p.number, lines.Text())
		}
		w.watch.mu.Unlock()
		w.tick()
	}
}

// kill ends a process without a warning.
func (p *bucketProcess) kill(w *bucketWorld) {
	w.watch.mu.Lock()
	p.killed = true
	w.watch.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended: then its end was reported
	<-p.ended
	_ = p.in.Close()
}

// acks returns how many parts were acknowledged. The caller holds the lock.
func (w *bucketWorld) acks(number int) int { return len(w.watch.acks[number]) }

// harm kills or stops something at some request, and checks the archive after that. It says what it
// did.
func (w *bucketWorld) harm(r *rand.Rand, n int) (what string) {
	at := 0
	after := r.IntN(150)
	w.wait(func() bool {
		if at == 0 {
			at = w.requests + after
		}
		return w.requests >= at
	})
	p := w.procs[r.IntN(len(w.procs))]
	first := make([]int, importers)
	w.wait(func() bool {
		for i := range first {
			first[i] = w.acks(i)
		}
		return true
	})
	progress := func() bool { return w.acks(0)+w.acks(1) > first[0]+first[1] }
	switch {
	case n%10 == 4 || *bucketStops: // one in ten
		p = w.procs[r.IntN(importers)]
		what = "writer stopped for longer than its lease"
		w.stopWriter(p, r)
		progress = func() bool { return w.acks(p.number) > first[p.number] }
	case n%10 == 8:
		what = "store killed"
		if w.store != nil {
			drop := 20 + r.IntN(40)
			w.wait(func() bool { w.down = drop; return true })
		} else {
			w.killGateway()
			w.startGateway()
		}
	default:
		what = p.role + " killed"
		p.kill(w)
		p.start(w)
	}
	w.wait(progress)
	w.verify()
	return what
}

// stopWriter stops a writer that is about to publish, and another writer expels it and removes its
// files. Then it lets the writer continue, and checks that the writer finds that it was expelled.
func (w *bucketWorld) stopWriter(p *bucketProcess, r *rand.Rand) {
	s := &bucketStop{p: p, pass: r.IntN(5), late: r.IntN(2) == 0, over: make(chan struct{})}
	var acked, expelled int
	w.wait(func() bool { w.stop = s; return true })
	w.wait(func() bool {
		acked, expelled = w.acks(p.number), p.expelled
		return s.request != ""
	})
	// Nobody else may be listed as a writer when files are removed: the others sleep, too.
	w.signal(syscall.SIGSTOP, p)
	w.outlive()
	for range 2 + w.proxy.StaleLists { // the first one is alone, the last ones see all files
		if s, err := w.own.folder.NewWriter(w.t.Context()); err != nil {
			w.t.Errorf("the writer that clears up: %v", err)
		} else if err := s.Close(); err != nil {
			w.t.Errorf("the writer that clears up: %v", err)
		}
	}
	if err := w.own.folder.Sweep(w.t.Context()); err != nil {
		w.t.Errorf("to clear up: %v", err)
	}
	w.signal(syscall.SIGCONT, p)
	var others int
	w.wait(func() bool { others = w.acks(1 - p.number); return true })
	w.wait(func() bool { return w.acks(1-p.number) > others+1 })
	w.verify()
	for _, name := range p.files {
		f, err := w.own.folder.Disk.Open(filepath.Join(w.own.folder.Path, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, os.ErrNotExist):
			w.cleared++
		case err != nil:
			w.t.Error(err)
		default:
			f.Close()
		}
	}
	w.wait(func() bool { w.stop = nil; return true })
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		w.t.Fatal(err)
	}
	close(s.over)
	w.wait(func() bool { return p.expelled > expelled || w.acks(p.number) > acked })
	w.wait(func() bool {
		if p.expelled == expelled {
			w.t.Errorf("writer %d was stopped at %s for longer than its lease, and published its import when it continued", p.number, s.request)
		} else {
			w.expelled++
		}
		return true
	})
	w.t.Logf("writer %d was stopped at %s", p.number, s.request)
}

// signal sends a signal to the processes that write, except one.
func (w *bucketWorld) signal(s syscall.Signal, except *bucketProcess) {
	for _, p := range w.procs {
		if p != except && p.role != "reader" {
			if err := p.cmd.Process.Signal(s); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// outlive lets the lease pass.
func (w *bucketWorld) outlive() {
	if w.store == nil {
		time.Sleep(w.lease + 2*time.Second) // the store's clock is that of the machine
		return
	}
	w.watch.mu.Lock()
	w.moved += 2 * w.lease
	w.watch.mu.Unlock()
}

// verify checks the archive, and the answers up to now.
func (w *bucketWorld) verify() {
	w.t.Helper()
	if err := verified(w.own); err != nil {
		w.t.Errorf("VERIFY: %v", err)
	}
	asked := time.Now().UnixNano()
	rows, err := tellRows(w.own, record.MinTime, record.MaxTime)
	if err != nil {
		w.t.Error(err)
		return
	}
	g := answer{asked: asked, answered: time.Now().UnixNano()}
	for i := range importers {
		if g.least[i], g.most[i], err = partsIn(rows, i); err != nil {
			w.t.Error(err)
		}
	}
	w.watch.mu.Lock()
	defer w.watch.mu.Unlock()
	w.watch.answers = append(w.watch.answers, g)
	w.watch.judge(w.t)
}

// end lets the processes end, and checks the archive.
func (w *bucketWorld) end() {
	for _, p := range w.procs {
		_ = p.in.Close() // it has ended if this fails
		<-p.ended
	}
	w.procs = nil
	w.verify()
	w.proxy.SetFault(nil)
	if w.store != nil {
		w.proxy.StaleLists = 0
		w.watch.mu.Lock()
		w.moved += 25 * time.Hour
		w.watch.mu.Unlock()
		put(w.t, w.own, nil) // a writer that sweeps
		if err := bucketLeftovers(w.own, w.store); err != nil {
			w.t.Error(err)
		}
	}
	if err := w.own.Close(); err != nil {
		w.t.Error(err)
	}
	w.proxy.Close()
}

func (w *bucketWorld) startGateway() {
	words := strings.Fields(*bucketGateway)
	w.gateway = exec.Command(words[1], words[2:]...)
	if err := w.gateway.Start(); err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(words[0])
	if err != nil {
		w.t.Fatal(err)
	}
	for {
		if c, err := net.Dial("tcp", u.Host); err == nil {
			c.Close()
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-w.t.Context().Done():
			return
		}
	}
}

func (w *bucketWorld) killGateway() {
	_ = w.gateway.Process.Kill()
	_ = w.gateway.Wait()
}
