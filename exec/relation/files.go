package relation

import (
	"context"
	"fmt"
	"iter"

	"infomall/store/record"
)

// Files declares the relation files, which has one row per file of the archive.
var Files = list(Relation{
	Name: "files", Doc: "one file of the archive", Shown: true,
	Columns: []Column{
		textOf("file", "name relative to the archive's folder", func(f *record.File) string { return f.Name }),
		textOf("pool", "pool that the file belongs to", func(f *record.File) string { return f.Pool }),
		intOf("segments", "number of segments in the file", func(f *record.File) int64 { return int64(f.Segments) }),
		boolOf("sorted", "whether the file is one sorted run", func(f *record.File) bool { return f.Sorted }),
		intOf("bytes", "size of the file", func(f *record.File) int64 { return f.Bytes }),
		textOf("crc", "crc32c of the file, in hex", func(f *record.File) string { return fmt.Sprintf("%08x", f.CRC) }),
	},
}, (*Reader).files)

func (r *Reader) files(ctx context.Context, _ *Request) iter.Seq2[[]record.File, error] {
	return listed(ctx, r.Snapshot.Files)
}
