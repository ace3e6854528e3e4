// Package value holds the types of the query language, single values and
// columns of values, and what the language does with them: compare, cast, print
// and match.
//
// # Values, rows and batches
//
// A Value is one value, such as 200 or 'http://a.cn/'. A Vector is a column of
// values of one Type, one per row. A Batch is several rows: vectors of equal
// length, one per column. The operators of package op pass batches to each
// other.
//
// # Time
//
// A Time is milliseconds since 1970 UTC, as record.Time. A Duration is
// milliseconds. A Period is a range of times that includes its start and
// excludes its end. A time literal names a period: 2008-06 is all of June 2008.
package value

import "time"

// Type is the type of a column, a value or an expression in the query language.
type Type uint8

// These are the types of the query language. Null is the type of the constant
// NULL alone. A value of type Null fits into a column of any type.
const (
	Null Type = iota
	Bool
	Int
	Float
	Text
	URL      // a Text that is a canonical URL
	Time     // milliseconds since 1970 UTC
	Duration // milliseconds
)

// typeNames holds the names of the types, indexed by Type. DESCRIBE prints
// these names, and CAST reads them.
var typeNames = [...]string{"null", "bool", "int", "float", "text", "url", "time", "duration"}

// String returns the name of t as DESCRIBE prints it, such as "int".
func (t Type) String() string { return typeNames[t] }

// Vector is a column of values of one type. Type says which slice holds them,
// one entry per row: Ints for Int, Time and Duration, Floats for Float, Texts
// for Text and URL, Bools for Bool. A vector of type Null has no slice, because
// each of its rows is NULL.
type Vector struct {
	Type   Type
	Nulls  []bool // Nulls[i] reports whether row i is NULL; nil if no row is
	Bools  []bool
	Ints   []int64
	Floats []float64
	Texts  []string
}

// NewVector returns a vector of n rows of type t. No row is NULL: each holds
// the zero value of its Go type.
func NewVector(t Type, n int) *Vector {
	v := new(Vector)
	v.Resize(t, n)
	return v
}

// Resize makes v hold n rows of type t. No row is NULL, and the values are
// undefined. Resize reuses v's memory, so v must own that memory. Do not Resize
// a vector that Slice returned, or one that shares slices with another vector.
func (v *Vector) Resize(t Type, n int) {
	v.Type, v.Nulls = t, nil
	switch t {
	case Null:
	case Bool:
		v.Bools = sized(v.Bools, n)
	case Int, Time, Duration:
		v.Ints = sized(v.Ints, n)
	case Float:
		v.Floats = sized(v.Floats, n)
	case Text, URL:
		v.Texts = sized(v.Texts, n)
	}
}

// sized returns a slice of length n whose content is undefined. It reuses the
// memory of s if that is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// size returns the number of rows of v. For type Null it returns 0, because
// such a vector does not count its rows.
func (v *Vector) size() int {
	switch v.Type {
	case Bool:
		return len(v.Bools)
	case Int, Time, Duration:
		return len(v.Ints)
	case Float:
		return len(v.Floats)
	case Text, URL:
		return len(v.Texts)
	}
	return 0
}

// IsNull reports whether row i of v is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Type == Null || v.Nulls != nil && v.Nulls[i]
}

// SetNull makes row i of v NULL.
func (v *Vector) SetNull(i int) {
	if v.Type == Null {
		return
	}
	if v.Nulls == nil {
		v.Nulls = make([]bool, v.size())
	}
	v.Nulls[i] = true
}

// At returns the value in row i of v.
func (v *Vector) At(i int) Value {
	if v.IsNull(i) {
		return Value{}
	}
	x := Value{Type: v.Type}
	switch v.Type {
	case Bool:
		x.Bool = v.Bools[i]
	case Int, Time, Duration:
		x.Int = v.Ints[i]
	case Float:
		x.Float = v.Floats[i]
	case Text, URL:
		x.Text = v.Texts[i]
	}
	return x
}

// Same reports whether rows i and j of v have the same value, or are both NULL. Texts and
// URLs are the same if their bytes are.
func (v *Vector) Same(i, j int) bool {
	if v.Nulls != nil && (v.Nulls[i] || v.Nulls[j]) {
		return v.Nulls[i] == v.Nulls[j]
	}
	switch v.Type {
	case Bool:
		return v.Bools[i] == v.Bools[j]
	case Int, Time, Duration:
		return v.Ints[i] == v.Ints[j]
	case Float:
		return compareFloats(v.Floats[i], v.Floats[j]) == 0
	case Text, URL:
		return v.Texts[i] == v.Texts[j]
	}
	return true // Null
}

// MarkChanges sets dst[i] to true for each row i > 0 of v that differs from the row before it. It
// looks at len(dst) rows, and leaves the other elements of dst as they are.
func (v *Vector) MarkChanges(dst []bool) {
	if v.Nulls != nil || v.Type == Float {
		for i := 1; i < len(dst); i++ {
			dst[i] = dst[i] || !v.Same(i-1, i)
		}
		return
	}
	switch v.Type {
	case Bool:
		markChanges(dst, v.Bools)
	case Int, Time, Duration:
		markChanges(dst, v.Ints)
	case Text, URL:
		markChanges(dst, v.Texts)
	}
}

// markChanges sets dst[i] to true for each i > 0 if list[i] differs from the element before it.
func markChanges[T comparable](dst []bool, list []T) {
	list = list[:len(dst)]
	for i := 1; i < len(list); i++ {
		if list[i] != list[i-1] {
			dst[i] = true
		}
	}
}

// SameAs reports whether row i of v has the value x, as Same does.
func (v *Vector) SameAs(i int, x Value) bool {
	if v.IsNull(i) || x.IsNull() {
		return v.IsNull(i) && x.IsNull()
	}
	if v.Type == Float {
		return compareFloats(v.Floats[i], x.Float) == 0
	}
	return v.At(i) == x
}

// Set sets row i of v to x. x is NULL or has the type of v, except that a Text
// may be set in a vector of URLs and the other way round.
func (v *Vector) Set(i int, x Value) {
	if x.Type == Null {
		v.SetNull(i)
		return
	}
	if v.Nulls != nil {
		v.Nulls[i] = false
	}
	switch v.Type {
	case Bool:
		v.Bools[i] = x.Bool
	case Int, Time, Duration:
		v.Ints[i] = x.Int
	case Float:
		v.Floats[i] = x.Float
	case Text, URL:
		v.Texts[i] = x.Text
	}
}

// Fill sets the rows i of v with from <= i < to to x, as Set does.
func (v *Vector) Fill(from, to int, x Value) {
	if x.Type == Null || v.Nulls != nil {
		for i := from; i < to; i++ {
			v.Set(i, x)
		}
		return
	}
	switch v.Type {
	case Bool:
		fill(v.Bools[from:to], x.Bool)
	case Int, Time, Duration:
		fill(v.Ints[from:to], x.Int)
	case Float:
		fill(v.Floats[from:to], x.Float)
	case Text, URL:
		fill(v.Texts[from:to], x.Text)
	}
}

// fill sets all elements of dst to x.
func fill[T any](dst []T, x T) {
	for i := range dst {
		dst[i] = x
	}
}

// CopyRows sets rows of v, from row at on, to copies of the rows i of src with from <= i < to. src has
// the type of v, or the type Null, or one has texts and the other URLs. v and src may not share memory.
func (v *Vector) CopyRows(at int, src *Vector, from, to int) {
	if src.Type == Null || src.Nulls != nil || v.Nulls != nil {
		for i := from; i < to; i++ {
			v.Set(at+i-from, src.At(i))
		}
		return
	}
	switch v.Type {
	case Bool:
		copy(v.Bools[at:], src.Bools[from:to])
	case Int, Time, Duration:
		copy(v.Ints[at:], src.Ints[from:to])
	case Float:
		copy(v.Floats[at:], src.Floats[from:to])
	case Text, URL:
		copy(v.Texts[at:], src.Texts[from:to])
	}
}

// Append adds a copy of row i of src to the end of v. src has the type of v, or
// the type Null.
func (v *Vector) Append(src *Vector, i int) {
	if src.IsNull(i) {
		v.AppendValue(Value{})
		return
	}
	switch v.Type {
	case Bool:
		v.Bools = append(v.Bools, src.Bools[i])
	case Int, Time, Duration:
		v.Ints = append(v.Ints, src.Ints[i])
	case Float:
		v.Floats = append(v.Floats, src.Floats[i])
	case Text, URL:
		v.Texts = append(v.Texts, src.Texts[i])
	}
	if v.Nulls != nil {
		v.Nulls = append(v.Nulls, false)
	}
}

// AppendValue adds a row with the value x to the end of v. x is NULL or has the
// type of v, or one is a Text and the other a URL.
func (v *Vector) AppendValue(x Value) {
	switch v.Type {
	case Bool:
		v.Bools = append(v.Bools, x.Bool)
	case Int, Time, Duration:
		v.Ints = append(v.Ints, x.Int)
	case Float:
		v.Floats = append(v.Floats, x.Float)
	case Text, URL:
		v.Texts = append(v.Texts, x.Text)
	}
	if v.Nulls != nil {
		v.Nulls = append(v.Nulls, false)
	}
	if x.Type == Null && v.Type != Null {
		v.SetNull(v.size() - 1)
	}
}

// Slice returns a vector with the rows i of v for which from ≤ i < to. It
// shares v's memory.
func (v *Vector) Slice(from, to int) *Vector {
	s := &Vector{Type: v.Type}
	if v.Nulls != nil && v.Type != Null {
		s.Nulls = v.Nulls[from:to]
	}
	switch v.Type {
	case Bool:
		s.Bools = v.Bools[from:to]
	case Int, Time, Duration:
		s.Ints = v.Ints[from:to]
	case Float:
		s.Floats = v.Floats[from:to]
	case Text, URL:
		s.Texts = v.Texts[from:to]
	}
	return s
}

// Gather sets the rows of v to copies of rows of src: row i of v becomes row
// sel[i] of src. v gets len(sel) rows and the type of src. Gather reuses v's
// memory, as Resize does. v must not be src.
func (v *Vector) Gather(src *Vector, sel []int32) {
	v.Resize(src.Type, len(sel))
	switch src.Type {
	case Bool:
		gather(v.Bools, src.Bools, sel)
	case Int, Time, Duration:
		gather(v.Ints, src.Ints, sel)
	case Float:
		gather(v.Floats, src.Floats, sel)
	case Text, URL:
		gather(v.Texts, src.Texts, sel)
	}
	if src.Nulls != nil && src.Type != Null {
		v.Nulls = make([]bool, len(sel))
		gather(v.Nulls, src.Nulls, sel)
	}
}

// gather sets dst[i] to src[sel[i]] for each index i of sel.
func gather[T any](dst, src []T, sel []int32) {
	for i, s := range sel {
		dst[i] = src[s]
	}
}

// Scatter sets some rows of v to the rows of src: row sel[i] of v becomes row i
// of src. It is the inverse of Gather. src has the type of v, or the type Null.
func (v *Vector) Scatter(src *Vector, sel []int32) {
	if src.Type == Null {
		for _, s := range sel {
			v.SetNull(int(s))
		}
		return
	}
	switch v.Type {
	case Bool:
		scatter(v.Bools, src.Bools, sel)
	case Int, Time, Duration:
		scatter(v.Ints, src.Ints, sel)
	case Float:
		scatter(v.Floats, src.Floats, sel)
	case Text, URL:
		scatter(v.Texts, src.Texts, sel)
	}
	if v.Nulls == nil && src.Nulls == nil {
		return
	}
	for i, s := range sel {
		if src.IsNull(i) {
			v.SetNull(int(s))
		} else if v.Nulls != nil {
			v.Nulls[s] = false
		}
	}
}

// scatter sets dst[sel[i]] to src[i] for each index i of sel.
func scatter[T any](dst, src []T, sel []int32) {
	for i, s := range sel {
		dst[s] = src[i]
	}
}

// AppendTrue appends to sel the numbers of the rows of v that are true, and
// returns sel. v is a vector of type Bool with n rows; rows that are false or
// NULL are left out. A vector of type Null has no rows that are true.
func (v *Vector) AppendTrue(sel []int32, n int) []int32 {
	if v.Type == Null {
		return sel
	}
	for i, b := range v.Bools[:n] {
		if b && (v.Nulls == nil || !v.Nulls[i]) {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// Column is the name and type of one column of a result.
type Column struct {
	Name string
	Type Type
	// Marked reports that MarkFrom and MarkTo stand around words of the texts. A terminal shows
	// these words in colour instead.
	Marked bool
	// Unit is set if every time in the column is the start of such a unit, for example "month";
	// otherwise it is "". Formats for people then write the time as 2008-06.
	Unit string
}

// unitLayouts maps units to the layouts of their starts, as for time.Time.Format.
var unitLayouts = map[string]string{"year": "2006", "quarter": "2006-01", "month": "2006-01", "week": "2006-01-02", "day": "2006-01-02"}

// AppendStart appends the time in row i of v, which must not be NULL, to dst, and returns dst. It
// writes the time as the start of the unit of the column c, such as 2008-06. The bool is false if c
// has no such unit.
func (c *Column) AppendStart(dst []byte, v *Vector, i int, zone *time.Location) ([]byte, bool) {
	layout := unitLayouts[c.Unit]
	if layout == "" || v.Type != Time {
		return dst, false
	}
	if zone == nil {
		zone = time.UTC
	}
	return time.UnixMilli(v.Ints[i]).In(zone).AppendFormat(dst, layout), true
}

// MarkFrom and MarkTo are put before and after each word of a text that a MATCH has found.
const (
	MarkFrom = "⸨"
	MarkTo   = "⸩"
)

// Batch is N rows, stored as one Vector per column. It is valid until the
// iteration that yielded it moves on. The strings in it stay valid after that.
type Batch struct {
	N    int
	Cols []*Vector
}

// NewBatch returns an empty batch with columns of the types in cols.
func NewBatch(cols []Column) *Batch {
	b := &Batch{Cols: make([]*Vector, len(cols))}
	for i, c := range cols {
		b.Cols[i] = &Vector{Type: c.Type}
	}
	return b
}

// Clear removes all rows of b and keeps their memory for later rows.
func (b *Batch) Clear() {
	b.N = 0
	for _, c := range b.Cols {
		c.Resize(c.Type, 0)
	}
}

// Gather sets the rows of b to copies of rows of src: row i of b becomes row
// sel[i] of src. It reuses the memory of b's vectors, so b must own that
// memory.
func (b *Batch) Gather(src *Batch, sel []int32) {
	for len(b.Cols) < len(src.Cols) {
		b.Cols = append(b.Cols, new(Vector))
	}
	b.Cols = b.Cols[:len(src.Cols)]
	b.N = len(sel)
	for i, c := range src.Cols {
		b.Cols[i].Gather(c, sel)
	}
}

// Slice returns a batch with the rows i of b for which from ≤ i < to. It shares
// b's memory.
func (b *Batch) Slice(from, to int) *Batch {
	s := &Batch{N: to - from, Cols: make([]*Vector, len(b.Cols))}
	for i, c := range b.Cols {
		s.Cols[i] = c.Slice(from, to)
	}
	return s
}
