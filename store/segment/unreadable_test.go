package segment

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
)

// holed is a file whose bytes between two offsets cannot be read.
type holed struct {
	*bytes.Reader
	from, to int64
	err      error
	reads    int
}

func (h *holed) ReadAt(p []byte, at int64) (int, error) {
	h.reads++
	if at >= h.to || at+int64(len(p)) <= h.from {
		return h.Reader.ReadAt(p, at)
	}
	if at >= h.from {
		return 0, h.err
	}
	n, _ := h.Reader.ReadAt(p[:h.from-at], at)
	return n, h.err
}

// TestUnreadableBytes looks for the next record of a file that has unreadable bytes before it.
func TestUnreadableBytes(t *testing.T) {
	const at = 5 << 20
	b := make([]byte, 6<<20)
	copy(b[at-1:], recordStart)
	for _, c := range []struct {
		name     string
		from, to int64
		err      error
		want     int64
		failed   error
	}{
		{"a sector in the megabyte of the record", at - 8192, at - 4096, syscall.EIO, at, nil},
		{"three megabytes", 1 << 20, 4 << 20, syscall.EIO, at, nil},
		{"the record", at, at + 1, syscall.EIO, int64(len(b)), nil},
		{"a store that does not answer", 1 << 20, 4 << 20, disk.ErrUnanswered, 0, disk.ErrUnanswered},
		{"the end", 2 << 20, 6 << 20, io.EOF, int64(len(b)), nil},
	} {
		f := &holed{bytes.NewReader(b), c.from, c.to, c.err, 0}
		got, err := nextRecord(context.Background(), f, 0, int64(len(b)))
		if got != c.want || err != c.failed || f.reads > 30 {
			t.Errorf("%s: %d, %v after %d reads; want %d, %v", c.name, got, err, f.reads, c.want, c.failed)
		}
	}
}

// TestMendUnanswered puts a db-file together from two copies of which one cannot be read now. No
// record counts as damaged.
func TestMendUnanswered(t *testing.T) {
	b := bytes.Repeat([]byte("no record "), 100)
	for i := range 2 {
		files := []io.ReaderAt{bytes.NewReader(b), bytes.NewReader(b)}
		files[i] = &holed{bytes.NewReader(b), 0, int64(len(b)), disk.ErrUnanswered, 0}
		if m, err := Mend(context.Background(), io.Discard, files[0], files[1], int64(len(b))); err != disk.ErrUnanswered {
			t.Errorf("copy %d does not answer: %+v, %v", i, m, err)
		}
	}
}

// TestMendUnreadableSectors puts a record together from two copies. In each, another sector in the
// middle of the record cannot be read.
func TestMendUnreadableSectors(t *testing.T) {
	noise := make([]byte, 100_000)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	r := run{blocks: [][]byte{noise}, ids: []ID{BlockID(noise)}, facts: [][]byte{nil}, key: "com,example)/"}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	rec, _ := r.encode(enc, "200806", 1, 0, nil, nil)
	size := int64(len(rec))
	a := &holed{bytes.NewReader(rec), 20_480, 24_576, syscall.EIO, 0}
	b := &holed{bytes.NewReader(rec), 61_440, 65_536, syscall.EIO, 0}
	var out bytes.Buffer
	if m, err := Mend(context.Background(), &out, a, b, size); err != nil || m != (Mended{Bad: 1}) || !bytes.Equal(out.Bytes(), rec) {
		t.Errorf("%+v, %v", m, err)
	}
}
