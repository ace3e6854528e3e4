package segment

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"slices"
)

// Mended tells how a db-file was put together from two damaged copies.
type Mended struct {
	Records int // that it has
	Bad     int // of these, damaged in the first copy
	Lost    int // of these, damaged in both, such that no choice between them is sound
}

// Mend writes to dst the db-file of size bytes of which a and b are damaged
// copies: record by record from where it is sound, and where it is damaged in
// both, from each what the other has lost. What is lost in both is written as a
// has it, zeros where that cannot be read. It holds two records in memory.
func Mend(ctx context.Context, dst io.Writer, a, b io.ReaderAt, size int64) (m Mended, err error) {
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		m.Records++
		rec, _, err := readRecord(a, at, size)
		if err != nil {
			m.Bad++
			rec, _, err = readRecord(b, at, size)
		}
		if err != nil {
			var sound bool
			if rec, sound, err = mendRecord(ctx, a, b, at, size); err != nil {
				return m, err
			}
			if !sound {
				m.Lost++
			}
		}
		if _, err := dst.Write(rec); err != nil {
			return m, err
		}
		at += int64(len(rec))
	}
	return m, nil
}

// endsMax is how many places are tried where a record may end of which both
// copies are damaged: a beginning of one may stand within its data.
const endsMax = 4

// mendRecord makes the record at an offset from two copies that are both
// damaged; or else gives what a has up to where the next one begins.
func mendRecord(ctx context.Context, a, b io.ReaderAt, at, size int64) (rec []byte, sound bool, err error) {
	end := at
	for range endsMax {
		next, err := nextRecord(ctx, a, end+1, size)
		if err != nil {
			return nil, false, err
		}
		other, err := nextRecord(ctx, b, end+1, size)
		if err != nil {
			return nil, false, err
		}
		end = min(next, other)
		if end-at > recordBytesMax {
			break
		}
		one, two := readPart(a, at, end), readPart(b, at, end)
		if rec == nil {
			rec = one
		}
		joined := Choose(one, two, func(b []byte) bool {
			_, _, err := parseHead(b)
			return err == nil
		})
		if joined != nil {
			return joined, true, nil
		}
		if end == size {
			break
		}
	}
	if rec == nil {
		// Longer than any record: all up to the next is damaged.
		rec = readPart(a, at, min(end, at+recordBytesMax))
	}
	return rec, false, nil
}

// readPart reads what can be read, and zeros for the rest.
func readPart(f io.ReaderAt, from, to int64) []byte {
	b := make([]byte, to-from)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		clear(b[n:])
	}
	return b
}

// choicesMax bounds the places at which Choose decides between two copies: it
// tries all 2^choicesMax ways.
const choicesMax = 12

// Choose makes, of two copies of the same length that are damaged in different
// places, one that is good: at each place where they differ it takes the one or
// the other. Nil if no choice is good, or there are too many.
func Choose(a, b []byte, good func([]byte) bool) []byte {
	// Damage of a stretch leaves bytes in it that are right by chance; but
	// places close to each other may as well be one in each copy.
	for _, gap := range []int{8, 1} {
		places := differences(a, b, gap)
		if len(places) > choicesMax {
			continue
		}
		out := slices.Clone(a)
		taken := [2][]byte{a, b}
		from := make([]int, len(places))
		// In the order of the Gray code one place changes at a time.
		for n := uint(0); n < 1<<len(places); n++ {
			if n > 0 {
				i := bits.TrailingZeros(n)
				from[i] = 1 - from[i]
				copy(out[places[i][0]:places[i][1]], taken[from[i]][places[i][0]:places[i][1]])
			}
			if good(out) {
				return out
			}
		}
	}
	return nil
}

// differences lists where a and b differ, as offsets from and to. Places less
// than gap bytes apart are one.
func differences(a, b []byte, gap int) (places [][2]int) {
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if n := len(places); n > 0 && i-places[n-1][1] < gap {
			places[n-1][1] = i + 1
		} else {
			places = append(places, [2]int{i, i + 1})
		}
	}
	return places
}
