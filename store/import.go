package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infomall/store/record"
)

// itemsAhead is how many records reading may be ahead of storing. Each may be
// as large as a body kept in memory, so it is few.
const itemsAhead = 4

// Import reads files into the archive, making the archive if there is none,
// and returns a result a file. On an error, also when ctx ends, the results of
// what was done come with it: what they count is in the archive.
func (a *Archive) Import(ctx context.Context, o record.ImportOptions) ([]record.ImportResult, error) {
	files, total, err := expand(o.Patterns)
	if err != nil {
		return nil, err
	}
	job := o.Job
	if job == "" {
		job = "import-" + a.opts.Now().UTC().Format("20060102T150405Z")
	}
	g, err := a.newIngest(ctx, job)
	if err != nil {
		return nil, err
	}
	results := make([]record.ImportResult, len(files))
	progress := record.ImportProgress{Total: total}
	n := 0
	for ; n < len(files) && err == nil; n++ {
		begun := a.opts.Now()
		results[n].Source = files[n].name
		progress.Source = files[n].name
		err = a.importFile(ctx, g, files[n].name, o, &results[n], &progress)
		progress.Done += files[n].size
		if n == len(files)-1 && err == nil {
			err = g.flush(ctx)
		}
		results[n].Elapsed = a.opts.Now().Sub(begun)
	}
	if e := g.close(); err == nil {
		err = e
	}
	if err == nil && o.Progress != nil {
		o.Progress(progress)
	}
	return results[:n], err
}

// importFile reads one file. progress.Done is of the files before it.
func (a *Archive) importFile(ctx context.Context, g *ingest, name string, o record.ImportOptions, res *record.ImportResult, progress *record.ImportProgress) error {
	src, err := openSource(name, o.Format, o.Zone)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	items := make(chan record.Item, itemsAhead)
	var readErr error
	go func() {
		defer close(items)
		for it, err := range src.items(ctx) {
			if err != nil {
				readErr = err
				return
			}
			select {
			case items <- it:
			case <-ctx.Done():
				if it.Capture != nil {
					it.Capture.Close()
				}
				readErr = ctx.Err()
				return
			}
		}
	}()
	for it := range items {
		if err != nil {
			if it.Capture != nil {
				it.Capture.Close()
			}
			continue // only to let the reader end
		}
		if err = g.take(ctx, it, res); err != nil {
			cancel()
		}
		progress.Records++
		if o.Progress != nil {
			p := *progress
			p.Done += src.consumed()
			o.Progress(p)
		}
	}
	cancel()
	if e := src.close(); err == nil {
		err = readErr
		if err == nil {
			err = e
		}
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", name, err)
	}
	return nil
}

// take accounts for one item of a file.
func (g *ingest) take(ctx context.Context, it record.Item, res *record.ImportResult) error {
	switch {
	case it.Capture != nil:
		return g.add(ctx, it.Capture, res)
	case it.Skipped != "":
		skip(res, it.Skipped)
	default:
		res.Records++
		res.Damaged++
		if len(res.Damages) < record.DamagesKept {
			res.Damages = append(res.Damages, record.Damage{Offset: it.Offset, Length: it.Length, Why: it.Damage})
		}
	}
	return nil
}

// inputFile is a file to import, and its size in bytes.
type inputFile struct {
	name string
	size int64
}

// expand gives the files that names and globs mean, each once, in order of
// name within a pattern, and their size together.
func expand(patterns []string) ([]inputFile, int64, error) {
	var files []inputFile
	var total int64
	seen := make(map[string]bool)
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil {
			return nil, 0, fmt.Errorf("pattern %q: %w", p, err)
		}
		// A name with a bracket in it is a file before it is a pattern.
		if _, err := os.Stat(p); err == nil {
			names = []string{p}
		}
		if len(names) == 0 {
			return nil, 0, noFile(p)
		}
		slices.Sort(names)
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				return nil, 0, err
			}
			if info.IsDir() {
				if len(names) == 1 {
					return nil, 0, fmt.Errorf("%s is a folder: name its files, such as '%s'", name, filepath.Join(name, "*"))
				}
				continue
			}
			if !seen[name] {
				seen[name] = true
				files = append(files, inputFile{name, info.Size()})
				total += info.Size()
			}
		}
	}
	return files, total, nil
}

// noFile says that p means no file, and how far it does lead.
func noFile(p string) error {
	if !strings.ContainsAny(p, "*?[") {
		return fmt.Errorf("no file %s: %w", p, fs.ErrNotExist)
	}
	dir := filepath.Dir(p)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(dir, "*?[") {
		return fmt.Errorf("no file matches %s: there is no folder %s", p, dir)
	}
	return fmt.Errorf("no file matches %s", p)
}
