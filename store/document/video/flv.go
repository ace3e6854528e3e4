package video

import (
	"math"

	"infomall/store/document"
	"infomall/store/document/media"
)

// readFLV reads a Flash video: tags, each with a kind, a size and a time. The tag
// "onMetaData" describes the file.
func readFLV(b *document.Builder, v media.View) error {
	r := &flvReader{doc: b.Doc}
	at := v.Big32(5) + 4
	for range flvTagsMax {
		size := v.Big24(at + 1)
		if v.Byte(at)&0x1f == 18 {
			r.script(v.Sub(at+11, size))
			if r.found {
				break
			}
		}
		if at += 11 + size + 4; at >= len(v) {
			break
		}
	}
	if b.Doc.Duration < 0 {
		// The time of the last tag.
		if last := len(v) - v.Big32(len(v)-4) - 4; last > 0 {
			b.Doc.Duration = media.Milliseconds(float64(v.Big24(last+4)|int(v.Byte(last+7))<<24), 1000)
		}
	}
	return r.tags.Put(b)
}

// flvTagsMax is how many tags are read in search of "onMetaData", and amfMax how many
// values of it.
const (
	flvTagsMax = 100
	amfMax     = 5000
)

// flvFields are the names of values that are tags.
var flvFields = map[string]media.Field{
	"title": media.Title, "author": media.Author, "artist": media.Author, "description": media.Comment, "comment": media.Comment,
	"copyright": media.Rights, "keywords": media.Keywords, "creator": media.Producer, "metadatacreator": media.Producer,
	"encoder": media.Producer, "creationdate": media.Date, "metadatadate": media.Date, "date": media.Date,
}

// flvReader reads the values of a script tag, which are in AMF0.
type flvReader struct {
	doc    *document.Document
	tags   media.Tags
	found  bool
	values int
}

func (r *flvReader) script(v media.View) {
	if v.Byte(0) != 2 || !v.Has(3, "onMetaData") {
		return
	}
	r.found = true
	r.value("", v.From(3+v.Big16(1)), 0)
}

// depthMax is how deep values are read that lie in each other.
const depthMax = 8

// value reads the value at the start of v, and returns the bytes after the value. name is the name
// of the value in its object. The result is nil if the length of the value is not known.
func (r *flvReader) value(name string, v media.View, depth int) media.View {
	if r.values++; r.values > amfMax || depth > depthMax || len(v) == 0 {
		return nil
	}
	switch kind, v := v[0], v[1:]; kind {
	case 0:
		r.number(name, math.Float64frombits(v.Big64(0)))
		return v.From(8)
	case 1:
		return v.From(1)
	case 2:
		r.text(name, v.Sub(2, v.Big16(0)))
		return v.From(2 + v.Big16(0))
	case 12:
		r.text(name, v.Sub(4, v.Big32(0)))
		return v.From(4 + v.Big32(0))
	case 3:
		return r.object(v, depth)
	case 8:
		return r.object(v.From(4), depth)
	case 10:
		n := v.Big32(0)
		for v = v.From(4); n > 0 && len(v) > 0; n-- {
			v = r.value("", v, depth+1)
		}
		return v
	case 5, 6:
		return v
	case 11:
		return v.From(10)
	}
	return nil
}

// object reads names and values up to the end of an object.
func (r *flvReader) object(v media.View, depth int) media.View {
	for len(v) > 0 {
		n := v.Big16(0)
		name := string(v.Sub(2, n))
		if v = v.From(2 + n); n == 0 {
			return v.From(1) // the mark of the end
		}
		if depth > 0 {
			name = "" // only the outer values describe the file
		}
		v = r.value(name, v, depth+1)
	}
	return nil
}

func (r *flvReader) number(name string, x float64) {
	switch name {
	case "duration":
		r.doc.Duration = media.Milliseconds(x, 1)
	case "width":
		r.doc.Width = size(int(max(0, min(x, 1e6))))
	case "height":
		r.doc.Height = size(int(max(0, min(x, 1e6))))
	}
}

func (r *flvReader) text(name string, v media.View) {
	if f, ok := flvFields[name]; ok {
		r.tags.AddRaw(f, v)
	}
}
