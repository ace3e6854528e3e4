package cdx

import (
	"bufio"
	"fmt"
	"io"

	"infomall/exec/rowio"
)

// Writer writes the lines of an answer in one of the outputs.
type Writer struct {
	w       *bufio.Writer
	q       *Query
	fields  []string
	memento func(*Line) string
	last    place // of the last line
	rows    int64
}

// NewWriter returns a Writer of the answer to q. memento returns the address of a
// capture, for the output link.
func NewWriter(w io.Writer, q *Query, memento func(l *Line) string) *Writer {
	c := &Writer{w: bufio.NewWriterSize(w, 64<<10), q: q, fields: q.fields, memento: memento}
	for _, more := range []struct {
		on   bool
		name string
	}{{q.lastSkip, "endtimestamp"}, {q.skipCount, "skipcount"}, {q.dupeCount, "dupecount"}} {
		if more.on {
			c.fields = append(c.fields[:len(c.fields):len(c.fields)], more.name)
		}
	}
	return c
}

// Write writes one line.
func (c *Writer) Write(row *Line) error {
	c.rows++
	if row.Key == c.last.key && row.Time == c.last.time {
		c.last.skip++
	} else {
		c.last = place{row.Key, row.Time, 1}
		if k := c.q.resume; k != nil && k.key == row.Key && k.time == row.Time {
			c.last.skip += k.skip
		}
	}
	switch c.q.output {
	case "json":
		if c.rows == 1 {
			c.w.WriteByte('[')
			if c.q.header {
				c.array(c.fields)
				c.w.WriteString(",\n")
			}
		} else {
			c.w.WriteString(",\n")
		}
		values := make([]string, len(c.fields))
		for i, f := range c.fields {
			values[i] = row.values[f]
		}
		c.array(values)
	case "cdxj":
		c.w.WriteString(row.values["urlkey"] + " " + row.values["timestamp"] + " ")
		c.object(row, true)
	case "jsonl":
		c.object(row, false)
	case "link":
		separator := ",\n"
		if c.rows == 1 {
			separator = ""
		}
		fmt.Fprintf(c.w, "%s<%s>; rel=\"memento\"; datetime=\"%s\"", separator, c.memento(row), row.Time.Std().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
	default:
		for i, f := range c.fields {
			if i > 0 {
				c.w.WriteByte(' ')
			}
			c.w.WriteString(row.values[f])
		}
		c.w.WriteByte('\n')
	}
	if c.rows%1000 == 0 {
		return c.w.Flush()
	}
	return nil
}

// array writes texts as a JSON array.
func (c *Writer) array(texts []string) {
	c.w.WriteByte('[')
	for i, t := range texts {
		if i > 0 {
			c.w.WriteString(", ")
		}
		c.text(t)
	}
	c.w.WriteByte(']')
}

// object writes a row as a JSON object on a line. With short, the names of fields
// are those of pywb, and the key and time are left out because they begin the line.
func (c *Writer) object(row *Line, short bool) {
	c.w.WriteByte('{')
	any := false
	for _, f := range c.fields {
		name := f
		if short {
			if f == "urlkey" || f == "timestamp" {
				continue
			}
			if known := fieldNamed(f); known != nil {
				name = known.names[len(known.names)-1]
			}
		}
		if any {
			c.w.WriteString(", ")
		}
		any = true
		c.text(name)
		c.w.WriteString(": ")
		c.text(row.values[f])
	}
	c.w.WriteString("}\n")
}

// text writes a text as a JSON string.
func (c *Writer) text(s string) { c.w.Write(rowio.AppendJSON(c.w.AvailableBuffer(), s)) }

// resumeKey writes the key with which the next request goes on.
func (c *Writer) resumeKey(key string) {
	switch c.q.output {
	case "json":
		c.w.WriteString(",\n[],\n")
		c.array([]string{key})
	case "jsonl", "cdxj", "link":
	default:
		c.w.WriteString("\n" + key + "\n")
	}
}

// End writes the end of the answer.
func (c *Writer) End() error {
	if c.q.showKey && c.q.limit > 0 && c.rows >= c.q.limit {
		c.resumeKey(c.last.String())
	}
	switch {
	case c.q.output == "json" && c.rows == 0:
		c.w.WriteString("[]\n")
	case c.q.output == "json":
		c.w.WriteString("]\n")
	case c.q.output == "link" && c.rows > 0:
		c.w.WriteByte('\n')
	}
	return c.w.Flush()
}

// WriteCount writes what Count returned: the number of pages, in JSON with more.
func (q *Query) WriteCount(w io.Writer, lines, pages int64) (err error) {
	if q.output == "json" || q.output == "jsonl" {
		_, err = fmt.Fprintf(w, "{\"pages\": %d, \"pageSize\": %d, \"blocks\": %d}\n", pages, q.pageSize/pageLines, (lines+pageLines-1)/pageLines)
	} else {
		_, err = fmt.Fprintf(w, "%d\n", pages)
	}
	return err
}
