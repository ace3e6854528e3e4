package cdx

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"infomall/repl/serve/lookup"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// field is a field of a CDX line.
type field struct {
	names   []string // of the Wayback Machine, then of pywb
	needs   record.Columns
	resolve bool // the value depends on resolveRevisits
	value   func(b *record.Batch, i int, resolve bool) string
}

// fieldList lists all fields. A value that is not known is "-".
var fieldList = []field{
	{names: []string{"urlkey"}, value: func(b *record.Batch, i int, _ bool) string { return urlkey.CDX(b.URLs()[i]) }},
	{names: []string{"timestamp"}, value: func(b *record.Batch, i int, _ bool) string { return lookup.Stamp(b.Time[i]) }},
	{names: []string{"original", "url"}, value: func(b *record.Batch, i int, _ bool) string { return b.URLs()[i] }},
	{names: []string{"mimetype", "mime"}, needs: record.ColMime | record.ColVia, resolve: true, value: func(b *record.Batch, i int, resolve bool) string {
		if b.Via[i] == record.ViaRevisit && !resolve {
			return "warc/revisit"
		}
		return orElse(b.Mime[i], "unk")
	}},
	{names: []string{"statuscode", "status"}, needs: record.ColStatus | record.ColVia, resolve: true, value: func(b *record.Batch, i int, resolve bool) string {
		if b.Status[i] == 0 || b.Via[i] == record.ViaRevisit && !resolve {
			return "-"
		}
		return strconv.Itoa(int(b.Status[i]))
	}},
	{names: []string{"digest"}, needs: record.ColDigest | record.ColDeclaredDigest, value: func(b *record.Batch, i int, _ bool) string {
		if sum, ok := strings.CutPrefix(b.DeclaredDigest[i], "sha1:"); ok {
			return sum
		}
		if b.Digest[i] == (record.Digest{}) {
			return "-"
		}
		return "sha256:" + hex.EncodeToString(b.Digest[i][:])
	}},
	{names: []string{"length"}, needs: record.ColBytes, value: func(b *record.Batch, i int, _ bool) string {
		if b.Bytes[i] < 0 {
			return "-"
		}
		return strconv.FormatInt(b.Bytes[i], 10)
	}},
	{names: []string{"redirect"}, needs: record.ColLocation, value: func(b *record.Batch, i int, _ bool) string { return orElse(b.Location[i], "-") }},
	{names: []string{"robotflags"}, needs: record.ColNoArchive, value: func(b *record.Batch, i int, _ bool) string {
		if b.NoArchive[i] {
			return "A"
		}
		return "-"
	}},
	{names: []string{"offset"}, needs: record.ColSource, value: func(b *record.Batch, i int, _ bool) string { return strconv.FormatInt(b.SourceOffset[i], 10) }},
	{names: []string{"filename"}, needs: record.ColSource, value: func(b *record.Batch, i int, _ bool) string { return orElse(b.Source[i], "-") }},
	{names: []string{"kind"}, needs: record.ColKind, value: func(b *record.Batch, i int, _ bool) string { return b.Kind[i].String() }},
	{names: []string{"change"}, needs: record.ColChange, value: func(b *record.Batch, i int, _ bool) string { return b.Change[i].String() }},
	{names: []string{"orig.length"}, value: unknownField},
	{names: []string{"orig.offset"}, value: unknownField},
	{names: []string{"orig.filename"}, value: unknownField},
}

// unknownField is the value of the fields about the record that a revisit refers to.
// The archive keeps the body of that record, but not its place in a file.
func unknownField(*record.Batch, int, bool) string { return "-" }

// orElse returns text, or other if text is empty. A blank would end the field in a
// line, so it is escaped.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return strings.ReplaceAll(text, " ", "%20")
}

// fieldNamed returns the field with this name, or nil if there is none.
func fieldNamed(name string) *field {
	for i := range fieldList {
		for _, n := range fieldList[i].names {
			if n == name {
				return &fieldList[i]
			}
		}
	}
	return nil
}

// fieldNames returns the names of all fields.
func fieldNames() []string {
	var names []string
	for _, f := range fieldList {
		names = append(names, f.names...)
	}
	return append(names, "dupecount", "skipcount", "endtimestamp")
}

// place is the position of a line in the order of an answer. The next request goes on after this
// line.
type place struct {
	key  string // sort key of the line's URL
	time record.Time
	skip int64 // how many lines with this key and time the answers had so far
}

// had reports whether an answer that ended at k had the row. byTime says that the lines are sorted by
// time first, not by URL. Call had with the rows in their order: it counts k.skip down.
func (k *place) had(row *Line, byTime bool) bool {
	order := strings.Compare(row.Key, k.key)
	if byTime || order == 0 {
		order = cmp.Compare(row.Time, k.time)
	}
	if order == 0 && row.Key == k.key && k.skip > 0 {
		k.skip--
		return true
	}
	return order < 0 || order == 0 && row.Key < k.key
}

// String returns the resume key, which is the place as text.
func (k *place) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(int64(k.time), 10) + " " + strconv.FormatInt(k.skip, 10) + " " + k.key))
}

// parsePlace parses what String returned.
func parsePlace(text string) (*place, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	parts := strings.SplitN(string(b), " ", 3)
	if err == nil && len(parts) == 3 {
		at, err1 := strconv.ParseInt(parts[0], 10, 64)
		skip, err2 := strconv.ParseInt(parts[1], 10, 64)
		if err1 == nil && err2 == nil && skip > 0 {
			return &place{key: parts[2], time: record.Time(at), skip: skip}, nil
		}
	}
	return nil, badf("resumeKey=%s is not a key of this server; copy it from the end of the answer before", text)
}
