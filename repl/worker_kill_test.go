package repl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"infomall/exec/session"
	"infomall/exec/worker"
	"infomall/exec/worker/nats"
	"infomall/exec/worker/natstest"
	"infomall/store/disk/s3/s3test"
)

var (
	workersKilled   = flag.Int("faults.workers", 4, "how often a worker process, or a NATS node, is killed or stopped while questions run")
	workersKillSeed = flag.Uint64("faults.workerseed", 0, "seed of these faults; 0: by chance")
)

// natsVariable has the URLs of the servers that the program dividing asks.
const natsVariable = "INFOMALL_TEST_NATS"

// dividing runs the program, which asks the workers at natsVariable for twelve parts of each question.
func dividing() {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, openArchive: openPlace}
	p.workers = func(*session.Options) session.Workers {
		return twelveParts{worker.NewAsker(nats.New(os.Getenv(natsVariable)), worker.Options{})}
	}
	os.Exit(p.main(context.Background(), os.Args[1:]))
}

// twelveParts divides every question into twelve parts.
type twelveParts struct{ *worker.Asker }

func (twelveParts) Parts(float64) (parts, least int) { return 12, 0 }

// workerProcess is a process that computes parts of questions.
type workerProcess struct {
	cmd     *exec.Cmd
	stopped bool
	early   bool // it said that there is no archive yet
}

// startWorker starts a worker of an archive, and returns when the worker says that it can be asked. Before
// that, it may say that there is no archive yet.
func startWorker(t *testing.T, dir, urls string) *workerProcess {
	t.Helper()
	w := &workerProcess{cmd: exec.Command("infomall", "-a", dir, "--worker", urls)}
	errs, err := w.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	lines := bufio.NewReader(errs)
	line, err := lines.ReadString('\n')
	if strings.Contains(line, "this worker answers when there is one") {
		w.early = true
		line, err = lines.ReadString('\n')
	}
	if !strings.Contains(line, "a worker for") {
		t.Fatalf("a worker says %q, %v", line, err)
	}
	go io.Copy(io.Discard, lines)
	return w
}

// kill ends the process without a warning. A second call does nothing.
func (w *workerProcess) kill() {
	if w.cmd.ProcessState == nil {
		_ = w.cmd.Process.Kill() // no error but that it has ended
		_ = w.cmd.Wait()         // it says that the process was killed
	}
}

// signal stops the process, or lets it go on.
func (w *workerProcess) signal(t *testing.T, s syscall.Signal) {
	if err := w.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	w.stopped = s == syscall.SIGSTOP
}

// TestWorkerBeforeArchive starts a worker before there is an archive, in a folder and in a bucket. It computes
// parts of the first question that is asked after an import.
func TestWorkerBeforeArchive(t *testing.T) {
	needsHere(t, "the workers are other processes; TestWorkerBeforeArchive has one that reads a bucket")
	store := s3test.Start(t)
	t.Setenv("AWS_ENDPOINT_URL_S3", store.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for _, place := range []string{filepath.Join(t.TempDir(), "archive"), "s3://" + s3test.Bucket + "/archive"} {
		cluster := natstest.Start(t, 1)
		t.Setenv(natsVariable, cluster.URLs())
		t.Setenv("INFOMALL_S3_FOLDER", filepath.Join(t.TempDir(), "worker")) // another machine than the one that asks
		w := startWorker(t, place, cluster.URLs())
		if !w.early {
			t.Errorf("%s: the worker does not say that there is no archive", place)
		}
		t.Setenv("INFOMALL_S3_FOLDER", filepath.Join(t.TempDir(), "asker"))
		runMain(t, []string{"-a", place, "-c", "IMPORT '../queries/demo/*.raw'; MERGE POOL ALL"})
		args := []string{"-a", place, "--format", "csv", "-c", "SELECT url, time, text FROM versions"}
		want := runMain(t, args)
		tasks := cluster.Heard("infomall.worker.*.task")
		out, err := exec.Command("dividing", args...).Output()
		if err != nil || string(out) != want || strings.Count(want, "\n") < 20 {
			t.Errorf("%s: %d bytes with a worker, %d without, error %v", place, len(out), len(want), err)
		}
		select {
		case <-tasks:
		case <-time.After(10 * time.Second): // the message is on its way when the answer is there
			t.Errorf("%s: the worker was not asked", place)
		}
		w.kill()
	}
}

// TestWorkersAreKilled kills and stops three worker processes, and kills NATS nodes, at any moment of
// the questions that two processes ask. Each answer must be that of the program alone, or the
// program must end with an error. When all workers are back, every question is answered.
func TestWorkersAreKilled(t *testing.T) {
	needsHere(t, "the workers are other processes; TestWorkerBeforeArchive has one that reads a bucket")
	const workers, askers = 3, 2
	seed := *workersKillSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 5))
	dir := filepath.Join(t.TempDir(), "archive")
	captures := filepath.Join(t.TempDir(), "captures.warc")
	if err := os.WriteFile(captures, manyCaptures(20, 30, 4), 0o600); err != nil {
		t.Fatal(err)
	}
	runMain(t, []string{"-a", dir, "-c", "IMPORT '" + captures + "'; MERGE POOL ALL"})
	questions := []string{
		"SELECT url, time, text FROM versions",
		"SELECT host, count(*), count(DISTINCT url), sum(bytes), max(time) FROM captures GROUP BY host ORDER BY host",
		"SELECT url, time, op, added_text FROM changes ORDER BY time DESC, url, op, added_text LIMIT 200",
		"SELECT url, block, topic, text FROM blocks AT 2020-03-10",
	}
	want := make([]string, len(questions))
	for i, q := range questions {
		if want[i] = runMain(t, []string{"-a", dir, "--format", "csv", "-c", q}); strings.Count(want[i], "\n") < 20 {
			t.Fatalf("%s has few rows:\n%s", q, want[i])
		}
	}
	cluster := natstest.Start(t, 3)
	t.Setenv(natsVariable, cluster.URLs())
	procs := make([]*workerProcess, workers)
	for i := range procs {
		procs[i] = startWorker(t, dir, cluster.URLs())
	}
	ask := func(i int) (errs string, err error) {
		cmd := exec.Command("dividing", "-a", dir, "--format", "csv", "-c", questions[i])
		var out, why bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &why
		err = cmd.Run()
		var exit *exec.ExitError
		switch {
		case err == nil && out.String() != want[i]:
			t.Errorf("%s: no error, and %d bytes that differ from the %d bytes of the program alone\n%s", questions[i], out.Len(), len(want[i]), why.String())
		case err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && why.Len() > 0):
			t.Errorf("%s: %v, and the error is %q", questions[i], err, why.String())
		case err != nil && !strings.HasPrefix(want[i], out.String()):
			t.Errorf("%s: an error comes after rows that are wrong: %s", questions[i], why.String())
		}
		return why.String(), err
	}
	for _, q := range questions {
		out, err := exec.Command("dividing", "-a", dir, "-c", "EXPLAIN "+q).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "tasks by ranges of URLs") {
			t.Fatalf("%s is not divided, %v:\n%s", q, err, out)
		}
	}
	var asking sync.WaitGroup
	var mu sync.Mutex
	sum := make(map[string]int)
	heard := cluster.Heard("infomall.workers") // a question begins so, and gives parts to the workers that reply
	begins := func() {
		for range 1 + r.IntN(3) { // a token may be old
			<-heard
		}
	}
	over := make(chan struct{})
	for a := range askers {
		random := rand.New(rand.NewPCG(seed, 6+uint64(a)))
		asking.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				errs, err := ask(random.IntN(len(questions)))
				mu.Lock()
				if sum["whole answers"]++; err != nil {
					sum["whole answers"]--
					sum["errors"]++
					t.Logf("an error: %s", strings.TrimSpace(errs))
				}
				mu.Unlock()
			}
		})
	}
	count := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		sum[what]++
	}
	for range *workersKilled {
		begins()
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond) // any moment of the question will do
		p := &procs[r.IntN(workers)]
		switch n := r.IntN(6); {
		case n == 0:
			count("nodes killed")
			i := r.IntN(3)
			cluster.Kill(i)
			begins()
			cluster.Restart(i)
		case n < 3:
			count("workers stopped")
			(*p).signal(t, syscall.SIGSTOP)
			begins()
			if r.IntN(2) == 0 { // for longer than a worker may be silent
				time.Sleep(4 * time.Second)
			}
			(*p).signal(t, syscall.SIGCONT)
		default:
			count("workers killed")
			(*p).kill()
			begins()
			*p = startWorker(t, dir, cluster.URLs())
		}
	}
	close(over)
	asking.Wait()
	for i := range questions {
		if errs, err := ask(i); err != nil {
			t.Errorf("%s, when all workers work: %v: %s", questions[i], err, errs)
		}
	}
	t.Logf("%v", sum)
	if sum["whole answers"] == 0 {
		t.Error("no question was answered")
	}
}

// manyCaptures returns a WARC file of so many hosts, with so many pages each, of which each
// was captured so many times and changed each time.
func manyCaptures(hosts, pages, times int) []byte {
	var b bytes.Buffer
	for n := range hosts * pages * times {
		h, p, v := n%hosts, n/hosts%pages, n/hosts/pages
		var body strings.Builder
		fmt.Fprintf(&body, "<title>Page %s of host %s</title><h1>Visit %s</h1>", inWords(p), inWords(h), inWords(v))
		for i := range 12 {
			k := h*7919 + p*31 + i*131
			if i == v {
				k += 100 + v
			}
			fmt.Fprintf(&body, "<p>Paragraph %s is about case %s. The court decided it on day %s, after a long hearing of witnesses from three towns.</p>\n", inWords(i), inWords(k%997), inWords(k%89))
		}
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h%d.example/%d\r\nWARC-Date: 2020-%02d-01T%02d:%02d:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s%s\r\n\r\n",
			h, p, v+1, h%24, p%60, n, len(head)+body.Len(), head, body.String())
	}
	return b.Bytes()
}
