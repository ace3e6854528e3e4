package watch

import (
	"iter"

	"infomall/exec/value"
	"infomall/store/record/task"
)

// Hide yields the rows of the result r of a watch that are about no hidden page. It leaves out a
// row that has a hidden URL in one of its columns, and all rows of a query without a column url.
// rows has all rows of r. hides reports whether a canonical URL is hidden.
func Hide(r task.Result, rows iter.Seq2[task.ResultRow, error], hides func(url string) bool) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		p := &Part{Result: r, Columns: parseColumns(r.Properties["columns"])}
		for row, err := range rows {
			hidden := false
			if err == nil && len(row.Key) > 0 && row.Key[0] == keyRow {
				var parsed Row
				if parsed, err = parseRow(p, row.Value); err == nil {
					hidden = parsed.anyHidden(hides)
				}
			}
			if hidden {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// anyHidden reports whether r has no column url, or a hidden URL in a column.
func (r *Row) anyHidden(hides func(url string) bool) bool {
	url := r.URL()
	if url == "" || hides(url) {
		return true
	}
	for _, v := range r.Values {
		if v.Type == value.URL && hides(v.Text) {
			return true
		}
	}
	return false
}
