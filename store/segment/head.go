package segment

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"infomall/store/crc32c"
	"infomall/store/record"
)

// recordHead is the parsed head of a record of a db-file: the lines of text before
// the record's data.
type recordHead struct {
	kind        string
	pool        string
	segment     uint32
	run         uint32
	url         string
	date        record.Time
	entries     int
	lastURL     string   // URL of the last entry; "" if it is url, or not known
	metaLengths []int    // sizes in bytes of the compressed frames before the content: for a run one for each group of columns, for other records one
	metaSummed  bool     // metaCRC is set, because these frames have no checksums of their own
	metaCRC     uint32   // of these frames together
	factsLength int      // decompressed size in bytes of the facts, which end the content frame
	behind      []RunRef // the runs that the content frame builds on
	factsFrom   int      // offset in the compressed content frame at which its facts begin; 0 if it is not known, or there are no facts
	unzip       int      // decompressed size of all frames together, in bytes
	length      int      // size of the record's data, in bytes
	crc         uint32
}

// append appends the record's head with its blank line to dst, and returns the
// longer slice. data is the data of the record. The head's crc32c covers data and
// the head, except for the line with the crc32c itself.
func (h *recordHead) append(dst, data []byte) []byte {
	start := len(dst)
	dst = append(dst, "version: 2.0\nurl: "...)
	dst = append(dst, h.url...)
	dst = append(dst, "\ndate: "...)
	dst = append(dst, httpDate(h.date)...)
	dst = fmt.Appendf(dst, "\nkind: %s\npool: %s\nsegment: %d\nrun: %d\ncaptures: %d\n", h.kind, h.pool, h.segment, h.run, h.entries)
	if h.lastURL != "" && h.lastURL != h.url {
		dst = fmt.Appendf(dst, "last-url: %s\n", h.lastURL)
	}
	dst = append(dst, "meta-length:"...)
	for _, n := range h.metaLengths {
		dst = fmt.Appendf(dst, " %d", n)
	}
	if h.metaSummed {
		dst = fmt.Appendf(dst, " %08x", crc32c.Sum(data[:h.metaLength()]))
	}
	dst = append(dst, '\n')
	if h.factsLength > 0 {
		dst = fmt.Appendf(dst, "facts-length: %d\n", h.factsLength)
	}
	if len(h.behind) > 0 {
		dst = fmt.Appendf(dst, "behind: %s\n", joinRefs(h.behind))
	}
	if h.factsFrom > 0 {
		dst = fmt.Appendf(dst, "facts-from: %d\n", h.factsFrom)
	}
	tail := fmt.Appendf(nil, "unzip-length: %d\nlength: %d\n", h.unzip, h.length)
	crc := crc32c.Add(0, dst[start:])
	crc = crc32c.Add(crc, tail)
	crc = crc32c.Add(crc, data)
	dst = fmt.Appendf(dst, "crc32c: %08x\n", crc)
	return append(append(dst, tail...), '\n')
}

func httpDate(t record.Time) string { return t.Std().Format(dateLayout) }

// parseHead parses the record that fills b, checks its crc32c, and returns its head
// and its data. The data shares b's memory.
func parseHead(b []byte) (h recordHead, data []byte, err error) {
	end := bytes.Index(b, []byte("\n\n"))
	if end < 0 {
		return h, nil, errors.New("no record begins here")
	}
	h, crcLine, err := parseLines(b[:end+1])
	if err != nil {
		return h, nil, err
	}
	data = b[end+2:]
	if h.length < 0 || len(data) != h.length+1 || data[h.length] != '\n' || crcLine == nil || h.metaLength() > h.length || h.unzip > runUnzipMax ||
		h.factsLength < 0 || h.factsLength > h.unzip {
		return h, nil, errLengths
	}
	data = data[:h.length]
	before, after, _ := bytes.Cut(b[:end+1], crcLine)
	sum := crc32c.Add(0, before)
	sum = crc32c.Add(sum, after)
	if sum = crc32c.Add(sum, data); !SumIs(sum, h.crc) {
		return h, nil, fmt.Errorf("crc32c is %08x, the head says %08x: the record is damaged", sum, h.crc)
	}
	return h, data, nil
}

// errLengths is returned if the lengths or references in a record's head contradict
// each other.
var errLengths = errors.New("the record's lengths do not fit together")

// runUnzipMax is more bytes than any run has when it is decompressed. A head that
// claims more is damaged.
const runUnzipMax = 256 << 20

// parseLines parses the lines of a record's head, without comparing checksums.
// crcLine is the line with the crc32c, which that checksum does not cover; it is
// nil if the head has no such line.
func parseLines(lines []byte) (h recordHead, crcLine []byte, err error) {
	if !bytes.HasPrefix(lines, []byte("version: 2.0\n")) {
		return h, nil, errors.New("no record of version 2.0 begins here")
	}
	for line := range bytes.Lines(lines) {
		name, value, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
		if !ok {
			return h, nil, fmt.Errorf("head line %q has no colon", line)
		}
		v := string(value)
		number := func(base, bits int) uint64 {
			n, e := strconv.ParseUint(v, base, bits)
			if e != nil {
				err = e
			}
			return n
		}
		switch string(name) {
		case "url":
			h.url = v
		case "date":
			h.date, err = parseHTTPDate(v)
		case "kind":
			h.kind = v
		case "pool":
			h.pool = v
		case "segment":
			h.segment = uint32(number(10, 32))
		case "run":
			h.run = uint32(number(10, 32))
		case "captures":
			h.entries = int(number(10, 31))
		case "last-url":
			h.lastURL = v
		case "meta-length":
			err = h.parseLengths(v)
		case "behind":
			h.behind, err = parseRefs(v)
		case "facts-from":
			h.factsFrom = int(number(10, 31))
		case "facts-length":
			h.factsLength = int(number(10, 31))
		case "crc32c":
			crcLine, h.crc = line, uint32(number(16, 32))
			if err == nil && v != fmt.Sprintf("%08x", h.crc) {
				err = errors.New("not eight lower-case hex digits")
			}
		case "unzip-length":
			h.unzip = int(number(10, 31))
		case "length":
			h.length = int(number(10, 31))
		}
		if err != nil {
			return h, nil, fmt.Errorf("head property %s: %w", name, err)
		}
	}
	return h, crcLine, nil
}

// metaLength returns the total size in bytes of the frames that metaLengths lists.
func (h *recordHead) metaLength() (sum int) {
	for _, n := range h.metaLengths {
		sum += n
	}
	return sum
}

// parseLengths parses s, the sizes of frames, which are separated by blanks. If the frames have no
// checksums of their own, the checksum of all of them together follows, in hex digits.
func (h *recordHead) parseLengths(s string) error {
	words := strings.Fields(s)
	if h.metaSummed = len(words) == groups+1; h.metaSummed {
		n, err := strconv.ParseUint(words[groups], 16, 32)
		if err != nil {
			return err
		}
		h.metaCRC, words = uint32(n), words[:groups]
	}
	if len(words) > groups {
		return errLengths
	}
	h.metaLengths = make([]int, len(words))
	for i, w := range words {
		n, err := strconv.ParseUint(w, 10, 31)
		if err != nil {
			return err
		}
		h.metaLengths[i] = int(n)
	}
	return nil
}

const dateLayout = "Mon, 02 Jan 2006 15:04:05 GMT"

// parseHTTPDate parses a date that httpDate wrote. Such dates include years with
// more than four digits or before the year 0, which time.Parse does not accept.
func parseHTTPDate(s string) (record.Time, error) {
	t, err := time.Parse(dateLayout, s)
	if err == nil {
		return record.At(t), nil
	}
	words := strings.Fields(s)
	if len(words) != 6 {
		return 0, err
	}
	year, e := strconv.ParseInt(words[3], 10, 29) // in milliseconds, such a year fits in 64 bits
	if e != nil {
		return 0, err
	}
	words[3] = "2000"
	if t, e = time.Parse(dateLayout, strings.Join(words, " ")); e != nil {
		return 0, err
	}
	return record.At(time.Date(int(year), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)), nil
}

// peekHead parses the head of the record at the beginning of b. The data of the
// record may be missing from b, so the crc32c is not checked. size is the size of
// the head with its blank line.
func peekHead(b []byte) (h recordHead, size int, err error) {
	end := bytes.Index(b, []byte("\n\n"))
	if end < 0 {
		return h, 0, errors.New("no record begins here")
	}
	h, _, err = parseLines(b[:end+1])
	return h, end + 2, err
}

// The kinds of records in a db-file.
const (
	kindRun    = "run"
	kindStates = "states" // a run of states, see Info.States
	kindEnd    = "end"
)

// isRun reports whether the record is a run, either of captures or of states.
func (h *recordHead) isRun() bool { return h.kind == kindRun || h.kind == kindStates }
