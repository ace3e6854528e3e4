// Package result reads and writes the file in which an archive stores one
// computed result, such as the ranks of pages. The file has the rows of the
// result, sorted by key:
//
//	first line    the format
//	chunks        rows, about 64 KB of them compressed together
//	list          what the result is, and the place and first key of each chunk
//	last line     the offset of the list
//
// A look-up between two keys reads the list and then only the chunks that it
// needs. FORMAT.md describes every byte. The caller chooses the file's name and
// makes it part of the archive.
package result

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

const (
	// kindResult is the word in the first line that says which kind of file it is.
	kindResult = "result"
	// chunkBytes is the size in bytes, before compression, at which a chunk of rows
	// ends. A look-up decompresses at least one chunk.
	chunkBytes = 64 << 10
	// tailBytes is the length in bytes of the last line, which has the offset of the
	// list of chunks.
	tailBytes = len("list\t00000000000000000000\n")
	// rowBytesMax is the largest size of a row's key, and of its value, in bytes.
	// The longest URL has 16 KB.
	rowBytesMax = 1 << 20
)

// ErrDamaged is returned if the file of a result is incomplete or has a wrong
// checksum.
var ErrDamaged = errors.New("the file of a result is damaged; compute the result again")

// chunk describes one chunk: its offset and size in the file, the crc32c of its compressed bytes,
// the number of its rows, and its first key.
type chunk struct {
	offset, bytes int64
	crc           uint32
	rows          int64
	first         string // key of its first row
}

// Writer writes the file of one result.
type Writer struct {
	w      io.Writer
	zstd   *zstd.Encoder
	offset int64
	raw    []byte // rows of the current chunk, before compression
	packed []byte // working memory: the last compressed chunk
	last   []byte // key of the previous row
	rows   int64  // number of rows added
	at     int64  // number of rows before the current chunk
	first  string // key of the first row of the current chunk
	chunks []chunk
}

// NewWriter writes the first line of a result's file to w and returns a Writer
// for its rows. Finish completes the file; w stays open.
func NewWriter(w io.Writer) (*Writer, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	out := &Writer{w: w, zstd: z}
	return out, out.write([]byte(disk.Head(kindResult)))
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.offset += int64(n)
	return err
}

// Add writes a row. Its key must be greater than the key of the previous row.
func (w *Writer) Add(r task.ResultRow) error {
	if w.rows > 0 && bytes.Compare(w.last, r.Key) >= 0 {
		return fmt.Errorf("key %q of a result comes after %q", r.Key, w.last)
	}
	if len(r.Key) > rowBytesMax || len(r.Value) > rowBytesMax {
		return fmt.Errorf("row %q of a result has more than %d bytes", r.Key[:min(len(r.Key), 100)], rowBytesMax)
	}
	shared := 0
	if len(w.raw) == 0 {
		w.first = string(r.Key)
	} else {
		for shared < min(len(w.last), len(r.Key)) && w.last[shared] == r.Key[shared] {
			shared++
		}
	}
	w.raw = binary.AppendUvarint(w.raw, uint64(shared))
	w.raw = binary.AppendUvarint(w.raw, uint64(len(r.Key)-shared))
	w.raw = append(w.raw, r.Key[shared:]...)
	w.raw = binary.AppendUvarint(w.raw, uint64(len(r.Value)))
	w.raw = append(w.raw, r.Value...)
	w.last = append(w.last[:0], r.Key...)
	w.rows++
	if len(w.raw) >= chunkBytes {
		return w.flush()
	}
	return nil
}

func (w *Writer) flush() error {
	if len(w.raw) == 0 {
		return nil
	}
	w.packed = w.zstd.EncodeAll(w.raw, w.packed[:0])
	w.chunks = append(w.chunks, chunk{w.offset, int64(len(w.packed)), crc32c.Sum(w.packed), w.rows - w.at, w.first})
	w.raw, w.at = w.raw[:0], w.rows
	return w.write(w.packed)
}

// Finish writes the rest of the file: the description r of the result, and the list of chunks. It
// sets r.Rows to the number of rows, and r.Bytes to the size of the file in bytes.
func (w *Writer) Finish(r *task.Result) error {
	if err := w.flush(); err != nil {
		return err
	}
	r.Rows = w.rows
	from := w.offset
	b := lines.Append(nil, "kind", r.Kind)
	b = lines.Append(b, "name", lines.Quoted(r.Name))
	b = lines.Append(b, "as_of", r.AsOf)
	b = lines.Append(b, "statement", lines.Quoted(r.Statement))
	b = lines.Append(b, "rows", r.Rows)
	for _, k := range slices.Sorted(maps.Keys(r.Properties)) {
		b = lines.Append(b, "property", lines.Quoted(k), lines.Quoted(r.Properties[k]))
	}
	for _, c := range w.chunks {
		b = lines.Append(b, "chunk", c.offset, c.bytes, lines.Hex(c.crc), c.rows, lines.Quoted(c.first))
	}
	err := w.write(fmt.Appendf(lines.Seal(b), "list\t%020d\n", from))
	r.Bytes = w.offset
	return err
}

// Reader reads the file of one result. It may be used from several goroutines
// at once.
type Reader struct {
	Result task.Result // Computed and File are not in the file and stay unset
	in     io.ReaderAt
	chunks []chunk
}

// NewReader reads the list at the end of the file in, which has size bytes. It
// returns ErrDamaged if it cannot read the list. The Reader reads in until the
// caller stops using it.
func NewReader(in io.ReaderAt, size int64) (*Reader, error) {
	if err := checkFormat(in); err != nil {
		return nil, err
	}
	list, err := readList(in, size)
	if err != nil {
		return nil, err
	}
	r := &Reader{in: in}
	r.Result.Bytes = size
	for list.Next() {
		r.line(list)
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// headBytes is the length in bytes of the first line in this format. headBytesMax is the
// greatest length of the first line in any format.
var headBytes = len(disk.Head(kindResult))

const headBytesMax = 64

// checkFormat returns an error if the first line of the file is damaged, or names
// another format than disk.Format.
func checkFormat(in io.ReaderAt) error {
	head := make([]byte, headBytesMax)
	n, err := in.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return damaged(err)
	}
	_, err = disk.CutHead(string(head[:n]), kindResult)
	if other := new(disk.FormatError); errors.As(err, &other) {
		other.Remedy = "compute the result again"
		return err
	}
	if err != nil {
		return ErrDamaged
	}
	return nil
}

// readList returns the lines of the list at the end of the file in, which has size
// bytes. It returns ErrDamaged if the checksum of the list is wrong.
func readList(in io.ReaderAt, size int64) (*lines.Reader, error) {
	tail := make([]byte, tailBytes)
	if size < int64(headBytes+tailBytes) {
		return nil, ErrDamaged
	}
	if _, err := in.ReadAt(tail, size-int64(tailBytes)); err != nil {
		return nil, damaged(err)
	}
	var from int64
	if _, err := fmt.Sscanf(string(tail), "list\t%d\n", &from); err != nil || from < int64(headBytes) || from > size-int64(tailBytes) {
		return nil, ErrDamaged
	}
	list := make([]byte, size-int64(tailBytes)-from)
	if _, err := in.ReadAt(list, from); err != nil {
		return nil, damaged(err)
	}
	return lines.OpenList(list, ErrDamaged)
}

// damaged returns err with ErrDamaged added. If err may pass (see disk.MayPass), it returns err.
func damaged(err error) error {
	if disk.MayPass(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// line parses the current line of the list at the end of the file, and sets the field of r that
// the line is about. It calls list.Fail if the line has no known keyword.
func (r *Reader) line(list *lines.Reader) {
	x := &r.Result
	switch list.Text() {
	case "kind":
		x.Kind = list.Text()
	case "name":
		x.Name = list.Quoted()
	case "as_of":
		x.AsOf = record.Time(list.Int())
	case "statement":
		x.Statement = list.Quoted()
	case "rows":
		x.Rows = list.Int()
	case "property":
		if x.Properties == nil {
			x.Properties = make(map[string]string)
		}
		k := list.Quoted()
		x.Properties[k] = list.Quoted()
	case "chunk":
		r.chunks = append(r.chunks, chunk{list.Int(), list.Int(), list.Sum(), list.Int(), list.Quoted()})
	default:
		list.Fail()
	}
}

// Rows yields the rows whose keys lie in one of ranges, in order of key. The
// ranges must be sorted and disjoint; nil means all rows. An error is the last
// pair.
func (r *Reader) Rows(ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(8*rowBytesMax))
		if err != nil {
			yield(task.ResultRow{}, err)
			return
		}
		defer z.Close()
		var packed, raw []byte
		for i, c := range r.chunks {
			if ranges != nil && !r.overlaps(i, ranges) {
				continue
			}
			if raw, packed, err = r.read(z, c, raw, packed); err == nil {
				var more bool
				if more, err = eachRow(raw, c.rows, ranges, yield); err == nil && !more {
					return
				}
			}
			if err != nil {
				yield(task.ResultRow{}, err)
				return
			}
		}
	}
}

// overlaps reports whether chunk i may have keys in one of ranges. It compares the
// first keys of this chunk and of the next chunk.
func (r *Reader) overlaps(i int, ranges []urlkey.Range) bool {
	at, _ := slices.BinarySearchFunc(ranges, r.chunks[i].first, func(x urlkey.Range, key string) int {
		if x.To != "" && x.To <= key {
			return -1
		}
		return 1
	})
	// at is the first range that does not end before the chunk begins.
	return at < len(ranges) && (i+1 == len(r.chunks) || ranges[at].From < r.chunks[i+1].first)
}

func (r *Reader) read(z *zstd.Decoder, c chunk, raw, packed []byte) (_, _ []byte, err error) {
	if c.bytes < 0 || c.bytes > 4*rowBytesMax {
		return nil, nil, ErrDamaged
	}
	packed = slices.Grow(packed[:0], int(c.bytes))[:c.bytes]
	if _, err := r.in.ReadAt(packed, c.offset); err != nil {
		return nil, nil, damaged(err)
	}
	if crc32c.Sum(packed) != c.crc {
		return nil, nil, ErrDamaged
	}
	if raw, err = z.DecodeAll(packed, raw[:0]); err != nil {
		return nil, nil, damaged(err)
	}
	return raw, packed, nil
}

// eachRow yields the rows of a decompressed chunk whose keys lie in ranges; nil
// means all rows. raw is the chunk, and rows is how many rows it has. more is false
// if yield returned false, or if no later chunk can have keys in ranges. The error
// is ErrDamaged if the chunk is malformed.
func eachRow(raw []byte, rows int64, ranges []urlkey.Range, yield func(task.ResultRow, error) bool) (more bool, err error) {
	var key []byte
	take := func(n uint64) []byte {
		if n > uint64(len(raw)) {
			err = ErrDamaged
			return nil
		}
		b := raw[:n:n]
		raw = raw[n:]
		return b
	}
	number := func() uint64 {
		n, width := binary.Uvarint(raw)
		if width <= 0 {
			err = ErrDamaged
			return 0
		}
		raw = raw[width:]
		return n
	}
	for range rows {
		shared := number()
		if shared > uint64(len(key)) {
			return false, ErrDamaged
		}
		key = append(key[:shared], take(number())...)
		val := take(number())
		if err != nil {
			return false, err
		}
		for len(ranges) > 0 && ranges[0].To != "" && ranges[0].To <= string(key) {
			if ranges = ranges[1:]; len(ranges) == 0 {
				return false, nil
			}
		}
		if ranges != nil && string(key) < ranges[0].From {
			continue
		}
		if !yield(task.ResultRow{Key: key, Value: val}, nil) {
			return false, nil
		}
	}
	if len(raw) > 0 {
		return false, ErrDamaged
	}
	return true, nil
}
