package readings

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/document"
	"infomall/store/packed"
)

// frameBytes is how many bytes of readings go into one frame, before compression. Smaller frames
// compress worse; a larger frame takes longer to decompress for one document.
const frameBytes = 128 << 10

// TitleBytes is how many bytes the title of a document may have in a row. The caller of
// Builder.Add cuts longer titles.
const TitleBytes = 4 << 10

// Builder writes a file of readings. Only one goroutine may use it.
type Builder struct {
	w       *bufio.Writer
	frame   []byte      // readings of the frame that is not written yet
	frames  []frame     // the frames that are written
	sources []Source    // the last one is the current source
	rows    []Row       // of all sources
	known   map[Key]int // for each key: the index in rows of the last row with it
	bytes   int64       // size of all readings before compression
}

// frame has the size in bytes and the crc32c of a compressed frame.
type frame struct {
	size int
	crc  uint32
}

// encoder compresses the frames of all files. Creating an encoder takes longer than writing a
// small file.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(fmt.Sprintf("readings: make an encoder: %v", err)) // the options are constant
	}
	return e
})

// NewBuilder returns a Builder that writes to w.
func NewBuilder(w io.Writer) (*Builder, error) {
	b := &Builder{w: bufio.NewWriter(w), known: make(map[Key]int)}
	return b, b.w.WriteByte(disk.FormatByte)
}

// Begin makes the db-file n the current source: the rows that are added next belong to it. from
// is the number of the first run of that db-file that b will cover. b covers no run of it until
// the caller calls Cover.
func (b *Builder) Begin(n Name, from uint32) {
	b.sources = append(b.sources, Source{n, from, from})
}

// Cover records that the file covers these runs of the current source: from the run that was
// passed to Begin up to, but not including, the run with the number to.
func (b *Builder) Cover(to uint32) { b.sources[len(b.sources)-1].To = to }

// Drop removes the current source from the file if it has no rows and covers no run.
func (b *Builder) Drop() {
	n := len(b.sources) - 1
	if s := b.sources[n]; s.From == s.To && (len(b.rows) == 0 || b.rows[len(b.rows)-1].source < n) {
		b.sources = b.sources[:n]
	}
}

// Sources returns all sources for which Begin was called, in order, except those that Drop
// removed.
func (b *Builder) Sources() []Source { return b.sources }

// Len returns the number of rows.
func (b *Builder) Len() int { return len(b.rows) }

// Bytes returns the size of all readings together, in bytes before compression.
func (b *Builder) Bytes() int64 { return b.bytes }

// Has reports whether b has a row with this key, of any source. If so, it adds a row with the
// same key and reading to the current source.
func (b *Builder) Has(k Key) bool {
	n, known := b.known[k]
	if known {
		r := b.rows[n]
		r.source = len(b.sources) - 1
		b.rows = append(b.rows, r)
	}
	return known
}

// Add adds a row with this key to the current source, and the reading of document d. If d is nil,
// the row says that the body is no document of a known kind.
func (b *Builder) Add(k Key, d *document.Document) error {
	if d == nil {
		b.add(Row{Key: k, frame: -1})
		return nil
	}
	return b.put(Row{Key: k, Title: d.Title, Lang: d.Lang, HasText: hasText(d)}, d.Append(nil))
}

// hasText reports whether a document has text other than deleted text.
func hasText(d *document.Document) bool {
	return slices.ContainsFunc(d.Sections, func(s document.Section) bool {
		return slices.ContainsFunc(s.Parts, func(p document.Part) bool { return p.Kind != document.Deleted })
	})
}

// Copy adds a copy of row r of the file f, with its reading, to the current source.
func (b *Builder) Copy(f *File, r Row) error {
	if !r.Read() {
		b.add(r)
		return nil
	}
	reading, err := f.Reading(r)
	if err != nil {
		return err
	}
	return b.put(r, reading)
}

// put adds the row r and its reading. It first writes the current frame if the reading does not
// fit into it.
func (b *Builder) put(r Row, reading []byte) error {
	if len(b.frame) > 0 && len(b.frame)+len(reading) > frameBytes {
		if err := b.flush(); err != nil {
			return err
		}
	}
	r.frame, r.from, r.size = len(b.frames), len(b.frame), len(reading)
	b.frame = append(b.frame, reading...)
	b.bytes += int64(len(reading))
	b.add(r)
	return nil
}

func (b *Builder) add(r Row) {
	r.source = len(b.sources) - 1
	b.known[r.Key] = len(b.rows)
	b.rows = append(b.rows, r)
}

// flush compresses the current frame, writes it, and begins an empty one.
func (b *Builder) flush() error {
	out := encoder().EncodeAll(b.frame, nil)
	b.frames = append(b.frames, frame{len(out), crc32c.Sum(out)})
	b.frame = b.frame[:0]
	_, err := b.w.Write(out)
	return err
}

// Finish writes the rest of the file. It does not close or sync the file.
func (b *Builder) Finish() error {
	if len(b.frame) > 0 {
		if err := b.flush(); err != nil {
			return err
		}
	}
	table := encoder().EncodeAll(b.table(), nil)
	if _, err := b.w.Write(table); err != nil {
		return err
	}
	tail := binary.LittleEndian.AppendUint32(nil, uint32(len(table)))
	tail = binary.LittleEndian.AppendUint32(tail, crc32c.Sum(table))
	if _, err := b.w.Write(tail); err != nil {
		return err
	}
	return b.w.Flush()
}

// table sorts the rows and returns the encoded table of the file.
func (b *Builder) table() []byte {
	slices.SortFunc(b.rows, func(x, y Row) int { return x.compare(&y) })
	b.rows = slices.CompactFunc(b.rows, func(x, y Row) bool { return x.compare(&y) == 0 })
	t := []byte{document.Version}
	t = binary.AppendUvarint(t, uint64(len(b.sources)))
	for _, s := range b.sources {
		t = binary.AppendUvarint(t, uint64(s.Number))
		t = binary.AppendUvarint(t, uint64(s.Bytes))
		t = binary.LittleEndian.AppendUint32(t, s.CRC)
		t = binary.AppendUvarint(t, uint64(s.From))
		t = binary.AppendUvarint(t, uint64(s.To))
	}
	t = binary.AppendUvarint(t, uint64(len(b.frames)))
	for _, f := range b.frames {
		t = binary.AppendUvarint(t, uint64(f.size))
		t = binary.LittleEndian.AppendUint32(t, f.crc)
	}
	t = binary.AppendUvarint(t, uint64(len(b.rows)))
	for i := range b.rows {
		t = b.rows[i].append(t)
	}
	return t
}

// rowText is the bit in the flags of a stored row which says that the document has text.
const rowText = 1

// append appends the row to t in the form in which the table stores it, and returns t.
func (r *Row) append(t []byte) []byte {
	t = binary.AppendUvarint(t, uint64(r.source))
	t = append(t, r.Body[:]...)
	t = binary.LittleEndian.AppendUint64(t, r.Sent)
	t = binary.AppendUvarint(t, uint64(r.frame+1))
	if !r.Read() {
		return t
	}
	t = binary.AppendUvarint(t, uint64(r.from))
	t = binary.AppendUvarint(t, uint64(r.size))
	flags := byte(0)
	if r.HasText {
		flags = rowText
	}
	t = append(t, flags)
	return packed.AppendSized(packed.AppendSized(t, r.Title), r.Lang)
}
