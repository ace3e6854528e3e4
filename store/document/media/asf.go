package media

import (
	"errors"
	"time"

	"infomall/store/document"
)

// The identifiers of objects of ASF.
const (
	asfHeader      = "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
	asfFile        = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"
	asfStream      = "\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65"
	asfExtension   = "\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65"
	asfDescription = "\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
	asfMore        = "\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50"
	asfVideo       = "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
)

// asf is the container of Windows Media (WMA and WMV): objects, each with an identifier
// of 16 bytes and a size.
var asf = Container{
	Name:  "asf",
	Is:    func(v View) bool { return v.Has(0, asfHeader) },
	Video: has(asfVideo),
	Read:  readASF,
}

// asfFields maps the names of tags in the extended description to fields.
var asfFields = map[string]Field{
	"WM/AlbumTitle": Album, "WM/Year": Date, "date": Date, "WM/EncodingSettings": Producer, "WM/OriginalReleaseTime": Date, "WM/Genre": Keywords, "WM/Lyrics": Lyrics,
	"WM/SubTitle": Comment, "WM/SubTitleDescription": Comment, "WM/ToolName": Producer, "WM/EncodedBy": Producer,
	"WM/Text": Comment, "Author": Author, "Title": Title, "Description": Comment, "WM/AlbumArtist": Author,
}

func readASF(b *document.Builder, v View) error {
	size := Signed(v.little64(16))
	if size < 30 {
		return errors.New("the header of the file is damaged")
	}
	var t Tags
	asfObjects(b, &t, v.Sub(30, size-30), true)
	return t.Put(b)
}

// asfObjects reads the objects in v into the document and into t. top says that
// these objects are not inside the header extension.
func asfObjects(b *document.Builder, t *Tags, v View, top bool) {
	d := b.Doc
	for at := 0; at+24 <= len(v); {
		size := Signed(v.little64(at + 16))
		if size < 24 {
			return
		}
		o := v.Sub(at+24, size-24)
		switch string(v[at : at+16]) {
		case asfFile:
			// Ticks of 100 ns since 1601. The format is of 1996: earlier times are placeholders.
			if ticks := o.little64(24); ticks > 1.2e17 && ticks < 1<<62 {
				d.Created = At(time.Unix(int64(ticks/1e7)-11_644_473_600, 0))
			}
			if live := o.Little32(64)&1 != 0; !live {
				d.Duration = Milliseconds(float64(o.little64(40))/1e7-float64(o.little64(56))/1e3, 1)
			}
		case asfStream:
			if o.Has(0, asfVideo) {
				w, h := int64(o.Little32(54)), int64(o.Little32(58))
				if w > 0 && h > 0 && w < 1<<16 && h < 1<<16 {
					d.Width, d.Height = max(w, d.Width), max(h, d.Height)
				}
			}
		case asfExtension:
			if top {
				asfObjects(b, t, o.Sub(22, o.Little32(18)), false)
			}
		case asfDescription:
			pos := 10
			for i, f := range []Field{Title, Author, Rights, Comment} {
				n := o.Little16(2 * i)
				t.Add(f, UTF16(o.Sub(pos, n), false))
				pos += n
			}
		case asfMore:
			asfMoreTags(t, o)
		}
		at += size
	}
}

// asfMoreTags reads the extended description o, which is a list of names and
// values, and adds its tags to t.
func asfMoreTags(t *Tags, o View) {
	pos := 2
	for range o.Little16(0) {
		n := o.Little16(pos)
		name := UTF16(o.Sub(pos+2, n), false)
		pos += 2 + n
		kind, size := o.Little16(pos), o.Little16(pos+2)
		if f, ok := asfFields[name]; ok && kind == 0 {
			t.Add(f, UTF16(o.Sub(pos+4, size), false))
		}
		if pos += 4 + size; pos >= len(o) {
			return
		}
	}
}
