package mend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"infomall/store/disk"
	"infomall/store/formats"
	"infomall/store/formats/tianwang"
	"infomall/store/formats/warc"
	"infomall/store/record/message"
	"infomall/store/record/task"
)

// formatDBFile is the name of the format of this program's own db-files, which
// RECOVER reads too.
const formatDBFile = "db-file"

// FileOpener returns the file system that has the file with this name, and the path of the file in
// it. name is a path or a URL, as a user writes it.
type FileOpener func(name string) (d disk.FS, path string, err error)

// PlanRecover returns what Recover would do with the file o.File: the format and size of
// the file, and the format of the output. find finds the file.
func PlanRecover(ctx context.Context, o task.RecoverOptions, find FileOpener) (task.RecoverPlan, error) {
	d, path, err := find(o.File)
	if err != nil {
		return task.RecoverPlan{}, err
	}
	f, size, format, err := openDamaged(ctx, d, path, o.File)
	if err != nil {
		return task.RecoverPlan{}, err
	}
	plan := task.RecoverPlan{Format: format, Bytes: size}
	if plan.To = format; format == formatDBFile {
		plan.To = formats.WARC
	}
	return plan, f.Close()
}

// Recover reads a damaged file of Tianwang or WARC records, a db-file, or any fragment of one.
// It yields the records that can be saved, and the places that are damaged. Records of Tianwang
// and WARC files are yielded unchanged. Captures of a db-file are yielded as WARC records, with
// everything that was imported with them; for their bodies Recover also reads the other db-files
// of the archive. Recover changes no file. find finds the file o.File.
func Recover(ctx context.Context, o task.RecoverOptions, find FileOpener) iter.Seq2[task.Recovered, error] {
	return func(yield func(task.Recovered, error) bool) {
		d, path, err := find(o.File)
		if err != nil {
			yield(task.Recovered{}, err)
			return
		}
		f, size, format, err := openDamaged(ctx, d, path, o.File)
		if err != nil {
			yield(task.Recovered{}, err)
			return
		}
		defer f.Close()
		limits := message.BodyLimits{MemoryMax: formats.BodyMemory}
		var spans iter.Seq2[task.Recovered, error]
		switch format {
		case formats.WARC:
			spans = warc.Recover(ctx, f, size, warc.Options{Limits: limits})
		case formats.Tianwang:
			spans = tianwang.Recover(ctx, f, size, tianwang.Options{Limits: limits})
		default:
			v, err := newSalvager(ctx, d, path)
			if err != nil {
				yield(task.Recovered{}, fmt.Errorf("recover %s: %w", o.File, err))
				return
			}
			defer v.close()
			spans = v.recover(ctx)
		}
		for r, err := range spans {
			if err != nil {
				yield(task.Recovered{}, fmt.Errorf("recover %s: %w", o.File, err))
				return
			}
			if o.Progress != nil {
				o.Progress(r.Offset+r.Length, size)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// openDamaged opens the damaged file at a path of d, and returns its size in bytes and its format.
// It determines the format from the first record that it finds, or, if there is none, from the
// file's name. name is the file as the user named it. The caller closes the file.
func openDamaged(ctx context.Context, d disk.FS, path, name string) (f disk.Source, size int64, format string, err error) {
	if f, err = d.Open(path); err != nil {
		return nil, 0, "", err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("it is a folder: name a file in it")
	default:
		size = info.Size()
		format, err = formatOfDamaged(ctx, f, name)
	}
	if err != nil {
		f.Close()
		return nil, 0, "", fmt.Errorf("recover %s: %w", name, err)
	}
	return f, size, format, nil
}

func formatOfDamaged(ctx context.Context, f io.ReaderAt, name string) (string, error) {
	base := strings.ToLower(strings.TrimSuffix(name, ".gz"))
	format, notSeen := formats.Detect(f)
	if format == formats.ARC {
		return "", errors.New("this is an ARC file; RECOVER reads only Tianwang, WARC and db-files; IMPORT reads its undamaged records")
	}
	if format == formats.WARC || strings.HasSuffix(base, ".warc") {
		return formats.WARC, nil
	}
	// A record may be long, and the first may be missing.
	w := message.NewWindow(ctx, f)
	magic, err := w.View(0, 2)
	if err != nil {
		return "", err
	}
	zipped := string(magic) == "\x1f\x8b"
	for from := int64(0); ; {
		at, found, err := w.Find(from, []byte("version:"))
		if err != nil {
			return "", err
		}
		if !found {
			break
		}
		b, err := w.View(at, 4<<10)
		if err != nil {
			return "", err
		}
		head, _, whole := bytes.Cut(b, []byte("\n\n"))
		switch {
		case bytes.HasPrefix(head, []byte("version: 2.0\nurl: ")) && bytes.Contains(head, []byte("\nsegment: ")):
			return formatDBFile, nil
		case whole && bytes.Contains(head, []byte("\nlength:")), bytes.Contains(b, []byte("\r\nlength:")):
			return formats.Tianwang, nil
		}
		from = at + 1
	}
	switch {
	case format != "":
		return format, nil
	case zipped:
		return "", notSeen
	}
	return "", errors.New("it has no Tianwang or WARC record, and no record of a db-file")
}
