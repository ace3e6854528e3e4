package notes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// The names of the folder of jobs and of its files. FORMAT.md draws them.
const (
	dirJobs     = "jobs"
	fileJobs    = "log"
	fileRunning = "run-"
	fileDaemon  = "daemon"
)

// jobsBytesMax is the size of the log of ended jobs, in bytes, above which its older
// half is dropped. A job takes about 200 bytes, so the log has some thousands of jobs.
const jobsBytesMax = 1 << 20

// BeginJob records that job j (one run of a statement) begins, and returns its ID. When the job
// has ended, the caller calls the function end with the completed job, which end stores
// durably. If the process dies before that, the job counts as interrupted.
//
// If j was started by a schedule, and an earlier job of that schedule is still running, the
// error is a *task.JobRunningError. If there is no archive, the ID is 0, and the job is stored
// only if there is an archive when the job ends.
func (k *Notes) BeginJob(ctx context.Context, j task.Job) (id int64, end func(task.Job) error, err error) {
	j.State, j.Process, j.Finished = task.JobRunning, os.Getpid(), record.NoTime
	var run disk.File
	if k.folder.Exists() {
		err = k.jobsLocked(ctx, func(log *jobLog) error {
			for _, r := range log.running {
				if j.Scheduled != record.NoTime && r.Scheduled == j.Scheduled && r.Name == j.Name {
					return &task.JobRunningError{Job: r}
				}
			}
			j.ID = log.nextID()
			var err error
			run, err = k.noteRunning(&j)
			return err
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return j.ID, func(ended task.Job) error {
		if run == nil && !k.folder.Exists() {
			return nil
		}
		// The job is recorded even if ctx has ended, because that may be how the
		// job ended.
		return k.jobsLocked(context.WithoutCancel(ctx), func(log *jobLog) error {
			ended.ID, ended.Process = j.ID, j.Process
			if run == nil {
				ended.ID = log.nextID()
			}
			err := k.appendJobs(log, ended)
			if run != nil {
				err = errors.Join(err, run.Close())
				if err == nil {
					err = k.folder.Files().Remove(runningFile(j.ID))
				}
			}
			return err
		})
	}, nil
}

// Jobs returns the known jobs, sorted by ID: all running jobs, and the ended jobs
// that are still in the log.
func (k *Notes) Jobs(ctx context.Context) ([]task.Job, error) {
	log, err := k.readJobs()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(slices.Values(append(append(log.ended, log.running...), log.lost...)),
		func(x, y task.Job) int { return cmp.Compare(x.ID, y.ID) }), ctx.Err()
}

// jobLog is the content of the folder of jobs: the log of ended jobs, and the files of
// running jobs.
type jobLog struct {
	ended   []task.Job
	size    int64 // size of the log in bytes
	torn    bool  // the last line of the log is incomplete
	running []task.Job
	lost    []task.Job // jobs that are not in the log, and whose process was killed
	sweep   []string   // paths of the files of jobs that no longer run; they can be removed
}

func (l *jobLog) nextID() int64 {
	id := int64(0)
	for _, list := range [][]task.Job{l.ended, l.running, l.lost} {
		for i := range list {
			id = max(id, list[i].ID)
		}
	}
	return id + 1
}

// jobsLocked locks the folder of jobs, so that no other process can begin or end a job, and calls
// f with the content of the folder. Before that, it adds to the log the jobs whose process was
// killed, as interrupted.
func (k *Notes) jobsLocked(ctx context.Context, f func(*jobLog) error) error {
	if _, err := k.folder.Files().Stat(dirJobs); err != nil {
		if err := disk.Mkdir(k.folder.Files(), dirJobs); err != nil {
			return err
		}
	}
	return k.folder.LockedBy(ctx, filepath.Join(dirJobs, commit.FileLock), func(disk.File) error {
		log, err := k.readJobs()
		if err != nil {
			return err
		}
		if len(log.lost) > 0 {
			if err := k.appendJobs(log, log.lost...); err != nil {
				return err
			}
			log.lost = nil
		}
		for _, name := range log.sweep {
			if err := k.folder.Files().Remove(name); err != nil {
				return err
			}
		}
		return f(log)
	})
}

// readJobs reads the folder of jobs. The caller need not hold the lock of the folder. Without the
// lock, readJobs may find a job that is just ending both in the log and among the running jobs;
// it then returns the job only as ended.
func (k *Notes) readJobs() (*jobLog, error) {
	log := &jobLog{}
	names, err := disk.Glob(k.folder.Files(), ".", filepath.Join(dirJobs, fileRunning+"*"))
	if err != nil {
		return nil, err
	}
	type found struct {
		name string
		job  task.Job
		ok   bool
		runs bool
	}
	var files []found
	for _, name := range names { // read before the log, so that a job that ends meanwhile is found in at least one of them
		f := found{name: name}
		if f.job, f.ok, f.runs, err = k.lookAtJob(name); errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if err := k.readLog(log); err != nil {
		return nil, err
	}
	ended := make(map[int64]bool, len(log.ended))
	for i := range log.ended {
		ended[log.ended[i].ID] = true
	}
	for _, f := range files {
		switch {
		case f.runs && f.ok && !ended[f.job.ID]:
			log.running = append(log.running, f.job)
		case f.runs:
		default:
			if f.ok && !ended[f.job.ID] {
				f.job.State = task.JobInterrupted
				log.lost = append(log.lost, f.job)
			}
			log.sweep = append(log.sweep, f.name)
		}
	}
	return log, nil
}

// lookAtJob reads the file of a job, whose path is name. ok is false if the file was not written
// completely; the job then never began. runs reports whether the job's process is still alive.
func (k *Notes) lookAtJob(name string) (j task.Job, ok, runs bool, err error) {
	f, err := k.folder.Files().OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return j, false, false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, jobsBytesMax))
	if err != nil {
		return j, false, false, err
	}
	free, err := disk.TryExclusive(f)
	if err != nil {
		return j, false, false, err
	}
	j, ok = decodeJob(strings.TrimSuffix(string(b), "\n"))
	return j, ok, !free, nil
}

// runningFile returns the path, in the archive's folder, of the file of the running job with this
// ID.
func runningFile(id int64) string {
	return filepath.Join(dirJobs, fmt.Sprintf("%s%09d", fileRunning, id))
}

// noteRunning creates the file of a running job and returns it, locked until the
// caller closes it. The file is not synced, because a power failure ends the job
// anyway.
func (k *Notes) noteRunning(j *task.Job) (disk.File, error) {
	f, err := disk.Create(k.folder.Files(), runningFile(j.ID))
	if err != nil {
		return nil, err
	}
	// A reader may hold the lock for a moment.
	if err = disk.LockExclusive(f); err == nil {
		_, err = f.Write(encodeJob(nil, j))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), k.folder.Files().Remove(runningFile(j.ID)))
	}
	return f, nil
}

// readLog reads the log of ended jobs into log. It ignores an incomplete last line, which was
// not written completely, and warns if a complete line is damaged.
func (k *Notes) readLog(log *jobLog) error {
	name := filepath.Join(dirJobs, fileJobs)
	b, err := disk.ReadFile(k.folder.Files(), name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	log.size, log.torn = int64(len(b)), !bytes.HasSuffix(b, []byte("\n"))
	bad := 0
	for line := range strings.Lines(string(b)) {
		if j, ok := decodeJob(strings.TrimSuffix(line, "\n")); ok {
			log.ended = append(log.ended, j)
		} else if strings.HasSuffix(line, "\n") && line != "\n" {
			bad++
		}
	}
	if bad > 0 {
		k.warn(&segment.Error{File: name, Offset: -1, Err: fmt.Errorf("jobs of its history that cannot be read: %d; no capture needs it", bad)})
	}
	return nil
}

// appendJobs appends ended jobs to the log and syncs the file. If the log is longer than
// jobsBytesMax, appendJobs writes the file again, with only the later half of the jobs and the
// last job of each schedule.
func (k *Notes) appendJobs(log *jobLog, jobs ...task.Job) error {
	name := filepath.Join(dirJobs, fileJobs)
	log.ended = append(log.ended, jobs...)
	var b []byte
	if log.size > jobsBytesMax {
		log.ended = laterJobs(log.ended)
		for i := range log.ended {
			b = encodeJob(b, &log.ended[i])
		}
		if err := disk.WriteFile(k.folder.Files(), name, b); err != nil {
			return err
		}
		log.size, log.torn = int64(len(b)), false
		return k.folder.Files().SyncDir(filepath.Dir(name))
	}
	if log.torn {
		b = append(b, '\n')
	}
	for i := range jobs {
		b = encodeJob(b, &jobs[i])
	}
	f, err := k.folder.Files().OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, log.size)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && log.size == 0 {
		err = k.folder.Files().SyncDir(filepath.Dir(name))
	}
	log.size, log.torn = log.size+int64(len(b)), false
	return err
}

// laterJobs returns the later half of list. If a schedule has no job in that half, the result
// begins with the last job of that schedule.
func laterJobs(list []task.Job) []task.Job {
	last := map[string]int64{}
	for _, j := range list {
		if j.Scheduled != record.NoTime {
			last[j.Name] = j.ID
		}
	}
	half := len(list) / 2
	kept := slices.DeleteFunc(slices.Clone(list[:half]), func(j task.Job) bool {
		return j.Scheduled == record.NoTime || last[j.Name] != j.ID
	})
	return append(kept, list[half:]...)
}

// encodeJob appends to b the line of job j in the log: fields separated by tabs,
// then a checksum of everything before it in the line.
func encodeJob(b []byte, j *task.Job) []byte {
	return lines.AppendSummed(b, j.ID, j.State.String(), lines.Quoted(j.Name), j.Started, j.Finished, j.Rows, j.Bytes,
		j.Process, j.Scheduled, j.Next, lines.Quoted(cutText(j.Statement)), lines.Quoted(cutText(j.Error)))
}

// cutText returns s, or its first task.JobTextMax bytes and "…" if s is longer.
func cutText(s string) string {
	if len(s) <= task.JobTextMax {
		return s
	}
	return strings.ToValidUTF8(s[:task.JobTextMax], "") + "…"
}

// errJob is the error of a line of the log that cannot be parsed. It stays inside
// decodeJob, whose result ok is then false.
var errJob = errors.New("the line is no job")

// decodeJob parses a line that encodeJob made, without the newline. ok is false if
// the line is damaged.
func decodeJob(line string) (j task.Job, ok bool) {
	r, err := lines.OpenLine(line, errJob)
	if err != nil {
		return j, false
	}
	j.ID = r.Int()
	state := r.Text()
	j.Name, j.Started, j.Finished, j.Rows, j.Bytes = r.Quoted(), record.Time(r.Int()), record.Time(r.Int()), r.Int(), r.Int()
	j.Process, j.Scheduled, j.Next = int(r.Int()), record.Time(r.Int()), record.Time(r.Int())
	j.Statement, j.Error = r.Quoted(), r.Quoted()
	for s := task.JobRunning; s <= task.JobInterrupted; s++ {
		if s.String() == state {
			j.State = s
			return j, r.Err() == nil
		}
	}
	return j, false
}

// Daemon makes this process the daemon of the archive: the only process that runs the archive's
// schedules. It stays the daemon until the caller closes the result. If there is a daemon
// already, the error is a *task.DaemonError.
func (k *Notes) Daemon() (io.Closer, error) {
	if err := k.folder.Create(); err != nil {
		return nil, err
	}
	if err := disk.Mkdir(k.folder.Files(), dirJobs); err != nil {
		return nil, err
	}
	f, err := k.folder.Files().OpenFile(filepath.Join(dirJobs, fileDaemon), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	free, err := disk.TryExclusive(f)
	switch {
	case err != nil:
	case !free:
		b, _ := io.ReadAll(io.LimitReader(f, 100)) // what cannot be read counts as 0
		who := append(strings.Fields(string(b)), "", "")
		process, _ := strconv.Atoi(who[0])
		since, _ := strconv.ParseInt(who[1], 10, 64)
		err = &task.DaemonError{Archive: k.folder.Path, Process: process, Since: record.Time(since)}
	default:
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt(fmt.Appendf(nil, "%d %d\n", os.Getpid(), record.At(k.now())), 0)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
