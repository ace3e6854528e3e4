package lake

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"infomall/exec/rowio"
	"infomall/exec/value"
)

// fileBytes and fileRows are where a part ends. The next rows of the partition go to the next
// part. The size in bytes is tested after every stepRows rows of the part, and not after each
// batch of rows, so that equal rows give equal parts.
const (
	fileBytes = 256 << 20
	fileRows  = 8 << 20
	stepRows  = 1024
)

// filtered are the names of columns that get a bloom filter: those by which single captures
// are looked up.
var filtered = []string{"url", "digest", "content_digest"}

// Options say what to write where.
type Options struct {
	Place  Place
	Name   string // of the place, for messages
	Origin Origin
	// Columns are all columns of the rows. Files has the indexes of the columns that the files
	// have, and By the indexes of the columns of PARTITION BY. The rows must be sorted by the
	// columns By. The rows of a partition must be sorted by the columns that SortedBy names; if
	// it is empty, they may have any order.
	Columns  []value.Column
	Files    []int
	By       []int
	SortedBy []string
	Zone     *time.Location // in which the names of folders have times
	// Temp returns a new temporary file, which its closing removes.
	Temp func() (*os.File, error)
	// Report, if not nil, is called with the number of rows written.
	Report func(done, total int64)
	// FileRows is where a part ends, in rows. 0 means 8 million.
	FileRows int64
}

// Result says how large a data set is, and what a run has changed.
type Result struct {
	Files   int   // parts of the data set
	Rows    int64 // in them
	Bytes   int64 // of them
	Written int   // parts that were written, because they are new or have changed
	Removed int   // files that were removed, because the data set no longer has them
}

// Write writes the rows as a data set to o.Place. The files that are there already and have the
// same content are not written again. If the place has the data set of another statement, or
// files that are none of a data set, Write changes nothing and returns an error.
func Write(ctx context.Context, o Options, rows value.Rows) (Result, error) {
	w := &writer{Options: o, there: make(map[string]int64), parts: make(map[string]Part), shown: make(map[string]Part)}
	if w.FileRows == 0 {
		w.FileRows = fileRows
	}
	if err := w.begin(ctx); err != nil {
		return Result{}, fmt.Errorf("export to %s: %w", o.Name, err)
	}
	defer w.abandon()
	for b, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Result{}, err
		}
		if err := w.batch(ctx, b); err != nil {
			return Result{}, fmt.Errorf("export to %s: %w", o.Name, err)
		}
	}
	if err := w.end(ctx); err != nil {
		return Result{}, fmt.Errorf("export to %s: %w", o.Name, err)
	}
	return w.result, nil
}

// writer writes one data set.
type writer struct {
	Options
	manifest Manifest
	there    map[string]int64 // the sizes of the files of the place, when the run began
	shown    map[string]Part  // parts in the manifest now: those of the last run, and the new ones in their place
	parts    map[string]Part  // parts of this run
	saved    int              // how many parts of this run the manifest has
	killed   bool             // the last run did not end
	result   Result

	folder string // of the current partition; "" or ends with /
	number int    // of the current part in its partition
	file   *os.File
	out    *counted
	rows   rowio.Writer
	n      int64           // rows of the current part
	pool   int             // the index of the column pool in the rows, or -1
	pools  map[string]bool // of the current part
}

// counted counts and hashes what is written to w.
type counted struct {
	w    io.Writer
	n    int64
	hash hash.Hash
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	c.hash.Write(b[:n])
	return n, err
}

// begin reads what the place has, and says in its manifest that a run has begun.
func (w *writer) begin(ctx context.Context) error {
	old, err := readManifest(ctx, w.Place)
	if err != nil {
		return err
	}
	w.manifest = Manifest{Format: manifestFormat, Run: rand.Text(), Origin: w.Origin, SortedBy: w.SortedBy, PartitionBy: []string{}}
	for _, i := range w.By {
		w.manifest.PartitionBy = append(w.manifest.PartitionBy, w.Columns[i].Name)
	}
	for _, i := range w.Files {
		c := w.Columns[i]
		w.manifest.Columns = append(w.manifest.Columns, Column{c.Name, c.Type.String()})
	}
	w.pool = slices.IndexFunc(w.Columns, func(c value.Column) bool { return c.Name == "pool" && c.Type == value.Text })
	for f, err := range w.Place.List(ctx) {
		if err != nil {
			return err
		}
		if old == nil {
			return fmt.Errorf("there are files, such as %s, and no %s; write to an empty folder", f.Name, ManifestName)
		}
		w.there[f.Name] = f.Size
		if len(w.there) > 10*filesMax {
			return fmt.Errorf("there are more than %d files; write to an empty folder", 10*filesMax)
		}
	}
	if old != nil {
		if old.Statement != w.Origin.Statement || !maps.Equal(old.Parameters, w.Origin.Parameters) {
			return fmt.Errorf("there is the data set of another statement, which %s names; write to another folder, or remove all of this one", ManifestName)
		}
		w.killed = !old.Complete
		for _, p := range old.Files {
			if w.there[p.Path] == p.Bytes {
				w.shown[p.Path] = p
			}
		}
	}
	return w.manifest.write(ctx, w.Place, w.shown)
}

// batch writes the rows of b.
func (w *writer) batch(ctx context.Context, b *value.Batch) error {
	for from := 0; from < b.N; {
		folder, err := w.folderOf(b, from)
		if err != nil {
			return err
		}
		to := from + 1
		for to < b.N && w.same(b, to) {
			to++
		}
		if w.rows != nil && folder != w.folder {
			if err := w.finish(ctx); err != nil {
				return err
			}
		}
		if folder != w.folder {
			w.folder, w.number = folder, 0
		}
		for from < to {
			if w.rows == nil {
				if err := w.open(); err != nil {
					return err
				}
			}
			n := int(min(int64(to-from), w.FileRows-w.n, stepRows-w.n%stepRows))
			if err := w.write(b, from, from+n); err != nil {
				return err
			}
			if from += n; w.n >= w.FileRows || w.n%stepRows == 0 && w.out.n >= fileBytes {
				if err := w.finish(ctx); err != nil {
					return err
				}
				w.number++
			}
		}
	}
	return nil
}

// same reports whether row i of b is in the same partition as the row before it.
func (w *writer) same(b *value.Batch, i int) bool {
	for _, c := range w.By {
		if !b.Cols[c].Same(i, i-1) {
			return false
		}
	}
	return true
}

// folderOf returns the folder of the partition that row i of b is in, with a / at its end.
func (w *writer) folderOf(b *value.Batch, i int) (string, error) {
	var path strings.Builder
	for _, c := range w.By {
		name, err := segment(w.Columns[c].Name, b.Cols[c].At(i), w.Zone)
		if err != nil {
			return "", err
		}
		path.WriteString(name + "/")
	}
	return path.String(), nil
}

// path returns the path of the current part.
func (w *writer) path() string { return fmt.Sprintf("%spart-%d.parquet", w.folder, w.number) }

// open begins a part, in a temporary file.
func (w *writer) open() (err error) {
	if _, twice := w.parts[w.path()]; twice {
		// Two values of PARTITION BY that differ have the same text, such as two times at
		// midnight when the clocks were set back.
		return fmt.Errorf("the values of PARTITION BY do not tell partitions apart: two are %s", w.folder)
	}
	if len(w.parts) >= filesMax {
		return fmt.Errorf("PARTITION BY makes more than %d files; name columns with fewer values, such as a month in place of a day", filesMax)
	}
	if w.file, err = w.Temp(); err != nil {
		return err
	}
	w.out = &counted{w: w.file, hash: sha256.New()}
	cols := make([]value.Column, len(w.Files))
	for n, i := range w.Files {
		cols[n] = w.Columns[i]
	}
	w.n, w.pools = 0, make(map[string]bool)
	w.rows = rowio.NewParquet(w.out, rowio.ParquetOptions{Filtered: filtered, Sorted: w.SortedBy})
	return w.rows.Begin(cols)
}

// write writes the rows from to to-1 of b to the current part.
func (w *writer) write(b *value.Batch, from, to int) error {
	all := b.Slice(from, to)
	part := &value.Batch{N: all.N, Cols: make([]*value.Vector, len(w.Files))}
	for n, i := range w.Files {
		part.Cols[n] = all.Cols[i]
	}
	if w.pool >= 0 {
		for i, v := 0, all.Cols[w.pool]; i < all.N; i++ {
			if !v.IsNull(i) && (i == 0 || !v.Same(i, i-1)) {
				w.pools[strings.Clone(v.Texts[i])] = true
			}
		}
	}
	w.n += int64(all.N)
	w.result.Rows += int64(all.N)
	if w.Report != nil {
		w.Report(w.result.Rows, 0)
	}
	return w.rows.Write(part)
}

// finish ends the current part, and writes it to the place if the place does not have it.
func (w *writer) finish(ctx context.Context) error {
	defer w.abandon()
	if err := w.rows.End(); err != nil {
		return err
	}
	p := Part{Path: w.path(), Rows: w.n, Bytes: w.out.n, SHA256: hex.EncodeToString(w.out.hash.Sum(nil)), State: w.Origin.State}
	p.Pools = slices.Sorted(maps.Keys(w.pools))
	old, ok := w.shown[p.Path]
	same := ok && old.SHA256 == p.SHA256
	if same && w.killed {
		// The run may have been killed between the writing of the part and of the manifest.
		sum := sha256.New()
		for b, err := range contents(ctx, w.Place, p.Path) {
			if err != nil {
				return err
			}
			sum.Write(b)
		}
		same = hex.EncodeToString(sum.Sum(nil)) == p.SHA256
	}
	if same {
		p.State = old.State
	} else {
		if err := w.Place.Write(ctx, p.Path, w.file, p.Bytes); err != nil {
			return err
		}
		w.result.Written++
	}
	w.parts[p.Path], w.shown[p.Path] = p, p
	w.result.Files, w.result.Bytes = len(w.parts), w.result.Bytes+p.Bytes
	// Each time the manifest is written its size is a fraction of what was written since.
	if len(w.parts) >= w.saved+w.saved/4+64 {
		w.saved = len(w.parts)
		return w.manifest.write(ctx, w.Place, w.shown)
	}
	return nil
}

// abandon forgets the current part.
func (w *writer) abandon() {
	if w.file != nil {
		w.file.Close() // the file has no name any more
	}
	w.file, w.rows = nil, nil
}

// end ends the last part, removes what the data set no longer has, and writes the manifest
// that says that the data set is complete.
func (w *writer) end(ctx context.Context) error {
	if w.rows != nil {
		if err := w.finish(ctx); err != nil {
			return err
		}
	}
	now, err := readManifest(ctx, w.Place)
	if err != nil {
		return err
	}
	if now == nil || now.Run != w.manifest.Run {
		return fmt.Errorf("another EXPORT writes there, too; run one at a time")
	}
	var gone []string
	for f, err := range w.Place.List(ctx) {
		if err != nil {
			return err
		}
		if _, is := w.parts[f.Name]; !is && ours(f.Name, w.manifest.PartitionBy) {
			gone = append(gone, f.Name)
		}
	}
	for _, name := range gone {
		if err := w.Place.Remove(ctx, name); err != nil {
			return err
		}
	}
	w.result.Removed = len(gone)
	w.manifest.Complete = true
	return w.manifest.write(ctx, w.Place, w.parts)
}
