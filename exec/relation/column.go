package relation

import (
	"encoding/hex"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// Column declares one column of a relation: its name, its type, its
// documentation, and the code that computes it. Functions such as TextOf create
// Columns.
type Column struct {
	Name string
	Type value.Type
	Doc  string
	// Payload marks a late column, which needs the stored page, and which
	// SELECT * leaves out. Payload columns come after the other columns.
	Payload bool
	// Costly marks a column that needs the stored page, but that SELECT * includes.
	Costly bool
	// Aside marks a column that needs no stored page, but is costly to compute, so SELECT * leaves
	// it out.
	Aside bool
	// AsksWords marks a column that says whether a page has words, as Matching creates it.
	AsksWords bool
	// asks is set for a column with AsksWords. If the column is true for a page, the page matches
	// this search query. It is nil if the column may be true for any page.
	asks *match.Query
	// decides is set for a column with AsksWords. It returns the value of the column for a page
	// with this answer to asks. known is false if that depends on the text of the column.
	decides func(match.Answer) (v value.Value, known bool)
	// Marked reports that the texts have marks around the words that were searched.
	Marked bool
	ofText ofText
	// OneTime reports that the column describes the whole time range of a query
	// at once. A query with EACH, which divides the range into periods, cannot
	// read it.
	OneTime bool
	// Ahead reports that the value of the column for a version depends on
	// captures after the version's first capture.
	Ahead bool
	// stands says on which captures the value depends, besides the capture of the row. It leaves out
	// the captures that follow from Needs and Ahead; the method evidence adds them.
	stands Evidence
	// ofFirst reports that the value of the column for a version is computed from the columns that
	// a scan yields for its first capture.
	ofFirst bool
	// FromURL reports that the column is computed from the URL alone.
	FromURL bool
	// Needs says which columns of a scan the column is computed from.
	Needs record.Columns

	// fill computes the values of the column for a batch of rows. It is a
	// func(*value.Vector, B), where B is the type of the batches in which the
	// rows of the relation are read. The same vector comes with each batch.
	// fill must either write into the vector's own memory each time, or point
	// the vector at the memory of the batch each time. It is nil for a late
	// column.
	fill any
	// raw is like fill, but computes each value as bytes that take less memory, and that sort and
	// compare as the values do. It is nil for a column without this form. Shown turns raw bytes
	// into the value.
	raw any
	// key is like fill, but yields sort keys in place of URLs. It is nil for a column without
	// this form.
	key any
	// late computes the value of a late column for one row. It is nil for other
	// columns.
	late lateCode
}

// Late reports whether c is a late column: a Payload node of the plan fills it
// from stored pages, and the source leaves it NULL.
func (c *Column) Late() bool { return c.Payload || c.Costly }

// OnRequest returns a copy of c that SELECT * leaves out, because its values are
// costly to compute.
func (c Column) OnRequest() Column {
	c.Aside = true
	return c
}

// Raw reports whether the column has a raw form: bytes that sort and compare as the values do, and
// take less memory. A Request with Raw reads that form. Shown turns it into the value.
func (c *Column) Raw() bool { return c.raw != nil }

// Shown returns the value for raw, its raw form: the bytes in hexadecimal.
func Shown(raw string) string { return hex.EncodeToString([]byte(raw)) }

// Keyed reports whether the column has a form with sort keys in place of URLs. Two keys are equal
// exactly if the URLs are. A Request with Keys reads that form.
func (c *Column) Keyed() bool { return c.key != nil }

// fromURL returns a copy of c that is marked as computed from the URL alone.
func (c Column) fromURL() Column {
	c.FromURL = true
	return c
}

// marked returns a copy of c that says that its texts have marks around words.
func (c Column) marked() Column {
	c.Marked = true
	return c
}

// oneTime returns a copy of c that a query with EACH cannot read.
func (c Column) oneTime() Column {
	c.OneTime = true
	return c
}

// ahead returns a copy of c that is marked as depending on captures after the
// first capture of a version.
func (c Column) ahead() Column {
	c.Ahead = true
	return c
}

// needs returns a copy of c that is computed from the given columns of a scan
// of captures, in addition to those it already needs.
func (c Column) needs(columns record.Columns) Column {
	c.Needs |= columns
	return c
}

// TextOf returns a column of type Text with this name and documentation. f
// returns the text for a row; if that is "", the value is NULL.
func TextOf[T any](name, doc string, f func(*T) string) Column {
	return Column{Name: name, Type: value.Text, Doc: doc, fill: fillTexts(value.Text, f)}
}

// URLOf returns a column of type URL with this name and documentation. f
// returns the URL for a row; if that is "", the value is NULL.
func URLOf[T any](name, doc string, f func(*T) string) Column {
	return Column{Name: name, Type: value.URL, Doc: doc, fill: fillTexts(value.URL, f)}
}

// fillTexts returns a function that fills a vector of type t, Text or URL, with
// the results of f for each row of a batch. "" becomes NULL.
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

// PlainOf returns a column of type Text that is never NULL. f returns the text
// for a row, which may be "".
func PlainOf[T any](name, doc string, f func(*T) string) Column {
	return Column{Name: name, Type: value.Text, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Text, len(list))
		for i := range list {
			v.Texts[i] = f(&list[i])
		}
	}}
}

// TimeOf returns a column of type Time. f returns the time for a row; if that
// is NoTime, the value is NULL.
func TimeOf[T any](name, doc string, f func(*T) record.Time) Column {
	return Column{Name: name, Type: value.Time, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Time, len(list))
		for i := range list {
			putTime(v, i, f(&list[i]))
		}
	}}
}

// IntOf returns a column of type Int that is never NULL. f returns the number
// for a row.
func IntOf[T any](name, doc string, f func(*T) int64) Column {
	return Column{Name: name, Type: value.Int, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Int, len(list))
		for i := range list {
			v.Ints[i] = f(&list[i])
		}
	}}
}

// IntOrNull returns a column of type Int. f returns the number for a row, or
// false if the value is NULL.
func IntOrNull[T any](name, doc string, f func(*T) (int64, bool)) Column {
	return Column{Name: name, Type: value.Int, Doc: doc, fill: fillInts(value.Int, f)}
}

// DurationOrNull returns a column of type Duration. f returns the milliseconds
// for a row, or false if the value is NULL.
func DurationOrNull[T any](name, doc string, f func(*T) (int64, bool)) Column {
	return Column{Name: name, Type: value.Duration, Doc: doc, fill: fillInts(value.Duration, f)}
}

// fillInts returns a function that fills a vector of type t, Int or Duration,
// with the results of f for each row of a batch. If f returns false, the row
// becomes NULL.
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

// BoolOf returns a column of type Bool that is never NULL. f returns the value
// for a row.
func BoolOf[T any](name, doc string, f func(*T) bool) Column {
	return Column{Name: name, Type: value.Bool, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Bool, len(list))
		for i := range list {
			v.Bools[i] = f(&list[i])
		}
	}}
}

// FloatOf returns a column of type Float that is never NULL. f returns the
// number for a row.
func FloatOf[T any](name, doc string, f func(*T) float64) Column {
	return Column{Name: name, Type: value.Float, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(value.Float, len(list))
		for i := range list {
			v.Floats[i] = f(&list[i])
		}
	}}
}

// FloatOrNull returns a column of type Float. f returns the number for a row,
// or false if the value is NULL.
func FloatOrNull[T any](name, doc string, f func(*T) (float64, bool)) Column {
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

// ValueOf returns a column of type t. f returns the value for a row: a value of type t, or NULL.
func ValueOf[T any](name string, t value.Type, doc string, f func(*T) value.Value) Column {
	return Column{Name: name, Type: t, Doc: doc, fill: func(v *value.Vector, list []T) {
		v.Resize(t, len(list))
		for i := range list {
			v.Set(i, f(&list[i]))
		}
	}}
}

// The functions below fill vectors from batches of captures, which hold one
// slice per column.

// urls sets v to a column of URLs. list holds the canonical URLs, and v shares
// its memory.
func urls(v *value.Vector, list []string) { *v = value.Vector{Type: value.URL, Texts: list} }

// texts sets v to a column of type t, Text or URL, with the values in list. v
// shares the memory of list. Empty texts become NULL.
func texts(v *value.Vector, t value.Type, list []string) {
	*v = value.Vector{Type: t, Texts: list}
	for i, s := range list {
		if s == "" {
			v.SetNull(i)
		}
	}
}

// ints sets v to a column of type Int with the values in list. v shares the
// memory of list.
func ints(v *value.Vector, list []int64) { *v = value.Vector{Type: value.Int, Ints: list} }

// times sets v to a column of type Time with a copy of the values in list.
// NoTime becomes NULL.
func times(v *value.Vector, list []record.Time) {
	v.Resize(value.Time, len(list))
	for i, t := range list {
		putTime(v, i, t)
	}
}

// putTime sets row i of v, a vector of type Time, to t. NoTime becomes NULL.
func putTime(v *value.Vector, i int, t record.Time) {
	v.Ints[i] = int64(t)
	if t == record.NoTime {
		v.SetNull(i)
	}
}

// statuses sets v to a column of HTTP statuses, of type Int, with a copy of the
// values in list. 0, which means that the status is not known, becomes NULL.
func statuses(v *value.Vector, list []int32) {
	v.Resize(value.Int, len(list))
	for i, s := range list {
		v.Ints[i] = int64(s)
		if s == 0 {
			v.SetNull(i)
		}
	}
}

// sizes sets v to a column of sizes, of type Int, with the values in list. v
// shares the memory of list. Negative numbers, which mean that the size is not
// known, become NULL.
func sizes(v *value.Vector, list []int64) {
	ints(v, list)
	for i, n := range list {
		if n < 0 {
			v.SetNull(i)
		}
	}
}

// names sets v to a column of type Text with the names of the values in list,
// such as the kinds of captures.
func names[T interface{ String() string }](v *value.Vector, list []T) {
	v.Resize(value.Text, len(list))
	for i, x := range list {
		v.Texts[i] = x.String()
	}
}

// digests sets v to a column of type Text with the digests in list, in
// hexadecimal. The zero digest becomes NULL. All texts of a batch are parts of
// one string, which takes one allocation.
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

// rawDigests sets v to a column of type Text with the bytes of the digests in list. The
// zero digest becomes NULL. All texts of a batch are parts of one string.
func rawDigests(v *value.Vector, list []record.Digest) {
	const width = len(record.Digest{})
	v.Resize(value.Text, len(list))
	buf := make([]byte, 0, width*len(list))
	for i := range list {
		buf = append(buf, list[i][:]...)
	}
	all := string(buf)
	for i := range list {
		v.Texts[i] = all[i*width : (i+1)*width]
		if list[i] == (record.Digest{}) {
			v.SetNull(i)
		}
	}
}

// ofURL sets v to a column of type Text with the result of f for each URL in
// list; "" becomes NULL. If equal URLs follow each other, ofURL calls f only
// for the first.
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

// depths sets v to a column of type Int with the depth of each URL in list: the
// number of segments in its path.
func depths(v *value.Vector, list []string) {
	v.Resize(value.Int, len(list))
	for i, u := range list {
		v.Ints[i] = int64(urlkey.Depth(u))
	}
}

// Evidence says on which captures of a URL a row depends, besides the capture from which the row
// was made. It is a set, with one bit for each kind of capture.
type Evidence uint8

// The values of Evidence. "The version" is the one of the capture from which the
// row was made.
const (
	// OnBefore is the capture before the row's capture, and the first capture of
	// its version.
	OnBefore Evidence = 1 << iota
	// OnVersion is all captures of the version, and the capture after the last of
	// them.
	OnVersion
	// OnEarlier is all earlier captures of the URL.
	OnEarlier
	// OnURL is all captures of the URL.
	OnURL
)

// on returns a copy of c whose value also depends on the captures in e.
func (c Column) on(e Evidence) Column {
	c.stands |= e
	return c
}

// evidence returns on which captures the value of the column depends, besides the capture of the
// row.
func (c *Column) evidence() Evidence {
	e := c.stands
	if c.Needs&(record.ColChange|record.ColPrevious|record.ColVersionTime) != 0 {
		e |= OnBefore
	}
	if c.Ahead {
		e |= OnVersion
	}
	return e
}

// Evidence returns on which captures of its URL a row of n depends, besides its own capture,
// because of the columns that the query reads. It leaves out captures on which only the choice of
// the row depends: to know that a version is the last one, for example, takes all captures.
func (n *Request) Evidence() Evidence {
	e := n.Relation.stands
	for _, f := range n.Fields {
		e |= f.evidence()
	}
	return e
}
