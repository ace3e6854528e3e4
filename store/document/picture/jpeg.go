package picture

import (
	"bytes"
	"image/jpeg"
	"strings"

	"infomall/store/document/media"
)

// readJPEG reads the segments before the first scan, and hashes the picture.
func readJPEG(r *reader, v media.View) error {
	bytesPerPoint := 0.0
	for at := 2; at+4 <= len(v); {
		if v[at] != 0xff {
			at++ // damage
			continue
		}
		kind := v[at+1]
		if kind == 0xff || kind == 0 || kind == 1 || kind >= 0xd0 && kind <= 0xd8 {
			at++
			if kind != 0xff {
				at++
			}
			continue
		}
		if kind == 0xd9 {
			break
		}
		size := v.Big16(at + 2)
		c := v.Sub(at+4, size-2)
		at += 2 + max(size, 2)
		switch {
		case kind == 0xda: // the scan
			return r.hash(v, bytesPerPoint, jpeg.Decode)
		case kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc:
			r.resize(c.Big16(3), c.Big16(1))
			bytesPerPoint = jpegBytes(kind, c)
		case kind == 0xe1 && c.Has(0, "Exif\x00"):
			r.exif(c.From(6))
		case kind == 0xe1 && c.Has(0, xmpMark):
			r.xmp(c.From(len(xmpMark)))
		case kind == 0xed && c.Has(0, "Photoshop 3.0\x00"):
			r.photoshop(c.From(14))
		case kind == 0xfe:
			r.comment(c)
		}
	}
	return r.hash(v, bytesPerPoint, jpeg.Decode)
}

const xmpMark = "http://ns.adobe.com/xap/1.0/\x00"

// jpegBytes returns how many bytes a point takes while a JPEG is decoded. c is the header
// of the frame. A progressive JPEG keeps four more bytes for each value.
func jpegBytes(kind byte, c media.View) float64 {
	points, values := 0, 0
	for i := range int(c.Byte(5)) {
		n := int(c.Byte(7+3*i)>>4) * int(c.Byte(7+3*i)&15)
		points, values = max(points, n), values+n
	}
	if points == 0 {
		return 3
	}
	each := 1.0
	if kind != 0xc0 && kind != 0xc1 {
		each = 5
	}
	if c.Byte(5) == 4 {
		each += 1
	}
	return each * float64(values) / float64(points)
}

// comment adds a comment of a file. Many programs write their name there.
func (r *reader) comment(c media.View) {
	text := strings.ToLower(string(c.Sub(0, 200)))
	for _, s := range []string{"creator", "created", "gimp", "photoshop", "lead tech", "intel", "acd", "jpeg", "lavc", "paint", "optimized", "ulead", "imagemagick", "adobe", "handmade", "file written", "quality"} {
		if strings.Contains(text, s) && len(c) < 200 {
			r.tags.AddRaw(media.Producer, bytes.TrimSpace(c))
			return
		}
	}
	if !boilerplate(text) {
		r.tags.AddRaw(media.Comment, c)
	}
}
