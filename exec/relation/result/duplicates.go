package result

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"strings"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Quotations is the name of the DEDUP method that finds pages which contain
// other pages whole. A page may contain several pages, and so be in several
// groups.
const Quotations = "containment"

// ImageHash is the method of DEDUP OF images: it compares perceptual hashes.
const ImageHash = "imagehash"

// Duplicate is one member of a group of pages, blocks or images that DEDUP found to
// be nearly the same.
type Duplicate struct {
	Compared
	Group          int64
	Method         string
	Keywords       string // keywords that the members of the group share; "" for other methods than keywords
	Distance       int
	Similarity     float64
	Containment    float64
	Representative bool
}

// Compared identifies a page, or a block of a page, that DEDUP compares with
// others.
type Compared struct {
	URL   string
	Time  record.Time
	Block string // the path of the block; "" for a page
}

// AppendKey appends to dst a key for c and returns dst. Keys, compared as
// bytes, sort by URL, then time, then block. ParseCompared reads them back.
func (c *Compared) AppendKey(dst []byte) []byte {
	dst = append(append(dst, urlkey.Key(c.URL)...), 0)
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Time)^1<<63)
	return append(dst, c.Block...)
}

// ParseCompared returns the Compared that AppendKey encoded as key. The error
// says that key is damaged.
func ParseCompared(key string) (c Compared, err error) {
	at := strings.IndexByte(key, 0)
	if at < 0 || len(key) < at+9 {
		return c, errDuplicate
	}
	return Compared{urlkey.URL(key[:at]), record.Time(binary.BigEndian.Uint64([]byte(key[at+1:at+9])) ^ 1<<63), key[at+9:]}, nil
}

// KeyTime returns the time in a key that AppendKey encoded.
func KeyTime(key []byte) record.Time {
	return record.Time(binary.BigEndian.Uint64(key[bytes.IndexByte(key, 0)+1:]) ^ 1<<63)
}

// groupBytes is the length of the suffix that some stored keys have: a zero
// byte and a group number. Without it, a page that is in several groups would
// have the same key in each.
const groupBytes = 1 + 4

// Row returns d encoded as a row to store. The keys of rows sort by URL, time
// and block. ParseDuplicate reads them back.
func (d *Duplicate) Row() task.ResultRow {
	key := d.AppendKey(nil)
	if d.Method == Quotations {
		key = binary.BigEndian.AppendUint32(append(key, 0), uint32(d.Group))
	}
	val := binary.AppendUvarint(nil, uint64(d.Group))
	val = binary.AppendUvarint(val, uint64(d.Distance))
	val = binary.LittleEndian.AppendUint64(val, math.Float64bits(d.Similarity))
	val = binary.LittleEndian.AppendUint64(val, math.Float64bits(d.Containment))
	val = append(val, 0)
	if d.Representative {
		val[len(val)-1] = 1
	}
	val = append(val, d.Method...)
	if d.Keywords != "" {
		val = append(append(val, 0), d.Keywords...)
	}
	return task.ResultRow{Key: key, Value: val}
}

// errDuplicate is returned for a stored row that Duplicate.Row did not encode.
var errDuplicate = errors.New("a row of duplicates is damaged")

// ParseDuplicate returns the Duplicate that Duplicate.Row encoded as r. The
// error says that r is damaged.
func ParseDuplicate(r task.ResultRow) (d Duplicate, err error) {
	group, n := binary.Uvarint(r.Value)
	if n <= 0 {
		return d, errDuplicate
	}
	distance, m := binary.Uvarint(r.Value[n:])
	rest := r.Value[n+max(m, 0):]
	if m <= 0 || len(rest) < 17 {
		return d, errDuplicate
	}
	d.Group, d.Distance = int64(group), int(distance)
	d.Similarity = math.Float64frombits(binary.LittleEndian.Uint64(rest))
	d.Containment = math.Float64frombits(binary.LittleEndian.Uint64(rest[8:]))
	d.Representative = rest[16] == 1
	d.Method, d.Keywords, _ = strings.Cut(string(rest[17:]), "\x00")
	key := string(r.Key)
	if d.Method == Quotations {
		if len(key) < groupBytes {
			return d, errDuplicate
		}
		key = key[:len(key)-groupBytes]
	}
	d.Compared, err = ParseCompared(key)
	return d, err
}

// suffixed returns ranges of the keys of URLs as ranges of stored keys, which are the key of a
// URL with a zero byte and more after it. The range of a single URL ends at its key with a
// zero byte, which would leave out all stored keys of this URL.
func suffixed(ranges []urlkey.Range) []urlkey.Range {
	if ranges == nil {
		return nil
	}
	out := make([]urlkey.Range, len(ranges))
	for i, in := range ranges {
		if before, single := strings.CutSuffix(in.To, "\x00"); single {
			in.To = before + "\x01"
		}
		out[i] = in
	}
	return out
}

// duplicateRow is one row of the relation duplicates: a Duplicate, and when
// DEDUP computed it.
type duplicateRow struct {
	Duplicate
	computed record.Time
}

// Duplicates declares the relation duplicates, which has one row per page or
// block in a group that DEDUP found.
var Duplicates = relation.List(relation.Relation{
	Name: "duplicates", Doc: "one page, block or image in a group of near duplicates found by DEDUP", Scoped: true, OwnTime: "time",
	Results: task.ResultDuplicates, NoResults: "nothing was compared yet; run DEDUP",
	Columns: []relation.Column{
		relation.IntOf("group_id", "number of the group, within one result of DEDUP", func(d *duplicateRow) int64 { return d.Group }),
		relation.URLOf("url", "canonical URL of the page", func(d *duplicateRow) string { return d.URL }),
		relation.TimeOf("time", "when the version was first seen", func(d *duplicateRow) record.Time { return d.Time }),
		relation.TextOf("block", "path of the block; NULL for a page", func(d *duplicateRow) string { return d.Block }),
		relation.TextOf("method", "minhash, simhash, keywords or containment; imagehash for images", func(d *duplicateRow) string { return d.Method }),
		relation.IntOf("distance", "bits that differ between its fingerprint and the representative's", func(d *duplicateRow) int64 { return int64(d.Distance) }),
		relation.FloatOf("similarity", "share of shingles of five words in common with the representative; for images, share of equal bits", func(d *duplicateRow) float64 { return d.Similarity }),
		relation.FloatOf("containment", "share of the representative's shingles that this text has; 0 for images", func(d *duplicateRow) float64 { return d.Containment }),
		relation.BoolOf("representative", "whether this is the first of its group by time", func(d *duplicateRow) bool { return d.Representative }),
		relation.TimeOf("computed", "when DEDUP computed the group", func(d *duplicateRow) record.Time { return d.computed }),
		relation.TextOf("keywords", "keywords that the group has in common, for the method keywords", func(d *duplicateRow) string { return d.Keywords }).OnRequest(),
	},
}, duplicates)

// duplicates yields the rows of the relation duplicates in batches. The stored
// results of DEDUP follow each other in the order of Snapshot.Results, and the
// rows of each result are sorted by URL.
func duplicates(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]duplicateRow, error] {
	return relation.Paged(duplicateRows(r, ctx, n))
}

// duplicateRows yields the rows of the relation duplicates that lie in the
// scope and the window of n, one at a time. A row is valid until the iteration
// moves on.
func duplicateRows(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[*duplicateRow, error] {
	return func(yield func(*duplicateRow, error) bool) {
		results, err := r.Snapshot.Results(ctx, task.ResultDuplicates)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range results {
			for row, err := range r.Snapshot.ResultRows(ctx, results[i], suffixed(n.Ranges)) {
				d := duplicateRow{computed: results[i].Computed}
				if err == nil {
					d.Duplicate, err = ParseDuplicate(row)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if d.Time < n.Window.From || d.Time >= n.Window.To || n.Match != nil && !n.Match(urlkey.Key(d.URL)) {
					continue
				}
				if !yield(&d, nil) {
					return
				}
			}
		}
	}
}
