package gzipped

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"infomall/store/record"
	"infomall/store/record/message"
)

// Walk goes through the records of an Input (a file that may be compressed),
// whatever their format is. Only one goroutine may use it. The caller of NewWalk
// must close it.
type Walk struct {
	Input
	Window *message.Window // a view of the Input
}

// NewWalk returns a Walk at the start of file. compressed says whether file
// consists of gzip members.
func NewWalk(ctx context.Context, file io.ReaderAt, compressed bool, o Options) *Walk {
	in := Plain(file)
	if compressed {
		in = Open(ctx, file, o)
	}
	return &Walk{Input: in, Window: message.NewWindow(ctx, in)}
}

// byteOrderMark is the byte order mark in UTF-8, which some editors write
// before the first byte of a text.
const byteOrderMark = "\ufeff"

// Each calls visit with the offset at which a record begins, or should begin,
// until the input ends or visit returns more = false. visit returns the offset
// at which the walk continues; the bytes before it are released. A byte order
// mark at the start of the file and empty lines between records are skipped.
func (w *Walk) Each(visit func(pos int64) (next int64, more bool, err error)) error {
	pos := int64(0)
	if b, err := w.Window.View(0, len(byteOrderMark)); err != nil {
		return err
	} else if string(b) == byteOrderMark {
		pos = int64(len(b))
	}
	for more := true; more; {
		var err error
		if pos, err = w.SkipEmpty(pos); err != nil {
			return err
		}
		w.Release(pos)
		if end, err := w.AtEnd(pos); err != nil || end && w.Broken() == nil {
			return err
		}
		if pos, more, err = visit(pos); err != nil {
			return err
		}
	}
	return nil
}

// SkipEmpty skips line ends from offset pos on, and returns the offset of the first
// byte that is no line end.
func (w *Walk) SkipEmpty(pos int64) (int64, error) {
	for {
		b, err := w.Window.View(pos, 1<<10)
		if err != nil {
			return 0, err
		}
		n := len(b) - len(bytes.TrimLeft(b, "\r\n"))
		if pos += int64(n); n < len(b) || n == 0 {
			return pos, nil
		}
	}
}

// AtEnd reports whether nothing can be read at offset pos: the input ends there, or
// a damaged gzip member ends reads there.
func (w *Walk) AtEnd(pos int64) (bool, error) {
	b, err := w.Window.View(pos, 1)
	return len(b) == 0, err
}

// Has reports whether the input has n bytes at off. It reads the last of these bytes, so its
// answer is certain, unlike that of Holds.
//
// It reads nothing if the byte is in the window. A read for each record took a fortieth of the CPU
// time of an import of small pages.
func (w *Walk) Has(off, n int64) (bool, error) {
	if n > 0 && w.Window.Sees(off+n-1) {
		return true, nil
	}
	there, err := w.Holds(off, n)
	if !there || n == 0 || err != nil {
		return there, err
	}
	end, err := w.AtEnd(off + n - 1)
	return !end, err
}

// Unproven returns the reason why the record whose data ends at offset end cannot be
// accepted as whole: it is in a damaged gzip member, so a wrong byte in it would not be
// noticed. It returns "" if the record is not in a damaged member. The caller calls it
// for a record that no other record follows.
//
// A member that is cut off by the end of the file gives right bytes up to the cut.
// A damaged member may give wrong bytes up to the end of the file. The two look the
// same. A record that is followed by another in the same member needs no such
// check: after damage, compressed data inflates to noise, and noise has no record.
func (w *Walk) Unproven(end int64) (why string, err error) {
	// noiseMax is how many bytes after a record are inflated to look for damage
	// of its member. Noise seldom inflates that far before it is invalid.
	const noiseMax = 64 << 10
	if !w.Compressed() {
		return "", nil
	}
	if _, err := w.Window.View(end, noiseMax); err != nil {
		return "", err
	}
	if fault := w.Doubt(end); fault != nil {
		return memberFault(fault), nil
	}
	return "", nil
}

func memberFault(fault error) string { return fmt.Sprintf("damaged gzip member: %v", fault) }

// Damage returns the item for a damaged span of the file that starts at pos. The text why
// is the fault. The result next is the offset at which reading continues. The function
// search looks for the next record after pos. If it finds one, reading continues there. If
// it does not, it returns false and the offset at which reads end. Reading then continues
// at that offset or, if a gzip member is damaged, at the next member that can be read.
func (w *Walk) Damage(pos int64, why string, search func(pos int64) (next int64, found bool, err error)) (it record.Item, next int64, err error) {
	at, first := w.Locate(pos)
	it = record.Item{Offset: at, Damage: why}
	next, found, err := search(pos)
	if err != nil {
		return it, 0, err
	}
	end, nextFirst := w.Locate(next)
	if fault := w.Broken(); !found && fault != nil {
		it.Damage = memberFault(fault)
		if next, end, err = w.Resume(); err != nil {
			return it, 0, err
		}
		nextFirst = true
	}
	if first && (nextFirst || !found) {
		it.Length = end - at
	}
	return it, next, nil
}
