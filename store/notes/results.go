package notes

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/notes/result"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// dirResults is the folder of all stored results. The file of a result is results/KIND/NAME/TIME,
// where TIME is when the result was computed. A result is in force as soon as its file exists: no
// catalogue names the file, because captures do not depend on results.
const dirResults = "results"

// resultNameMax is how many bytes the name of a result's folder may have. Many file systems
// allow only a few more.
const resultNameMax = 200

// SaveResult stores a result: the description info and its rows. Earlier results with the same
// kind and name stay. SaveResult ranges over rows once, and returns info with the field File set.
// If there is already a result of that name with the same time Computed, SaveResult adds one to
// Computed until the time is unique. If the process is killed meanwhile, nothing is stored.
func (k *Notes) SaveResult(ctx context.Context, info task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	w, err := k.folder.NewWriter(ctx)
	if err != nil {
		return info, err
	}
	if err = k.saveResult(ctx, w, &info, rows); err != nil {
		err = fmt.Errorf("store the result %s in %s: %w", info.Name, k.folder.Path, err)
	}
	return info, errors.Join(err, w.Close())
}

func (k *Notes) saveResult(ctx context.Context, w *commit.Writer, info *task.Result, rows iter.Seq2[task.ResultRow, error]) error {
	folder := resultFolder(info.Kind, info.Name)
	if len(filepath.Base(folder)) > resultNameMax {
		return fmt.Errorf("the name of its folder would have more than %d bytes", resultNameMax)
	}
	made := w.File("result")
	if err := k.writeResult(ctx, made, info, rows); err != nil {
		return err
	}
	if err := disk.MkdirAll(k.folder.Files(), folder); err != nil {
		return err
	}
	for {
		info.File = filepath.Join(folder, fmt.Sprintf("%014d", info.Computed))
		// Unlike a rename, a link does not replace what another process has stored
		// meanwhile.
		err := k.folder.Files().Link(made, info.File)
		if errors.Is(err, os.ErrExist) {
			info.Computed++
			continue
		}
		if err != nil {
			return err
		}
		return k.folder.Files().SyncDir(folder)
	}
}

// writeResult writes and syncs the file of a result at the path name. It sets info.Rows
// and info.Bytes.
func (k *Notes) writeResult(ctx context.Context, name string, info *task.Result, rows iter.Seq2[task.ResultRow, error]) (err error) {
	f, err := disk.Create(k.folder.Files(), name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buf := bufio.NewWriterSize(f, 1<<18)
	out, err := result.NewWriter(buf)
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = out.Add(row)
		}
		if err != nil {
			return err
		}
	}
	if err := out.Finish(info); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// resultFolder returns the folder, in the archive's folder, for the results with a
// kind and name, such as "results/rank/my%20site". Only lower-case letters, digits,
// _ and - are written unchanged, because some file systems do not distinguish other
// bytes. Other bytes are written as % and two hex digits.
func resultFolder(kind, name string) string {
	var b []byte
	for _, c := range []byte(name) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "%%%02x", c)
		}
	}
	return filepath.Join(dirResults, kind, string(b))
}

// DropResult removes all stored results of a kind with one name, and returns how many
// it removed. It returns 0 if there are none.
func (k *Notes) DropResult(ctx context.Context, kind, name string) (int, error) {
	dir := resultFolder(kind, name)
	files, err := k.folder.Files().ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return i, err
		}
		if err := k.folder.Files().Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return i, err
		}
	}
	return len(files), k.folder.Files().SyncDir(dir)
}

// Results lists the results of a kind, sorted by name and time. It leaves out
// results whose files cannot be read, with a warning for each. Such a file is damaged,
// has another format, or has the kind, name or time of another result in its path.
func (k *Notes) Results(ctx context.Context, kind string) ([]task.Result, error) {
	names, err := k.folder.Files().ReadDir(filepath.Join(dirResults, kind))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var list []task.Result
	for _, n := range names {
		folder := filepath.Join(dirResults, kind, n.Name())
		files, err := k.folder.Files().ReadDir(folder)
		if err != nil {
			k.warn(err)
			continue
		}
		for _, f := range files {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r, err := k.openResult(filepath.Join(folder, f.Name()))
			if errors.Is(err, os.ErrNotExist) {
				continue // dropped meanwhile
			}
			if err != nil {
				k.warn(err)
				continue
			}
			list = append(list, r.Result)
			r.close()
		}
	}
	slices.SortFunc(list, func(x, y task.Result) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Computed, y.Computed))
	})
	return list, nil
}

// NamedResults lists the stored results of a kind with one name, sorted by time. Unlike
// Results, it returns an error if a file cannot be read.
func (k *Notes) NamedResults(ctx context.Context, kind, name string) ([]task.Result, error) {
	folder := resultFolder(kind, name)
	files, err := k.folder.Files().ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var list []task.Result
	for _, f := range files { // sorted by name, which is the time
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := k.openResult(filepath.Join(folder, f.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r.Result)
		r.close()
	}
	return list, nil
}

// RemoveResult removes the stored result whose file is info.File. If the file does
// not exist, that is no error.
func (k *Notes) RemoveResult(ctx context.Context, info task.Result) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := k.folder.Files().Remove(info.File); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return k.folder.Files().SyncDir(filepath.Dir(info.File))
}

// ResultFiles returns the paths of the files of all results, relative to the
// archive's folder.
func (k *Notes) ResultFiles() ([]string, error) {
	return disk.Glob(k.folder.Files(), ".", filepath.Join(dirResults, "*", "*", "*"))
}

// CheckResult reads the file of a result to its end, and returns an error if the
// file is damaged. name is the path of the file in the archive's folder.
func (k *Notes) CheckResult(ctx context.Context, name string) error {
	for _, err := range k.ResultRows(ctx, task.Result{File: name}, nil) {
		if err != nil {
			return err
		}
	}
	return nil
}

// resultFile is an open file with a stored result.
type resultFile struct {
	*result.Reader
	file disk.Source
}

func (r *resultFile) close() { r.file.Close() } // closing a file that was only read loses nothing

func (k *Notes) openResult(name string) (*resultFile, error) {
	f, err := k.folder.Files().Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := result.NewReader(f, st.Size())
	if err != nil {
		f.Close()
		return nil, segment.Damage(name, -1, err)
	}
	r.Result.File = name
	// The file is undamaged, but is that of another result.
	if folder := filepath.Dir(name); resultFolder(r.Result.Kind, r.Result.Name) != folder {
		f.Close()
		return nil, &segment.Error{File: name, Offset: -1, Err: fmt.Errorf("%w: it has the result %s of kind %s, and belongs in the folder %s",
			result.ErrDamaged, r.Result.Name, r.Result.Kind, resultFolder(r.Result.Kind, r.Result.Name))}
	}
	computed, err := strconv.ParseInt(filepath.Base(name), 10, 64)
	if err != nil {
		f.Close()
		return nil, &segment.Error{File: name, Offset: -1, Err: fmt.Errorf("%w: its file name is not a time", result.ErrDamaged)}
	}
	r.Result.Computed = record.Time(computed)
	return &resultFile{r, f}, nil
}

// ResultRows yields rows of the stored result whose file is info.File: those whose keys are in
// one of the ranges, in order of key. The ranges must be sorted and disjoint; nil means all
// rows. An error is the last pair.
func (k *Notes) ResultRows(ctx context.Context, info task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		r, err := k.openResult(info.File)
		if err != nil {
			yield(task.ResultRow{}, err)
			return
		}
		defer r.close()
		n := 0
		for row, err := range r.Rows(ranges) {
			if err != nil {
				err = segment.Damage(info.File, -1, err)
			} else if n++; n%1024 == 0 {
				err = ctx.Err()
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
