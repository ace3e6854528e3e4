package ingest

import (
	"context"
	"fmt"
	"iter"

	"infomall/store/formats"
	"infomall/store/record"
	"infomall/store/record/task"
)

// An import reads ahead: up to itemsAhead bundles of records wait to be stored. A bundle is
// complete when it has bundleItems records or bundleBytes bytes. A bundle therefore has many
// small records, but only few large ones, each of which may take megabytes of memory.
const (
	itemsAhead  = 4
	bundleItems = 256
	bundleBytes = 128 << 10
)

// bundle is a group of records. The goroutine that reads a file sends them together to the
// goroutine that stores them.
type bundle struct {
	items []record.Item
	bytes int // size of the heads and bodies of the records
}

// add adds a record, and reports whether the bundle is now complete.
func (b *bundle) add(it record.Item) (full bool) {
	if b.items == nil {
		b.items = make([]record.Item, 0, bundleItems/4)
	}
	b.items = append(b.items, it)
	if c := it.Capture; c != nil {
		b.bytes += len(c.Body) + len(c.Head)
	}
	return len(b.items) >= bundleItems || b.bytes >= bundleBytes
}

// drop frees the records of a bundle that will not be stored: it closes the files that have their
// large bodies.
func (b *bundle) drop() {
	for _, it := range b.items {
		if it.Capture != nil {
			it.Capture.Close()
		}
	}
}

// Import imports the captures in some files, and creates the archive if there is none. It returns
// one result for each file. If it also returns an error, for example because ctx ended, the
// results count what was stored before.
func (i *Intake) Import(ctx context.Context, o task.ImportOptions) ([]task.ImportResult, error) {
	files, total, err := formats.Inputs(o)
	if err != nil {
		return nil, err
	}
	job := o.Job
	if job == "" {
		job = "import-" + i.now().UTC().Format("20060102T150405Z")
	}
	g, err := i.NewImporter(ctx, job)
	if err != nil {
		return nil, err
	}
	g.PoolLimit, g.read.Limit, g.requests = o.PoolLimit, o.PageLimit, o.Requests
	g.Dates = record.DatesAt(i.now(), o.Earliest, o.Latest)
	g.oneFile = len(files) == 1 && files[0].Files == nil
	results := make([]task.ImportResult, len(files))
	progress := task.ImportProgress{Total: total}
	n := 0
	for ; n < len(files) && err == nil; n++ {
		begun := i.now()
		results[n].Source = files[n].Name
		progress.Source = files[n].Name
		err = importOne(ctx, g, &files[n], o, &results[n], &progress)
		progress.Done += files[n].Size
		if n == len(files)-1 && err == nil {
			g.last = true
			err = g.Flush(ctx)
		}
		results[n].Elapsed = i.now().Sub(begun)
	}
	if e := g.Close(); err == nil {
		err = e
	}
	if err == nil && o.Progress != nil {
		o.Progress(progress)
	}
	return results[:n], err
}

// importOne imports the input file in with the importer g, and counts its records in res. The
// caller has set progress.Done to the size of the inputs before this one, in bytes.
func importOne(ctx context.Context, g *Importer, in *formats.Input, o task.ImportOptions, res *task.ImportResult, progress *task.ImportProgress) error {
	src, err := formats.Open(in, o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	bundles := make(chan bundle, itemsAhead)
	var readErr error
	go func() {
		defer close(bundles)
		readErr = bundled(ctx, src.Items(ctx), bundles)
	}()
	for b := range bundles {
		for i, it := range b.items {
			if err != nil {
				b.items = b.items[i:]
				b.drop() // so that the reader can end
				break
			}
			if err = g.take(ctx, it, res); err != nil {
				cancel()
			}
			progress.Records++
			if o.Progress != nil {
				p := *progress
				p.Done += src.Consumed()
				o.Progress(p)
			}
		}
	}
	cancel()
	if e := src.Close(); err == nil {
		err = readErr
		if err == nil {
			err = e
		}
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", in.Name, err)
	}
	return nil
}

// bundled reads the records that items yields, and sends them in bundles to the channel to. It
// returns the error that items yields, or ctx's error if ctx ends.
func bundled(ctx context.Context, items iter.Seq2[record.Item, error], to chan<- bundle) error {
	var b bundle
	send := func() bool {
		select {
		case to <- b:
			b = bundle{}
			return true
		case <-ctx.Done():
			b.drop()
			return false
		}
	}
	for it, err := range items {
		if err != nil {
			if len(b.items) > 0 && !send() {
				return ctx.Err()
			}
			return err
		}
		if b.add(it) && !send() {
			return ctx.Err()
		}
	}
	if len(b.items) > 0 && !send() {
		return ctx.Err()
	}
	return nil
}

// take counts one item of a file in res. If the item is a capture, and not a skipped
// record or a damaged part of the file, take also adds it to the batch.
func (g *Importer) take(ctx context.Context, it record.Item, res *task.ImportResult) error {
	switch {
	case it.Capture != nil:
		it.Capture.Request = g.requests.Head(it.Capture.Request)
		return g.Add(ctx, it.Capture, res)
	case it.Skipped != "":
		skip(res, it.Skipped)
	default:
		damage(res, task.Damage{Offset: it.Offset, Length: it.Length, Why: it.Damage})
	}
	return nil
}

// damage counts a damaged record in res, and adds it to res.Damages unless that list
// is full.
func damage(res *task.ImportResult, d task.Damage) {
	res.Records++
	res.Damaged++
	if len(res.Damages) < task.DamagesKept {
		res.Damages = append(res.Damages, d)
	}
}
