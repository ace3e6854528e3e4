package ooxml

import (
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// properties sets the fields of d by the properties of the file.
func (p *parts) properties(d *document.Document) {
	for _, r := range p.relations("") {
		switch r.kind {
		case "core-properties":
			p.core(d, r.target)
		case "extended-properties", "extendedProperties":
			p.extended(d, r.target)
		}
	}
}

// core reads the properties that every file has: title, author and dates.
func (p *parts) core(d *document.Document, part string) {
	s, err := p.scan(part)
	if err != nil {
		return
	}
	for s.Next() {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "dc:title":
			d.Title = document.Clean(s.Inner())
		case "dc:creator":
			d.Author = document.Clean(s.Inner())
		case "dc:description":
			d.Description = document.Clean(s.Inner())
		case "dc:subject":
			if subject := document.Clean(s.Inner()); d.Description == "" {
				d.Description = subject
			}
		case "dc:language":
			d.Lang = document.Clean(s.Inner())
		case "cp:keywords":
			d.Keywords = document.Clean(s.Inner())
		case "dcterms:created":
			d.Created = office.Date(s.Inner())
		case "dcterms:modified":
			d.Modified = office.Date(s.Inner())
		}
	}
}

// extended reads the properties of the program that wrote the file: its name, and the
// number of pages, which for presentations is replaced by the number of slides.
func (p *parts) extended(d *document.Document, part string) {
	s, err := p.scan(part)
	if err != nil {
		return
	}
	program, version := "", ""
	for s.Next() {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "app:Application":
			program = document.Clean(s.Inner())
		case "app:AppVersion":
			version = document.Clean(s.Inner())
		case "app:Pages":
			if n, err := strconv.ParseInt(strings.TrimSpace(s.Inner()), 10, 32); err == nil && n > 0 {
				d.Pages = n
			}
		}
	}
	d.Producer = document.Clean(program + " " + version)
}
