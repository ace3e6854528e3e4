package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/tianwang"
	"infomall/store/urlkey"
)

// Bounds of a journal.
const (
	// journalBytes is how much of a journal is gathered before a write.
	journalBytes = 256 << 10
	// sinkAhead is how many captures may wait to be analysed: a crawl is then
	// held up. Each may be as large as a body kept in memory, so they are few.
	sinkAhead = 32
	// sinkBlocks is how many blocks a sink remembers: less than an import, as
	// there is a crawl beside it.
	sinkBlocks = segment.BlocksMax / sinkForgets
	// sinkForgets: of what pages have in common it remembers one of as many, too.
	sinkForgets = 3
	// sinkBytes is how much of responses is published at the latest, unless who
	// begins says it. Batches are published when they are full: this cuts one short,
	// and its segment is small.
	sinkBytes = 64 << 20
)

// Sink takes captures into the archive as they come, such as those of a crawl,
// by the pipeline of Import. Put and Sync are for one goroutine; what is behind
// them works in another, which ends with Close.
//
// A capture is written to a journal first, and durable when Sync has returned.
// The journal goes when what it holds is published; who is killed before leaves
// it, and the next who writes to the archive takes it up.
type Sink struct {
	a       *Archive
	g       *ingest
	publish int64 // bytes after which captures are published

	name string // of the journals, without their number
	n    int
	file disk.File // the journal that is written
	out  *bufio.Writer
	w    *tianwang.Writer
	seq  int64 // of the last capture

	held  int64 // bytes put since the last publication was asked for
	ahead chan work
	ended chan struct{}
	stop  context.CancelFunc // of the work behind

	mu     sync.Mutex
	err    error // that ended the work behind
	result record.ImportResult
	tell   record.ImportResult // result as of the last publication
}

// work is a capture to take in, or the journals up to one to be done with.
type work struct {
	c    *record.Capture
	done []disk.File
}

// NewSink begins to take in captures, which get the name job. It makes the
// archive if there is none. The caller closes it. Bytes is after how many bytes
// of responses they are published at the latest; 0 is 64 MB.
func (a *Archive) NewSink(ctx context.Context, job string, bytes int64) (*Sink, error) {
	g, err := a.newIngest(ctx, job)
	if err != nil {
		return nil, err
	}
	g.blocks = segment.NewBlocks(sinkBlocks)
	g.batch = g.batch / 4 * 3 // a crawl needs memory too
	g.tails = nil             // a crawl fetches a page once
	g.read.reader.Forgetful(sinkForgets)
	if bytes == 0 {
		bytes = sinkBytes
	}
	s := &Sink{
		a: a, g: g, publish: bytes, ended: make(chan struct{}), ahead: make(chan work, sinkAhead),
		name: fmt.Sprintf("%s~%x%s", url.QueryEscape(job), a.opts.Now().UnixNano(), filepath.Base(g.w.dir)),
	}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, g.close())
	}
	behind, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go s.run(behind)
	return s, nil
}

// begin begins the next journal.
func (s *Sink) begin() error {
	dir := filepath.Join(s.a.dir, dirJournal)
	if err := disk.Mkdir(s.a.opts.Disk, dir); err != nil {
		return err
	}
	s.n++
	var f disk.File
	// A journal that lies there unlocked is taken up.
	err := s.a.locked(context.Background(), func(disk.File) (err error) {
		if f, err = disk.Create(s.a.opts.Disk, filepath.Join(dir, fmt.Sprintf("%s-%06d", s.name, s.n))); err != nil {
			return err
		}
		if err = disk.LockExclusive(f); err == nil {
			err = s.a.opts.Disk.SyncDir(dir)
		}
		if err != nil {
			err = errors.Join(err, f.Close())
		}
		return err
	})
	if err != nil {
		return err
	}
	s.file, s.out = f, bufio.NewWriterSize(f, journalBytes)
	s.w = tianwang.NewJournal(s.out)
	return nil
}

// Put takes one capture, which then belongs to the sink. It waits while too many
// are to be analysed.
func (s *Sink) Put(ctx context.Context, c *record.Capture) error {
	if err := s.failed(); err != nil {
		c.Close()
		return err
	}
	dates := record.DatesAt(s.a.opts.Now(), nil, nil)
	dates.Latest = record.MaxTime
	if why := dates.Refuse(c.Time); why != "" {
		c.Close()
		return fmt.Errorf("keep %s: %s; set the clock of this machine right", c.AskedURL, why)
	}
	s.seq++
	c.Offset = s.seq
	if err := s.w.Write(journalled(c)); err != nil {
		c.Close()
		return fmt.Errorf("write the journal %s: %w", s.file.Name(), err)
	}
	s.held += int64(len(c.Body) + len(c.Head))
	if err := s.give(ctx, work{c: c}); err != nil {
		c.Close()
		return err
	}
	return nil
}

// journalled is c as a writer of files wants it.
func journalled(c *record.Capture) *record.Stored {
	st := &record.Stored{Capture: *c, URL: c.AskedURL, Size: int64(len(c.Body))}
	if canonical, err := urlkey.Canonical(c.AskedURL); err == nil {
		st.URL = canonical
	}
	if c.Spool != nil {
		st.Spool, st.Size = nil, c.Spool.Size
		st.Large = spoolPieces(c.Spool)
	}
	if c.Via == record.ViaNotModified {
		st.NoBody = "not modified"
	}
	return st
}

// spoolPieces yields what a spool holds.
func spoolPieces(sp *record.Spool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := io.NewSectionReader(sp.File, 0, sp.Size)
		b := make([]byte, journalBytes)
		for {
			n, err := r.Read(b)
			if n > 0 && !yield(b[:n], nil) || errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

func (s *Sink) give(ctx context.Context, w work) error {
	select {
	case s.ahead <- w:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Sync makes all captures put so far durable.
func (s *Sink) Sync() error {
	if err := s.failed(); err != nil {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write the journal %s: %w", s.file.Name(), err)
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("sync the journal %s: %w", s.file.Name(), err)
	}
	if s.held >= s.publish {
		return s.Publish()
	}
	return nil
}

// Publish has what was put so far published, and returns without waiting for
// it. All must be synced.
func (s *Sink) Publish() error {
	if s.held == 0 {
		return nil
	}
	s.held = 0
	old := s.file
	if err := s.begin(); err != nil {
		return err
	}
	return s.give(context.Background(), work{done: []disk.File{old}})
}

// Counts tells what became of the captures that are published.
func (s *Sink) Counts() record.ImportResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tell
}

func (s *Sink) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// run takes captures in. It goes on to empty the channel after an error.
func (s *Sink) run(ctx context.Context) {
	defer close(s.ended)
	for w := range s.ahead {
		if s.failed() != nil {
			if w.c != nil {
				w.c.Close()
			}
			w.leave()
			continue
		}
		if err := s.take(ctx, w); err != nil {
			w.leave()
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
		}
	}
}

// leave closes journals that are not published: they stay, for who writes to
// the archive next.
func (w *work) leave() {
	for _, f := range w.done {
		f.Close()
	}
}

func (s *Sink) take(ctx context.Context, w work) error {
	if w.c != nil {
		return s.g.add(ctx, w.c, &s.result)
	}
	if err := s.g.flush(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.tell = s.result
	s.mu.Unlock()
	for _, f := range w.done {
		if err := s.a.endJournal(f); err != nil {
			return err
		}
	}
	return nil
}

// endJournal removes a journal that this process has locked.
func (a *Archive) endJournal(f disk.File) error {
	return errors.Join(a.opts.Disk.Remove(f.Name()), f.Close())
}

// Close publishes what was put, and ends the sink. When ctx ends it does not
// wait for that: what was synced is in a journal then, as after any error, for
// who writes to the archive next.
func (s *Sink) Close(ctx context.Context) error {
	err := s.Sync()
	if err == nil {
		err = ctx.Err() // else it may be published before it is seen that nobody waits
	}
	if err == nil {
		err = s.give(ctx, work{done: []disk.File{s.file}})
	}
	if err != nil {
		err = errors.Join(err, s.file.Close())
	}
	close(s.ahead)
	unhook := context.AfterFunc(ctx, s.stop)
	<-s.ended
	unhook()
	s.stop()
	if e := s.failed(); err == nil {
		err = e
	}
	return errors.Join(err, s.g.close())
}

// takeUpJournals takes in what killed processes had put and not published.
func (a *Archive) takeUpJournals(ctx context.Context) error {
	names, err := filepath.Glob(filepath.Join(a.dir, dirJournal, "*~*-[0-9]*"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := a.takeUp(ctx, name); err != nil {
			return fmt.Errorf("take up the journal %s: %w", name, err)
		}
	}
	return nil
}

// takeUp takes in a journal, unless a living process has it.
func (a *Archive) takeUp(ctx context.Context, name string) error {
	var f disk.File
	err := a.locked(ctx, func(disk.File) error {
		file, err := a.opts.Disk.OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			return nil // another was faster
		}
		if err != nil {
			return err
		}
		free, err := disk.TryExclusive(file)
		if err != nil || !free {
			return errors.Join(err, file.Close())
		}
		f = file
		return nil
	})
	if err != nil || f == nil {
		return err
	}
	escaped := filepath.Base(name)
	escaped = escaped[:strings.LastIndexByte(escaped, '~')]
	job, err := url.QueryUnescape(escaped)
	if err != nil {
		job = escaped
	}
	if err := a.replay(ctx, f, job); err != nil {
		return errors.Join(err, f.Close())
	}
	return a.endJournal(f)
}

// replay takes in the whole records of a journal. What was not synced when its
// process was killed may be torn, and was never acknowledged.
func (a *Archive) replay(ctx context.Context, f disk.File, job string) error {
	g, err := a.openIngest(ctx, job)
	if err != nil {
		return err
	}
	var res record.ImportResult
	seq := int64(0)
	for it, err := range tianwang.Read(ctx, f, tianwang.Options{Limits: record.BodyLimits{MemoryMax: bodyMemory}}) {
		if err == nil && it.Capture != nil {
			seq++
			it.Capture.Offset = seq
			err = g.add(ctx, it.Capture, &res)
		}
		if err != nil {
			return errors.Join(err, g.close())
		}
	}
	return errors.Join(g.flush(ctx), g.close())
}
