package work

import (
	"context"
	"fmt"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record"
)

// Files declares the relation files, which has one row per file of the archive.
var Files = relation.List(relation.Relation{
	Name: "files", Doc: "one file of the archive", Shown: true,
	Columns: []relation.Column{
		relation.TextOf("file", "name relative to the archive's folder", func(f *record.File) string { return f.Name }),
		relation.TextOf("pool", "pool that the file belongs to", func(f *record.File) string { return f.Pool }),
		relation.IntOf("segments", "number of segments in the file", func(f *record.File) int64 { return int64(f.Segments) }),
		relation.BoolOf("sorted", "whether the file is one sorted run", func(f *record.File) bool { return f.Sorted }),
		relation.IntOf("bytes", "size of the file", func(f *record.File) int64 { return f.Bytes }),
		relation.TextOf("crc", "crc32c of the file, in hex", func(f *record.File) string { return fmt.Sprintf("%08x", f.CRC) }),
	},
}, files)

func files(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]record.File, error] {
	return relation.Listed(ctx, r.Snapshot.Files)
}
