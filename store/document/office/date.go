package office

import (
	"infomall/store/document/dates"
	"infomall/store/record"
)

// Date returns the time that text names, as dates.Parse reads it. It returns record.NoTime for a
// time before 1900, because programs write such a time if they do not know the time.
func Date(text string) record.Time {
	t := dates.Parse(text)
	if t != record.NoTime && t.Std().Year() < 1900 {
		return record.NoTime
	}
	return t
}
