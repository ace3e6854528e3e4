package sound

import (
	"bytes"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/media"
)

// id3Fields are the frames of ID3v2: of version 2.2 with three letters, of 2.3 and 2.4
// with four.
var id3Fields = map[string]media.Field{
	"TT2": media.Title, "TIT2": media.Title, "TP1": media.Author, "TPE1": media.Author, "TCM": media.Author, "TCOM": media.Author,
	"TAL": media.Album, "TALB": media.Album, "TT3": media.Comment, "TIT3": media.Comment, "COM": media.Comment, "COMM": media.Comment,
	"TCR": media.Rights, "TCOP": media.Rights, "ULT": media.Lyrics, "USLT": media.Lyrics, "TCO": media.Keywords, "TCON": media.Keywords,
	"TSS": media.Producer, "TSSE": media.Producer, "TEN": media.Producer, "TENC": media.Producer,
	"TDRC": media.Date, "TYE": media.Date, "TYER": media.Date, "TDRL": media.Date,
}

// synchsafe returns a number of four bytes of seven bits each.
func synchsafe(v media.View) int {
	return int(v.Byte(0)&0x7f)<<21 | int(v.Byte(1)&0x7f)<<14 | int(v.Byte(2)&0x7f)<<7 | int(v.Byte(3)&0x7f)
}

// id3Size returns how many bytes the tag ID3v2 at the start of v has, or 0 if there is
// none.
func id3Size(v media.View) int {
	if !v.Has(0, "ID3") || len(v) < 10 {
		return 0
	}
	n := 10 + synchsafe(v.From(6))
	if v.Byte(5)&0x10 != 0 {
		n += 10 // a footer
	}
	return n
}

// readID3 adds the tag ID3v2 at the start of v.
func readID3(b *document.Builder, t *media.Tags, v media.View) {
	version, flags := v.Byte(3), v.Byte(5)
	v = v.Sub(10, synchsafe(v.From(6)))
	if flags&0x80 != 0 && version < 4 {
		v = bytes.ReplaceAll(v, []byte{0xff, 0}, []byte{0xff})
	}
	head := 10
	switch {
	case version == 2:
		head = 6
	case flags&0x40 != 0 && version == 3:
		v = v.From(4 + v.Big32(0))
	case flags&0x40 != 0:
		v = v.From(synchsafe(v))
	}
	for at := 0; at+head <= len(v) && v[at] != 0; {
		var id string
		var size int
		var packed bool
		switch version {
		case 2:
			id, size = string(v[at:at+3]), v.Big24(at+3)
		case 3:
			id, size, packed = string(v[at:at+4]), v.Big32(at+4), v.Byte(at+9)&0xc0 != 0
		default:
			id, size, packed = string(v[at:at+4]), synchsafe(v.From(at+4)), v.Byte(at+9)&0x0c != 0
			if wide := v.Big32(at + 4); wide != size && !frameFollows(v, at+10+size) && frameFollows(v, at+10+wide) {
				size = wide // old iTunes writes sizes as version 2.3 does
			}
		}
		c := v.Sub(at+head, size)
		if version == 4 && v.Byte(at+9)&1 != 0 {
			c = c.From(4) // the length of the data
		}
		if version == 4 && (v.Byte(at+9)&2 != 0 || flags&0x80 != 0) {
			c = bytes.ReplaceAll(c, []byte{0xff, 0}, []byte{0xff})
		}
		if !packed {
			id3Frame(b, t, id, c)
		}
		at = v.After(at+head, size)
	}
}

// frameFollows reports whether a frame, or the end or the padding of a tag, is at position
// at.
func frameFollows(v media.View, at int) bool {
	if at >= len(v) {
		return at == len(v)
	}
	id := string(v.Sub(at, 4))
	return id[0] == 0 || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// id3Frame adds one frame.
func id3Frame(b *document.Builder, t *media.Tags, id string, c media.View) {
	switch id {
	case "WXXX", "WXX":
		_, url := id3Split(c.Byte(0), c.From(1))
		b.Link(string(cutZero(url)), "")
		return
	case "TXXX", "TXX":
		if name, text := id3Split(c.Byte(0), c.From(1)); strings.EqualFold(string(name), "comment") {
			id3Texts(t, media.Comment, c.Byte(0), text)
		}
		return
	case "WOAF", "WOAR", "WOAS", "WPUB", "WAF", "WAR", "WAS", "WPB", "WCOM", "WCOP":
		b.Link(string(cutZero(c)), "")
		return
	}
	f, ok := id3Fields[id]
	if !ok {
		return
	}
	encoding, text := c.Byte(0), c.From(1)
	switch id {
	case "COM", "COMM", "ULT", "USLT":
		var about media.View
		about, text = id3Split(encoding, text.From(3))
		if about.Has(0, "iTun") || about.Has(0, "Song") || about.Has(0, "ID3v1") {
			return // numbers for one player
		}
	}
	id3Texts(t, f, encoding, text)
}

// id3Texts adds the texts of one frame.
func id3Texts(t *media.Tags, f media.Field, encoding byte, text media.View) {
	for range 20 {
		var one media.View
		one, text = id3Split(encoding, text)
		switch encoding {
		case 1, 2:
			t.Add(f, genre(f, media.UTF16(one, encoding == 2)))
		case 3:
			t.AddRaw(f, one)
		default:
			if s := string(one); f == media.Keywords {
				one = media.View(genre(f, s))
			}
			t.AddRaw(f, one)
		}
		if len(text) == 0 {
			return
		}
	}
}

// genre returns text without numbers of the standard list of genres, such as "(17)", if the field
// f is Keywords, which has the genres. It returns the text of any other field unchanged.
func genre(f media.Field, text string) string {
	if f != media.Keywords {
		return text
	}
	for strings.HasPrefix(text, "(") {
		_, rest, ok := strings.Cut(text, ")")
		if !ok {
			break
		}
		text = rest
	}
	if _, err := strconv.Atoi(strings.Trim(text, "\x00 ")); err == nil {
		return ""
	}
	return text
}

// id3Split cuts a text at its first zero character.
func id3Split(encoding byte, v media.View) (text, rest media.View) {
	if encoding != 1 && encoding != 2 {
		text, rest, _ := bytes.Cut(v, []byte{0})
		return text, rest
	}
	for i := 0; i+1 < len(v); i += 2 {
		if v[i] == 0 && v[i+1] == 0 {
			return v[:i], v.From(i + 2)
		}
	}
	return v, nil
}

func cutZero(b []byte) []byte {
	b, _, _ = bytes.Cut(b, []byte{0})
	return b
}

// readID3v1 adds the tag ID3v1 at the end of v, and cuts it off.
func readID3v1(t *media.Tags, v *media.View) {
	tag := v.From(len(*v) - 128)
	if len(tag) < 128 || !tag.Has(0, "TAG") {
		return
	}
	*v = v.Sub(0, len(*v)-128)
	for _, p := range []struct {
		field    media.Field
		at, size int
	}{{media.Title, 3, 30}, {media.Author, 33, 30}, {media.Album, 63, 30}, {media.Comment, 97, 28}, {media.Date, 93, 4}} {
		t.AddShort(p.field, tag.Sub(p.at, p.size))
	}
}

// apeFields are the names of the items of a tag APE.
var apeFields = map[string]media.Field{
	"title": media.Title, "artist": media.Author, "album": media.Album, "comment": media.Comment, "copyright": media.Rights,
	"lyrics": media.Lyrics, "genre": media.Keywords, "year": media.Date,
}

// readAPE adds the tag APE at the end of v. Its last 32 bytes describe it.
func readAPE(t *media.Tags, v media.View) {
	foot := v.From(len(v) - 32)
	if !foot.Has(0, "APETAGEX") {
		return
	}
	items := v.From(len(v) - foot.Little32(12))
	for range min(foot.Little32(16), 200) {
		size := items.Little32(0)
		name, _, ok := bytes.Cut(items.Sub(8, 64), []byte{0})
		if !ok {
			return
		}
		value := items.Sub(8+len(name)+1, size)
		if f, ok := apeFields[strings.ToLower(string(name))]; ok && items.Byte(4)&6 == 0 {
			t.AddRaw(f, value)
		}
		items = items.From(8 + len(name) + 1 + size)
	}
}
