package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"infomall/exec/wholefile"
	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
)

// followBytes is the size in bytes at which EXPORT … FOLLOW starts another file. This size
// is usual for WARC files.
const followBytes = 1 << 30

// followState is what an EXPORT … FOLLOW remembers in a file beside its WARC files, as JSON.
// It is written after the captures of each publication, when these are safe on the disk.
type followState struct {
	Query    string      // the query of the statement, as it prints
	Archive  string      // the folder of the archive
	Added    record.Time // all captures that were added until then are written
	File     int         // the number of the last file, from 1
	Size     int64       // how many bytes of that file are committed; bytes after them do not count
	Captures int64       // captures in all files
	Bytes    int64       // bytes of all files
}

// followed is the output of an EXPORT … FOLLOW: WARC files and the file with the state. It
// implements captureWriter. Each record is written to the file whole.
type followed struct {
	to       target
	limit    int64 // size in bytes at which another file begins
	now      record.Time
	state    followState  // as in the file with the state: what is committed
	stored   []byte       // the content of that file
	file     *os.File     // the current file; nil if it is closed
	number   int          // of the current file, from 1
	size     int64        // of the current file
	earlier  int64        // bytes of the files before the current one
	captures int64        // captures in all files, also captures that are not committed yet
	bodyless int64        // captures whose body the archive does not have
	record   bytes.Buffer // the current record
	warc     *warc.Writer // nil before the first capture of a publication
}

// recordBytesMax is how many bytes of a record are held in memory until it is whole. A longer
// record is written in parts.
const recordBytesMax = 4 << 20

// openFollowed opens the output with the target to. If there is a file with the state, the
// output continues where that state ends; if not, it starts with the state begin.
// openFollowed returns an error if the file with the state is of another query or archive,
// or if a WARC file is there without it.
func openFollowed(to target, begin followState, now record.Time) (*followed, error) {
	f := &followed{to: to, limit: followBytes, now: now, state: begin}
	f.state.Added, f.state.File = record.MinTime, 1
	stored, err := os.ReadFile(f.statePath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(to.path); err == nil {
			return nil, fmt.Errorf("%s exists, and %s, which says up to where it was written, does not: remove the file, or name another one", to.path, f.statePath())
		}
		if err := f.save(f.state); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(stored, &f.state); err != nil || f.state.File < 1 || f.state.Size < 0 {
			return nil, fmt.Errorf("%s is damaged: remove it and the WARC files, or name another file", f.statePath())
		}
		if f.state.Query != begin.Query || f.state.Archive != begin.Archive {
			return nil, fmt.Errorf("%s was written for another query, %s, in the archive %s: write that query, or name another file", to.path, f.state.Query, f.state.Archive)
		}
		f.stored = stored
	}
	f.captures, f.earlier = f.state.Captures, f.state.Bytes-f.state.Size
	if err := f.removeAfter(f.state.File); err != nil {
		return nil, err
	}
	return f, f.open(f.state.File, f.state.Size)
}

// removeAfter removes the files whose numbers are greater than n. A process that was killed
// may have created them; nothing in them is committed.
func (f *followed) removeAfter(n int) error {
	for {
		n++
		if err := os.Remove(f.pathOf(n)); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// pathOf returns the path of file n, from 1: a.warc.gz, a-2.warc.gz, a-3.warc.gz, ….
func (f *followed) pathOf(n int) string {
	if n == 1 {
		return f.to.path
	}
	dir, name := filepath.Split(f.to.path)
	at := strings.LastIndex(strings.ToLower(name), ".warc")
	if at < 0 { // the clause FORMAT names the format
		at = len(name)
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%d%s", name[:at], n, name[at:]))
}

// path returns the path of the current file.
func (f *followed) path() string { return f.pathOf(f.number) }

// statePath returns the path of the file with the state.
func (f *followed) statePath() string { return f.to.path + ".follow" }

// open makes file n the current file. It keeps the first size bytes of the file and cuts off
// the rest.
func (f *followed) open(n int, size int64) error {
	file, err := os.OpenFile(f.pathOf(n), os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("export to %s: %w", f.pathOf(n), err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.Size() < size:
		err = fmt.Errorf("the file has %d bytes, and %s says %d: something else has changed it", info.Size(), f.statePath(), size)
	default:
		err = file.Truncate(size)
	}
	if err == nil {
		_, err = file.Seek(size, 0)
	}
	if err != nil {
		file.Close()
		return fmt.Errorf("export to %s: %w", f.pathOf(n), err)
	}
	f.file, f.size, f.number, f.warc = file, size, n, nil
	return nil
}

// Write writes the record of the capture s to the current file. If that file is full, Write
// first starts the next one.
func (f *followed) Write(s *message.Stored) error {
	if f.size >= f.limit {
		if err := f.roll(); err != nil {
			return err
		}
	}
	if f.warc == nil {
		// The writer knows nothing of the captures of earlier publications. So it writes the
		// same bytes if this publication is written again after the process was killed.
		var err error
		f.warc, err = warc.NewWriter(recordWriter{f}, warc.WriterOptions{
			Plain: !f.to.gzip, Filename: filepath.Base(f.path()), Software: software, Now: f.now, Append: f.size > 0,
		})
		if err != nil {
			return err
		}
	}
	if s.NoBody != "" {
		f.bodyless++
	}
	if _, err := f.warc.Write(s); err != nil {
		return err
	}
	f.captures++
	return f.flush()
}

// recordWriter collects the bytes of a record.
type recordWriter struct{ f *followed }

func (w recordWriter) Write(p []byte) (int, error) {
	w.f.record.Write(p)
	if w.f.record.Len() < recordBytesMax {
		return len(p), nil
	}
	return len(p), w.f.flush()
}

// flush writes the record that was collected to the file.
func (f *followed) flush() error {
	n, err := f.file.Write(f.record.Bytes())
	f.size += int64(n)
	f.record.Reset()
	return err
}

// roll syncs and closes the current file and opens the next one.
func (f *followed) roll() error {
	err := f.file.Sync()
	if end := f.file.Close(); err == nil {
		err = end
	}
	f.file = nil
	if err != nil {
		return err
	}
	f.earlier += f.size
	return f.open(f.number+1, 0)
}

// commit makes the records written so far durable. It then saves in the state that all
// captures added up to the time added are written. If added is 0, no captures were written.
func (f *followed) commit(added record.Time) error {
	if added == 0 {
		return nil
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("export to %s: %w", f.path(), err)
	}
	next := f.state
	next.Added, next.File, next.Size, next.Captures, next.Bytes = added, f.number, f.size, f.captures, f.earlier+f.size
	f.warc = nil
	return f.save(next)
}

// save replaces the state in its file by next. If another process has written that file
// since f last read or wrote it, save returns an error.
func (f *followed) save(next followState) error {
	text, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	before, err := os.ReadFile(f.statePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(before, f.stored) {
		return fmt.Errorf("export to %s: another process writes the same files", f.to.path)
	}
	w, err := wholefile.Create(f.statePath())
	if err != nil {
		return err
	}
	defer w.Abandon()
	if _, err := w.Write(text); err != nil {
		return err
	}
	if _, err := w.Commit(); err != nil {
		return err
	}
	f.state, f.stored = next, text
	return nil
}

// Finish does nothing: commit has written everything.
func (f *followed) Finish() error { return nil }

// Close does nothing; the statement calls close.
func (f *followed) Close() {}

// close removes from the files what is not committed, and closes the current file. Further
// calls do nothing.
func (f *followed) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	if err == nil {
		err = f.removeAfter(f.state.File)
	}
	if err == nil {
		err = os.Truncate(f.pathOf(f.state.File), f.state.Size)
	}
	return err
}
