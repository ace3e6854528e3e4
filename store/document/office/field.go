package office

import "strings"

// LinkOf returns the address of a field code such as HYPERLINK "http://a.example/", and
// "" for other fields and for links within the document.
func LinkOf(code string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(code), "HYPERLINK")
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		target, _, _ := strings.Cut(quoted, `"`)
		return target
	}
	if strings.HasPrefix(rest, `\`) {
		return ""
	}
	target, _, _ := strings.Cut(rest, " ")
	return target
}

// Fields are the open fields of a Word document, the innermost last. A field has a code, such as
// HYPERLINK "http://a.example/", and a result. Only its result is text. The zero value has no
// field.
type Fields struct {
	open   []openField
	deeper int // fields that are begun and not kept, because too many are open
}

type openField struct {
	code    strings.Builder
	inCode  bool
	hasLink bool
}

// fieldCodeMax is how many bytes of a field code are kept.
const fieldCodeMax = 32 << 10

// Clear closes all fields.
func (f *Fields) Clear() { f.open, f.deeper = f.open[:0], 0 }

// Char handles a mark of a field. By its kind, it begins a field, begins the field's result, or
// ends the field. It writes the link of a HYPERLINK to flow, unless hidden is set. most is how
// many fields may be open.
func (f *Fields) Char(kind string, flow *Flow, most int, hidden bool) {
	n := len(f.open)
	switch {
	case kind == "begin":
		if n < most {
			f.open = append(f.open, openField{inCode: true})
		} else {
			f.deeper++
		}
	case f.deeper > 0:
		if kind == "end" {
			f.deeper--
		}
	case n == 0:
	case kind == "separate":
		last := &f.open[n-1]
		last.inCode = false
		if target := LinkOf(last.code.String()); target != "" && !hidden && !f.InCode() {
			last.hasLink = true
			flow.BeginLink(target)
		}
	case kind == "end":
		if f.open[n-1].hasLink {
			flow.EndLink()
		}
		f.open = f.open[:n-1]
	}
}

// Code adds text to the code of the innermost field.
func (f *Fields) Code(text string) {
	if n := len(f.open); n > 0 && f.deeper == 0 {
		if code := &f.open[n-1].code; code.Len() < fieldCodeMax {
			code.WriteString(text)
		}
	}
}

// InCode reports whether the code of some field is being read, or a field that is not kept.
func (f *Fields) InCode() bool {
	if f.deeper > 0 {
		return true
	}
	for i := range f.open {
		if f.open[i].inCode {
			return true
		}
	}
	return false
}
