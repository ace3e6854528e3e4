package picture

import (
	"encoding/hex"
	"strings"

	"infomall/store/document/media"
)

// iptcFields are the datasets of record 2 of IPTC.
var iptcFields = map[byte]media.Field{
	5: media.Title, 105: media.Title, 120: media.Comment, 80: media.Author, 25: media.Keywords, 116: media.Rights, 65: media.Producer,
}

// iptc reads datasets of IPTC: a mark, record, number, size and text.
func (r *reader) iptc(v media.View) {
	date, clock := "", ""
	for at := 0; at+5 <= len(v) && v[at] == 0x1c; {
		size := v.Big16(at + 3)
		text := v.Sub(at+5, size)
		if v[at+1] == 2 {
			switch number := v[at+2]; number {
			case 55:
				date = string(text)
			case 60:
				clock = string(text)
			default:
				if f, ok := iptcFields[number]; ok {
					r.tags.AddRaw(f, text)
				}
			}
		}
		at += 5 + size
	}
	if len(date) == 8 {
		if len(clock) >= 6 {
			date += " " + clock[:6]
		}
		r.taken = append(r.taken, date)
	}
}

// photoshop reads the blocks that Photoshop writes. The block 0x0404 is IPTC.
func (r *reader) photoshop(v media.View) {
	for at := 0; v.Has(at, "8BIM"); {
		name := 1 + int(v.Byte(at+6))
		p := at + 6 + name + name&1
		size := v.Big32(p)
		if v.Big16(at+4) == 0x0404 {
			r.iptc(v.Sub(p+4, size))
		}
		at = v.After(p+4+size&1, size)
	}
}

// rawProfile reads a block that ImageMagick wrote into a PNG as hexadecimal digits: name,
// size and digits, on lines.
func (r *reader) rawProfile(keyword, text string) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return
	}
	b, err := hex.DecodeString(strings.Join(fields[2:], ""))
	if err != nil {
		return
	}
	v := media.View(b)
	switch {
	case strings.HasSuffix(keyword, " xmp"):
		r.xmp(v)
	case v.Has(0, "Exif\x00\x00"):
		r.exif(v[6:])
	case v.Has(0, "8BIM"):
		r.photoshop(v)
	case v.Byte(0) == 0x1c:
		r.iptc(v)
	}
}
