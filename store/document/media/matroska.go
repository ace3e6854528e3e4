package media

import (
	"iter"
	"math"
	"math/bits"
	"time"

	"infomall/store/document"
)

// matroska is Matroska and WebM: elements in elements (EBML). The identifier and the size
// of an element are numbers of variable length.
var matroska = Container{
	Name:  "matroska",
	Is:    func(v View) bool { return v.Has(0, "\x1a\x45\xdf\xa3") },
	Video: has("V_"), // the names of codecs, such as V_VP8
	Read:  readMatroska,
}

// elements ranges over the elements of v. The first value is the identifier of
// an element, with its length bits, and the second its content. The content of
// an element of unknown size is the rest of v.
func elements(v View) iter.Seq2[int, View] {
	return func(yield func(int, View) bool) {
		for at := 0; at < len(v); {
			n := bits.LeadingZeros8(v[at]) + 1
			if n > 4 {
				return
			}
			w := v.word(at, 4)
			id := View(w[:]).Big32(0) >> (8 * (4 - n))
			at += n
			first := v.Byte(at)
			m := bits.LeadingZeros8(first) + 1
			if m > 8 {
				return
			}
			mask := uint64(1)<<(7*m) - 1
			raw := v.Big64(at) >> (8 * (8 - m)) & mask
			at += m
			size := Signed(raw)
			if raw == mask || size < 0 {
				size = math.MaxInt32
			}
			if !yield(id, v.Sub(at, size)) {
				return
			}
			at += size
		}
	}
}

// number returns the value of an element that is an unsigned number.
func number(v View) uint64 {
	n := min(len(v), 8)
	if n == 0 {
		return 0
	}
	return v.Big64(0) >> (8 * (8 - n))
}

// float returns the value of an element that is a floating-point number.
func float(v View) float64 {
	if len(v) == 4 {
		return float64(math.Float32frombits(uint32(v.Big32(0))))
	}
	return math.Float64frombits(v.Big64(0))
}

// matroskaFields maps the names of Matroska tags to fields.
var matroskaFields = map[string]Field{
	"TITLE": Title, "ARTIST": Author, "DIRECTOR": Author, "LEAD_PERFORMER": Author, "ALBUM": Album, "DESCRIPTION": Comment, "COMMENT": Comment,
	"SUMMARY": Comment, "SYNOPSIS": Comment, "COPYRIGHT": Rights, "LYRICS": Lyrics, "GENRE": Keywords, "KEYWORDS": Keywords,
	"DATE_RELEASED": Date, "DATE_RECORDED": Date, "DATE": Date,
}

func readMatroska(b *document.Builder, v View) error {
	var t Tags
	for id, e := range elements(v) {
		if id != 0x18538067 { // Segment
			continue
		}
		for id, e := range elements(e) {
			switch id {
			case 0x1549A966:
				matroskaInfo(b.Doc, &t, e)
			case 0x1654AE6B:
				matroskaTracks(b.Doc, e)
			case 0x1254C367:
				matroskaTags(&t, e)
			case 0x1043A770:
				matroskaChapters(&t, e)
			}
		}
	}
	return t.Put(b)
}

func matroskaInfo(d *document.Document, t *Tags, v View) {
	scale, length := 1e6, 0.0
	for id, e := range elements(v) {
		switch id {
		case 0x2AD7B1:
			scale = float64(number(e))
		case 0x4489:
			length = float(e)
		case 0x4461:
			// Nanoseconds since 2001.
			d.Created = At(time.Unix(978_307_200, int64(number(e))))
		case 0x7BA9:
			t.AddRaw(Title, e)
		case 0x5741, 0x4D80: // WritingApp, MuxingApp
			t.AddRaw(Producer, e)
		}
	}
	d.Duration = Milliseconds(length*scale, 1e9)
}

func matroskaTracks(d *document.Document, v View) {
	for id, track := range elements(v) {
		if id != 0xAE {
			continue
		}
		for id, video := range elements(track) {
			if id != 0xE0 {
				continue
			}
			for id, e := range elements(video) {
				switch n := int64(number(e) & 0xffff); id {
				case 0xB0:
					d.Width = max(d.Width, n)
				case 0xBA:
					d.Height = max(d.Height, n)
				}
			}
		}
	}
}

func matroskaTags(t *Tags, v View) {
	for id, tag := range elements(v) {
		if id != 0x7373 {
			continue
		}
		for id, simple := range elements(tag) {
			if id != 0x67C8 {
				continue
			}
			var name, text View
			for id, e := range elements(simple) {
				switch id {
				case 0x45A3:
					name = e
				case 0x4487:
					text = e
				}
			}
			if f, ok := matroskaFields[string(name.Sub(0, 32))]; ok {
				t.AddRaw(f, text)
			}
		}
	}
}

// matroskaChapters adds the titles of chapters to t as text of the recording. v
// is nested: edition, chapter, display, text.
func matroskaChapters(t *Tags, v View) {
	for _, edition := range elements(v) {
		for id, chapter := range elements(edition) {
			if id != 0xB6 {
				continue
			}
			for id, display := range elements(chapter) {
				if id != 0x80 {
					continue
				}
				for id, e := range elements(display) {
					if id == 0x85 {
						t.AddRaw(Lyrics, e)
					}
				}
			}
		}
	}
}
