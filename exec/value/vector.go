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

// IsNull reports whether row i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Type == Null || v.Nulls != nil && v.Nulls[i]
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
