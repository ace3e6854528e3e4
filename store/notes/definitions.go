package notes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// FileDefinitions is the name of the file with everything that users have named: views,
// metadata, saved queries, schedules, watches and rules. The file is not part of the
// catalogue: no capture depends on it, and it survives the loss of a catalogue.
const FileDefinitions = "definitions"

// kindDefinitions is the word in the first line of a file of definitions that says
// which kind of file it is.
const kindDefinitions = "definitions"

// definitionsBytesMax is the largest size of the file with the definitions, in
// bytes. Every statement that names something unknown reads the whole file.
const definitionsBytesMax = 16 << 20

// Definitions returns all definitions that users have made (such as views, saved queries and
// rules), in the order in which Define stored them.
func (k *Notes) Definitions(ctx context.Context) ([]task.Definition, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := disk.ReadFile(k.folder.Files(), FileDefinitions)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := decodeDefinitions(b)
	if err != nil {
		return nil, segment.Damage(FileDefinitions, -1, err)
	}
	return list, nil
}

// Define changes the definitions: it calls the function change with all of them, and stores the
// list that change returns. If change returns an error, Define returns that error and stores
// nothing. No other process can change the definitions meanwhile. The result is durable when
// Define returns. If the archive does not exist, Define creates it without captures.
func (k *Notes) Define(ctx context.Context, change func([]task.Definition) ([]task.Definition, error)) error {
	if err := k.folder.Create(); err != nil {
		return err
	}
	return k.folder.Locked(ctx, func(disk.File) error {
		before, err := k.Definitions(ctx)
		if err != nil {
			return err
		}
		after, err := change(slices.Clone(before))
		if err != nil || slices.Equal(before, after) {
			return err
		}
		b := encodeDefinitions(after)
		if len(b) > definitionsBytesMax {
			return fmt.Errorf("the archive's definitions would take %d bytes; the limit is %d MB: drop some", len(b), definitionsBytesMax>>20)
		}
		if err := disk.WriteFile(k.folder.Files(), FileDefinitions, b); err != nil {
			return err
		}
		return k.folder.Files().SyncDir(".")
	})
}

// CopyDefinitions copies the definitions of k into the notes of another archive, to. It leaves
// out a definition if the other archive has one of the same kind and name.
func (k *Notes) CopyDefinitions(ctx context.Context, to *Notes) error {
	own, err := k.Definitions(ctx)
	if err != nil || len(own) == 0 {
		return err
	}
	return to.Define(ctx, func(there []task.Definition) ([]task.Definition, error) {
		for _, d := range own {
			if !slices.ContainsFunc(there, func(o task.Definition) bool { return o.Kind == d.Kind && strings.EqualFold(o.Name, d.Name) }) {
				there = append(there, d)
			}
		}
		return there, nil
	})
}

func encodeDefinitions(list []task.Definition) []byte {
	b := lines.New(kindDefinitions)
	for _, d := range list {
		b = lines.Append(b, d.Kind, lines.Quoted(d.Name), d.Created, lines.Quoted(d.Text))
	}
	return lines.Seal(b)
}

// errDefinitions is returned if the file of definitions is damaged.
var errDefinitions = errors.New("the names of views, metadata and saved queries are damaged: restore the file from a copy of the archive, or remove it and define them again; no capture needs it")

func decodeDefinitions(b []byte) ([]task.Definition, error) {
	r, err := lines.Open(b, kindDefinitions, errDefinitions)
	if err != nil {
		return nil, err
	}
	var list []task.Definition
	for r.Next() {
		list = append(list, task.Definition{Kind: r.Text(), Name: r.Quoted(), Created: record.Time(r.Int()), Text: r.Quoted()})
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return list, nil
}
