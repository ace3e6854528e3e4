package cdx

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/relation"
	"infomall/repl/serve/lookup"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Line is a line of an answer before it is written.
type Line struct {
	Key    string // sort key of the URL
	URL    string // canonical
	Time   record.Time
	values map[string]string // by the names of fields
}

// needed returns the fields whose values the query uses, and the columns of a scan
// that they need.
func (q *Query) needed() (fields []string, columns record.Columns) {
	fields = slices.Clone(q.fields)
	for _, f := range q.filters {
		fields = append(fields, f.field)
	}
	for _, c := range q.collapse {
		fields = append(fields, c.field)
	}
	if q.dupeCount {
		fields = append(fields, "urlkey", "digest")
	}
	if q.output == "cdxj" {
		fields = append(fields, "urlkey", "timestamp")
	}
	if q.lastSkip {
		fields = append(fields, "timestamp")
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	for _, name := range fields {
		if f := fieldNamed(name); f != nil {
			columns |= f.needs
		}
	}
	return fields, columns
}

// Lines yields the lines of the answer in their order, with filters, collapse and
// limits applied.
func (q *Query) Lines(ctx context.Context, snap relation.Snapshot) iter.Seq2[*Line, error] {
	rows := q.collapsed(q.filtered(q.scanned(ctx, snap)))
	switch {
	case q.closest != record.NoTime:
		rows = q.sorted(rows, q.compareDistances)
	case q.reverse:
		rows = q.sorted(rows, nil)
	}
	if q.limit < 0 {
		rows = lastRows(rows, -q.limit)
	}
	from, n := q.offset, q.limit
	if q.page >= 0 {
		from += q.page * q.pageSize
		if n <= 0 || n > q.pageSize {
			n = q.pageSize
		}
	}
	return window(rows, from, max(n, 0))
}

// scanned yields a row for each capture in the ranges and times of q. The rows of an
// exact match are sorted by time, those of other matches by URL and time.
func (q *Query) scanned(ctx context.Context, snap relation.Snapshot) iter.Seq2[*Line, error] {
	fields, columns := q.needed()
	ranges := q.ranges
	exact := q.matchType == "exact"
	if q.resume != nil && !exact {
		ranges = after(ranges, q.resume.key)
	}
	scan := record.Scan{Ranges: ranges, From: q.from, To: q.to, Columns: columns}
	return func(yield func(*Line, error) bool) {
		var held []*Line // of an exact match, until they can be sorted
		var before place // where the answer before ended
		if q.resume != nil {
			before = *q.resume
		}
		// send yields the rows that no answer before had.
		send := func(rows ...*Line) bool {
			for _, row := range rows {
				if (q.resume == nil || !before.had(row, exact)) && !yield(row, nil) {
					return false
				}
			}
			return true
		}
		for b, err := range snap.Scan(ctx, scan) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				row := &Line{Key: b.Key[i], URL: b.URLs()[i], Time: b.Time[i], values: make(map[string]string, len(fields))}
				for _, name := range fields {
					if f := fieldNamed(name); f != nil {
						row.values[name] = f.value(b, i, q.resolve)
					}
				}
				if exact && len(held) < memoryMax {
					held = append(held, row)
					continue
				}
				if !send(held...) {
					return
				}
				held, exact = nil, false // too many to sort: they stay in the order of URLs
				if !send(row) {
					return
				}
			}
		}
		slices.SortStableFunc(held, compareTimes)
		send(held...)
	}
}

// compareTimes compares two lines by time, and at the same time by URL.
func compareTimes(a, b *Line) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(a.Key, b.Key))
}

// compareDistances compares two lines by the distance of their times from q.closest.
func (q *Query) compareDistances(a, b *Line) int {
	return cmp.Compare(lookup.Distance(a.Time, q.closest), lookup.Distance(b.Time, q.closest))
}

// after returns the parts of ranges that begin at key or after it.
func after(ranges []urlkey.Range, key string) []urlkey.Range {
	rest := []urlkey.Range{}
	for _, r := range ranges {
		if r.To != "" && r.To <= key {
			continue
		}
		if r.Contains(key) {
			r.From = key
		}
		rest = append(rest, r)
	}
	return rest
}

// filtered yields the rows that all filters accept.
func (q *Query) filtered(rows iter.Seq2[*Line, error]) iter.Seq2[*Line, error] {
	if len(q.filters) == 0 {
		return rows
	}
	return func(yield func(*Line, error) bool) {
		for row, err := range rows {
			if err == nil && slices.ContainsFunc(q.filters, func(f filter) bool { return !f.accepts(row.values[f.field]) }) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// collapsed yields the rows, but leaves out a row if its collapse fields are equal to those of
// the row before. In each row that it yields, it sets two counts: how many rows were left out
// after the row, and how many earlier captures of its URL have the same digest.
func (q *Query) collapsed(rows iter.Seq2[*Line, error]) iter.Seq2[*Line, error] {
	if len(q.collapse) == 0 && !q.dupeCount && !q.skipCount && !q.lastSkip {
		return rows
	}
	return func(yield func(*Line, error) bool) {
		var held *Line
		var state, digest string
		skipped, dupes := 0, 0
		flush := func() bool {
			if held == nil {
				return true
			}
			held.values["skipcount"] = strconv.Itoa(skipped)
			return yield(held, nil)
		}
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if d := row.values["urlkey"] + " " + row.values["digest"]; d == digest {
				dupes++
			} else {
				digest, dupes = d, 0
			}
			row.values["dupecount"], row.values["endtimestamp"] = strconv.Itoa(dupes), row.values["timestamp"]
			if key := q.collapseKey(row); len(q.collapse) > 0 && held != nil && key == state {
				skipped++
				held.values["endtimestamp"] = row.values["timestamp"]
				continue
			} else {
				state = key
			}
			if !flush() {
				return
			}
			held, skipped = row, 0
		}
		flush()
	}
}

// collapseKey returns the values of a row that collapse compares with those of the next row, as
// one text.
func (q *Query) collapseKey(row *Line) string {
	var b strings.Builder
	for _, c := range q.collapse {
		v := row.values[c.field]
		if c.n > 0 {
			v = v[:min(c.n, len(v))]
		}
		b.WriteString(v)
		b.WriteByte(0)
	}
	return b.String()
}

// sorted yields the rows sorted by compare, or in reverse order if compare is nil.
// It holds the rows in memory. With a limit, it drops rows that cannot be among the
// first. Without a limit, too many rows are an error.
func (q *Query) sorted(rows iter.Seq2[*Line, error], compare func(a, b *Line) int) iter.Seq2[*Line, error] {
	keep := int64(memoryMax)
	if q.limit > 0 && q.page < 0 {
		keep = min(keep, q.offset+q.limit)
	}
	return func(yield func(*Line, error) bool) {
		var held []*Line
		dropped := false
		trim := func() {
			if compare == nil {
				if n := int64(len(held)); n > keep {
					held = slices.Delete(held, 0, int(n-keep))
				}
				return
			}
			slices.SortStableFunc(held, compare)
			held = held[:min(int64(len(held)), keep)]
		}
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			held = append(held, row)
			if int64(len(held)) >= 2*keep {
				trim()
				dropped = true
			}
		}
		dropped = dropped || int64(len(held)) > keep
		trim()
		if dropped && (q.limit <= 0 || q.page >= 0) {
			yield(nil, badf("more than %d lines cannot be sorted; give limit=N, or a shorter time by from and to", memoryMax))
			return
		}
		if compare == nil {
			slices.Reverse(held)
		}
		for _, row := range held {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// lastRows yields the last n rows.
func lastRows(rows iter.Seq2[*Line, error], n int64) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		var ring []*Line
		at := int64(0)
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if int64(len(ring)) < n {
				ring = append(ring, row)
			} else {
				ring[at%n] = row
			}
			at++
		}
		for i := range ring {
			if !yield(ring[(at+int64(i))%int64(len(ring))], nil) {
				return
			}
		}
	}
}

// window skips the number of rows that from says, and yields the next n rows; if n is 0, all that
// follow.
func window(rows iter.Seq2[*Line, error], from, n int64) iter.Seq2[*Line, error] {
	return func(yield func(*Line, error) bool) {
		at := int64(0)
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			at++
			if at <= from {
				continue
			}
			if !yield(row, nil) || n > 0 && at >= from+n {
				return
			}
		}
	}
}

// Count returns how many lines the answer has if limits and pages are ignored, and into how many
// pages these lines are divided.
func (q *Query) Count(ctx context.Context, snap relation.Snapshot) (lines, pages int64, err error) {
	if len(q.filters) == 0 && len(q.collapse) == 0 {
		for b, err := range snap.Tally(ctx, record.Tally{Scan: record.Scan{Ranges: q.ranges, From: q.from, To: q.to}}) {
			if err != nil {
				return 0, 0, err
			}
			for _, n := range b.Count[:b.N] {
				lines += n
			}
		}
	} else {
		for _, err := range q.collapsed(q.filtered(q.scanned(ctx, snap))) {
			if err != nil {
				return 0, 0, err
			}
			lines++
		}
	}
	return lines, (lines + q.pageSize - 1) / q.pageSize, nil
}
