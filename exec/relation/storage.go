package relation

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
)

// pools yields one row per pool.
func (r *Reader) pools(ctx context.Context, n *Request) value.Rows {
	return render(n, poolFills, poolShape, listed(ctx, r.Snapshot.Pools))
}

// files yields one row per file.
func (r *Reader) files(ctx context.Context, n *Request) value.Rows {
	return render(n, fileFills, fileShape, listed(ctx, r.Snapshot.Files))
}

// periodShape makes one row of each period in a batch.
var periodShape = shape[[]value.Period]{rows: func(list []value.Period) int { return len(list) }}

// periodFills returns the functions that compute the columns of periods(unit),
// by name.
func periodFills(n *Request) fills[[]value.Period] {
	return fills[[]value.Period]{
		"period": textOf(value.Text, func(p *value.Period) string { return value.PeriodName(n.Unit, *p, n.Choice.Zone) }),
		"time":   timeOf(func(p *value.Period) record.Time { return p.From }),
		"next":   timeOf(func(p *value.Period) record.Time { return p.To }),
	}
}

// listed yields in one batch everything that f returns: an archive has few
// pools and files.
func listed[T any](ctx context.Context, f func(context.Context) ([]T, error)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		list, err := f(ctx)
		if err != nil || len(list) > 0 {
			yield(list, err)
		}
	}
}

// poolShape makes one row of each pool in a batch.
var poolShape = shape[[]record.Pool]{rows: func(list []record.Pool) int { return len(list) }}

// poolFills has the functions that compute the columns of the relation pools,
// by name.
var poolFills = fills[[]record.Pool]{
	"name":         textOf(value.Text, func(p *record.Pool) string { return p.Name }),
	"kind":         textOf(value.Text, func(p *record.Pool) string { return record.PoolKind(p.Static) }),
	"first_time":   timeOf(func(p *record.Pool) record.Time { return p.First }),
	"last_time":    timeOf(func(p *record.Pool) record.Time { return p.Last }),
	"urls":         intOf(func(p *record.Pool) int64 { return p.URLs }),
	"captures":     intOf(func(p *record.Pool) int64 { return p.Captures }),
	"versions":     intOf(func(p *record.Pool) int64 { return p.Versions }),
	"blocks":       intOf(func(p *record.Pool) int64 { return p.Blocks }),
	"bytes":        intOf(func(p *record.Pool) int64 { return p.Bytes }),
	"stored_bytes": intOf(func(p *record.Pool) int64 { return p.StoredBytes }),
	"first_url":    textOf(value.URL, func(p *record.Pool) string { return p.FirstURL }),
	"last_url":     textOf(value.URL, func(p *record.Pool) string { return p.LastURL }),
	"depends":      textOf(value.Text, func(p *record.Pool) string { return strings.Join(p.Depends, " ") }),
	"dependents":   textOf(value.Text, func(p *record.Pool) string { return strings.Join(p.Dependents, " ") }),
}

// fileShape makes one row of each file in a batch.
var fileShape = shape[[]record.File]{rows: func(list []record.File) int { return len(list) }}

// fileFills has the functions that compute the columns of the relation files,
// by name.
var fileFills = fills[[]record.File]{
	"file":     textOf(value.Text, func(f *record.File) string { return f.Name }),
	"pool":     textOf(value.Text, func(f *record.File) string { return f.Pool }),
	"segments": intOf(func(f *record.File) int64 { return int64(f.Segments) }),
	"sorted": func(v *value.Vector, list []record.File) {
		v.Resize(value.Bool, len(list))
		for i := range list {
			v.Bools[i] = list[i].Sorted
		}
	},
	"bytes": intOf(func(f *record.File) int64 { return f.Bytes }),
	"crc":   textOf(value.Text, func(f *record.File) string { return fmt.Sprintf("%08x", f.CRC) }),
}

// tombstones yields one row per DELETE or DROP POOL.
func (r *Reader) tombstones(ctx context.Context, n *Request) value.Rows {
	return render(n, tombstoneFills, tombstoneShape, listed(ctx, r.Snapshot.Tombstones))
}

// tombstoneShape makes one row of each tombstone in a batch.
var tombstoneShape = shape[[]task.Tombstone]{rows: func(list []task.Tombstone) int { return len(list) }}

// tombstoneFills has the functions that compute the columns of the relation
// tombstones, by name.
var tombstoneFills = fills[[]task.Tombstone]{
	"time": timeOf(func(t *task.Tombstone) record.Time { return t.Time }),
	"kind": textOf(value.Text, func(t *task.Tombstone) string {
		if t.Drop {
			return "drop"
		}
		return "delete"
	}),
	"captures": intOf(func(t *task.Tombstone) int64 { return t.Captures }),
	"pools":    textOf(value.Text, func(t *task.Tombstone) string { return strings.Join(t.Pools, " ") }),
	"reason":   textOf(value.Text, func(t *task.Tombstone) string { return t.Reason }),
	"state": textOf(value.Text, func(t *task.Tombstone) string {
		if t.Hidden {
			return "hidden"
		}
		return "gone"
	}),
}
