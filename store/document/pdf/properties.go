package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium/requests"

	"infomall/store/document"
	"infomall/store/record"
)

func itoa(n int) string { return strconv.Itoa(n) }

// properties reads the information dictionary of the file and its language into d. What
// cannot be read is left out.
func (f *file) properties(d *document.Document) {
	get := func(tag string) string {
		v, err := f.p.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: f.doc, Tag: tag})
		if err != nil {
			return ""
		}
		return document.Clean(v.Value)
	}
	d.Title, d.Author = get("Title"), get("Author")
	d.Description, d.Keywords = get("Subject"), get("Keywords")
	d.Producer = program(get("Creator"), get("Producer"))
	d.Created, d.Modified = date(get("CreationDate")), date(get("ModDate"))
	if l, err := f.p.FPDFCatalog_GetLanguage(&requests.FPDFCatalog_GetLanguage{Document: f.doc}); err == nil {
		d.Lang = strings.ToLower(document.Clean(l.Language))
	}
}

// program returns the program that wrote a document and the one that made the PDF file
// of it, such as "Writer, LibreOffice 7.4".
func program(creator, producer string) string {
	switch {
	case creator == "" || strings.Contains(producer, creator):
		return producer
	case producer == "" || strings.Contains(creator, producer):
		return creator
	}
	return creator + ", " + producer
}

// date reads a date of a PDF file, such as "D:20080630142501+08'00'". It returns NoTime
// if it is none. A date without a zone is taken as UTC.
func date(text string) record.Time {
	text = strings.TrimPrefix(strings.TrimSpace(text), "D:")
	if t := isoDate(text); t != record.NoTime {
		return t // some programs write their dates so
	}
	digits := 0
	for digits < len(text) && digits < 14 && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	const layout = "20060102150405"
	if digits < 4 || digits%2 != 0 {
		return record.NoTime
	}
	t, err := time.Parse(layout[:digits], text[:digits])
	if err != nil || t.Year() < 1 {
		return record.NoTime
	}
	zone := strings.NewReplacer("'", "", ":", "").Replace(text[digits:])
	if len(zone) >= 3 && (zone[0] == '+' || zone[0] == '-') {
		hours, err1 := strconv.Atoi(zone[1:3])
		minutes := 0
		var err2 error
		if len(zone) >= 5 {
			minutes, err2 = strconv.Atoi(zone[3:5])
		}
		if err1 == nil && err2 == nil && hours < 24 && minutes < 60 {
			offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
			if zone[0] == '+' {
				offset = -offset
			}
			t = t.Add(offset)
		}
	}
	return record.At(t)
}

// isoDate reads a date such as "2008-06-30T14:25:01+08:00" or "2008-06". It returns
// NoTime if it is none.
func isoDate(text string) record.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02", "2006-01"} {
		if t, err := time.Parse(layout, text); err == nil && t.Year() >= 1 {
			return record.At(t)
		}
	}
	return record.NoTime
}

// Bounds of the search for the XMP packet of a file.
const (
	xmpMax      = 1 << 20 // bytes of a packet
	packetsMax  = 100     // packets looked at
	xmpDepthMax = 32      // depth of elements
)

// readXMP reads the XMP packet of a PDF file into d. Its values replace those of the
// information dictionary, which programs forget to change.
func readXMP(d *document.Document, body []byte) {
	var best map[string]string
	for _, p := range packets(body) {
		// A picture in the file may have a packet too. That of the file itself has
		// names of the PDF namespace, or comes last.
		if v := xmpValues(p); len(v) > 0 && (best == nil || v["pdf"] != "" || best["pdf"] == "") {
			best = v
		}
	}
	set := func(to *string, name string) {
		if v := best[name]; v != "" {
			*to = v
		}
	}
	set(&d.Title, "title")
	set(&d.Author, "creator")
	set(&d.Description, "description")
	set(&d.Keywords, "Keywords")
	if d.Keywords == "" {
		set(&d.Keywords, "subject")
	}
	if v := program(best["CreatorTool"], best["Producer"]); v != "" && d.Producer == "" {
		d.Producer = v
	}
	for name, to := range map[string]*record.Time{"CreateDate": &d.Created, "ModifyDate": &d.Modified} {
		if t := isoDate(best[name]); t != record.NoTime && *to == record.NoTime {
			*to = t
		}
	}
}

// packets returns the XMP packets in a body: the plain ones, and
// those in compressed streams that say that they are one.
func packets(body []byte) [][]byte {
	var out [][]byte
	for rest := body; len(out) < packetsMax; {
		i := bytes.Index(rest, []byte("<rdf:RDF"))
		if i < 0 {
			break
		}
		rest = rest[i:]
		end := bytes.Index(rest[:min(len(rest), xmpMax)], []byte("</rdf:RDF>"))
		if end < 0 {
			rest = rest[8:]
			continue
		}
		end += len("</rdf:RDF>")
		out = append(out, rest[:end])
		rest = rest[end:]
	}
	for rest := body; len(out) < packetsMax; {
		i := bytes.Index(rest, []byte("/Metadata"))
		if i < 0 {
			break
		}
		head := rest[max(0, i-200):]
		rest = rest[i+9:]
		near := rest[:min(len(rest), 300)]
		s := bytes.Index(near, []byte("stream"))
		if s < 0 || !bytes.Contains(head[:min(len(head), 500)], []byte("/XML")) || !bytes.Contains(head[:min(len(head), 500)], []byte("/FlateDecode")) {
			continue
		}
		data := bytes.TrimLeft(rest[s+6:], "\r\n")
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			continue
		}
		p, _ := io.ReadAll(io.LimitReader(z, xmpMax)) // a damaged packet is used up to the damage
		if i := bytes.Index(p, []byte("<rdf:RDF")); i >= 0 {
			out = append(out, p[i:])
		}
	}
	return out
}

// xmpValues returns the values of a packet by the local names of their properties. Of a
// list it returns the first value, and of "creator" and "subject" all of them. "pdf" is
// set if the packet has a property of the PDF namespace.
func xmpValues(packet []byte) map[string]string {
	const pdfSpace, nsPDF = "http://ns.adobe.com/pdf/", "pdf"
	out := make(map[string]string)
	add := func(n xml.Name, value string) {
		if strings.HasPrefix(n.Space, pdfSpace) || n.Space == nsPDF {
			out["pdf"] = "yes"
		}
		value = document.Clean(value)
		switch old := out[n.Local]; {
		case value == "":
		case old == "":
			out[n.Local] = value
		case n.Local == "creator" || n.Local == "subject":
			out[n.Local] = old + ", " + value
		}
	}
	x := xml.NewDecoder(bytes.NewReader(packet))
	x.Strict = false
	x.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var path []xml.Name
	for {
		t, err := x.RawToken()
		if err != nil {
			return out // a damaged packet is used up to the damage
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(path) == xmpDepthMax {
				return out
			}
			path = append(path, t.Name)
			if t.Name.Local == "Description" {
				for _, a := range t.Attr {
					add(a.Name, a.Value)
				}
			}
		case xml.EndElement:
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
		case xml.CharData:
			// rdf:RDF / rdf:Description / property [ / rdf:Seq / rdf:li ]
			if len(path) == 3 || len(path) == 5 && path[4].Local == "li" {
				add(path[2], string(t))
			}
		}
	}
}
