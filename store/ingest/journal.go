package ingest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"infomall/store/disk"
	"infomall/store/formats"
	"infomall/store/formats/tianwang"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// dirJournal is the folder of journals, in the archive's folder.
const dirJournal = "journal"

// The bounds of a Sink, which takes the captures of a crawl, and of its journals.
const (
	// journalBytes is how many bytes of a journal are collected in memory before
	// they are written.
	journalBytes = 256 << 10
	// sinkAhead is how many captures may wait to be analysed before Put blocks. Each
	// capture may be as large as a body kept in memory, so the number is small.
	sinkAhead = 32
	// sinkBlocks is how many blocks a sink remembers. An import of files remembers more,
	// because it does not share memory with a crawl.
	sinkBlocks = segment.BlocksMax / sinkForgets
	// sinkForgets is how many times more blocks and leaves an import of files remembers than a
	// sink.
	sinkForgets = 3
	// sinkBytes is how many bytes of responses a sink takes at most before it publishes them,
	// unless the caller of NewSink gives another number. A batch that is full is published
	// earlier. A batch that is published because of sinkBytes makes a small segment.
	sinkBytes = 64 << 20
)

// Sink imports captures as they arrive, for example from a crawl, in the same way as
// Import. Only one goroutine may call Put and Sync. Another goroutine, which Close
// ends, does the work.
//
// A capture is first written to a journal (a file of captures that are not published
// yet), and is durable when Sync returns. The journal is deleted when its captures
// are published. If the process is killed before that, the journal stays, and the
// next process that writes to the archive imports it.
type Sink struct {
	intake  *Intake
	g       *Importer
	publish int64 // number of bytes after which captures are published

	name string    // name of the journals, without their number
	n    int       // number of the current journal
	file disk.File // the current journal
	out  *bufio.Writer
	w    *tianwang.Writer
	seq  int64 // number of the last capture

	held  int64 // bytes put since a publication was last requested
	ahead chan work
	ended chan struct{}
	stop  context.CancelFunc // stops the working goroutine

	mu     sync.Mutex
	err    error // the error that ended the working goroutine
	result task.ImportResult
	tell   task.ImportResult // copy of result at the last publication, which Counts returns
}

// work is a message to the working goroutine of a sink. If c is set, it is a capture to
// import. Otherwise it asks the goroutine to publish all captures that came before, and
// then to delete the journals in done.
type work struct {
	c    *record.Capture
	done []disk.File
}

// NewSink returns a Sink, through which a crawl stores its captures one by one. job is the name
// of the crawl. NewSink creates the archive if there is none. The sink publishes the captures at
// the latest when their responses have the given number of bytes; 0 means 64 MB. The caller
// closes the sink.
func (i *Intake) NewSink(ctx context.Context, job string, bytes int64) (*Sink, error) {
	g, err := i.NewImporter(ctx, job)
	if err != nil {
		return nil, err
	}
	g.blocks = segment.NewBlocks(sinkBlocks)
	g.batch = g.batch / 4 * 3 // leave memory for the crawl
	g.limit, g.most = g.batch, g.batch
	g.tails = nil // a crawl fetches a page only once
	g.read.Blocks.Forgetful(sinkForgets)
	if bytes == 0 {
		bytes = sinkBytes
	}
	s := &Sink{
		intake: i, g: g, publish: bytes, ended: make(chan struct{}), ahead: make(chan work, sinkAhead),
		name: fmt.Sprintf("%s~%x%s", url.QueryEscape(job), i.now().UnixNano(), g.w.Name()),
	}
	if err := s.begin(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	behind, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go s.run(behind)
	return s, nil
}

// begin creates and locks a new journal, and makes it the current one, to which Put writes.
func (s *Sink) begin() error {
	if err := disk.Mkdir(s.intake.folder.Files(), dirJournal); err != nil {
		return err
	}
	s.n++
	var f disk.File
	// A journal without a lock would be imported by another process.
	err := s.intake.folder.Locked(context.Background(), func(disk.File) (err error) {
		if f, err = disk.Create(s.intake.folder.Files(), filepath.Join(dirJournal, fmt.Sprintf("%s-%06d", s.name, s.n))); err != nil {
			return err
		}
		if err = disk.LockExclusive(f); err == nil {
			err = s.intake.folder.Files().SyncDir(dirJournal)
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

// Put adds one capture, which then belongs to the sink. It blocks while too many
// captures wait to be analysed. It returns the error of an earlier capture if one
// could not be stored.
func (s *Sink) Put(ctx context.Context, c *record.Capture) error {
	if err := s.failed(); err != nil {
		c.Close()
		return err
	}
	dates := record.DatesAt(s.intake.now(), nil, nil)
	dates.Latest = record.MaxTime
	if why := dates.Refuse(c.Time); why != "" {
		c.Close()
		return fmt.Errorf("store %s: %s; correct the clock of this machine", c.AskedURL, why)
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

// journalled returns capture c in the form in which it is written to a journal.
func journalled(c *record.Capture) *message.Stored {
	st := &message.Stored{Capture: *c, URL: c.AskedURL, Size: int64(len(c.Body))}
	if canonical, err := urlkey.Canonical(c.AskedURL); err == nil {
		st.URL = canonical
	}
	if c.Spool != nil {
		st.Spool, st.Size = nil, c.Spool.Size
		st.Large = c.Spool.Pieces()
	}
	if c.Via == record.ViaNotModified {
		st.NoBody = "not modified"
	}
	return st
}

func (s *Sink) give(ctx context.Context, w work) error {
	select {
	case s.ahead <- w:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Sync makes all captures that were put so far durable. If they have enough bytes, it
// also calls Publish.
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

// Publish asks the working goroutine to publish all captures that were put so far. It does not
// wait until that is done. The caller calls Sync first.
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

// Counts returns the result of the import so far. It counts only captures that are published.
func (s *Sink) Counts() task.ImportResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tell
}

func (s *Sink) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// run imports the captures that Put sends over the channel. After an error it only empties the
// channel, so that Put does not block.
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

// leave closes the journals in w.done without deleting them, because their captures
// were not published. The next process that writes to the archive imports them.
func (w *work) leave() {
	for _, f := range w.done {
		f.Close()
	}
}

func (s *Sink) take(ctx context.Context, w work) error {
	if w.c != nil {
		return s.g.Add(ctx, w.c, &s.result)
	}
	if err := s.g.Flush(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.tell = s.result
	s.mu.Unlock()
	for _, f := range w.done {
		if err := s.intake.endJournal(f); err != nil {
			return err
		}
	}
	return nil
}

// endJournal deletes and closes a journal that this process has locked.
func (i *Intake) endJournal(f disk.File) error {
	return errors.Join(i.folder.Files().Remove(filepath.Join(dirJournal, filepath.Base(f.Name()))), f.Close())
}

// Close publishes the captures that were put so far and ends the sink. If ctx ends,
// Close does not wait for the publication. Captures that could not be published, because
// ctx ended or after an error, stay in a journal if they were synced, and the next
// process that writes to the archive imports them.
func (s *Sink) Close(ctx context.Context) error {
	err := s.Sync()
	if err == nil {
		err = ctx.Err() // if ctx has ended, the caller does not wait, so nothing more is published
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
	return errors.Join(err, s.g.Close())
}

// takeUpJournals imports the captures in journals that killed processes left:
// captures that were put and not published.
func (i *Intake) takeUpJournals(ctx context.Context) error {
	names, err := disk.Glob(i.folder.Files(), ".", filepath.Join(dirJournal, "*~*-[0-9]*"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	var faults []error
	for _, name := range names {
		if err := i.takeUp(ctx, name); err != nil {
			faults = append(faults, fmt.Errorf("import the journal %s: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

// takeUp imports the journal at the path name and deletes it. It does nothing if a
// living process has the journal locked.
func (i *Intake) takeUp(ctx context.Context, name string) error {
	var f disk.File
	err := i.folder.Locked(ctx, func(disk.File) error {
		file, err := i.folder.Files().OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			return nil // another process was faster
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
	damage, err := i.replay(ctx, f, job)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if damage == "" {
		return i.endJournal(f)
	}
	kept := strings.ReplaceAll(name, "~", ".") + ".damaged" // is not taken up again
	err = i.folder.Locked(ctx, func(disk.File) error {      // otherwise another process could take it up between the two
		return errors.Join(f.Close(), i.folder.Files().Rename(name, kept))
	})
	i.warn(fmt.Errorf("the journal %s is damaged %s: the other captures in it are stored now, and the file is kept as %s", name, damage, kept))
	return err
}

// replay imports the complete records of a journal. job is the name of the import. The
// last record may be incomplete, if it was not synced when the process was killed.
// Nobody was told that such a record is durable, so replay ignores it. The result damage says
// where other bytes are damaged, and why. It is "" if none are.
func (i *Intake) replay(ctx context.Context, f disk.File, job string) (damage string, err error) {
	g, err := i.open(ctx, job)
	if err != nil {
		return "", err
	}
	var res task.ImportResult
	seq := int64(0)
	last := "" // the damage that was found last
	for it, err := range tianwang.Read(ctx, f, tianwang.Options{Limits: message.BodyLimits{MemoryMax: formats.BodyMemory}}) {
		if err == nil && it.Capture != nil {
			damage = last // it was not at the end
			seq++
			it.Capture.Offset = seq
			err = g.Add(ctx, it.Capture, &res)
		} else if it.Damage != "" {
			last = fmt.Sprintf("at offset %d (%s)", it.Offset, it.Damage)
		}
		if err != nil {
			return "", errors.Join(err, g.Close())
		}
	}
	return damage, errors.Join(g.Flush(ctx), g.Close())
}
