package gzipped

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"infomall/store/record/message"
)

// KeepMax is about how many decompressed bytes a stream keeps in memory. It writes the further
// bytes of a larger record to a temporary file.
const KeepMax = 8 << 20

// stream decompresses a file of gzip members on demand, as one stream of bytes. It
// can be read at any offset from the last release on. A record may therefore fill a
// member, share it with others, or lie across several.
//
// If a member is damaged, the stream has a break: reads end there until Resume
// continues with a later member.
type stream struct {
	ctx  context.Context
	file *io.SectionReader // the compressed bytes
	in   *bufio.Reader     // buffers file
	z    *gzip.Reader
	open bool // z is within a member

	members  []member          // the members with bytes of the stream from released on, in order
	released int64             // offset in the stream of the first byte that can still be read
	base     int64             // offset in the stream of kept[0]
	kept     []byte            // the bytes of the stream from base on that are in memory
	spill    *os.File          // temporary file with the bytes of the stream after those in kept; nil if there is none
	spilled  int64             // how many bytes are in spill
	buf      []byte            // the buffer between the inflater and spill
	tempDir  string            // as in Options
	starts   func([]byte) bool // as in Options

	valid  int64 // offset in the stream at which reads end; after a break it may be before end()
	err    error // why reads end: io.EOF, or a failure of the file or the disk
	damage error // why reads end, if a member is damaged
}

// member is a gzip member: the offset of its first byte in the stream and in
// the file.
type member struct{ stream, file int64 }

func newStream(ctx context.Context, r io.ReaderAt, o Options) *stream {
	g := &stream{ctx: ctx, file: io.NewSectionReader(r, 0, 1<<62), z: new(gzip.Reader), tempDir: o.TempDir, starts: o.Starts}
	g.in = bufio.NewReaderSize(g.file, 64<<10)
	return g
}

// Close removes the temporary file, if there is one.
func (g *stream) Close() {
	if g.spill != nil {
		g.spill.Close()
	}
}

// end returns the offset in the stream after the last byte that was decompressed so
// far.
func (g *stream) end() int64 { return g.base + int64(len(g.kept)) + g.spilled }

// position returns the offset in the file of the next compressed byte.
func (g *stream) position() int64 {
	at, _ := g.file.Seek(0, io.SeekCurrent) // a SectionReader knows
	return at - int64(g.in.Buffered())
}

// ReadAt reads the bytes of the stream at off into p, and decompresses further
// bytes if needed. It returns io.EOF at the end of the stream and at a break. It
// panics if off was released.
func (g *stream) ReadAt(p []byte, off int64) (int, error) {
	if off < g.released {
		panic(fmt.Sprintf("gzipped: read at %d of what was released up to %d", off, g.released))
	}
	for g.err == nil && g.damage == nil && g.end()-off < int64(len(p)) {
		g.more()
	}
	if g.err != nil && g.err != io.EOF {
		return 0, g.err
	}
	n := 0
	if at := off - g.base; at < int64(len(g.kept)) {
		n = copy(p, g.kept[at:])
	}
	if rest := min(int64(len(p)), g.end()-off) - int64(n); rest > 0 {
		m, err := g.spill.ReadAt(p[n:int64(n)+rest], off+int64(n)-g.base-int64(len(g.kept)))
		if n += m; err != nil && err != io.EOF {
			return n, fmt.Errorf("read what was inflated: %w", err)
		}
	}
	if n = int(min(int64(n), max(0, g.valid-off))); n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// more decompresses the next few bytes of the file. At the end of the file or on a
// failure it sets g.err; at damage it sets g.damage.
func (g *stream) more() {
	if err := context.Cause(g.ctx); err != nil {
		g.err = err
		return
	}
	if !g.open && !g.openMember() {
		return
	}
	const chunk = 32 << 10
	var err error
	if len(g.kept) < KeepMax {
		err = g.keepSome(chunk)
	} else if err = g.spillSome(chunk); g.err != nil {
		return
	}
	switch {
	case err == nil:
	case err == io.EOF:
		g.open = false
	default:
		g.breakOff(err)
		return
	}
	g.valid = g.end()
}

// keepSome decompresses some bytes to memory. It first makes sure that there is room
// for chunk bytes. The caller makes sure that fewer than KeepMax bytes are in memory.
// keepSome returns io.EOF at the end of the member.
func (g *stream) keepSome(chunk int) error {
	if cap(g.kept)-len(g.kept) < chunk {
		kept := make([]byte, len(g.kept), min(2*len(g.kept), KeepMax)+chunk)
		copy(kept, g.kept)
		g.kept = kept
	}
	n, err := g.z.Read(g.kept[len(g.kept):cap(g.kept)])
	g.kept = g.kept[:len(g.kept)+n]
	return err
}

// spillSome decompresses up to chunk bytes to the temporary file. It returns io.EOF
// at the end of the member. It sets g.err if the disk fails.
func (g *stream) spillSome(chunk int) error {
	if g.spill == nil {
		spool, err := message.NewSpool(bytes.NewReader(nil), g.tempDir)
		if err != nil {
			g.err = err
			return err
		}
		g.spill, g.buf = spool.File, make([]byte, chunk)
	}
	n, err := g.z.Read(g.buf)
	if _, werr := g.spill.WriteAt(g.buf[:n], g.spilled); werr != nil {
		g.err = fmt.Errorf("write a large record to a temporary file: %w", werr)
		return werr
	}
	g.spilled += int64(n)
	return err
}

// openMember begins to read the gzip member at the current position in the file. It returns false
// if there is none, or if its header is damaged. At the end of the file it sets g.err.
func (g *stream) openMember() bool {
	at := g.position()
	if _, err := g.in.Peek(1); err != nil {
		g.err = err // io.EOF at the end
		return false
	}
	g.members = append(g.members, member{g.end(), at})
	if err := g.z.Reset(g.in); err != nil {
		g.breakOff(err)
		return false
	}
	g.z.Multistream(false)
	g.open = true
	return true
}

// breakOff makes reads end because of err, an error in the last member. Reads then end
// before the bytes of that member that were not released yet, because any of them may be
// wrong. But if the file only ends too early, the bytes before the cut are right, and
// reads end after them.
func (g *stream) breakOff(err error) {
	g.open = false
	if !isGzipFault(err) {
		g.err = fmt.Errorf("read the file: %w", err)
		return
	}
	g.damage = err
	g.valid = g.end()
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		g.valid = max(g.released, g.members[len(g.members)-1].stream)
	}
}

// isGzipFault reports whether err says that compressed data is damaged, and not
// that reading the file failed.
func isGzipFault(err error) bool {
	var corrupt flate.CorruptInputError
	var unexpected flate.InternalError // also given for damaged data
	return errors.As(err, &corrupt) || errors.As(err, &unexpected) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// Release promises that no byte of the stream before off is read again, and frees
// the memory of those bytes.
func (g *stream) Release(off int64) {
	g.released = off
	drop := 0
	for drop+1 < len(g.members) && g.members[drop+1].stream <= off {
		drop++
	}
	g.members = append(g.members[:0], g.members[drop:]...)
	done := off - g.base
	switch rest := g.end() - off; {
	case g.spilled > 0 && rest <= KeepMax:
		kept := make([]byte, rest, rest+64<<10)
		n := 0
		if done < int64(len(g.kept)) {
			n = copy(kept, g.kept[done:])
		}
		if _, err := g.spill.ReadAt(kept[n:], max(0, done-int64(len(g.kept)))); err != nil && err != io.EOF && g.err == nil {
			g.err = fmt.Errorf("read what was inflated: %w", err)
		}
		g.base, g.kept, g.spilled = off, kept, 0
	case g.spilled == 0 && done >= int64(len(g.kept))/2:
		// Moving what is left each time would cost more than inflating it.
		g.kept = append(g.kept[:0], g.kept[done:]...)
		g.base = off
	}
}

// Locate returns the offset in the file of the gzip member that has the byte at
// offset off of the stream. first reports whether that byte is the first of the
// member.
func (g *stream) Locate(off int64) (at int64, first bool) {
	for i := len(g.members) - 1; i >= 0; i-- {
		if m := g.members[i]; m.stream <= off {
			return m.file, m.stream == off
		}
	}
	return g.position(), false
}

// Holds reports whether the stream may have n bytes at off. It does not decompress
// anything. It checks that the compressed file has enough bytes left for n bytes at
// the best ratio of deflate.
func (g *stream) Holds(off, n int64) (bool, error) {
	const ratioMax = 1032 // what deflate can do at best
	missing := off + n - g.end()
	if missing <= 0 || g.err != nil || g.damage != nil {
		return missing <= 0, nil
	}
	var one [1]byte
	m, err := g.file.ReadAt(one[:], g.position()+max(0, missing/ratioMax-(1<<20)))
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("read the file: %w", err)
	}
	return m == 1 || missing < 1<<20, nil
}

// Broken returns the damage of a gzip member at which reads end, or nil if there is
// none.
func (g *stream) Broken() error { return g.damage }

// Doubt returns the damage of the last gzip member if some bytes of the stream
// before end are from that member. Otherwise it returns nil.
func (g *stream) Doubt(end int64) error {
	if g.damage == nil || end <= g.members[len(g.members)-1].stream {
		return nil
	}
	return g.damage
}

// Resume continues after a break, at the next gzip member that has the start of a
// record. stream is the offset in the stream at which that member starts, and file
// is its offset in the file. If there is no such member, file is the end of the
// file.
func (g *stream) Resume() (stream, file int64, err error) {
	from := g.members[len(g.members)-1].file + 1
	at, found, err := g.findMember(from)
	if err != nil {
		return 0, 0, err
	}
	stream = g.end()
	g.base, g.kept, g.spilled, g.members = stream, g.kept[:0], 0, g.members[:0]
	g.released, g.valid, g.damage, g.open = stream, stream, nil, false
	if !found {
		g.err = io.EOF
		return stream, at, nil
	}
	if _, err := g.file.Seek(at, io.SeekStart); err != nil {
		return 0, 0, fmt.Errorf("seek to byte %d: %w", at, err)
	}
	g.in.Reset(g.file)
	return stream, at, nil
}

// findMember returns the offset in the file of the first gzip member that begins at
// or after the offset from and has the start of a record. If there is none, found
// is false and at is the end of the file.
func (g *stream) findMember(from int64) (at int64, found bool, err error) {
	buf := make([]byte, 64<<10)
	for {
		if err := context.Cause(g.ctx); err != nil {
			return 0, false, err
		}
		n, err := g.file.ReadAt(buf, from)
		if err != nil && err != io.EOF {
			return 0, false, fmt.Errorf("read at byte %d: %w", from, err)
		}
		for i := 0; ; i++ {
			next := bytes.Index(buf[i:n], magic)
			if next < 0 {
				break
			}
			if i += next; isMember(g.file, from+int64(i), g.starts) {
				return from + int64(i), true, nil
			}
		}
		if err == io.EOF {
			return from + int64(n), false, nil
		}
		from += int64(n - len(magic) + 1)
	}
}

// Compressed returns true, because the file of a stream is compressed.
func (g *stream) Compressed() bool { return true }
