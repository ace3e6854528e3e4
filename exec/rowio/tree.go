package rowio

import (
	"fmt"
	"slices"
	"strings"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// treeColumns are the columns that a tree shows, all of the relation blocks.
var treeColumns = []string{"url", "time", "block", "depth", "label", "change", "words", "topic"}

// tree writes rows of the relation blocks as an indented text: a heading for each version of
// a page, and then one line per block, indented by its depth. A table that is too wide
// becomes a tree instead of the format vertical, if its rows have all columns that a tree
// shows.
type tree struct {
	sink
	o       Options
	at      []int  // the indexes of treeColumns among the columns of the rows
	heading string // the heading of the version whose blocks were written last
	rows    int64
}

// newTree returns a tree for rows with the columns cols, or nil if these lack one
// of treeColumns. The tree writes to the same io.Writer as t.
func newTree(t *table, cols []value.Column) *tree {
	r := &tree{sink: sink{w: t.w}, o: t.o}
	for _, name := range treeColumns {
		i := slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		r.at = append(r.at, i)
	}
	return r
}

// texts writes one row. row has its values as texts, with nullMark for NULL.
func (r *tree) texts(row []string) error {
	cell := func(name string) string {
		text := row[r.at[slices.Index(treeColumns, name)]]
		if text == nullMark {
			return ""
		}
		return text
	}
	if heading := cell("url") + " " + cell("time"); heading != r.heading || r.rows == 0 {
		r.heading = heading
		r.line(boldOn, heading)
	}
	r.rows++
	line := strings.Repeat("  ", 1+strings.Count(cell("block"), ".")) + cell("block") + " " + cell("label")
	color := changeColors[cell("change")]
	if color != "" {
		line += " " + cell("change")
	}
	if topic := cell("topic"); topic != "" {
		line += ": " + topic
	} else {
		line += fmt.Sprintf(" (%s words)", cell("words"))
	}
	r.line(color, line)
	return r.full()
}

// changeColors maps the changes of blocks that a tree names to terminal codes.
var changeColors = map[string]string{"added": "\x1b[32m", "edited": "\x1b[33m", "moved": "\x1b[36m"}

// line writes text as a line, cut to the width of the terminal, in a colour given
// as a terminal code.
func (r *tree) line(color, text string) {
	if r.o.Width > 0 {
		text, _ = cells.Clip(text, r.o.Width)
	}
	if r.o.Color && color != "" {
		text = color + text + colorOff
	}
	r.buf = append(append(r.buf, text...), '\n')
}

// End writes the last line, the footer of the table.
func (r *tree) End() error {
	footer := "(" + value.Counted(r.rows, "block") + "; the format vertical shows all columns)"
	r.line(dimOn, footer)
	return r.flush()
}
