package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
)

// The files of jobs. FORMAT.md draws them.
const (
	dirJobs     = "jobs"
	fileJobs    = "log"
	fileRunning = "run-"
	fileDaemon  = "daemon"
)

// jobsBytesMax is the size at which the log of jobs is cut to its later half.
// A job takes about 200 bytes, so it has some thousands.
const jobsBytesMax = 1 << 20

// BeginJob notes that a job runs, as its ID, from now until end is called with
// what became of it: then that is noted for good. If the process ends before, the
// job is interrupted. The run of a schedule is a *record.JobRunningError if it is
// running already. Where there is no archive, a job is noted only if there is one
// when it ends.
func (a *Archive) BeginJob(ctx context.Context, j record.Job) (id int64, end func(record.Job) error, err error) {
	j.State, j.Process, j.Finished = record.JobRunning, os.Getpid(), record.NoTime
	var run disk.File
	if a.Exists() {
		err = a.jobsLocked(ctx, func(log *jobLog) error {
			for _, r := range log.running {
				if j.Scheduled != record.NoTime && r.Scheduled == j.Scheduled && r.Name == j.Name {
					return &record.JobRunningError{Job: r}
				}
			}
			j.ID = log.nextID()
			var err error
			run, err = a.noteRunning(&j)
			return err
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return j.ID, func(ended record.Job) error {
		if run == nil && !a.Exists() {
			return nil
		}
		// Also when ctx has ended: that is how it ended.
		return a.jobsLocked(context.WithoutCancel(ctx), func(log *jobLog) error {
			ended.ID, ended.Process = j.ID, j.Process
			if run == nil {
				ended.ID = log.nextID()
			}
			err := a.appendJobs(log, ended)
			if run != nil {
				err = errors.Join(err, run.Close())
				if err == nil {
					err = a.opts.Disk.Remove(run.Name())
				}
			}
			return err
		})
	}, nil
}

// Jobs lists the jobs that are known, in order of ID: those that run, and the
// later ones of those that have ended.
func (a *Archive) Jobs(ctx context.Context) ([]record.Job, error) {
	log, err := a.readJobs()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(slices.Values(append(append(log.ended, log.running...), log.lost...)),
		func(x, y record.Job) int { return cmp.Compare(x.ID, y.ID) }), ctx.Err()
}

// jobLog is what the folder of jobs has.
type jobLog struct {
	ended   []record.Job
	size    int64 // of the log
	torn    bool  // the log does not end with a line
	running []record.Job
	lost    []record.Job // their process is gone, and they are not in the log
	sweep   []string     // files of jobs that do not run any more
}

func (l *jobLog) nextID() int64 {
	id := int64(0)
	for _, list := range [][]record.Job{l.ended, l.running, l.lost} {
		for i := range list {
			id = max(id, list[i].ID)
		}
	}
	return id + 1
}

// jobsLocked runs f while nobody else begins or ends a job, and notes the ends of
// those that could not do so.
func (a *Archive) jobsLocked(ctx context.Context, f func(*jobLog) error) error {
	if _, err := os.Stat(filepath.Join(a.dir, dirJobs)); err != nil {
		if err := disk.Mkdir(a.opts.Disk, filepath.Join(a.dir, dirJobs)); err != nil {
			return err
		}
	}
	return a.lockedBy(ctx, filepath.Join(dirJobs, fileLock), func(disk.File) error {
		log, err := a.readJobs()
		if err != nil {
			return err
		}
		if len(log.lost) > 0 {
			if err := a.appendJobs(log, log.lost...); err != nil {
				return err
			}
			log.lost = nil
		}
		for _, name := range log.sweep {
			if err := a.opts.Disk.Remove(name); err != nil {
				return err
			}
		}
		return f(log)
	})
}

// readJobs reads the folder. Without the lock it may see a job that is ending
// both in the log and running; it is then taken for ended.
func (a *Archive) readJobs() (*jobLog, error) {
	log := &jobLog{}
	names, err := filepath.Glob(filepath.Join(a.dir, dirJobs, fileRunning+"*"))
	if err != nil {
		return nil, err
	}
	type found struct {
		name string
		job  record.Job
		ok   bool
		runs bool
	}
	var files []found
	for _, name := range names { // before the log: what ends meanwhile is in one of them
		f := found{name: name}
		if f.job, f.ok, f.runs, err = lookAtJob(name); errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if err := a.readLog(log); err != nil {
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
				f.job.State = record.JobInterrupted
				log.lost = append(log.lost, f.job)
			}
			log.sweep = append(log.sweep, f.name)
		}
	}
	return log, nil
}

// lookAtJob reads the file of a job that runs, if its process lives. What cannot
// be read is no job: it was not written to its end.
func lookAtJob(name string) (j record.Job, ok, runs bool, err error) {
	f, err := os.Open(name)
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

// noteRunning makes the file of a job that runs, which is locked until it is
// closed. It is not synced: who loses power has lost the job.
func (a *Archive) noteRunning(j *record.Job) (disk.File, error) {
	f, err := disk.Create(a.opts.Disk, filepath.Join(a.dir, dirJobs, fmt.Sprintf("%s%09d", fileRunning, j.ID)))
	if err != nil {
		return nil, err
	}
	// Who looks may have the lock for a moment.
	if err = disk.LockExclusive(f); err == nil {
		_, err = f.Write(encodeJob(nil, j))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), a.opts.Disk.Remove(f.Name()))
	}
	return f, nil
}

// readLog reads the log. A line that is damaged, as it was not written to its
// end, is no job.
func (a *Archive) readLog(log *jobLog) error {
	name := filepath.Join(dirJobs, fileJobs)
	b, err := os.ReadFile(filepath.Join(a.dir, name))
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
		a.warn(&segment.Error{File: name, Offset: -1, Err: fmt.Errorf("%d jobs of its history cannot be read; no capture needs it", bad)})
	}
	return nil
}

// appendJobs adds jobs to the log, durably. One that has grown too long is made
// anew with its later half, and the last run of each schedule.
func (a *Archive) appendJobs(log *jobLog, jobs ...record.Job) error {
	name := filepath.Join(a.dir, dirJobs, fileJobs)
	log.ended = append(log.ended, jobs...)
	var b []byte
	if log.size > jobsBytesMax {
		log.ended = laterJobs(log.ended)
		for i := range log.ended {
			b = encodeJob(b, &log.ended[i])
		}
		if err := disk.WriteFile(a.opts.Disk, name, b); err != nil {
			return err
		}
		log.size, log.torn = int64(len(b)), false
		return a.opts.Disk.SyncDir(filepath.Dir(name))
	}
	if log.torn {
		b = append(b, '\n')
	}
	for i := range jobs {
		b = encodeJob(b, &jobs[i])
	}
	f, err := a.opts.Disk.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, log.size)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && log.size == 0 {
		err = a.opts.Disk.SyncDir(filepath.Dir(name))
	}
	log.size, log.torn = log.size+int64(len(b)), false
	return err
}

// laterJobs drops the first half, but for the last run of each schedule.
func laterJobs(list []record.Job) []record.Job {
	last := map[string]int64{}
	for _, j := range list {
		if j.Scheduled != record.NoTime {
			last[j.Name] = j.ID
		}
	}
	half := len(list) / 2
	kept := slices.DeleteFunc(slices.Clone(list[:half]), func(j record.Job) bool {
		return j.Scheduled == record.NoTime || last[j.Name] != j.ID
	})
	return append(kept, list[half:]...)
}

// encodeJob adds a line: fields by tabs, and the checksum of all before it.
func encodeJob(b []byte, j *record.Job) []byte {
	from := len(b)
	b = fmt.Appendf(b, "%d\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t", j.ID, j.State, strconv.Quote(j.Name), j.Started, j.Finished, j.Rows, j.Bytes,
		j.Process, j.Scheduled, j.Next, strconv.Quote(cutText(j.Statement)), strconv.Quote(cutText(j.Error)))
	return fmt.Appendf(b, "%08x\n", crc32.Checksum(b[from:], castagnoli))
}

// cutText cuts what is too long for the log.
func cutText(s string) string {
	if len(s) <= record.JobTextMax {
		return s
	}
	return strings.ToValidUTF8(s[:record.JobTextMax], "") + "…"
}

func decodeJob(line string) (j record.Job, ok bool) {
	at := strings.LastIndexByte(line, '\t') + 1
	if line[at:] != fmt.Sprintf("%08x", crc32.Checksum([]byte(line[:at]), castagnoli)) {
		return j, false
	}
	f := fields{parts: strings.Split(line, "\t")}
	j.ID = f.int()
	state := f.text()
	j.Name, j.Started, j.Finished, j.Rows, j.Bytes = f.quoted(), record.Time(f.int()), record.Time(f.int()), f.int(), f.int()
	j.Process, j.Scheduled, j.Next = int(f.int()), record.Time(f.int()), record.Time(f.int())
	j.Statement, j.Error = f.quoted(), f.quoted()
	for s := record.JobRunning; s <= record.JobInterrupted; s++ {
		if s.String() == state {
			j.State = s
			return j, !f.bad && len(f.parts) == 1 // the checksum
		}
	}
	return j, false
}

// Daemon makes this process the one that runs the archive's schedules, until the
// closer is closed. It is a *record.DaemonError if there is one.
func (a *Archive) Daemon() (io.Closer, error) {
	if err := a.create(); err != nil {
		return nil, err
	}
	if err := disk.Mkdir(a.opts.Disk, filepath.Join(a.dir, dirJobs)); err != nil {
		return nil, err
	}
	f, err := a.opts.Disk.OpenFile(filepath.Join(a.dir, dirJobs, fileDaemon), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	free, err := disk.TryExclusive(f)
	switch {
	case err != nil:
	case !free:
		b, _ := io.ReadAll(io.LimitReader(f, 100)) // what cannot be read is 0
		who := fields{parts: strings.Fields(string(b))}
		err = &record.DaemonError{Archive: a.dir, Process: int(who.int()), Since: record.Time(who.int())}
	default:
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt(fmt.Appendf(nil, "%d %d\n", os.Getpid(), record.At(a.opts.Now())), 0)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
