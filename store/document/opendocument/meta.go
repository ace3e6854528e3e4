package opendocument

import (
	"strconv"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// meta reads the properties of the file, and goes to the end of their element.
func (r *reader) meta() {
	s, d := r.s, r.b.Doc
	last, subject := "", ""
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "dc:title":
			d.Title = document.Clean(s.Inner())
		case "dc:description":
			d.Description = document.Clean(s.Inner())
		case "dc:subject":
			subject = document.Clean(s.Inner())
		case "meta:keyword":
			office.AddKeyword(d, s.Inner())
		case "meta:initial-creator":
			d.Author = document.Clean(s.Inner())
		case "dc:creator":
			last = document.Clean(s.Inner())
		case "dc:language":
			d.Lang = document.Clean(s.Inner())
		case "meta:creation-date":
			d.Created = office.Date(s.Inner())
		case "dc:date":
			d.Modified = office.Date(s.Inner())
		case "meta:generator":
			d.Producer = document.Clean(s.Inner())
		case "meta:document-statistic":
			if n, err := strconv.ParseInt(s.Attr("meta:page-count"), 10, 32); err == nil && n > 0 {
				d.Pages = n
			}
		}
	}
	if d.Author == "" {
		d.Author = last
	}
	if d.Description == "" {
		d.Description = subject
	}
}
