package exec

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// captureColumns finds the columns that tell which captures to write; -1 for
// one that is not there.
func captureColumns(cols []value.Column) (url, at int) {
	find := func(name string, types ...value.Type) int {
		return slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == name && slices.Contains(types, c.Type) })
	}
	return find("url", value.URL, value.Text), find("time", value.Time)
}

// needCaptures says what is wrong with a query whose rows name no captures.
func needCaptures(st *ast.Export, format string, cols []value.Column) error {
	if url, at := captureColumns(cols); url >= 0 && at >= 0 {
		return nil
	}
	err := ast.Errorf(st.Query, "FORMAT %s writes captures, and needs the columns url and time", format)
	err.Hint = "write EXPORT (SELECT url, time FROM captures …) TO …"
	return err
}

// captureExport writes the captures that rows name by URL and time.
type captureExport struct {
	snap     op.Snapshot
	url, at  int // places of these columns
	out      captureWriter
	bodyless int64 // captures whose body the archive does not have
}

// writeCaptures writes the captures that rows name, and counts the rows.
func (s *Session) writeCaptures(ctx context.Context, f io.Writer, to exportTarget, rows *Result) (n int64, err error) {
	snap, release, err := s.pin(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	buf := bufio.NewWriterSize(f, 256<<10)
	out, err := captureWriters[to.format](ctx, captureTarget{to, buf, s.env().Now, s.runner(snap, nil)})
	if err != nil {
		return 0, fmt.Errorf("export to %s: %w", to.path, err)
	}
	defer out.Close()
	c := &captureExport{snap: snap, out: out}
	c.url, c.at = captureColumns(rows.Columns)
	for b, err := range rows.Rows {
		if err != nil {
			return n, err
		}
		if err := c.write(ctx, b); err != nil {
			return n, fmt.Errorf("export to %s: %w", to.path, err)
		}
		n += int64(b.N)
	}
	if c.bodyless > 0 {
		rows.Notes = append(rows.Notes, "no body in the archive for "+value.Counted(c.bodyless, "capture")+": what is written there names originals that are elsewhere")
	}
	err = out.Finish()
	if err == nil {
		err = buf.Flush()
	}
	if err != nil {
		return n, fmt.Errorf("export to %s: %w", to.path, err)
	}
	return n, nil
}

// visit names captures: those of one URL at one moment.
type visit struct {
	key  string
	time record.Time
}

func (v visit) compare(w visit) int {
	return cmp.Or(cmp.Compare(v.key, w.key), cmp.Compare(v.time, w.time))
}

// write writes the captures of a batch, in the order of the archive.
func (c *captureExport) write(ctx context.Context, b *value.Batch) error {
	visits, err := c.visits(b)
	if err != nil || len(visits) == 0 {
		return err
	}
	var ranges []urlkey.Range
	for i, v := range visits {
		if i == 0 || v.key != visits[i-1].key {
			ranges = append(ranges, urlkey.Range{From: v.key, To: v.key + "\x00"})
		}
	}
	found := make([]bool, len(visits))
	for rows, err := range c.snap.Scan(ctx, record.Scan{Ranges: ranges, From: record.MinTime, To: record.MaxTime + 1}) {
		if err != nil {
			return err
		}
		for i := range rows.N {
			n, ok := slices.BinarySearchFunc(visits, visit{rows.Key[i], rows.Time[i]}, visit.compare)
			if !ok {
				continue
			}
			found[n] = true
			if err := c.capture(ctx, rows.Ref[i]); err != nil {
				return err
			}
		}
	}
	if n := slices.Index(found, false); n >= 0 {
		return fmt.Errorf("no capture of %s at %s: url and time must be those of captures or versions",
			urlkey.URL(visits[n].key), visits[n].time.Std().Format(time.RFC3339Nano))
	}
	return nil
}

// visits lists what a batch names, sorted and each once.
func (c *captureExport) visits(b *value.Batch) ([]visit, error) {
	visits := make([]visit, 0, b.N)
	for i := range b.N {
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
