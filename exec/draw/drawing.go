package draw

import (
	_ "embed"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"infomall/store/block/life"
)

// Drawing is an answer that can be shown as a drawing, such as the result of DIFF, BLAME,
// SHOW STORY or SHOW PAGE AS blocks, or rows that are events.
type Drawing interface {
	// HTML writes the drawing as an HTML page that needs no other file.
	HTML(w io.Writer) error
	// Part writes the drawing without its heading as a part of an HTML page. The
	// page needs the rules of Style.
	Part(w io.Writer) error
	// Text writes the drawing as text for the terminal t.
	Text(w io.Writer, t Terminal) error
}

// Terminal describes the terminal that a drawing is written to.
type Terminal struct {
	Width     int                 // the length of a line, in cells (a wide letter takes two); 0 means no limit
	Color     bool                // the terminal shows colours
	Printable func(string) string // removes control characters from text; nil leaves text as it is
}

// printable returns the text without characters that could control the
// terminal.
func (t *Terminal) printable(text string) string {
	if t.Printable == nil {
		return text
	}
	return t.Printable(text)
}

// The control sequences that set the colours of a terminal. inkOff sets the normal colour.
const (
	inkAdded   = "\x1b[32m"
	inkRemoved = "\x1b[31m"
	inkMoved   = "\x1b[36m"
	inkEdited  = "\x1b[33m"
	inkOff     = "\x1b[0m"
)

// opInk returns the control sequence for the colour of a block's change, or ""
// for life.Same.
func opInk(op life.Op) string {
	return [...]string{"", inkMoved, inkEdited, inkAdded, inkRemoved}[op]
}

// ink returns the text in a colour, given as a control sequence such as
// inkAdded. If the terminal has no colours or color is "", it returns the text
// unchanged.
func (t *Terminal) ink(color, text string) string {
	if !t.Color || color == "" {
		return text
	}
	return color + text + inkOff
}

//go:embed drawing.html
var drawingPages string

//go:embed events.html
var eventPages string

// drawings returns the templates of the HTML pages: "diff", "blocks", "blame", "story",
// "events" and "reports".
var drawings = sync.OnceValue(func() *template.Template {
	t := template.New("").Funcs(template.FuncMap{"px": func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }})
	return template.Must(template.Must(t.Parse(drawingPages)).Parse(eventPages))
})

// Style returns the CSS rules for the drawings that Part writes. They apply only inside an
// element with the class drawing.
func Style() string {
	var b strings.Builder
	b.WriteString(".drawing {\n")
	if err := drawings().ExecuteTemplate(&b, "rules", nil); err != nil {
		panic(err) // the template takes no data
	}
	b.WriteString("}\n")
	return b.String()
}
