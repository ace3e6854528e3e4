package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/wholefile"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// captureColumns returns the indexes of the columns url and time in cols. Their
// values name the captures to write. The index of a missing column is -1.
func captureColumns(cols []value.Column) (url, at int) {
	find := func(name string, types ...value.Type) int {
		return slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == name && slices.Contains(types, c.Type) })
	}
	return find("url", value.URL, value.Text), find("time", value.Time)
}

// needCaptures returns an error if a query has no columns url and time, so that
// its rows cannot name captures. format is the name of the export's format, for
// the message.
func needCaptures(st *ast.Export, format string, cols []value.Column) error {
	if url, at := captureColumns(cols); url >= 0 && at >= 0 {
		return nil
	}
	err := ast.Errorf(st.Query, "FORMAT %s writes captures, and needs the columns url and time", format)
	err.Hint = "write EXPORT (SELECT url, time FROM captures …) TO …"
	return err
}

// captureExport writes the captures that the rows of a query name by URL and
// time.
type captureExport struct {
	snap     relation.Snapshot
	url, at  int // the indexes of the columns url and time
	out      captureWriter
	added    record.Time // only captures that were added at this time are written; 0 means all
	bodyless int64       // captures whose body the archive does not have

	// The scan of the last batch stays open: captures of its last URL often go on in the
	// next batch, and a scan decodes all captures of a URL.
	next func() (*record.Batch, error, bool) // returns the next batch of the scan; nil before the first scan
	stop func()
	rows *record.Batch // the current batch of the scan; nil at the end
	row  int           // the index in rows of the next row
	last visit         // the last visit of which all captures were written
}

// writeCaptures writes the captures that the rows name to f, in the format of
// the statement, and returns how many rows there were. It adds a note to rows
// if the archive does not have the body of a capture.
func (e *export) writeCaptures(ctx context.Context, f io.Writer, rows *session.Result) (n int64, err error) {
	s, to := e.s, e.to
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	snap = relation.KnownAt(snap, e.known())
	buf := bufio.NewWriterSize(f, 256<<10)
	out, err := to.format.captures(ctx, captureTarget{to, buf, s.Env().Now, s.Runner(snap, "export")})
	if err != nil {
		return 0, wholefile.Fault(to.path, err)
	}
	defer out.Close()
	c := &captureExport{snap: snap, out: out, stop: func() {}}
	defer func() { c.stop() }()
	c.url, c.at = captureColumns(rows.Columns)
	for b, err := range rows.Rows {
		if err != nil {
			return n, err
		}
		visits, err := c.visits(b, 0, b.N)
		if err == nil {
			err = c.write(ctx, visits)
		}
		if err != nil {
			return n, wholefile.Fault(to.path, err)
		}
		n += int64(b.N)
	}
	if c.bodyless > 0 {
		rows.Notes = append(rows.Notes, bodylessNote(c.bodyless))
	}
	err = out.Finish()
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		return n, wholefile.Fault(to.path, err)
	}
	return n, nil
}

// bodylessNote returns the note on n captures whose body the archive does not have.
func bodylessNote(n int64) string {
	return "no body in the archive for " + value.Counted(n, "capture") + ": their records name originals that are not in the file"
}

// known returns the time of KNOWN AT if all sources of the query have the same. Otherwise it
// returns 0. The captures are written as they were known at that time.
func (e *export) known() record.Time {
	sources := plan.Sources(e.node)
	for _, n := range sources {
		if n.Known != sources[0].Known {
			return 0
		}
	}
	if len(sources) == 0 {
		return 0
	}
	return sources[0].Known
}

// visit identifies the captures of one URL at one time. The URL is given by its sort key.
type visit struct {
	key  string
	time record.Time
}

// compare returns a negative number if v sorts before w, 0 if they are equal,
// and otherwise a positive number. Visits sort by key, then by time.
func (v visit) compare(w visit) int {
	return cmp.Or(cmp.Compare(v.key, w.key), cmp.Compare(v.time, w.time))
}

// write writes the captures of the given visits, which c.visits returned, in the order of
// the archive. It scans the archive for these captures. If the scan of the previous call has
// not passed them, write continues that scan.
func (c *captureExport) write(ctx context.Context, visits []visit) error {
	if c.next != nil && len(visits) > 0 && visits[0] == c.last {
		visits = visits[1:] // the batch before ended within these captures
	}
	goOn := 0 // how many of the visits come next in the last scan
	for c.next != nil && goOn < len(visits) && visits[goOn].key == c.last.key && visits[0].time > c.last.time {
		goOn++
	}
	if err := c.take(ctx, visits[:goOn]); err != nil {
		return err
	}
	visits = visits[goOn:]
	if len(visits) == 0 {
		return nil
	}
	var ranges []urlkey.Range
	for i, v := range visits {
		if i == 0 || v.key != visits[i-1].key {
			ranges = append(ranges, urlkey.Range{From: v.key, To: v.key + "\x00"})
		}
	}
	c.stop()
	scan := record.Scan{Ranges: ranges, From: record.MinTime, To: record.MaxTime + 1}
	if c.added != 0 {
		scan.Columns = record.ColAdded
	}
	c.next, c.stop = iter.Pull2(c.snap.Scan(ctx, scan))
	c.rows, c.row = new(record.Batch), 0
	return c.take(ctx, visits)
}

// take writes the captures of the given visits, which are sorted and come next
// in the current scan. A visit without captures is an error.
func (c *captureExport) take(ctx context.Context, visits []visit) error {
	for _, v := range visits {
		found := false
		for {
			now, more, err := c.peek()
			if err != nil {
				return err
			}
			order := now.compare(v)
			if !more || order > 0 {
				break
			}
			if order == 0 && (c.added == 0 || c.rows.Added[c.row] == c.added) {
				found = true
				if err := c.capture(ctx, c.rows.Ref[c.row]); err != nil {
					return err
				}
			}
			c.row++
		}
		if !found {
			return fmt.Errorf("no capture of %s at %s: url and time must be those of captures or versions",
				urlkey.URL(v.key), v.time.Std().Format(time.RFC3339Nano))
		}
		c.last = v
	}
	return nil
}

// peek returns the URL key and time of the next row of the scan. more is false
// at the end of the scan.
func (c *captureExport) peek() (v visit, more bool, err error) {
	for c.rows != nil && c.row >= c.rows.N {
		var ok bool
		if c.rows, err, ok = c.next(); err != nil {
			return v, false, err
		}
		if c.row = 0; !ok {
			c.rows = nil
		}
	}
	if c.rows == nil {
		return v, false, nil
	}
	return visit{c.rows.Key[c.row], c.rows.Time[c.row]}, true, nil
}

// visits returns the visits that the rows from to to-1 of the batch b name, sorted and
// without repetitions. A row without url or time is an error.
func (c *captureExport) visits(b *value.Batch, from, to int) ([]visit, error) {
	visits := make([]visit, 0, to-from)
	for i := from; i < to; i++ {
		url, at := b.Cols[c.url].At(i), b.Cols[c.at].At(i)
		if url.IsNull() || at.IsNull() {
			return nil, fmt.Errorf("a row has no url or no time: url and time must be those of captures or versions")
		}
		canonical, err := urlkey.Canonical(url.Text)
		if err != nil {
			return nil, fmt.Errorf("export %q: %w", url.Text, err)
		}
		visits = append(visits, visit{urlkey.Key(canonical), record.Time(at.Int)})
	}
	slices.SortFunc(visits, visit.compare)
	return slices.Compact(visits), nil
}

// capture writes one capture to the file. ref says where the archive has the record of the
// capture.
func (c *captureExport) capture(ctx context.Context, ref record.Ref) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := c.snap.Stored(ctx, ref)
	if err != nil {
		return err
	}
	if s.NoBody != "" {
		c.bodyless++
	}
	return c.out.Write(&s)
}
