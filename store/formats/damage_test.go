package formats

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"infomall/store/record"
	"infomall/store/record/task"
)

// fileRecord is a record of a file to be damaged.
type fileRecord struct{ url, body, text string }

// damageable gives records of a format, some with the Content-Length of HTTP and
// some without. Zipped, each is a gzip member, or its data a zlib stream.
func damageable(t *testing.T, rng *rand.Rand, format string, zipped bool, n int) []fileRecord {
	list := make([]fileRecord, n)
	for i := range list {
		// Two digits, so that one flipped bit makes no URL of another record.
		url := fmt.Sprintf("http://www.x.example/%d%d.htm", i, i)
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			fmt.Fprintf(&b, "<p>page %d, line %d</p>\r\n", i, rng.IntN(1e6))
		}
		if rng.IntN(4) == 0 {
			b.WriteString("\r\n\r\n<p>after empty lines</p>\n\n")
		}
		body := b.String()
		head := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
		if rng.IntN(2) == 0 {
			head += fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		data := head + "\r\n" + body
		text := ""
		switch format {
		case WARC:
			text = fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2008-06-30T22:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, len(data), data)
		case ARC:
			text = fmt.Sprintf("%s 10.0.0.1 20080430204825 text/html %d\n%s\n", url, len(data), data)
		case Tianwang:
			unzip := ""
			if zipped {
				unzip = fmt.Sprintf("unzip-length: %d\n", len(data))
				data = compress(t, data, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
			}
			text = fmt.Sprintf("version: 1.0\nurl: %s\ndate: Tue, 15 Apr 2003 08:13:06 GMT\nip: 10.0.0.1\n%slength: %d\n\n%s\n", url, unzip, len(data), data)
		}
		if zipped && format != Tianwang {
			text = compress(t, text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
		}
		list[i] = fileRecord{url, body, text}
	}
	return list
}

// damaged is a file after one place of it was damaged.
type damaged struct {
	what string
	file []byte
	// The bytes from to to of the whole file are no more as they were; those after
	// are at shift more.
	from, to, shift int
}

// damageOnce damages one place of file.
func damageOnce(rng *rand.Rand, file []byte) damaged {
	from := rng.IntN(len(file))
	to := min(len(file), from+1+rng.IntN(80))
	noise := make([]byte, to-from)
	for i := range noise {
		noise[i] = byte(rng.IntN(256))
	}
	d := damaged{from: from, to: to}
	switch rng.IntN(6) {
	case 0:
		d.what, d.to = "a flipped bit", from+1
		d.file = bytes.Clone(file)
		d.file[from] ^= 1 << rng.IntN(8)
	case 1:
		d.what = "noise"
		d.file = bytes.Clone(file)
		copy(d.file[from:], noise)
	case 2:
		d.what = "zeros"
		d.file = bytes.Clone(file)
		clear(d.file[from:to])
	case 3:
		d.what, d.shift = "bytes lost", from-to
		d.file = append(bytes.Clone(file[:from]), file[to:]...)
	case 4:
		d.what, d.to, d.shift = "bytes put in", from, len(noise)
		d.file = append(append(bytes.Clone(file[:from]), noise...), file[from:]...)
	default:
		d.what, d.to, d.shift = "the end cut off", len(file), from-len(file)
		d.file = bytes.Clone(file[:from])
	}
	return d
}

var fileSeed = flag.Uint64("faults.files", 1, "seed of the files that TestFileDamage damages; 0: by chance")

// TestFileDamage damages one place of a file of records: only the records that it
// touches are lost, and each that is lost has a damage there.
func TestFileDamage(t *testing.T) {
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for _, c := range []struct {
		format string
		zipped bool
	}{{WARC, false}, {WARC, true}, {ARC, false}, {ARC, true}, {Tianwang, false}, {Tianwang, true}} {
		t.Run(fmt.Sprintf("%s, zipped %v", c.format, c.zipped), func(t *testing.T) {
			seed := *fileSeed
			if seed == 0 {
				seed = rand.Uint64()
			}
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 0))
			for range rounds {
				records := damageable(t, rng, c.format, c.zipped, 9)
				var file []byte
				var starts []int
				for _, r := range records {
					starts = append(starts, len(file))
					file = append(file, r.text...)
				}
				starts = append(starts, len(file))
				checkDamaged(t, c.format, c.zipped, records, starts, damageOnce(rng, file))
				if t.Failed() {
					return
				}
			}
		})
	}
}

// compress compresses text with what open returns.
func compress(t *testing.T, text string, open func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	io.WriteString(w, text) // a bytes.Buffer does not fail
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkDamaged reads a damaged file and compares it with its records.
func checkDamaged(t *testing.T, format string, zipped bool, records []fileRecord, starts []int, d damaged) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, d.file, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Open(&Input{Name: name}, task.ImportOptions{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bodies := make(map[string]string)
	var places []record.Item
	others := 0 // captures whose URL was damaged, and records whose type was
	for it, err := range s.Items(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if it.Capture != nil {
			bodies[it.Capture.AskedURL] = string(it.Capture.Body)
		}
		if it.Damage != "" {
			places = append(places, it)
		}
		if it.Skipped != "" {
			others++
		}
	}
	what := fmt.Sprintf("%s, bytes %d to %d (records begin at %v)", d.what, d.from, d.to, starts)
	for url := range bodies {
		if !slices.ContainsFunc(records, func(r fileRecord) bool { return r.url == url }) {
			others++
		}
	}
	first, last := -1, -1
	for i, r := range records {
		// The end of the line before a record's first line is a part of it.
		touched := d.from < starts[i+1] && d.to >= starts[i] && !(d.from == d.to && d.from == starts[i])
		body, ok := bodies[r.url]
		switch whole := ok && body == r.body; {
		case !touched && !whole:
			t.Errorf("%s: record %d of %d is lost; damages %+v\n%q", what, i, len(records), places, d.file)
		case touched && ok && !whole && zipped:
			t.Errorf("%s: record %d is read as what it never was", what, i)
		case touched && first < 0:
			first = i
		}
		if touched {
			last = i
		}
		gone := d.from <= starts[i] && d.to >= starts[i+1] // no byte of it is left
		if touched && !ok && !gone && len(places)+others == 0 {
			t.Errorf("%s: record %d is lost without a word\n%q", what, i, d.file[starts[max(0, i-1)]:])
		}
	}
	for _, p := range places {
		if first < 0 {
			first, last = 0, len(records)-1
			for starts[last] > d.from {
				last--
			}
			first = last
		}
		if end := p.Offset + p.Length; end < int64(starts[first]) || p.Offset > int64(starts[last+1]+d.shift) {
			t.Errorf("%s: a damage at %d+%d, %s, where nothing is damaged", what, p.Offset, p.Length, p.Damage)
		}
	}
}
