package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"infomall/store/record"
	"infomall/store/tianwang"
	"infomall/store/warc"
)

// formatDBFile is our own db-files, which RECOVER goes through.
const formatDBFile = "db-file"

// PlanRecover says what Recover would read.
func (a *Archive) PlanRecover(ctx context.Context, o record.RecoverOptions) (record.RecoverPlan, error) {
	f, size, format, err := openDamaged(ctx, o.File)
	if err != nil {
		return record.RecoverPlan{}, err
	}
	plan := record.RecoverPlan{Format: format, Bytes: size}
	if plan.To = format; format == formatDBFile {
		plan.To = formatWARC
	}
	return plan, f.Close()
}

// Recover goes through a damaged file of Tianwang or WARC records, one of our
// own db-files, or any fragment of one, and yields what can be saved and what
// is damaged. Records of Tianwang and WARC files are given as they stood; the
// captures of a db-file as WARC records, with all that came in with them. The
// archive is neither read nor changed.
func (a *Archive) Recover(ctx context.Context, o record.RecoverOptions) iter.Seq2[record.Recovered, error] {
	return func(yield func(record.Recovered, error) bool) {
		f, size, format, err := openDamaged(ctx, o.File)
		if err != nil {
			yield(record.Recovered{}, err)
			return
		}
		defer f.Close()
		limits := record.BodyLimits{MemoryMax: bodyMemory}
		var spans iter.Seq2[record.Recovered, error]
		switch format {
		case formatWARC:
			spans = warc.Recover(ctx, f, size, warc.Options{Limits: limits})
		case formatTianwang:
			spans = tianwang.Recover(ctx, f, size, tianwang.Options{Limits: limits})
		default:
			v, err := newSalvager(ctx, o.File)
			if err != nil {
				yield(record.Recovered{}, fmt.Errorf("recover %s: %w", o.File, err))
				return
			}
			defer v.close()
			spans = v.recover(ctx)
		}
		for r, err := range spans {
			if err != nil {
				yield(record.Recovered{}, fmt.Errorf("recover %s: %w", o.File, err))
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

// openDamaged opens a file to recover and tells its format by the first record
// that is to be seen in it, or else by its name.
func openDamaged(ctx context.Context, name string) (f *os.File, size int64, format string, err error) {
	if f, err = os.Open(name); err != nil {
		return nil, 0, "", err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("it is a folder: name a file of it")
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
	format, notSeen := detect(f)
	if format == formatARC {
		return "", errors.New("this is an ARC file, and only Tianwang, WARC and db-files are recovered; IMPORT reads what is whole of it")
	}
	if format == formatWARC || strings.HasSuffix(base, ".warc") {
		return formatWARC, nil
	}
	// A record may be long, and the first is perhaps not there.
	w := record.NewWindow(ctx, f)
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
			return formatTianwang, nil
		}
		from = at + 1
	}
	switch {
	case format != "":
		return format, nil
	case zipped:
		return "", notSeen
	}
	return "", errors.New("no Tianwang or WARC record, nor one of a db-file, is to be seen in it")
}
