// Package value holds the types of the query language and columns of values.
package value

// Type is the type of a column or an expression.
type Type uint8

// The types. Null is the type of the bare constant NULL and fits everywhere.
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

var typeNames = [...]string{"null", "bool", "int", "float", "text", "url", "time", "duration"}

// String is the type as DESCRIBE shows it.
func (t Type) String() string { return typeNames[t] }

// Vector is a column of values. The slice that Type calls for holds one entry
// a row: Ints for Int, Time and Duration, Floats for Float, Texts for Text and
// URL, Bools for Bool, none for Null.
type Vector struct {
	Type   Type
	Nulls  []bool // nil where no row is NULL
	Bools  []bool
	Ints   []int64
	Floats []float64
	Texts  []string
}

// NewVector makes a vector of n rows, none NULL, all of the zero value.
func NewVector(t Type, n int) *Vector {
	v := new(Vector)
	v.Resize(t, n)
	return v
}

// Resize makes v hold n rows of type t, none of them NULL and their content
// undefined. It writes into the memory that v has, so that memory must be v's
// own: never Resize a Slice or a vector that shares another's slices.
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

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// size is the number of rows; 0 for type Null, whose rows are not counted.
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

// IsNull reports whether row i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Type == Null || v.Nulls != nil && v.Nulls[i]
}

// SetNull makes row i NULL.
func (v *Vector) SetNull(i int) {
	if v.Type == Null {
		return
	}
	if v.Nulls == nil {
		v.Nulls = make([]bool, v.size())
	}
	v.Nulls[i] = true
}

// At is the value of row i.
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

// Set makes x the value of row i. x is NULL or of v's type; a text may be put
// where a URL is, and the other way round.
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

// Append adds row i of src, which has v's type or type Null.
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

// AppendValue adds a row. x is as for Set.
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

// Slice is the rows from, up to but not including to. It shares v's memory.
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

// Gather makes v the rows of src that sel names, in its order. It writes into
// v's memory as Resize does; v must not be src.
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

func gather[T any](dst, src []T, sel []int32) {
	for i, s := range sel {
		dst[i] = src[s]
	}
}

// Scatter is the inverse of Gather: row i of src becomes row sel[i] of v. Src
// is as for Append.
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

func scatter[T any](dst, src []T, sel []int32) {
	for i, s := range sel {
		dst[s] = src[i]
	}
}

// AppendTrue adds to sel the rows of a Bool vector of n rows that are true,
// neither false nor NULL. Of a vector of type Null there are none.
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

// Column names one column of a result.
type Column struct {
	Name string
	Type Type
}

// Batch is rows in columns. It is valid until the iteration that yielded it
// moves on, but its strings stay.
type Batch struct {
	N    int
	Cols []*Vector
}

// Gather makes b the rows of src that sel names, in its order. It writes into
// the memory of b's vectors, which must be b's own.
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

// Slice is the rows from, up to but not including to. It shares b's memory.
func (b *Batch) Slice(from, to int) *Batch {
	s := &Batch{N: to - from, Cols: make([]*Vector, len(b.Cols))}
	for i, c := range b.Cols {
		s.Cols[i] = c.Slice(from, to)
	}
	return s
}
