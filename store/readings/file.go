package readings

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/document"
	"infomall/store/packed"
	"infomall/store/segment"
)

// ErrOther is returned by Open if another version of the program read the documents.
var ErrOther = errors.New("its documents were read by another version of the program")

// errDamaged is returned for a file whose content or checksum is wrong.
var errDamaged = errors.New("the readings of documents are damaged")

const (
	// frameMax is the greatest size, in bytes after decompression, of a frame or the table.
	frameMax = 1 << 30
	tailSize = 8
	// keptBytes is the greatest size, in bytes after decompression, of a frame that a File
	// keeps in memory until it reads another.
	keptBytes = 1 << 20
)

// File is the table of a file of readings. The file itself is opened for each frame that is
// read, so a File need not be closed. Several goroutines may use it.
type File struct {
	Sources []Source // in the order in which they were written

	disk   disk.FS
	name   string // as passed to Open
	rows   []Row  // of all sources, sorted by source and key
	frames []place
	memory int64 // result of Memory

	mu   sync.Mutex
	last int    // number of the frame in kept; -1 if there is none
	kept []byte // the decompressed frame that was read last, unless it was too large
}

// place is where a frame is in the file, and the frame's size and checksum.
type place struct {
	at int64 // offset in the file, in bytes
	frame
}

// Open reads the table of a file of readings. d reads the files of the archive by
// their names, see disk.Inside. The error is ErrOther if another version of
// the program has written the file, fs.ErrNotExist if there is no such file, or a
// *segment.Error if the file is damaged.
func Open(d disk.FS, name string) (*File, error) {
	in, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	f := &File{disk: d, name: name, last: -1}
	if err := f.readTable(in, info.Size()); errors.Is(err, ErrOther) {
		return nil, err
	} else if err != nil {
		return nil, f.fault(err)
	}
	return f, nil
}

// Name returns the path of the file in the archive's folder, as it was passed to Open.
func (f *File) Name() string { return f.name }

// Memory returns an estimate of the memory that f takes, in bytes.
func (f *File) Memory() int64 { return f.memory }

// fault wraps err, which says what is wrong with the file, in a *segment.Error. That error names
// the file and the statement that makes it again. If err may pass (see disk.MayPass), fault returns
// err.
func (f *File) fault(err error) error {
	if disk.MayPass(err) {
		return err
	}
	return &segment.Error{File: f.name, Offset: -1, Err: fmt.Errorf("%w: REINDEX DOCUMENTS makes them again", err)}
}

// decoder decompresses the frames of all files.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(frameMax), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(fmt.Sprintf("readings: make a decoder: %v", err)) // the options are constant
	}
	return d
})

// unpack reads the frame at place p from in, compares its checksum and decompresses it. The error
// is errDamaged if one of these steps fails, unless the error of the read may pass (see
// disk.MayPass).
func unpack(in io.ReaderAt, p place) ([]byte, error) {
	b := make([]byte, p.size)
	if _, err := in.ReadAt(b, p.at); disk.MayPass(err) {
		return nil, err
	} else if err != nil {
		return nil, errDamaged
	}
	if crc32c.Sum(b) != p.crc {
		return nil, errDamaged
	}
	out, err := decoder().DecodeAll(b, nil)
	if err != nil {
		return nil, errDamaged
	}
	return out, nil
}

// readTable reads the tail and the table of a file into f. size is the size of the file in
// bytes.
func (f *File) readTable(in io.ReaderAt, size int64) error {
	if size < 1+tailSize {
		return errDamaged
	}
	var first [1]byte
	if _, err := in.ReadAt(first[:], 0); err != nil {
		return err
	}
	if disk.CheckByte(first[0], "file of readings") != nil {
		return ErrOther
	}
	var tail [tailSize]byte
	if _, err := in.ReadAt(tail[:], size-tailSize); err != nil {
		return err
	}
	table := int64(binary.LittleEndian.Uint32(tail[:]))
	end := size - tailSize - table
	if end < 1 {
		return errDamaged
	}
	b, err := unpack(in, place{end, frame{int(table), binary.LittleEndian.Uint32(tail[4:])}})
	if err != nil {
		return err
	}
	r := packed.Reader{B: b}
	if r.Byte() != document.Version {
		return ErrOther
	}
	u32 := func() uint32 {
		if b := r.Take(4); b != nil {
			return binary.LittleEndian.Uint32(b)
		}
		return 0
	}
	f.Sources = make([]Source, r.Count())
	for i := range f.Sources {
		s := &f.Sources[i]
		s.Number, s.Bytes, s.CRC = uint32(r.Number()), int64(r.Uvarint()), u32()
		s.From, s.To = uint32(r.Number()), uint32(r.Number())
	}
	f.frames = make([]place, r.Count())
	at := int64(1)
	for i := range f.frames {
		p := &f.frames[i]
		p.at, p.size, p.crc = at, r.Number(), u32()
		if at += int64(p.size); at > end {
			return errDamaged
		}
	}
	f.rows = make([]Row, r.Count())
	f.memory = int64(len(f.rows))*rowBytes + int64(len(f.frames))*24 + 1000
	for i := range f.rows {
		if r.Bad {
			return errDamaged
		}
		row := &f.rows[i]
		row.take(&r)
		f.memory += int64(len(row.Title) + len(row.Lang))
		if row.source >= len(f.Sources) || row.frame >= len(f.frames) || i > 0 && f.rows[i-1].compare(row) >= 0 {
			return errDamaged
		}
	}
	if r.Bad || len(r.B) != 0 || at != end {
		return errDamaged
	}
	return nil
}

// rowBytes is an estimate of the memory, in bytes, that a row takes without its title and
// language.
const rowBytes = 96

// take decodes a row that the method append has encoded, and sets the fields of r.
func (r *Row) take(p *packed.Reader) {
	r.source = p.Number()
	copy(r.Body[:], p.Take(len(r.Body)))
	if b := p.Take(8); b != nil {
		r.Sent = binary.LittleEndian.Uint64(b)
	}
	if r.frame = p.Number() - 1; r.Read() {
		r.from, r.size, r.HasText = p.Number(), p.Number(), p.Byte()&rowText != 0
		r.Title, r.Lang = p.Text(), p.Text()
	}
}

// Source returns the index in f.Sources of the db-file n, or -1 if f has no readings of it.
func (f *File) Source(n Name) int {
	return slices.IndexFunc(f.Sources, func(s Source) bool { return s.Name == n })
}

// Find returns the row with this key of the source f.Sources[source]. ok is false if there is
// none.
func (f *File) Find(source int, k Key) (_ Row, ok bool) {
	i, found := slices.BinarySearchFunc(f.rows, Row{Key: k, source: source}, func(x, y Row) int { return x.compare(&y) })
	if !found {
		return Row{}, false
	}
	return f.rows[i], true
}

// All returns all rows of the file, of all sources. The caller must not change them.
func (f *File) All() []Row { return f.rows }

// Rows returns all rows of the source f.Sources[source]. The caller must not change them.
func (f *File) Rows(source int) []Row {
	from, _ := slices.BinarySearchFunc(f.rows, source, func(r Row, s int) int { return r.source - s })
	to, _ := slices.BinarySearchFunc(f.rows, source+1, func(r Row, s int) int { return r.source - s })
	return f.rows[from:to]
}

// Reading returns the reading of row r. The row must have one, see Row.Read. The error is an
// error of package os if the file was removed meanwhile, or a *segment.Error if it is damaged.
func (f *File) Reading(r Row) ([]byte, error) {
	f.mu.Lock()
	frame := f.kept
	if f.last != r.frame {
		frame = nil
	}
	f.mu.Unlock()
	if frame == nil {
		in, err := f.disk.Open(f.name)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if frame, err = unpack(in, f.frames[r.frame]); err != nil {
			return nil, f.fault(err)
		}
		if len(frame) <= keptBytes {
			f.mu.Lock()
			f.last, f.kept = r.frame, frame
			f.mu.Unlock()
		}
	}
	if r.from > len(frame) || r.size > len(frame)-r.from {
		return nil, f.fault(errDamaged)
	}
	return frame[r.from:][:r.size:r.size], nil
}

// Check reads the whole file, and returns an error if it is damaged.
func (f *File) Check(ctx context.Context) error {
	for i := range f.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &f.rows[i]
		if !r.Read() {
			continue
		}
		reading, err := f.Reading(*r)
		if err != nil {
			return err
		}
		d, err := document.Unpack(reading)
		if err != nil || d.Title != r.Title || d.Lang != r.Lang || hasText(d) != r.HasText {
			return f.fault(errDamaged)
		}
	}
	return nil
}
