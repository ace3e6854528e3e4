package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"infomall/exec"
	"infomall/exec/schedule"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/store/disk/s3"
	"infomall/store/record/task"
)

// daemon runs the scripts, and then the schedules of the archive until a signal ends the
// program. A signal is no error. If the signal interrupts a scheduled statement, the next daemon
// runs the statement again. File names in scheduled statements are relative to the folder of the
// archive, which is the working folder of an archive in a bucket.
func (p *program) daemon(ctx context.Context, scripts []*script) error {
	archive, ok := p.session.Archive().(interface{ Daemon() (io.Closer, error) })
	if !ok {
		return errors.New("this archive has no schedules")
	}
	if a := p.session.Archive(); !a.Exists() {
		err := &session.NoArchiveError{Path: a.Path()}
		p.say("infomall: %v", err)
		return err
	}
	lock, err := archive.Daemon()
	if err != nil {
		p.say("infomall: %v", err)
		return err
	}
	defer lock.Close()
	if err := p.batch(ctx, scripts); err != nil {
		return err
	}
	ctx, release := p.signals.During(ctx)
	defer release()
	if err := os.Chdir(p.session.Archive().Local()); err != nil {
		p.say("infomall: %v", err)
		return err
	}
	p.log("process %d runs the schedules of %s", os.Getpid(), p.session.Archive().Path())
	d := &scheduler{program: p}
	var reading sync.WaitGroup
	reading.Go(func() { d.documents(ctx) })
	schedule.Loop(ctx, d, schedule.Options{})
	reading.Wait()
	p.log("%v", context.Cause(ctx))
	return nil
}

// daemonPath makes the path of the archive in p.options absolute, because the
// daemon changes its working folder. The URL of a bucket stays as it is.
func (p *program) daemonPath() error {
	if s3.IsURL(p.archivePath()) {
		return nil
	}
	path, err := filepath.Abs(p.archivePath())
	p.options.Archive = path
	return err
}

// log prints a message with the current time on stderr. With --quiet it prints
// nothing.
func (p *program) log(format string, args ...any) {
	if !p.options.Quiet {
		p.say("%s infomall: %s", time.Now().UTC().Format(time.RFC3339), fmt.Sprintf(format, args...))
	}
}

// scheduler runs the schedules and watches of a daemon. It is the schedule.Work that
// schedule.Loop calls.
type scheduler struct {
	*program
	failed string // the last error of Entries
}

// timetable returns the schedules and watches of the archive.
func (d *scheduler) timetable() exec.Timetable { return exec.Timetable{Session: d.session} }

// Entries returns the schedules and watches as they are now; see schedule.Work.
func (d *scheduler) Entries(ctx context.Context) ([]schedule.Entry, error) {
	list, err := d.timetable().Entries(ctx)
	if err == nil {
		d.failed = ""
	}
	return list, err
}

// Failed prints an error of Entries; see schedule.Work. If the same error comes
// again, Failed does not print it again.
func (d *scheduler) Failed(err error) {
	if d.failed != err.Error() {
		d.failed = err.Error()
		d.say("infomall: %v", err)
	}
}

// documentsEvery is how often a daemon looks for documents, such as PDF files, whose text was
// not read yet.
const documentsEvery = time.Minute

// documents reads the text of documents in the archive whose text was not read yet, such as
// those that crawls have fetched. It goes on until ctx ends. With the setting documents off it
// reads none.
func (d *scheduler) documents(ctx context.Context) {
	if d.session.Settings().Documents == session.DocumentsOff {
		return
	}
	failed := ""
	for ctx.Err() == nil {
		results, err := d.session.ReadDocuments(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failed = ""
		case err.Error() != failed:
			failed = err.Error()
			d.say("infomall: read documents: %v", err)
		}
		segments := 0
		for _, r := range results {
			segments += r.Segments
		}
		if segments > 0 && err == nil {
			d.log("the documents of %s were read", value.Counted(segments, "segment"))
		}
		select {
		case <-ctx.Done():
		case <-time.After(documentsEvery):
		}
	}
}

// Run runs the schedule or watch with this name and logs how it ended; see
// schedule.Work.
func (d *scheduler) Run(ctx context.Context, name string) {
	d.log("%s begins", name)
	begun := time.Now()
	j, err := d.timetable().Run(ctx, name)
	var running *task.JobRunningError
	switch {
	case ctx.Err() != nil:
		d.log("%s is interrupted, and will run again", name)
	case errors.As(err, &running):
		d.log("%v", err)
	case err != nil:
		d.say("infomall: %v", err)
	case j.State == task.JobFailed:
		d.say("infomall: %s failed: %s", name, j.Error)
	default:
		d.log("%s is done in %s: %s, %s", name, time.Since(begun).Round(time.Millisecond), value.Counted(j.Rows, "row"), value.Counted(j.Bytes, "byte"))
	}
}
