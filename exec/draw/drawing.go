package draw

import (
	_ "embed"
	"html/template"
	"io"

	"infomall/store/block/life"
)

// Drawing is an answer with a graphical form: that of DIFF or of SHOW PAGE AS blocks.
type Drawing interface {
	// HTML writes a page that needs no other file.
	HTML(w io.Writer) error
	// Text writes the drawing for a terminal.
	Text(w io.Writer, t Terminal) error
}

// Terminal describes the terminal that a drawing is written to.
type Terminal struct {
	Width     int                 // in cells; 0 means no limit
	Color     bool                //
	Printable func(string) string // removes control characters from text; nil leaves text as it is
}

// printable returns text without characters that could control the terminal.
func (t *Terminal) printable(text string) string {
	if t.Printable == nil {
		return text
	}
	return t.Printable(text)
}

// The colours of a terminal.
const (
	inkAdded   = "\x1b[32m"
	inkRemoved = "\x1b[31m"
	inkMoved   = "\x1b[36m"
	inkEdited  = "\x1b[33m"
	inkOff     = "\x1b[0m"
)

// opInk returns the colour for a block's change, or "" for Same.
func opInk(op life.Op) string {
	return [...]string{"", inkMoved, inkEdited, inkAdded, inkRemoved}[op]
}

// ink returns text in a colour, if the terminal has colours.
func (t *Terminal) ink(color, text string) string {
	if !t.Color || color == "" {
		return text
	}
	return color + text + inkOff
}

//go:embed drawing.html
var drawingPages string

// drawings are the pages "diff" and "blocks".
var drawings = template.Must(template.New("").Parse(drawingPages))
