package segment

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"slices"
)

// Mended counts the records of a db-file that was put together from two damaged
// copies.
type Mended struct {
	Records int // records in total
	Bad     int // records that are damaged in the first copy
	Lost    int // records that are damaged in both copies, and could not be restored
}

// Mend writes to dst a db-file of size bytes from its damaged copies a and b. Each
// record comes from the copy in which it is sound. If it is damaged in both, Mend
// combines the two. What is lost in both is written as a has it, with zeros for
// bytes that cannot be read. Mend holds two records in memory.
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

// endsMax is how many possible ends are tried for a record that is damaged in both
// copies. The data of a record may itself look like the beginning of another.
const endsMax = 4

// mendRecord combines two damaged copies of the record at an offset. If that fails,
// it returns what a has up to the next record.
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
		// Longer than any record: everything up to the next record is damaged.
		rec = readPart(a, at, min(end, at+recordBytesMax))
	}
	return rec, false, nil
}

// readPart reads a range, with zeros for bytes that cannot be read.
func readPart(f io.ReaderAt, from, to int64) []byte {
	b := make([]byte, to-from)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		clear(b[n:])
	}
	return b
}

// choicesMax bounds the number of places at which Choose decides between two
// copies. It tries all 2^choicesMax combinations.
const choicesMax = 12

// Choose combines two copies of the same length that are damaged in different
// places. At each place where they differ it tries the one and the other, until
// good reports true. It returns nil if no combination is good, or if there are too
// many places.
func Choose(a, b []byte, good func([]byte) bool) []byte {
	// A damaged range may contain bytes that are right by chance, so close
	// differences are taken together. But they may also be separate, one in each
	// copy.
	for _, gap := range []int{8, 1} {
		places := differences(a, b, gap)
		if len(places) > choicesMax {
			continue
		}
		out := slices.Clone(a)
		taken := [2][]byte{a, b}
		from := make([]int, len(places))
		// In the order of the Gray code, only one place changes at a time.
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

// differences returns the ranges where a and b differ, as offsets from and to.
// Differences less than gap bytes apart are one range.
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
