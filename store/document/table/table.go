// Package table reads tables that are plain text: CSV with commas, semicolons or other
// delimiters, and tab-separated values.
package table

import (
	"bytes"
	"slices"
	"strings"

	"infomall/store/document"
	"infomall/store/page"
	"infomall/store/page/charset"
)

// Kind reads bodies that are declared as CSV or as tab-separated values. Their bytes
// do not differ from those of other plain text.
var Kind = document.Kind{Name: "csv", Is: is, Read: read}

// mimes are the media types of tables. Servers declare CSV as Excel, too.
var mimes = []string{
	"text/csv", "text/tab-separated-values", "application/csv", "text/x-csv", "application/x-csv",
	"text/comma-separated-values", "text/x-comma-separated-values", "application/vnd.ms-excel", "text/tsv",
}

// headBytes is how many bytes are looked at to find the delimiter.
const headBytes = 16 << 10

func is(in *document.Input) bool {
	if !slices.Contains(mimes, in.Mime) || page.IsBinary(in.Body) || page.LooksLikeMarkup(in.Body) {
		return false
	}
	head := in.Body[:min(len(in.Body), headBytes)]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	return len(head) > 0 && bytes.IndexByte(head, 0) < 0 && !bytes.HasPrefix(head, []byte(`{\rtf`))
}

func read(b *document.Builder, in *document.Input) error {
	cs := charset.Find(in.Body, "text/csv; charset="+in.Charset, "").Charset
	text := string(charset.ToUTF8(in.Body, cs))
	// Excel writes the delimiter as the first line: sep=;
	var f form
	if line, rest, ok := strings.Cut(text, "\n"); ok && len(strings.TrimRight(line, "\r")) == 5 && strings.HasPrefix(line, "sep=") {
		text, f = rest, formOf(rest)
		f.delimiter = line[4]
	} else {
		f = formOf(text)
	}
	w := NewWriter(b)
	for len(text) > 0 {
		var cells []string
		cells, text = f.cutRow(text)
		if err := w.Add(cells...); err != nil {
			return err
		}
	}
	return w.Flush()
}

// form says how a table writes its cells: which characters divide and quote them.
type form struct {
	delimiter byte
	quote     byte // 0 if quotes are ordinary characters
	open      int  // how many quotes did not end
}

// formOf finds the form of a table by its first rows: the delimiter that divides them
// into the same number of cells, which is more than one. Without such a delimiter each
// line is one cell.
func formOf(text string) form {
	if len(text) > headBytes {
		text = text[:headBytes]
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	best, bestScore := form{delimiter: '\t', quote: '"'}, 0
	for _, quote := range []byte{'"', '\''} {
		if quote == '\'' && (strings.Contains(text, `"`) || strings.Count(text, "'") < 4) {
			continue
		}
		for _, delimiter := range []byte{'\t', ';', ',', '|'} {
			f := form{delimiter: delimiter, quote: quote}
			if score := f.score(text); score > bestScore {
				best, bestScore = f, score
			}
		}
	}
	return best
}

// score returns how well the form f fits the first 100 rows of text: how many rows in a thousand
// have the most frequent number of cells, plus up to 20 for the number of cells. It is 0 if all
// rows have one cell.
func (f *form) score(text string) int {
	widths := make(map[int]int)
	rows := 0
	for len(text) > 0 && rows < 100 {
		var cells []string
		if cells, text = f.cutRow(text); len(cells) == 1 && cells[0] == "" {
			continue
		}
		widths[len(cells)]++
		rows++
	}
	score := 0
	for width, n := range widths {
		if width > 1 {
			// One more cell in a row counts for less than one more row that agrees.
			score = max(score, 1000*n/rows+min(width, 20))
		}
	}
	return score
}

// cutRow returns the cells of the first row of text, and the text after the row.
func (f *form) cutRow(text string) (cells []string, rest string) {
	for {
		cell, after, more := f.cutCell(text)
		cells = append(cells, cell)
		if text = after; !more {
			return cells, text
		}
	}
}

// quotedMax is how many bytes a cell in quotes may have. A quote whose end is further
// away is a character of the cell, not its beginning. After openMax such quotes all
// quotes are ordinary characters, so that the time to search for ends is bounded.
const (
	quotedMax = 64 << 10
	openMax   = 100
)

// cutCell returns the first cell of text, and the text after its delimiter. more
// reports whether the row goes on.
func (f *form) cutCell(text string) (cell, rest string, more bool) {
	if start := strings.TrimLeft(text, " "); f.quote != 0 && start != "" && start[0] == f.quote {
		if cell, rest, more, ok := f.cutQuoted(start[1:]); ok {
			return cell, rest, more
		}
		if f.open++; f.open > openMax {
			f.quote = 0
		}
	}
	for i := range len(text) {
		switch text[i] {
		case f.delimiter:
			return text[:i], text[i+1:], true
		case '\n':
			return strings.TrimSuffix(text[:i], "\r"), text[i+1:], false
		case '\r':
			if i+1 == len(text) || text[i+1] != '\n' {
				return text[:i], text[i+1:], false
			}
		}
	}
	return text, "", false
}

// cutQuoted is cutCell for a cell in quotes; text begins after its first quote. ok is
// false if the cell does not end in a quote that a delimiter or the end of the row
// follows.
func (f *form) cutQuoted(text string) (cell, rest string, more, ok bool) {
	near := text[:min(len(text), quotedMax)]
	for i := 0; i < len(near); i++ {
		if near[i] != f.quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == f.quote {
			i++
			continue
		}
		after := strings.TrimLeft(text[i+1:], " ")
		switch {
		case after == "":
		case after[0] == f.delimiter:
			rest, more = after[1:], true
		case strings.HasPrefix(after, "\r\n"):
			rest = after[2:]
		case after[0] == '\n', after[0] == '\r':
			rest = after[1:]
		default:
			continue
		}
		return strings.ReplaceAll(text[:i], string([]byte{f.quote, f.quote}), string(f.quote)), rest, more, true
	}
	return "", "", false, false
}
