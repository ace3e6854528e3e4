package picture

import (
	"bytes"
	"compress/zlib"
	"image/png"
	"io"
	"strings"
	"time"

	"infomall/store/document/media"
)

// pngFields are the keywords of texts.
var pngFields = map[string]media.Field{
	"title": media.Title, "author": media.Author, "description": media.Comment, "comment": media.Comment, "copyright": media.Rights,
	"software": media.Producer, "creation time": media.Date, "keywords": media.Keywords, "source": media.Producer,
}

// readPNG reads the chunks of a PNG, and hashes the picture.
func readPNG(r *reader, v media.View) error {
	bytesPerPoint, unpacked := 4.0, r.b.Limits().Unpacked
	for at := 8; at+8 <= len(v); {
		size := v.Big32(at)
		c := v.Sub(at+8, size)
		switch string(v[at+4 : at+8]) {
		case "IHDR":
			r.resize(c.Big32(0), c.Big32(4))
			switch depth, color := c.Byte(8), c.Byte(9); {
			case depth == 16 && color != 0:
				bytesPerPoint = 8
			case color == 0 || color == 3:
				bytesPerPoint = 2
			}
			if c.Byte(12) != 0 {
				bytesPerPoint *= 2 // interlaced
			}
		case "tEXt":
			key, text, _ := bytes.Cut(c, []byte{0})
			r.pngText(string(key), text)
		case "zTXt":
			key, text, _ := bytes.Cut(c, []byte{0})
			r.pngText(string(key), inflate(media.View(text).From(1), &unpacked))
		case "iTXt":
			key, text, _ := bytes.Cut(c, []byte{0})
			packed := media.View(text).Byte(0) == 1
			_, text, _ = bytes.Cut(media.View(text).From(2), []byte{0}) // language
			_, text, _ = bytes.Cut(text, []byte{0})                     // translated keyword
			if packed {
				text = inflate(text, &unpacked)
			}
			r.pngText(string(key), text)
		case "eXIf":
			r.exif(c)
		case "tIME":
			t := time.Date(c.Big16(0), time.Month(c.Byte(2)), int(c.Byte(3)), int(c.Byte(4)), int(c.Byte(5)), int(c.Byte(6)), 0, time.UTC)
			r.b.Doc.Modified = media.At(t)
		}
		at = v.After(at+12, size)
	}
	return r.hash(v, bytesPerPoint, png.Decode)
}

// pngText adds a text of a PNG by its keyword.
func (r *reader) pngText(key string, text []byte) {
	switch f, ok := pngFields[strings.ToLower(key)]; {
	case key == "XML:com.adobe.xmp":
		r.xmp(text)
	case strings.HasPrefix(key, "Raw profile type "):
		r.rawProfile(key, string(text))
	case ok && f == media.Comment:
		r.comment(text)
	case ok:
		r.tags.AddRaw(f, text)
	}
}

// textBytesMax is how many bytes one packed text may have when unpacked.
const textBytesMax = 4 << 20

// inflate unpacks a text, and takes its size from what may still be unpacked.
func inflate(packed []byte, left *int64) []byte {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil || *left <= 0 {
		return nil
	}
	b, _ := io.ReadAll(io.LimitReader(z, min(*left, textBytesMax))) // what is there of a damaged text
	*left -= int64(len(b))
	return b
}
