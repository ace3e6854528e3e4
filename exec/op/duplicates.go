package op

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Duplicate is one of a group of pages or blocks that are nearly the same.
type Duplicate struct {
	URL            string
	Time           record.Time
	Block          string // path, "" for a page
	Group          int64
	Method         string
	Distance       int
	Similarity     float64
	Containment    float64
	Representative bool
}

// Row makes a row to keep. Its key orders duplicates by URL, time and block.
func (d *Duplicate) Row() record.ResultRow {
	key := append([]byte(urlkey.Key(d.URL)), 0)
	key = binary.BigEndian.AppendUint64(key, uint64(d.Time)^1<<63)
	key = append(key, d.Block...)
	val := binary.AppendUvarint(nil, uint64(d.Group))
	val = binary.AppendUvarint(val, uint64(d.Distance))
	val = binary.LittleEndian.AppendUint64(val, math.Float64bits(d.Similarity))
	val = binary.LittleEndian.AppendUint64(val, math.Float64bits(d.Containment))
	val = append(val, 0)
	if d.Representative {
		val[len(val)-1] = 1
	}
	return record.ResultRow{Key: key, Value: append(val, d.Method...)}
}

// errDuplicate is what a row is that Row did not make.
var errDuplicate = errors.New("a row of duplicates is none that a program wrote")

// parseDuplicate is the inverse of Row.
func parseDuplicate(r record.ResultRow) (d Duplicate, err error) {
	at := 0
	for at < len(r.Key) && r.Key[at] != 0 {
		at++
	}
	if len(r.Key) < at+9 {
		return d, errDuplicate
	}
	d.URL = urlkey.URL(string(r.Key[:at]))
	d.Time = record.Time(binary.BigEndian.Uint64(r.Key[at+1:]) ^ 1<<63)
	d.Block = string(r.Key[at+9:])
	group, n := binary.Uvarint(r.Value)
	if n <= 0 {
		return d, errDuplicate
	}
	distance, m := binary.Uvarint(r.Value[n:])
	rest := r.Value[n+max(m, 0):]
	if m <= 0 || len(rest) < 17 {
		return d, errDuplicate
	}
	d.Group, d.Distance = int64(group), int(distance)
	d.Similarity = math.Float64frombits(binary.LittleEndian.Uint64(rest))
	d.Containment = math.Float64frombits(binary.LittleEndian.Uint64(rest[8:]))
	d.Representative, d.Method = rest[16] == 1, string(rest[17:])
	return d, nil
}

// duplicateRow is a duplicate and when it was found.
type duplicateRow struct {
	Duplicate
	computed record.Time
}

// duplicates yields a row a duplicate, what was computed first first, in order of
// URL.
func (r *Runner) duplicates(ctx context.Context, n *plan.Source) Rows {
	return render(n, duplicateFills, duplicateShape, paged(r.duplicateRows(ctx, n)))
}

func (r *Runner) duplicateRows(ctx context.Context, n *plan.Source) iter.Seq2[*duplicateRow, error] {
	return func(yield func(*duplicateRow, error) bool) {
		results, err := r.Snapshot.Results(ctx, record.ResultDuplicates)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range results {
			for row, err := range r.Snapshot.ResultRows(ctx, results[i], n.Ranges) {
				d := duplicateRow{computed: results[i].Computed}
				if err == nil {
					d.Duplicate, err = parseDuplicate(row)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if d.Time < n.Window.From || d.Time >= n.Window.To || n.Match != nil && !n.Match(urlkey.Key(d.URL)) {
					continue
				}
				if !yield(&d, nil) {
					return
				}
			}
		}
	}
}

var duplicateShape = shape[[]duplicateRow]{rows: func(list []duplicateRow) int { return len(list) }}

// duplicateFills computes the columns of duplicates.
var duplicateFills = fills[[]duplicateRow]{
	"group_id":       intOf(func(d *duplicateRow) int64 { return d.Group }),
	"url":            textOf(value.URL, func(d *duplicateRow) string { return d.URL }),
	"time":           timeOf(func(d *duplicateRow) record.Time { return d.Time }),
	"block":          textOf(value.Text, func(d *duplicateRow) string { return d.Block }),
	"method":         textOf(value.Text, func(d *duplicateRow) string { return d.Method }),
	"distance":       intOf(func(d *duplicateRow) int64 { return int64(d.Distance) }),
	"similarity":     floatOf(func(d *duplicateRow) float64 { return d.Similarity }),
	"containment":    floatOf(func(d *duplicateRow) float64 { return d.Containment }),
	"representative": boolOf(func(d *duplicateRow) bool { return d.Representative }),
	"computed":       timeOf(func(d *duplicateRow) record.Time { return d.computed }),
}
