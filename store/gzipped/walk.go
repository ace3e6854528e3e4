package gzipped

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"infomall/store/record"
)

// Walk is a way through the records of an Input, whatever their format. It is
// for one goroutine, and whoever made it closes it.
type Walk struct {
	Input
	Window *record.Window // over the Input
}

// NewWalk begins at the start of file, which is compressed or not.
func NewWalk(ctx context.Context, file io.ReaderAt, compressed bool, o Options) *Walk {
	in := Plain(file)
	if compressed {
		in = Open(ctx, file, o)
	}
	return &Walk{Input: in, Window: record.NewWindow(ctx, in)}
}

// byteOrderMark is what some editors write before the first byte of a text in
// UTF-8.
const byteOrderMark = "\ufeff"

// Each calls visit with where a record begins, or should begin, until the input
// ends or visit says stop. visit returns where to go on; the bytes before that
// are released. A byte order mark at the start of the file is passed over.
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

// SkipEmpty returns where the empty lines at pos end.
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

// AtEnd reports whether nothing can be read at pos: the input ends there, or is
// Broken.
func (w *Walk) AtEnd(pos int64) (bool, error) {
	b, err := w.Window.View(pos, 1)
	return len(b) == 0, err
}

// Has reports whether there are n bytes at off.
func (w *Walk) Has(off, n int64) (bool, error) {
	there, err := w.Holds(off, n)
	if !there || n == 0 || err != nil {
		return there, err
	}
	end, err := w.AtEnd(off + n - 1)
	return !end, err
}

// Unproven returns why the record that ends at end, with no other record after
// it, cannot be taken as whole: it lies in a damaged gzip member, so a wrong byte
// in it would not be noticed. It returns "" if the record does not.
//
// A member that the file's end cuts off gives right bytes up to the cut, and a
// damaged one may give wrong bytes up to the end of the file. The two look the
// same. A record with another one after it in the same member is taken: what
// follows damage in compressed data is noise, and has no record.
func (w *Walk) Unproven(end int64) (why string, err error) {
	// noiseMax bounds how far after a record its member's damage is looked for.
	// Noise seldom inflates that far before it contradicts itself.
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

// Damage makes the item of a damaged span that starts at pos, and returns where
// to go on: at the record that search finds behind pos, or at the next member
// that can be read. search returns where reads end if it finds none.
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
