package picture

import (
	"encoding/binary"
	"math"
	"strings"

	"infomall/store/document/media"
	"infomall/store/record"
)

// tiffView is a TIFF file, or a block of EXIF, which has the same form: directories of entries at
// any position.
type tiffView struct {
	media.View
	order binary.ByteOrder
}

// newTIFF returns the TIFF that v is. ok is false if it is none.
func newTIFF(v media.View) (t tiffView, ok bool) {
	switch {
	case v.Has(0, "II"):
		return tiffView{v, binary.LittleEndian}, true
	case v.Has(0, "MM"):
		return tiffView{v, binary.BigEndian}, true
	}
	return tiffView{}, false
}

func (t tiffView) short(at int) int {
	if b := t.Sub(at, 2); len(b) == 2 {
		return int(t.order.Uint16(b))
	}
	return 0
}

func (t tiffView) long(at int) int {
	if b := t.Sub(at, 4); len(b) == 4 {
		return int(t.order.Uint32(b))
	}
	return 0
}

// entry is one entry of a directory.
type entry struct {
	t     tiffView
	tag   int
	kind  int // the type of its values
	count int
	data  media.View
}

// kindBytes is how many bytes a value has, by its type.
var kindBytes = [...]int{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4}

// entries returns the entries of the directory at a position, and the position of the next
// directory, or 0.
func (t tiffView) entries(at int) (all []entry, next int) {
	if at <= 0 || at >= len(t.View) {
		return nil, 0
	}
	n := min(t.short(at), 2000, (len(t.View)-at)/12+1)
	for i := range n {
		p := at + 2 + 12*i
		e := entry{t: t, tag: t.short(p), kind: t.short(p + 2), count: t.long(p + 4)}
		if e.kind >= len(kindBytes) || e.count > len(t.View) {
			continue
		}
		if size := e.count * kindBytes[e.kind]; size <= 4 {
			e.data = t.Sub(p+8, size)
		} else {
			e.data = t.Sub(t.long(p+8), size)
		}
		all = append(all, e)
	}
	return all, t.long(at + 2 + 12*n)
}

// number returns the first value of an entry as a whole number.
func (e entry) number() int {
	v := tiffView{e.data, e.t.order}
	switch e.kind {
	case 1, 6, 7:
		return int(e.data.Byte(0))
	case 3, 8:
		return v.short(0)
	}
	return v.long(0)
}

// ratio returns value i of an entry of fractions.
func (e entry) ratio(i int) float64 {
	v := tiffView{e.data, e.t.order}
	if d := v.long(8*i + 4); d != 0 {
		return float64(v.long(8*i)) / float64(d)
	}
	return 0
}

// text returns the text of an entry up to its first zero byte.
func (e entry) text() string {
	s, _, _ := strings.Cut(string(e.data.Sub(0, 4096)), "\x00")
	return strings.TrimSpace(s)
}

// exif holds the place and the camera that a block of EXIF names.
type exif struct {
	model, make          string
	lat, lon             float64
	latSign, lonSign     string
	original, digitized  string
	offset, originOffset string
}

// exif reads a block of EXIF. It has one main directory, and that points to at most two
// others.
func (r *reader) exif(v media.View) {
	t, ok := newTIFF(v)
	if !ok {
		return
	}
	all, _ := t.entries(t.long(4))
	r.directory(all)
}

// directory reads the main directory of EXIF or TIFF.
func (r *reader) directory(all []entry) {
	x := &exif{lat: math.NaN()}
	modified, program := "", media.View(nil)
	for _, e := range all {
		switch e.tag {
		case 0x010e:
			if text := e.text(); !boilerplate(text) {
				r.tags.AddRaw(media.Comment, e.data)
			}
		case 0x010f:
			x.make = e.text()
		case 0x0110:
			x.model = e.text()
		case 0x0112:
			if o := e.number(); o >= 1 && o <= 8 {
				r.orientation = o
			}
		case 0x0131:
			program = e.data
		case 0x0132:
			modified = e.text()
		case 0x013b:
			r.tags.AddRaw(media.Author, e.data)
		case 0x8298:
			r.tags.AddRaw(media.Rights, e.data)
		case 0x02bc:
			r.xmp(e.data)
		case 0x83bb:
			r.iptc(e.data)
		case 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e: // title, comment, author, keywords of Windows
			f := []media.Field{media.Title, media.Comment, media.Author, media.Keywords}[e.tag-0x9c9b]
			r.tags.Add(f, media.UTF16(e.data, false))
		case 0x8769, 0x8825:
			inner, _ := e.t.entries(e.number())
			for _, e := range inner {
				r.inner(x, e)
			}
		}
	}
	r.tags.Add(media.Producer, camera(x.make, x.model))
	r.tags.AddRaw(media.Producer, program) // counts if no camera is named
	for _, date := range []string{zoned(x.original, x.originOffset), zoned(x.digitized, x.originOffset)} {
		if date != "" {
			r.taken = append(r.taken, date)
		}
	}
	if t := media.Time(zoned(modified, x.offset)); t != record.NoTime {
		r.b.Doc.Modified = t
	}
	if place := x.place(); place != "" {
		r.b.Doc.Place = place
	}
}

// inner reads an entry of an inner directory: that of the camera settings or that of the
// place. One function serves both, because no tag is in both.
func (r *reader) inner(x *exif, e entry) {
	switch e.tag {
	case 0x0001:
		x.latSign = e.text()
	case 0x0002:
		if e.kind == 5 && e.count == 3 {
			x.lat = e.ratio(0) + e.ratio(1)/60 + e.ratio(2)/3600
		}
	case 0x0003:
		x.lonSign = e.text()
	case 0x0004:
		if e.kind == 5 && e.count == 3 {
			x.lon = e.ratio(0) + e.ratio(1)/60 + e.ratio(2)/3600
		}
	case 0x9003:
		x.original = e.text()
	case 0x9004:
		x.digitized = e.text()
	case 0x9010:
		x.offset = e.text()
	case 0x9011:
		x.originOffset = e.text()
	case 0x9286:
		r.userComment(e)
	}
}

// userComment reads a comment that begins with the name of its charset in 8 bytes.
func (r *reader) userComment(e entry) {
	text := e.data.From(8)
	if e.data.Has(0, "UNICODE\x00") {
		// The byte order is that of the file, but many programs write the other. Most texts
		// have more characters with a high byte of zero, or of one script, than with others.
		big := e.t.order == binary.BigEndian
		if likely(text, !big) > likely(text, big) {
			big = !big
		}
		if s := media.UTF16(text, big); !boilerplate(s) {
			r.tags.Add(media.Comment, s)
		}
		return
	}
	if s := string(text); !boilerplate(s) {
		r.tags.AddRaw(media.Comment, text)
	}
}

// likely returns how many characters of a text in UTF-16 are blanks or have the same high
// byte as the character before.
func likely(v media.View, big bool) (n int) {
	high, last := 1, byte(0)
	if big {
		high = 0
	}
	for i := 0; i+1 < min(len(v), 512); i += 2 {
		h, l := v[i+high], v[i+1-high]
		if h == last || h == 0 && l == ' ' {
			n++
		}
		last = h
	}
	return n
}

// camera returns a camera by maker and model: "Canon EOS 300D", not "Canon Canon EOS 300D".
func camera(maker, model string) string {
	first, _, _ := strings.Cut(maker, " ")
	if first != "" && strings.HasPrefix(strings.ToLower(model), strings.ToLower(first)) {
		return model
	}
	return strings.TrimSpace(maker + " " + model)
}

// zoned returns a date with its zone, such as "2004:05:06 07:08:09+02:00".
func zoned(date, offset string) string {
	if date == "" || strings.HasPrefix(date, "0000") || len(offset) != 6 {
		return date
	}
	return date + offset
}

// place returns the place of the camera, or "".
func (x *exif) place() string {
	lat, lon := x.lat, x.lon
	if x.latSign == "S" || x.latSign == "s" {
		lat = -lat
	}
	if x.lonSign == "W" || x.lonSign == "w" {
		lon = -lon
	}
	return media.Place(lat, lon)
}

// boilerplate reports whether a description was written by a camera or a program, and
// says nothing about the picture.
func boilerplate(text string) bool {
	text = strings.ToLower(strings.Trim(text, " \x00"))
	for _, s := range []string{
		"olympus digital camera", "digital camera", "digimax", "kodak digital still camera", "samsung", "sony dsc", "dcf", "minolta dsc",
		"exif_jpeg", "default", "charset=", "created with", "screenshot", "processed with", "charset=ascii",
	} {
		if strings.HasPrefix(text, s) && len(text) < len(s)+20 {
			return true
		}
	}
	return false
}
