package relation

import (
	"encoding/hex"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Column is one column of a relation. A function such as textOf declares it:
// what it is, and the code that computes it.
type Column struct {
	Name string
	Type value.Type
	Doc  string
	// Payload columns are late, and * leaves them out. They come after the
	// other columns.
	Payload bool
	// Costly columns are late, but * includes them.
	Costly bool
	// Aside columns are filled by the source, at a cost, so * leaves them out.
	Aside bool
	// OneTime reports that the column describes all of the range of time, so it
	// cannot be asked for with EACH.
	OneTime bool
	// Ahead reports that the column of a version depends on captures after its
	// first.
	Ahead bool
	// Needs says which columns of a scan the column is computed from.
	Needs record.Columns

	// fill, a func(*value.Vector, B), computes the column for a batch of type B,
	// which is how the rows of the relation are read. It fills a vector that
	// keeps its memory from batch to batch. It must always write into that
	// memory, or always point the vector at memory of the batch.
	fill any
	// late computes the column if it is late.
	late lateCode
}

// Late reports whether a Payload node fills the column, not the source.
func (c *Column) Late() bool { return c.Payload || c.Costly }

// aside returns c as a column that * leaves out, because it is filled at a cost.
func (c Column) aside() Column {
	c.Aside = true
	return c
}

// oneTime returns c as a column that cannot be asked for with EACH.
func (c Column) oneTime() Column {
	c.OneTime = true
	return c
}

// ahead returns c as a column that depends on captures after the version's first.
func (c Column) ahead() Column {
	c.Ahead = true
	return c
}

// needs returns c as a column that is computed from these columns of a scan.
func (c Column) needs(columns record.Columns) Column {
	c.Needs |= columns
	return c
}

// textOf declares a column of texts. f returns the text of a row; "" becomes
// NULL.
func textOf[T any](name, doc string, f func(*T) string) Column {
	return Column{Name: name, Type: value.Text, Doc: doc, fill: fillTexts(value.Text, f)}
}

// urlOf is textOf for a column of URLs.
func urlOf[T any](name, doc string, f func(*T) string) Column {
	return Column{Name: name, Type: value.URL, Doc: doc, fill: fillTexts(value.URL, f)}
}

// fillTexts returns the code of a column of type t, Text or URL.
func fillTexts[T any](t value.Type, f func(*T) string) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(t, len(list))
		for i := range list {
			v.Texts[i] = f(&list[i])
			if v.Texts[i] == "" {
				v.SetNull(i)
			}
		}
	}
}

// plainOf declares a column of texts that are never NULL.
func plainOf[T any](name, doc string, f func(*T) string) Column {
	return Column{Name: name, Type: value.Text, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Text, len(list))
		for i := range list {
			v.Texts[i] = f(&list[i])
		}
	}}
}

// timeOf declares a column of times. NoTime becomes NULL.
func timeOf[T any](name, doc string, f func(*T) record.Time) Column {
	return Column{Name: name, Type: value.Time, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Time, len(list))
		for i := range list {
			putTime(v, i, f(&list[i]))
		}
	}}
}

// intOf declares a column of ints.
func intOf[T any](name, doc string, f func(*T) int64) Column {
	return Column{Name: name, Type: value.Int, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Int, len(list))
		for i := range list {
			v.Ints[i] = f(&list[i])
		}
	}}
}

// intOrNull declares a column of ints. f reports false for NULL.
func intOrNull[T any](name, doc string, f func(*T) (int64, bool)) Column {
	return Column{Name: name, Type: value.Int, Doc: doc, fill: fillInts(value.Int, f)}
}

// durationOrNull is intOrNull for a column of durations in milliseconds.
func durationOrNull[T any](name, doc string, f func(*T) (int64, bool)) Column {
	return Column{Name: name, Type: value.Duration, Doc: doc, fill: fillInts(value.Duration, f)}
}

// fillInts returns the code of a column of type t, Int or Duration.
func fillInts[T any](t value.Type, f func(*T) (int64, bool)) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(t, len(list))
		for i := range list {
			x, ok := f(&list[i])
			if v.Ints[i] = x; !ok {
				v.SetNull(i)
			}
		}
	}
}

// boolOf declares a column of bools.
func boolOf[T any](name, doc string, f func(*T) bool) Column {
	return Column{Name: name, Type: value.Bool, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Bool, len(list))
		for i := range list {
			v.Bools[i] = f(&list[i])
		}
	}}
}

// floatOf declares a column of floats.
func floatOf[T any](name, doc string, f func(*T) float64) Column {
	return Column{Name: name, Type: value.Float, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Float, len(list))
		for i := range list {
			v.Floats[i] = f(&list[i])
		}
	}}
}

// floatOrNull declares a column of floats. f reports false for NULL.
func floatOrNull[T any](name, doc string, f func(*T) (float64, bool)) Column {
	return Column{Name: name, Type: value.Float, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Float, len(list))
		for i := range list {
			x, ok := f(&list[i])
			if v.Floats[i] = x; !ok {
				v.SetNull(i)
			}
		}
	}}
}

// Columns of captures, which come in one slice per column.

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
