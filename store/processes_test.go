package store

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

var processSeconds = flag.Int("faults.processes", 5, "seconds for which processes work on one archive and are killed")

// roleVariable tells a process of the tests what to do instead of testing: a
// name of roles, the archive and a number, with blanks between.
const roleVariable = "INFOMALL_TEST_ROLE"

// roles are what the processes of TestProcesses and TestBucketProcesses do, until they are killed or
// told to stop by the end of their input. They say what they did line by line.
var roles = map[string]func(a *Archive, number int) error{
	"importer": importer,
	"reader":   reader,
	"merger":   mergeOften,
	"writer":   writer,
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	parts := strings.Split(role, " ")
	number, err := strconv.Atoi(parts[2])
	var a *Archive
	if err == nil {
		if commit.IsURL(parts[1]) {
			a, err = openShared(parts[1])
		} else {
			a = openAt(parts[1], Options{Disk: lockClock{disk.OS}})
		}
	}
	if err == nil {
		err = roles[parts[0]](a, number)
	}
	if err != nil {
		tell("error %s", strings.ReplaceAll(err.Error(), "\n", " | "))
		os.Exit(1)
	}
}

// lockClock is a disk that tells how long the archive's lock was waited for and
// held. Those of writers and of pools that are merged are tried and not waited
// for.
type lockClock struct{ disk.FS }

func (c lockClock) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := c.FS.OpenFile(name, flag, perm)
	above := filepath.Base(filepath.Dir(filepath.Dir(name)))
	if err != nil || filepath.Base(name) != commit.FileLock || above == "writers" || above == commit.DirPools {
		return f, err
	}
	return clockedLock{f, time.Now()}, nil
}

type clockedLock struct {
	disk.File
	since time.Time
}

func (l clockedLock) Close() error {
	tell("lock %d", time.Since(l.since).Milliseconds())
	return l.File.Close()
}

// tell says a line, with the time, which all processes of a machine share.
func tell(format string, args ...any) {
	fmt.Printf("%d %s\n", time.Now().UnixNano(), fmt.Sprintf(format, args...))
}

// told ends when the parent process does, or wants the role to end.
func told() <-chan struct{} {
	c := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(c)
	}()
	return c
}

// story is the n-th history that an importer tells: its host is its own, its
// bodies are everybody's.
func story(importer, n int) imports {
	host := storyHost(importer, n)
	im := newImports(1000*importer + n)
	for _, part := range im.parts {
		for _, v := range part {
			v.url = strings.Replace(v.url, "www.example.com", host, 1)
		}
	}
	im.want = nil
	for n := range len(im.parts) + 1 {
		im.want = append(im.want, historyOf(slices.Concat(im.parts[:n]...)))
	}
	return im
}

func storyHost(importer, n int) string { return fmt.Sprintf("s%d.i%d.example", n, importer) }

// importer imports one part after the other of one story after the other. Where
// it was killed it begins again with the part that it was at.
func importer(a *Archive, number int) error {
	stop := told()
	_, done, err := partsOf(a, number)
	if err != nil {
		return err
	}
	for {
		im := story(number, done/storyParts)
		for _, part := range im.parts[done%storyParts:] {
			select {
			case <-stop:
				return a.Close()
			default:
			}
			tell("begun %d", done+1)
			var res task.ImportResult
			if err := putErr(a, part, &res); err != nil {
				return err
			}
			done++
			tell("acked %d", done)
		}
	}
}

// storyParts is in how many parts a story is imported.
const storyParts = 4

// partsOf is how many parts of an importer's stories are whole in the archive:
// some bring nothing new, so from least up to most of them. It is an error if
// what is there is not the first so many parts.
func partsOf(a *Archive, number int) (least, most int, err error) {
	rows, err := tellRows(a, record.MinTime, record.MaxTime)
	if err != nil {
		return 0, 0, err
	}
	return partsIn(rows, number)
}

func partsIn(rows []row, number int) (least, most int, err error) {
	byHost := make(map[string][]row)
	for _, r := range rows {
		host, _, _ := strings.Cut(strings.TrimPrefix(r.url, "http://"), "/")
		byHost[host] = append(byHost[host], r)
	}
	for n := 0; most >= n*storyParts; n++ {
		host := storyHost(number, n)
		got := byHost[host]
		delete(byHost, host)
		im := story(number, n)
		found := false
		for k, want := range im.want {
			if !equalRows(got, want) {
				continue
			}
			// Nothing of this story may still be all of the one before.
			if !found && k > 0 {
				least = n*storyParts + k
			}
			most, found = n*storyParts+k, true
		}
		if !found {
			return 0, 0, fmt.Errorf("%s has no state that it ever was in:\n%s", host, diffRows(got, im.want[storyParts]))
		}
	}
	for host := range byHost {
		if strings.HasSuffix(host, fmt.Sprintf(".i%d.example", number)) {
			return 0, 0, fmt.Errorf("%s is there before the story in front of it is whole, with %d parts", host, most)
		}
	}
	return least, most, nil
}

// mergeOften merges one pool after the other.
func mergeOften(a *Archive, _ int) error {
	stop := told()
	for {
		select {
		case <-stop:
			return a.Close()
		default:
		}
		done, err := a.Merge(context.Background(), task.MergeOptions{})
		switch {
		case errors.Is(err, commit.ErrExpelled): // only in a bucket
			tell("expelled")
			continue
		case errors.Is(err, catalog.ErrStale) && a.bucket != nil:
			tell("beaten")
			continue
		case err != nil:
			return err
		}
		tell("merged %d", len(done))
		time.Sleep(10 * time.Millisecond) // there is little new yet
	}
}

// reader asks for everything, and for single hosts, again and again. Each
// answer must be a state of the archive at one moment.
func reader(a *Archive, number int) error {
	stop := told()
	r := rand.New(rand.NewPCG(uint64(number), 17))
	for {
		select {
		case <-stop:
			return a.Close()
		default:
		}
		tell("asks")
		rows, err := tellRows(a, record.MinTime, record.MaxTime)
		if err != nil {
			return err
		}
		line := "answer"
		for i := range importers {
			least, most, err := partsIn(rows, i)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %d", least, most)
		}
		tell("%s", line)
		// One URL of those seen, by its key.
		if len(rows) > 0 {
			if err := sameURL(a, rows[r.IntN(len(rows))], rows); err != nil {
				return err
			}
		}
	}
}

// sameURL looks up one URL's captures: those seen earlier must be there.
func sameURL(a *Archive, one row, rows []row) error {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	key := urlkey.Key(one.url)
	times := make(map[record.Time]bool)
	for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}}) {
		if err != nil {
			return err
		}
		for i := range b.N {
			times[b.Time[i]] = true
		}
	}
	for _, r := range rows {
		if r.url == one.url && !times[r.time] {
			return fmt.Errorf("the capture of %s at %d was there and is not any more: %v", r.url, r.time, slices.Sorted(maps.Keys(times)))
		}
	}
	return nil
}

const importers = 2

// TestProcesses lets two importers, a merger and eight readers work on one archive, and
// kills one of them now and then with no warning; another takes its place. No
// statement fails, each answer is what the archive held at a moment while it was
// made, and nothing acknowledged is lost.
func TestProcesses(t *testing.T) {
	needsFolder(t, "it watches the lock of a folder; TestBucketProcesses is this test of a bucket")
	seconds := *processSeconds
	if testing.Short() {
		seconds = 2
	}
	dir := filepath.Join(t.TempDir(), "archive")
	deadline := time.Now().Add(time.Duration(seconds) * time.Second)
	watch := &processWatch{}
	var wg sync.WaitGroup
	for i := range importers {
		wg.Go(func() { watch.keepUp(t, "importer", dir, i, deadline) })
	}
	wg.Go(func() { watch.keepUp(t, "merger", dir, 0, deadline) })
	for i := range 8 {
		wg.Go(func() { watch.keepUp(t, "reader", dir, i, deadline) })
	}
	wg.Wait()
	a := openAt(dir, Options{})
	defer a.Close()
	for i := range importers {
		_, most, err := partsOf(a, i)
		if err != nil {
			t.Error(err)
		}
		acked := latest(watch.acks[i], math.MaxInt64)
		if most < acked {
			t.Errorf("importer %d: %d parts are there, %d were acknowledged", i, most, acked)
		}
		t.Logf("importer %d: %d parts acknowledged", i, acked)
	}
	if !watch.tried() {
		t.Fatalf("%d answers, %d kills, %d pools merged, %d locks: nothing was tried", len(watch.answers), watch.kills, watch.merged, len(watch.locks))
	}
	slices.Sort(watch.locks)
	t.Logf("%d answers, %d pools merged, %d processes killed; waited for the lock and held it %d times, half of them for %d ms, at most for %d ms",
		len(watch.answers), watch.merged, watch.kills, len(watch.locks), watch.locks[len(watch.locks)/2], watch.locks[len(watch.locks)-1])
	watch.judge(t)
	// The next writer leaves nothing behind of those killed.
	if err := noLeftovers(a); err != nil {
		t.Error(err)
	}
	for f, err := range a.Verify(context.Background(), task.VerifyOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("VERIFY: %+v", f)
	}
}

// processWatch is what the processes said.
type processWatch struct {
	mu           sync.Mutex
	begins, acks [importers][]event
	answers      []answer
	locks        []int // milliseconds
	merged       int   // pools
	kills        int
}

// event is how many parts there are since a moment.
type event struct {
	at    int64
	parts int
}

// answer is how many parts of each importer a reader saw, and when.
type answer struct {
	asked, answered int64
	least, most     [importers]int
}

// latest is how many parts there were at a moment.
func latest(events []event, at int64) int {
	n := 0
	for _, e := range events {
		if e.at <= at {
			n = max(n, e.parts)
		}
	}
	return n
}

// judge checks that each answer is what the archive held at a moment while the answer was made.
func (w *processWatch) judge(t *testing.T) {
	for _, g := range w.answers {
		for i := range importers {
			acked, begun := latest(w.acks[i], g.asked), latest(w.begins[i], g.answered)
			if g.most[i] < acked || g.least[i] > begun {
				t.Errorf("a reader sees %d to %d parts of importer %d: %d were acknowledged before it asked, %d begun when it had its answer", g.least[i], g.most[i], i, acked, begun)
			}
		}
	}
}

// tried reports whether something of each kind has happened.
func (w *processWatch) tried() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.answers) > 0 && len(w.locks) > 0 && w.kills > 0 && w.merged > 0
}

// keepUp runs a process, and another after that was killed, until deadline, and on a slow
// machine until something was tried.
func (w *processWatch) keepUp(t *testing.T, role, dir string, number int, deadline time.Time) {
	for time.Now().Before(deadline) || !w.tried() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", roleVariable, role, dir, number))
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Error(err)
			return
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Error(err)
			return
		}
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		life := time.Duration(rand.IntN(3000)) * time.Millisecond
		left := time.Until(deadline)
		if left <= 0 {
			left, life = 20*time.Second, 10*life // longer lives, in which slow processes come further
		}
		if left < life {
			time.AfterFunc(left, func() { in.Close() })
		} else {
			time.AfterFunc(life, func() {
				w.mu.Lock()
				w.kills++
				w.mu.Unlock()
				_ = cmd.Process.Kill()
			})
		}
		w.listen(t, role, number, out)
		_ = cmd.Wait() // it may have been killed
		in.Close()
	}
}

// listen takes down what a process says, until it is gone.
func (w *processWatch) listen(t *testing.T, role string, number int, out io.Reader) {
	asked := int64(0)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var at int64
		var what string
		var n [2 * importers]int
		_, err := fmt.Sscan(lines.Text(), &at, &what, &n[0], &n[1], &n[2], &n[3])
		w.mu.Lock()
		switch {
		case what == "begun":
			w.begins[number] = append(w.begins[number], event{at, n[0]})
		case what == "acked":
			w.acks[number] = append(w.acks[number], event{at, n[0]})
		case what == "merged":
			w.merged += n[0]
		case what == "lock":
			w.locks = append(w.locks, n[0])
		case what == "asks":
			asked = at
		case what == "answer" && err == nil:
			w.answers = append(w.answers, answer{asked, at, [importers]int{n[0], n[2]}, [importers]int{n[1], n[3]}})
		default:
			t.Errorf("%s %d: %s", role, number, lines.Text())
		}
		w.mu.Unlock()
	}
}
