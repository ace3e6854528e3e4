package picture

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"

	"infomall/store/document/media"
	"infomall/store/record"
)

// The names of XMP are shortened by their last part before the name.
const (
	xmpBytesMax = 4 << 20
	xmpDepthMax = 64
	rdfSpace    = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
)

// xmpSpaces are the namespaces that are read, by the prefix that they have in xmpFields.
var xmpSpaces = map[string]string{
	"http://purl.org/dc/elements/1.1/":      "dc:",
	"http://ns.adobe.com/photoshop/1.0/":    "photoshop:",
	"http://ns.adobe.com/xap/1.0/":          "xmp:",
	"http://ns.adobe.com/exif/1.0/":         "exif:",
	"http://ns.adobe.com/tiff/1.0/":         "tiff:",
	"http://ns.microsoft.com/photo/1.0/":    "microsoft:",
	"http://ns.adobe.com/pdf/1.3/":          "pdf:",
	"http://iptc.org/std/Iptc4xmpCore/1.0/": "iptc:",
}

var xmpFields = map[string]media.Field{
	"dc:title": media.Title, "photoshop:Headline": media.Title, "dc:description": media.Comment, "exif:UserComment": media.Comment,
	"dc:creator": media.Author, "tiff:Artist": media.Author, "dc:subject": media.Keywords, "pdf:Keywords": media.Keywords,
	"dc:rights": media.Rights, "xmp:CreatorTool": media.Producer,
}

// packet is the values of one packet of XMP.
type packet struct {
	r        *reader
	lat, lon string
	model    string
	make     string
	taken    [3]string // by how sure it is: original, of the article, of the file
	modified string
}

// xmp reads a packet of XMP: properties as attributes or elements of a description, each
// a text or a list of texts.
func (r *reader) xmp(v media.View) {
	v = v.Sub(0, xmpBytesMax)
	if at := bytes.IndexByte(v, '<'); at > 0 && at < 16 {
		v = v[at:] // a byte order mark, or a length
	}
	p := &packet{r: r}
	d := xml.NewDecoder(bytes.NewReader(v))
	d.Strict = false
	var stack []string // the property of each open element, or ""
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			if len(stack) >= xmpDepthMax {
				p.put()
				return
			}
			name := property(e.Name)
			if name == "" && len(stack) > 0 && e.Name.Space == rdfSpace && e.Name.Local != "Description" {
				name = stack[len(stack)-1] // a list
			}
			stack = append(stack, name)
			if e.Name.Space == rdfSpace && e.Name.Local == "Description" {
				for _, a := range e.Attr {
					p.set(property(a.Name), a.Value)
				}
			}
		case xml.EndElement:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			if len(stack) > 0 {
				p.set(stack[len(stack)-1], strings.TrimSpace(string(e)))
			}
		}
	}
	p.put()
}

// property returns the name of a property as xmpFields has it, or "" if it is not read.
func property(n xml.Name) string {
	if prefix, ok := xmpSpaces[n.Space]; ok {
		return prefix + n.Local
	}
	return ""
}

func (p *packet) set(name, value string) {
	if name == "" || value == "" {
		return
	}
	if f, ok := xmpFields[name]; ok {
		if f != media.Comment || !boilerplate(value) {
			p.r.tags.Add(f, value)
		}
		return
	}
	switch name {
	case "exif:DateTimeOriginal":
		p.taken[0] = value
	case "photoshop:DateCreated":
		p.taken[1] = value
	case "xmp:CreateDate":
		p.taken[2] = value
	case "xmp:ModifyDate":
		p.modified = value
	case "exif:GPSLatitude":
		p.lat = value
	case "exif:GPSLongitude":
		p.lon = value
	case "tiff:Make":
		p.make = value
	case "tiff:Model":
		p.model = value
	}
}

// put gives the values to the reader.
func (p *packet) put() {
	d := p.r.b.Doc
	// The date of the file says when the picture was taken only if a camera made it.
	for i, date := range p.taken {
		if date != "" && (i < 2 || p.model != "") {
			p.r.taken = append(p.r.taken, date)
		}
	}
	if d.Created == record.NoTime {
		d.Created = media.Time(p.taken[2])
	}
	if d.Modified == record.NoTime {
		d.Modified = media.Time(p.modified)
	}
	p.r.tags.Add(media.Producer, camera(p.make, p.model))
	if d.Place == "" {
		lat, ok1 := xmpDegrees(p.lat)
		lon, ok2 := xmpDegrees(p.lon)
		if ok1 && ok2 {
			d.Place = media.Place(lat, lon)
		}
	}
}

// xmpDegrees returns the degrees of a text such as "48,51.396N", "48,51,24N" or "48.8566".
func xmpDegrees(text string) (degrees float64, ok bool) {
	sign := 1.0
	if n := len(text) - 1; n > 0 {
		switch text[n] {
		case 'S', 'W':
			sign, text = -1, text[:n]
		case 'N', 'E':
			text = text[:n]
		}
	}
	for i, part := range strings.SplitN(text, ",", 3) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, false
		}
		degrees += x / [...]float64{1, 60, 3600}[i]
	}
	return sign * degrees, true
}
