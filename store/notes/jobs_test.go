package notes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/store/disk"
	"infomall/store/disk/disktest"
	"infomall/store/record"
	"infomall/store/record/task"
)

// aJob is a job as the tests have it; n tells it from others.
func aJob(n int) task.Job {
	return task.Job{
		State: task.JobDone, Name: fmt.Sprintf("job %d", n), Statement: "SELECT '正文\t\"';\n", Started: record.Time(n), Finished: record.Time(n + 1),
		Rows: int64(n), Bytes: 1 << 40, Error: "\x00", Scheduled: record.NoTime, Next: record.NoTime,
	}
}

// runJob notes the begin and the end of a job.
func runJob(a *Notes, j task.Job) error {
	_, end, err := a.BeginJob(context.Background(), j)
	if err != nil {
		return err
	}
	return end(j)
}

// jobNames are the names of the jobs of an archive, each with its state.
func jobNames(dir string) ([]string, error) {
	a := openTest(dir, disk.OS)
	list, err := a.Jobs(context.Background())
	var names []string
	for _, j := range list {
		names = append(names, j.Name+" "+j.State.String())
	}
	return names, err
}

// TestJobs shows a job while it runs and when it has ended, one that nobody runs
// any more, and what a damaged line costs.
func TestJobs(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openTest(dir, disk.OS)
	if err := runJob(a, aJob(0)); err != nil || a.folder.Exists() {
		t.Errorf("a job without an archive: error %v, and it made one: %v", err, a.folder.Exists())
	}
	if err := a.folder.Create(); err != nil {
		t.Fatal(err)
	}
	id, end, err := a.BeginJob(ctx, aJob(1))
	if err != nil || id != 1 {
		t.Fatalf("job %d, error %v; want the first", id, err)
	}
	if err := runJob(a, aJob(2)); err != nil {
		t.Fatal(err)
	}
	list, err := a.Jobs(ctx)
	if err != nil || len(list) != 2 || list[0].State != task.JobRunning || list[0].Process != os.Getpid() || list[0].Finished != record.NoTime {
		t.Fatalf("%+v, error %v; want the first, running, and the second", list, err)
	}
	want := aJob(2)
	want.ID, want.Process = 2, os.Getpid()
	if list[1] != want {
		t.Errorf("read back as %+v, want %+v", list[1], want)
	}
	failed := aJob(1)
	failed.State = task.JobFailed
	if err := end(failed); err != nil {
		t.Fatal(err)
	}
	// A process that was killed leaves its file.
	lost := aJob(3)
	lost.ID, lost.State = 3, task.JobRunning
	if err := os.WriteFile(filepath.Join(dir, dirJobs, fileRunning+"000000003"), encodeJob(nil, &lost), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, dirJobs, fileRunning+"000000004"), []byte("4\trunning"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := []string{"job 1 failed", "job 2 done", "job 3 interrupted"}
	for range 2 { // before and after it is noted
		if got, err := jobNames(dir); err != nil || !slices.Equal(got, all) {
			t.Errorf("%q, error %v; want %q", got, err, all)
		}
		if err := runJob(a, aJob(5)); err != nil {
			t.Fatal(err)
		}
		all = append(all, "job 5 done")
	}
	if left, err := filepath.Glob(filepath.Join(dir, dirJobs, fileRunning+"*")); err != nil || len(left) != 0 {
		t.Errorf("%q are left, error %v", left, err)
	}
	// A line is damaged, and one was not written to its end.
	path := filepath.Join(dir, dirJobs, fileJobs)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[30] ^= 1
	if err := os.WriteFile(path, b[:len(b)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runJob(a, aJob(6)); err != nil {
		t.Fatal(err)
	}
	got, err := jobNames(dir)
	if want := []string{"job 1 failed", "job 3 interrupted", "job 5 done", "job 6 done"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("of a damaged log %q, error %v; want %q", got, err, want)
	}
}

// TestJobsOfSchedule lets a schedule run once at a time, and keeps its last run
// however many jobs follow.
func TestJobsOfSchedule(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openTest(dir, disk.OS)
	if err := a.folder.Create(); err != nil {
		t.Fatal(err)
	}
	nightly := aJob(1)
	nightly.Name, nightly.Scheduled, nightly.Next = "nightly", 7, 1000
	_, end, err := a.BeginJob(ctx, nightly)
	if err != nil {
		t.Fatal(err)
	}
	var running *task.JobRunningError
	if err := runJob(a, nightly); !errors.As(err, &running) || !strings.Contains(err.Error(), "schedule nightly: process") {
		t.Errorf("a second run ends with %v", err)
	}
	anew := nightly
	anew.Scheduled = 8
	if err := runJob(a, anew); err != nil {
		t.Errorf("one defined anew: %v", err)
	}
	if err := end(nightly); err != nil {
		t.Fatal(err)
	}
	long := aJob(2)
	long.Statement = strings.Repeat("x", 2*task.JobTextMax)
	log, err := a.readJobs()
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := a.appendJobs(log, slices.Repeat([]task.Job{long}, 100)...); err != nil {
			t.Fatal(err)
		}
		if log.size > jobsBytesMax+300*task.JobTextMax {
			t.Fatalf("the log has %d bytes", log.size)
		}
	}
	list, err := a.Jobs(ctx)
	if err != nil || !slices.ContainsFunc(list, func(j task.Job) bool { return j.Name == "nightly" && j.Next == 1000 }) {
		t.Errorf("of %d jobs none is the schedule's, error %v", len(list), err)
	}
}

// TestJobsFaults kills the program and the machine at every operation: the end of
// a job that was acknowledged is there, and nothing else is in the way of others.
func TestJobsFaults(t *testing.T) {
	names := []string{"a", "b", "c"}
	judge := func(dir string, acked, begun int) error {
		got, err := jobNames(dir)
		if err != nil {
			return err
		}
		done := 0
		for i, name := range got {
			if i < len(names) && name == names[i]+" done" {
				done++
			} else if i < len(names) && name != names[i]+" interrupted" {
				return fmt.Errorf("got %q", got)
			}
		}
		if done < acked || len(got) > begun {
			return fmt.Errorf("got %q, of which %d were acknowledged and %d begun", got, acked, begun)
		}
		a := openTest(dir, disk.OS)
		if !a.folder.Exists() {
			return nil
		}
		if err := runJob(a, aJob(1)); err != nil {
			return err
		}
		got, err = jobNames(dir)
		if len(got) == 0 || got[len(got)-1] != "job 1 done" {
			return fmt.Errorf("then a job ran, and there are %q, error %v", got, err)
		}
		return nil
	}
	runAll := func(d *disktest.Disk, dir string) (acked int, at []point) {
		a := openTest(dir, d)
		if a.folder.Create() != nil {
			return 0, at
		}
		for i, name := range names {
			at = append(at, point{d.Mark(), i, i + 1})
			j := aJob(0)
			j.Name = name
			if runJob(a, j) != nil {
				return i, at
			}
		}
		return len(names), append(at, point{d.Mark(), len(names), len(names)})
	}
	everyFault(t, runAll, judge)
}

// TestJobsAtOnce runs jobs from several archives at once, as several processes
// do: each has a number of its own, and none is lost.
func TestJobsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	if err := openTest(dir, disk.OS).folder.Create(); err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 10
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			a := openTest(dir, disk.OS)
			for i := range each {
				errs[w] = errors.Join(errs[w], runJob(a, aJob(i)))
				if _, err := a.Jobs(context.Background()); err != nil {
					errs[w] = err
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	a := openTest(dir, disk.OS)
	list, err := a.Jobs(context.Background())
	if err != nil || len(list) != writers*each {
		t.Fatalf("%d jobs, error %v; want %d", len(list), err, writers*each)
	}
	for i, j := range list {
		if j.ID != int64(i+1) || j.State != task.JobDone {
			t.Errorf("job %d of the list is %d, %s", i+1, j.ID, j.State)
		}
	}
}

// TestDaemon lets one process run an archive's schedules, and tells the next who
// that is.
func TestDaemon(t *testing.T) {
	a := openTest(filepath.Join(t.TempDir(), "archive"), disk.OS)
	d, err := a.Daemon()
	if err != nil {
		t.Fatal(err)
	}
	var other *task.DaemonError
	if _, err := a.Daemon(); !errors.As(err, &other) || other.Process != os.Getpid() || other.Since <= 0 {
		t.Errorf("a second daemon ends with %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err = a.Daemon(); err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// FuzzDecodeJob reads any line; what it takes can be written and read again.
func FuzzDecodeJob(f *testing.F) {
	j := aJob(1)
	f.Add(strings.TrimSuffix(string(encodeJob(nil, &j)), "\n"))
	f.Add("")
	f.Add("1\tdone")
	f.Fuzz(func(t *testing.T, line string) {
		j, ok := decodeJob(line)
		if !ok {
			return
		}
		again, ok := decodeJob(strings.TrimSuffix(string(encodeJob(nil, &j)), "\n"))
		if !ok || len(j.Statement) <= task.JobTextMax && len(j.Error) <= task.JobTextMax && again != j {
			t.Errorf("%+v became %+v", j, again)
		}
	})
}
