package mend

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
)

// derived verifies the files that are derived from the chosen segments: the indexes of words,
// and the readings of documents (the text extracted from them).
func (y *verifier) derived(ctx context.Context) error {
	for _, d := range derivedFiles {
		files, err := y.derivedFiles(d.Derived)
		if err != nil {
			return err
		}
		for _, name := range files {
			err := d.check(ctx, y.m.folder, name)
			if disk.MayPass(err) {
				return err
			}
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				continue // or it was made again meanwhile
			}
			if err := y.report(task.Finding{File: name, Offset: -1, What: causeOf(err).Error(), Time: record.NoTime}); err != nil {
				return err
			}
		}
	}
	return nil
}

// derivedFiles has the kinds of derived files (files that are made from db-files). The function
// check reads the file with the path name in an archive's folder, and returns an error if the file
// is damaged.
var derivedFiles = []struct {
	commit.Derived
	check func(ctx context.Context, folder *commit.Folder, name string) error
}{
	{commit.Words, checkWords},
	{commit.Documents, checkDocuments},
}

// derivedFiles returns the files of one kind that were derived from the chosen segments,
// sorted.
func (y *verifier) derivedFiles(d commit.Derived) ([]string, error) {
	all, err := y.m.folder.DerivedFiles(d)
	var out []string
	for _, s := range y.chosen {
		out = append(out, all[s.Number()]...)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// derived copies the indexes of words and the readings of documents of the copied segments, unless
// the copy has them. It leaves out a damaged file with a warning, because the copy can make it
// again from its db-files.
func (c *copying) derived(ctx context.Context) error {
	there, err := c.to.folder.Pin()
	if err != nil {
		return err
	}
	defer there.Release()
	has := make(map[uint32]bool)
	for _, s := range there.Segments {
		has[s.Number()] = true
	}
	for _, d := range derivedFiles {
		all, err := c.m.folder.DerivedFiles(d.Derived)
		if err != nil {
			return err
		}
		for _, name := range fileNames(all) {
			if !commit.DerivedOf(name, has) || d.check(ctx, c.to.folder, name) == nil {
				continue
			}
			switch err := d.check(ctx, c.m.folder, name); {
			case disk.MayPass(err):
				return err
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				c.m.files.Warn(err)
			default:
				if err := c.result(ctx, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
