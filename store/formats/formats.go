// Package formats tells which format a file of captures has, and reads its captures.
// Each format has a package of its own below this one, which knows how a capture is
// written in that format. Those packages import nothing of each other, except that
// a WACZ file holds WARC and ARC files.
//
// # Words
//
//	source   an open file, or the files of a mirror, whose captures are read
//	mirror   a folder of pages as they were saved by a browser or wget, without a
//	         record of how they were fetched
//	detect   to find out the format of a file from its content
package formats

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"infomall/store/formats/arc"
	"infomall/store/formats/glob"
	"infomall/store/formats/mirror"
	"infomall/store/formats/tianwang"
	"infomall/store/formats/wacz"
	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
)

// Source is an open file, or a mirror (a folder of saved pages), from which
// captures are read.
type Source struct {
	file  *os.File     // nil for a mirror
	reach atomic.Int64 // how many bytes were read so far, see Consumed
	// Items yields the captures and the damaged places of the source in order. The
	// caller ranges over it once.
	Items func(context.Context) iter.Seq2[record.Item, error]
}

// The formats that can be imported, by the names that statements use.
const (
	WARC     = "warc"
	ARC      = "arc"
	WACZ     = "wacz"
	Tianwang = "tianwang"
	HTML     = "html"
)

// BodyMemory is the size in bytes up to which a reader keeps a body in memory. It writes
// a larger body to a temporary file.
const BodyMemory = 8 << 20

// Open opens the input in as a Source. It detects the format from the content,
// unless o.Format names it. The caller closes the Source.
func Open(in *Input, o task.ImportOptions) (*Source, error) {
	name, format, zone := in.Name, o.Format, o.Zone
	if format == HTML {
		return mirrorSource(in, o), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &Source{file: f}
	if err = packedOtherwise(f, name); err == nil && format == "" {
		format, err = Detect(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("import %s: %w", name, err)
	}
	limits := message.BodyLimits{MemoryMax: BodyMemory}
	switch format {
	case WARC:
		s.Items = func(ctx context.Context) iter.Seq2[record.Item, error] {
			return warc.Read(ctx, s, warc.Options{Source: name, Limits: limits})
		}
	case ARC:
		s.Items = func(ctx context.Context) iter.Seq2[record.Item, error] {
			return arc.Read(ctx, s, arc.Options{Source: name, Limits: limits})
		}
	case WACZ:
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		s.Items = func(ctx context.Context) iter.Seq2[record.Item, error] {
			return wacz.Read(ctx, s, info.Size(), wacz.Options{Source: name, Limits: limits})
		}
	case Tianwang:
		s.Items = func(ctx context.Context) iter.Seq2[record.Item, error] {
			return tianwang.Read(ctx, s, tianwang.Options{Source: name, Zone: zone, Limits: limits})
		}
	default:
		f.Close()
		return nil, fmt.Errorf("import %s: no reader of format %s", name, format)
	}
	return s, nil
}

// mirrorSource returns a Source that reads the files of the mirror in.
func mirrorSource(in *Input, o task.ImportOptions) *Source {
	s := new(Source)
	m := mirror.Options{
		Files: in.Files, Root: glob.Root(in.Name), Base: o.Base, Time: record.NoTime, Limits: message.BodyLimits{MemoryMax: BodyMemory},
		Read: func(bytes int64) { s.reach.Add(bytes) },
	}
	if !o.At.IsZero() {
		m.Time = record.At(o.At)
	}
	s.Items = func(ctx context.Context) iter.Seq2[record.Item, error] { return mirror.Read(ctx, m) }
	return s
}

// ReadAt reads from the file of the source at an offset, and remembers for Consumed how
// far the file was read.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.file.ReadAt(p, off)
	if end := off + int64(n); end > s.reach.Load() {
		s.reach.Store(end)
	}
	return n, err
}

// Consumed returns an estimate of how many bytes of the source were read so far. Another goroutine
// may read meanwhile.
func (s *Source) Consumed() int64 { return s.reach.Load() }

// Close closes the file of the source. A mirror has none.
func (s *Source) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// The first bytes of files that are compressed with something other than gzip.
const (
	zstdMagic = "\x28\xb5\x2f\xfd"
	// zstdDictionary begins a WARC file that is compressed with zstd and a
	// dictionary of its own. After these bytes come the length of the dictionary,
	// in four bytes, and the dictionary, which may itself be compressed.
	zstdDictionary = "\x5d\x2a\x4d\x18"
)

// packedOtherwise returns an error if the file f, called name, is compressed with
// something other than gzip, which no reader supports. The error names the command
// that decompresses the file.
func packedOtherwise(f io.ReaderAt, name string) error {
	b := make([]byte, 12)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read the file's first bytes: %w", err)
	}
	start := string(b[:n])
	how, by := "", ""
	switch {
	case strings.HasPrefix(start, zstdMagic):
		how, by = "zstd", "zstd -dc"
	case strings.HasPrefix(start, zstdDictionary) && n == len(b):
		how = "zstd and a dictionary of its own"
		by = fmt.Sprintf("tail -c +9 %s | head -c %d", quoted(name), binary.LittleEndian.Uint32(b[4:]))
		if start[8:] == zstdMagic {
			by += " | zstd -dc"
		}
		by += " > dictionary && zstd -dc -D dictionary"
	case strings.HasPrefix(start, "BZh"):
		how, by = "bzip2", "bzip2 -dc"
	case strings.HasPrefix(start, "\xfd7zXZ\x00"):
		how, by = "xz", "xz -dc"
	default:
		return nil
	}
	to := strings.TrimSuffix(name, filepath.Ext(name))
	if to == name {
		to += ".unpacked"
	}
	return fmt.Errorf("byte 0: the file is compressed with %s, which IMPORT does not read. Decompress it first: %s %s > %s", how, by, quoted(name), quoted(to))
}

// quoted returns name in single quotes, as one word for a shell.
func quoted(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }

// detectBytes is how many bytes of a file are read to detect its format. If a file
// lacks its beginning, its first whole record should begin within these bytes.
const detectBytes = 1 << 20

// Detect returns the format of the file f, such as WARC, by its content. It returns
// an error if the content is of no format that can be imported.
func Detect(f io.ReaderAt) (string, error) {
	start, err := readStart(io.NewSectionReader(f, 0, detectBytes))
	if err != nil {
		return "", err
	}
	zipped := bytes.HasPrefix(start, []byte("\x1f\x8b"))
	if zipped {
		z, err := gzip.NewReader(io.NewSectionReader(f, 0, 1<<62))
		if err == nil {
			// The part of the gzip member before the damage may still show the
			// format.
			start, _ = readStart(io.LimitReader(z, detectBytes))
		}
	}
	text := bytes.TrimLeft(start, "\x00\r\n \t\ufeff")
	switch {
	case len(start) == 0:
		return Tianwang, nil // an empty file has no records in any format
	case bytes.HasPrefix(text, []byte("WARC/")):
		return WARC, nil
	case bytes.HasPrefix(text, []byte("filedesc://")):
		return ARC, nil
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return WACZ, nil
	}
	at := map[string]int{
		WARC:     lineStart(text, "WARC/0.", "WARC/1."),
		Tianwang: lineStart(text, "version:"),
	}
	switch w, t := at[WARC], at[Tianwang]; {
	case t >= 0 && (w < 0 || t < w):
		if zipped {
			return "", errors.New("these are Tianwang records in a gzip file: gunzip it first")
		}
		return Tianwang, nil
	case w >= 0:
		return WARC, nil
	}
	// The first record, or its gzip member, may be damaged.
	if is, err := warc.Detect(f); is || err != nil {
		return WARC, err
	}
	if is, err := arc.Detect(f); is || err != nil {
		return ARC, err
	}
	return "", fmt.Errorf("it has no record of WARC, ARC or Tianwang; it begins with %q. If it is such a file and damaged, name its format: FORMAT warc, FORMAT arc, FORMAT tianwang; for a single page write FORMAT html BASE 'its URL'", head(text))
}

// readStart reads the first detectBytes bytes of r, or all bytes if there are
// fewer.
func readStart(r io.Reader) ([]byte, error) {
	b := make([]byte, detectBytes)
	n, err := io.ReadFull(r, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:n], err
}

// lineStart returns the offset in b of the first line that begins with one of
// words, or -1 if there is none.
func lineStart(b []byte, words ...string) int {
	at := 0
	for line := range bytes.Lines(b) {
		for _, w := range words {
			if bytes.HasPrefix(line, []byte(w)) {
				return at
			}
		}
		at += len(line)
	}
	return -1
}

// head returns the first bytes of the text b as valid UTF-8, for an error message.
func head(b []byte) string {
	const shown = 40
	return strings.ToValidUTF8(string(b[:min(len(b), shown)]), "\ufffd")
}
