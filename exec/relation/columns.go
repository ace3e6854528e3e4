package relation

import (
	"encoding/hex"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// captureFills has the functions that compute the columns of the relation
// captures, by name. They also compute the columns of versions that come from a
// version's first capture.
var captureFills = fills[*record.Batch]{
	"url":    func(v *value.Vector, b *record.Batch) { urls(v, b.URL[:b.N]) },
	"time":   func(v *value.Vector, b *record.Batch) { times(v, b.Time[:b.N]) },
	"status": func(v *value.Vector, b *record.Batch) { statuses(v, b.Status[:b.N]) },
	"kind":   func(v *value.Vector, b *record.Batch) { names(v, b.Kind[:b.N]) },
	"mime":   func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Mime[:b.N]) },
	"bytes":  func(v *value.Vector, b *record.Batch) { sizes(v, b.Bytes[:b.N]) },
	"digest": func(v *value.Vector, b *record.Batch) { digests(v, b.Digest[:b.N]) },
	"change": func(v *value.Vector, b *record.Batch) { names(v, b.Change[:b.N]) },
	"changed": func(v *value.Vector, b *record.Batch) {
		v.Resize(value.Bool, b.N)
		for i, c := range b.Change[:b.N] {
			v.Bools[i] = c.Changed()
		}
	},
	"location":        func(v *value.Vector, b *record.Batch) { texts(v, value.URL, b.Location[:b.N]) },
	"ip":              func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.IP[:b.N]) },
	"origin":          func(v *value.Vector, b *record.Batch) { texts(v, value.URL, b.Origin[:b.N]) },
	"asked_url":       func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.AskedURL[:b.N]) },
	"urlkey":          func(v *value.Vector, b *record.Batch) { ofURL(v, b.URL[:b.N], urlkey.CDX) },
	"host":            func(v *value.Vector, b *record.Batch) { ofURL(v, b.URL[:b.N], urlkey.Host) },
	"domain":          func(v *value.Vector, b *record.Batch) { ofURL(v, b.URL[:b.N], urlkey.Domain) },
	"path":            func(v *value.Vector, b *record.Batch) { ofURL(v, b.URL[:b.N], urlkey.Path) },
	"depth":           func(v *value.Vector, b *record.Batch) { depths(v, b.URL[:b.N]) },
	"truncated":       func(v *value.Vector, b *record.Batch) { *v = value.Vector{Type: value.Bool, Bools: b.Truncated[:b.N]} },
	"previous":        func(v *value.Vector, b *record.Batch) { times(v, b.Previous[:b.N]) },
	"version_time":    func(v *value.Vector, b *record.Batch) { times(v, b.VersionTime[:b.N]) },
	"pool":            func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Pool[:b.N]) },
	"added":           func(v *value.Vector, b *record.Batch) { times(v, b.Added[:b.N]) },
	"job":             func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Job[:b.N]) },
	"source":          func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Source[:b.N]) },
	"source_offset":   func(v *value.Vector, b *record.Batch) { ints(v, b.SourceOffset[:b.N]) },
	"record_id":       func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.RecordID[:b.N]) },
	"declared_digest": func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.DeclaredDigest[:b.N]) },
	"via_record":      func(v *value.Vector, b *record.Batch) { names(v, b.Via[:b.N]) },

	"title":            func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Title[:b.N]) },
	"lang":             func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Lang[:b.N]) },
	"charset":          func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Charset[:b.N]) },
	"declared_charset": func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.DeclaredCharset[:b.N]) },
	"charset_source":   func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.CharsetSource[:b.N]) },
	"unread":           func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Unread[:b.N]) },
	"reason":           func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Reason[:b.N]) },
	"noarchive":        func(v *value.Vector, b *record.Batch) { *v = value.Vector{Type: value.Bool, Bools: b.NoArchive[:b.N]} },
	"block_count":      func(v *value.Vector, b *record.Batch) { sizes(v, b.BlockCount[:b.N]) },
	"link_count":       func(v *value.Vector, b *record.Batch) { sizes(v, b.LinkCount[:b.N]) },
}

// captureShape makes one row of each capture in a batch. Its hidden columns
// name the capture.
var captureShape = shape[*record.Batch]{
	func(b *record.Batch) int { return b.N },
	func(hidden []*value.Vector, b *record.Batch) { packRefs(hidden, b.Ref[:b.N]) },
}

// tallyFills has the functions that compute the columns of the relation
// captures from a batch whose rows stand for several captures each.
var tallyFills = func() fills[*record.Batch] {
	f := fills[*record.Batch]{}
	for name, fill := range captureFills {
		f[name] = fill
	}
	f["host"] = func(v *value.Vector, b *record.Batch) { texts(v, value.Text, b.Host[:b.N]) }
	f["domain"] = func(v *value.Vector, b *record.Batch) { ofURL(v, b.Host[:b.N], domainOf) }
	return f
}()

// domainOf returns the registered domain of a host.
func domainOf(host string) string {
	if host == "" {
		return ""
	}
	return urlkey.Domain("http://" + host + "/")
}

// tallyShape makes one row of each row in a batch. Its hidden column is the
// number of captures that the row stands for.
var tallyShape = shape[*record.Batch]{
	func(b *record.Batch) int { return b.N },
	func(hidden []*value.Vector, b *record.Batch) { ints(hidden[0], b.Count[:b.N]) },
}

// versionFills returns the functions that compute the columns of the relation
// versions, by name. Most columns are those of the capture that began the
// version.
func versionFills(choice Choice) fills[*spanBatch] {
	f := fills[*spanBatch]{
		"last_seen": func(v *value.Vector, b *spanBatch) { times(v, b.Last[:b.N]) },
		"next":      func(v *value.Vector, b *spanBatch) { times(v, b.Next[:b.N]) },
		"visits":    func(v *value.Vector, b *spanBatch) { ints(v, b.Visits[:b.N]) },
		"not_before": func(v *value.Vector, b *spanBatch) {
			times(v, b.Previous[:b.N])
		},
		"previous":     func(v *value.Vector, b *spanBatch) { times(v, b.PreviousVersion[:b.N]) },
		"new_blocks":   func(v *value.Vector, b *spanBatch) { sizes(v, b.NewBlocks[:b.N]) },
		"stored_bytes": func(v *value.Vector, b *spanBatch) { sizes(v, b.StoredBytes[:b.N]) },
		"as_of":        func(v *value.Vector, b *spanBatch) { times(v, b.AsOf[:b.N]) },
	}
	for name, fill := range captureFills {
		if f[name] == nil {
			f[name] = func(v *value.Vector, b *spanBatch) { fill(v, &b.Batch) }
		}
	}
	return f
}

// spanShape makes one row of each span in a batch. Its hidden columns name the
// first capture of the span.
var spanShape = shape[*spanBatch]{
	func(b *spanBatch) int { return b.N },
	func(hidden []*value.Vector, b *spanBatch) { packRefs(hidden, b.Ref[:b.N]) },
}

// urls makes v a column of URLs. It shares memory with list, which are
// canonical URLs.
func urls(v *value.Vector, list []string) { *v = value.Vector{Type: value.URL, Texts: list} }

// texts makes v a column of type t, Text or URL. It shares memory with list; ""
// becomes NULL.
func texts(v *value.Vector, t value.Type, list []string) {
	*v = value.Vector{Type: t, Texts: list}
	for i, s := range list {
		if s == "" {
			v.SetNull(i)
		}
	}
}

// ints makes v a column of ints. It shares memory with list.
func ints(v *value.Vector, list []int64) { *v = value.Vector{Type: value.Int, Ints: list} }

// times makes v a column of times, copied from list. NoTime becomes NULL.
func times(v *value.Vector, list []record.Time) {
	v.Resize(value.Time, len(list))
	for i, t := range list {
		putTime(v, i, t)
	}
}

// putTime sets row i of v to t. NoTime becomes NULL.
func putTime(v *value.Vector, i int, t record.Time) {
	v.Ints[i] = int64(t)
	if t == record.NoTime {
		v.SetNull(i)
	}
}

// statuses makes v a column of ints, copied from list. 0 becomes NULL.
func statuses(v *value.Vector, list []int32) {
	v.Resize(value.Int, len(list))
	for i, s := range list {
		v.Ints[i] = int64(s)
		if s == 0 {
			v.SetNull(i)
		}
	}
}

// sizes makes v a column of ints. It shares memory with list; negative numbers
// become NULL.
func sizes(v *value.Vector, list []int64) {
	ints(v, list)
	for i, n := range list {
		if n < 0 {
			v.SetNull(i)
		}
	}
}

// names makes v a column of the names of list, values of an enumeration of
// package record.
func names[T interface{ String() string }](v *value.Vector, list []T) {
	v.Resize(value.Text, len(list))
	for i, x := range list {
		v.Texts[i] = x.String()
	}
}

// digests makes v a column of digests in hexadecimal. The zero digest becomes
// NULL. The texts of a batch share one string.
func digests(v *value.Vector, list []record.Digest) {
	const width = 2 * len(record.Digest{})
	v.Resize(value.Text, len(list))
	buf := make([]byte, width*len(list))
	for i := range list {
		hex.Encode(buf[i*width:], list[i][:])
	}
	all := string(buf)
	for i := range list {
		v.Texts[i] = all[i*width : (i+1)*width]
		if list[i] == (record.Digest{}) {
			v.SetNull(i)
		}
	}
}

// ofURL makes v a column of the results of f for each URL in list. It calls f
// once for equal URLs that follow each other. "" becomes NULL.
func ofURL(v *value.Vector, list []string, f func(string) string) {
	v.Resize(value.Text, len(list))
	for i, u := range list {
		if i > 0 && u == list[i-1] {
			v.Texts[i] = v.Texts[i-1]
		} else {
			v.Texts[i] = f(u)
		}
		if v.Texts[i] == "" {
			v.SetNull(i)
		}
	}
}

// depths makes v a column of the depths of URLs: how many parts their paths
// have.
func depths(v *value.Vector, list []string) {
	v.Resize(value.Int, len(list))
	for i, u := range list {
		v.Ints[i] = int64(urlkey.Depth(u))
	}
}
