package picture

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/media"
	"infomall/store/page/charset"
)

// svgHead is how many bytes are searched for the first element.
const svgHead = 4096

// isSVG reports whether a body is SVG: an XML whose first element is svg.
func isSVG(in *document.Input) bool {
	v := media.View(in.Body)
	if v.Has(0, "\x1f\x8b") {
		return in.Mime == "image/svg+xml"
	}
	head := bytes.TrimLeft(bytes.TrimPrefix(v.Sub(0, svgHead), []byte("\xef\xbb\xbf")), " \t\r\n")
	if bytes.HasPrefix(head, []byte("<svg")) {
		return true
	}
	at := bytes.Index(head, []byte("<svg"))
	if at < 0 || !bytes.HasPrefix(head, []byte("<?xml")) && !bytes.HasPrefix(head, []byte("<!")) {
		return false
	}
	// Before the root there are only declarations and comments.
	for head = head[:at]; ; {
		i := bytes.IndexByte(head, '<')
		if i < 0 {
			return true
		}
		head = head[i:]
		end := ">"
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(head, []byte("<!DOCTYPE svg")), bytes.HasPrefix(head, []byte("<?")), bytes.HasPrefix(head, []byte("<!ENTITY")):
		default:
			return false
		}
		_, rest, ok := bytes.Cut(head, []byte(end))
		if !ok {
			return false
		}
		head = rest
	}
}

// svg reads one SVG.
type svg struct {
	r      *reader
	b      *document.Builder
	text   strings.Builder // of the element that is read
	target string          // of the link that is open
	depth  int
	hidden int    // depth of the outermost element that is not shown; 0 if none
	defs   int    // depth of the open element defs; 0 if none
	open   string // the element whose text is read: "text", "title", "desc" or a property
	at     int    // its depth
	linked int    // depth of the open link
	err    error
}

// readSVG reads the size, the title, the description, the texts and the links of an SVG.
func readSVG(b *document.Builder, in *document.Input) error {
	body := in.Body
	if media.View(body).Has(0, "\x1f\x8b") {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return err
		}
		if body, err = io.ReadAll(io.LimitReader(z, b.Limits().Unpacked)); len(body) == 0 && err != nil {
			return err
		}
	}
	utf8 := charset.ToUTF8(body, charset.Find(body, "", in.Charset).Charset)
	d := xml.NewDecoder(bytes.NewReader(utf8))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	s := &svg{r: &reader{b: b}, b: b}
	for s.err == nil {
		token, err := d.RawToken()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			s.start(e)
		case xml.EndElement:
			s.end()
		case xml.CharData:
			if s.open != "" && s.hidden == 0 && s.text.Len() < b.Limits().Text {
				s.text.Write(e)
			}
		}
	}
	if err := s.r.tags.Put(b); s.err == nil {
		s.err = err
	}
	return s.err
}

// svgFields are elements whose text is a tag.
var svgFields = map[string]media.Field{
	"dc:title": media.Title, "dc:description": media.Comment, "dc:date": media.Date, "dc:creator": media.Author, "dc:rights": media.Rights,
	"dc:subject": media.Keywords,
}

func (s *svg) start(e xml.StartElement) {
	if s.depth++; s.depth > s.b.Limits().Nesting {
		s.err = document.ErrLimit
		return
	}
	attr := func(name string) string {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	if s.hidden > 0 {
		return
	}
	switch name := e.Name.Local; {
	case name == "svg" && s.depth == 1:
		s.size(attr("width"), attr("height"), attr("viewBox"))
	case name == "script", name == "style", attr("display") == "none", strings.Contains(strings.ReplaceAll(attr("style"), " ", ""), "display:none"):
		s.hidden = s.depth
	case s.defs > 0 && attr("visibility") == "hidden": // as LibreOffice writes the empty fields of all slides
		s.hidden = s.depth
	case name == "defs" && s.defs == 0:
		s.defs = s.depth
	case name == "a" && s.linked == 0:
		s.target, s.linked = attr("href"), s.depth
	case s.open == "text" && name == "tspan" && (attr("x") != "" || attr("y") != "" || attr("dy") != "") && s.text.Len() > 0:
		s.text.WriteByte('\n')
	case s.open != "":
	case e.Name.Space == "dc" || name == "text" || name == "flowRoot" || name == "title" || name == "desc":
		if s.open, s.at = name, s.depth; e.Name.Space == "dc" {
			s.open = "dc:" + name
		}
	}
}

func (s *svg) end() {
	if s.depth == s.at && s.open != "" && s.hidden == 0 {
		s.close()
	}
	if s.depth == s.hidden {
		s.hidden = 0
	}
	if s.depth == s.defs {
		s.defs = 0
	}
	if s.linked > 0 && s.depth == s.linked {
		s.linked = 0
		s.b.Link(s.target, "")
	}
	s.depth = max(0, s.depth-1)
}

// close ends the element whose text is read.
func (s *svg) close() {
	text := strings.TrimSpace(s.text.String())
	f, isTag := svgFields[s.open]
	switch {
	case text == "":
	case isTag:
		s.r.tags.Add(f, document.Clean(text))
	case s.open == "title" && s.depth == 2:
		s.r.tags.Add(media.Title, document.Clean(text))
	case s.open == "desc" && s.depth == 2:
		s.r.tags.Add(media.Comment, document.Clean(text))
	default:
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			if line = document.Clean(line); line != "" {
				lines = append(lines, line)
			}
		}
		s.err = s.b.Add(document.Paragraph, strings.Join(lines, "\n"))
	}
	s.open, s.at = "", 0
	s.text.Reset()
}

// units are lengths in points of the screen.
var units = map[string]float64{"": 1, "px": 1, "pt": 96. / 72, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "em": 16}

// size sets the size by width and height, or else by the box that is shown.
func (s *svg) size(width, height, box string) {
	w, h := length(width), length(height)
	if f := strings.FieldsFunc(box, func(r rune) bool { return r == ' ' || r == ',' }); len(f) == 4 {
		bw, bh := length(f[2]), length(f[3])
		switch {
		case w == 0 && h == 0:
			w, h = bw, bh
		case w == 0 && bh > 0:
			w = h * bw / bh
		case h == 0 && bw > 0:
			h = w * bh / bw
		}
	}
	s.r.resize(int(math.Round(w)), int(math.Round(h)))
}

// length returns a length in points of the screen, or 0 if it is not absolute.
func length(text string) float64 {
	text = strings.TrimSpace(text)
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyz%")
	unit, ok := units[text[len(number):]]
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !ok || !(x > 0 && x < 1e6) {
		return 0
	}
	return x * unit
}
