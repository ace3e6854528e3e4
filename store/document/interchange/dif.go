package interchange

import (
	"errors"
	"strings"

	"infomall/store/document"
	"infomall/store/document/table"
)

// readDIF reads a file in the format DIF. It begins with header items of three
// lines each, up to the item DATA. Then come values of two lines each, such as
//
//	1,0
//	"a text"
//	0,1784
//	V
//	-1,0
//	BOT (the beginning of a row) or EOD (the end of the data)
func readDIF(b *document.Builder, text string) error {
	r := &rows{w: table.NewWriter(b)}
	for text != "" {
		var name, title string
		name, text = cutLine(text)
		_, text = cutLine(text)
		title, text = cutLine(text)
		if name = strings.TrimSpace(name); name == "DATA" {
			break
		}
		if title, _ = unquote(strings.TrimSpace(title)); name == "TABLE" && title != "" {
			if err := b.Begin(document.Sheet, title); err != nil {
				return err
			}
		}
	}
	column := 0
	for text != "" {
		var head, value string
		head, text = cutLine(text)
		if value, text = cutLine(text); strings.HasPrefix(head, "1,") {
			// A text that has line breaks goes on until its quote ends.
			lines, size, quotes := []string{value}, len(value), strings.Count(value, `"`)
			for quotes%2 != 0 && text != "" && size < textMax && !startsValue(text) {
				var more string
				more, text = cutLine(text)
				lines, size, quotes = append(lines, more), size+1+len(more), quotes+strings.Count(more, `"`)
			}
			value = strings.Join(lines, " ")
		}
		kind, number, _ := strings.Cut(strings.TrimSpace(head), ",")
		switch kind {
		case "-1":
			if err := r.end(); err != nil {
				return err
			}
			if column = 0; strings.TrimSpace(value) == "EOD" {
				return r.w.Flush()
			}
			continue
		case "0":
			if value = strings.TrimSpace(value); value == "V" {
				value = strings.TrimSpace(number)
			}
		case "1":
			value, _ = unquote(strings.TrimRight(value, " "))
		default:
			return errors.Join(r.end(), r.w.Flush(), errors.New("the DIF is damaged: a value has the type "+document.Clean(kind[:min(len(kind), 20)])))
		}
		r.set(column, value)
		column++
	}
	return errors.Join(r.end(), r.w.Flush(), errors.New("the DIF has no end"))
}

// textMax is the size in bytes at which a text of several lines is cut. A cell
// of Excel has at most this size.
const textMax = 32 << 10

// startsValue reports whether text begins with the first line of a value.
func startsValue(text string) bool {
	return strings.HasPrefix(text, "-1,0") || strings.HasPrefix(text, "0,") || strings.HasPrefix(text, "1,0")
}
