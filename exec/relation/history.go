package relation

import (
	"infomall/exec/value"
	"infomall/store/record"
)

// Entry is one entry typed at the prompt.
type Entry struct {
	Time     record.Time
	Text     string
	Duration int64  // in milliseconds
	Rows     int64  // rows of the answer
	Status   string // done, failed or interrupted; "" if it has not ended
}

var historyShape = shape[[]Entry]{rows: func(list []Entry) int { return len(list) }}

// historyFills has the functions that compute the columns of the relation
// history, by name.
var historyFills = fills[[]Entry]{
	"time":      timeOf(func(e *Entry) record.Time { return e.Time }),
	"statement": textOf(value.Text, func(e *Entry) string { return e.Text }),
	"duration":  ended(value.Duration, func(e *Entry) int64 { return e.Duration }),
	"rows":      ended(value.Int, func(e *Entry) int64 { return e.Rows }),
	"status":    textOf(value.Text, func(e *Entry) string { return e.Status }),
}

// ended returns a fill of a column that is NULL for entries that have not
// ended.
func ended(t value.Type, f func(*Entry) int64) func(*value.Vector, []Entry) {
	return func(v *value.Vector, list []Entry) {
		v.Resize(t, len(list))
		for i := range list {
			v.Ints[i] = f(&list[i])
			if list[i].Status == "" {
				v.SetNull(i)
			}
		}
	}
}
