package media

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"iter"
	"strings"

	"infomall/store/document"
	"infomall/store/record"
)

// mp4 is MP4, QuickTime and 3GP: boxes in boxes. The box "moov" describes the file.
var mp4 = Container{
	Name: "mp4",
	Is: func(v View) bool {
		switch string(v.Sub(4, 4)) {
		case "ftyp":
			return !StillImage(v)
		case "moov", "mdat", "wide", "pnot":
			// Old QuickTime. The first byte of a size is zero in any file that is not huge.
			return v.Byte(0) == 0
		}
		return false
	},
	Video: func(head View) bool {
		switch string(head.Sub(8, 4)) {
		case "M4A ", "M4B ", "M4P ":
			return !head.Has(4, "ftyp")
		}
		return true
	},
	Read: readMP4,
}

// StillImage reports whether v, a file of boxes as in MP4, is a picture in AVIF
// or HEIF.
func StillImage(v View) bool {
	if !v.Has(4, "ftyp") {
		return false
	}
	switch string(v.Sub(8, 4)) {
	case "avif", "avis", "heic", "heix", "heim", "heis", "hevc", "mif1", "msf1":
		return true
	}
	return false
}

// Boxes ranges over the boxes of v. The first value is the name of a box, and
// the second its content. The content of a box that claims more bytes than v
// has is cut.
func Boxes(v View) iter.Seq2[string, View] {
	return func(yield func(string, View) bool) {
		for at := 0; at+8 <= len(v); {
			size, head := v.Big32(at), 8
			switch size {
			case 0:
				size = len(v) - at
			case 1:
				size, head = Signed(v.Big64(at+8)), 16
			}
			if size < head || !yield(string(v[at+4:at+8]), v.Sub(at+head, size-head)) {
				return
			}
			at += size
		}
	}
}

// Box returns the content of the first box with this name, or nil.
func Box(v View, name string) View {
	for n, c := range Boxes(v) {
		if n == name {
			return c
		}
	}
	return nil
}

// mp4Reader is the state while one file is read.
type mp4Reader struct {
	b    *document.Builder
	tags Tags
	keys []string // names of the tags in the newer form; the method list refers to them by number
}

func readMP4(b *document.Builder, v View) error {
	r := &mp4Reader{b: b}
	var moov View
	for name, box := range Boxes(v) {
		if name == "moov" && moov == nil {
			moov = box
		}
	}
	if moov == nil {
		return errors.New("the description of the file (box moov) is missing: the file may be cut off")
	}
	if packed := Box(moov, "cmov"); packed != nil {
		inner, err := unpackMoov(packed, b.Limits().Unpacked)
		if err != nil {
			return err
		}
		moov = inner
	}
	r.moov(moov)
	return r.tags.Put(b)
}

// unpackMoov decompresses cmov, the compressed form of the box moov, and
// returns the content of moov. most is the largest number of bytes that it may
// have.
func unpackMoov(cmov View, most int64) (View, error) {
	z, err := zlib.NewReader(bytes.NewReader(Box(cmov, "cmvd").From(4)))
	if err != nil {
		return nil, errors.New("the description of the file cannot be unpacked: " + err.Error())
	}
	b, err := io.ReadAll(io.LimitReader(z, min(most, 16<<20)))
	if len(b) == 0 && err != nil {
		return nil, errors.New("the description of the file cannot be unpacked: " + err.Error())
	}
	return Box(b, "moov"), nil
}

func (r *mp4Reader) moov(v View) {
	d := r.b.Doc
	for name, box := range Boxes(v) {
		switch name {
		case "mvhd":
			wide := box.Byte(0) == 1
			created, scale, length := uint64(box.Big32(4)), box.Big32(12), uint64(box.Big32(16))
			if wide {
				created, scale, length = box.Big64(4), box.Big32(20), box.Big64(24)
			}
			d.Created = since1904(created)
			if length != 1<<32-1 {
				d.Duration = Milliseconds(float64(length), float64(scale))
			}
			if d.Duration < 0 {
				if mehd := Box(Box(v, "mvex"), "mehd"); mehd != nil {
					length = uint64(mehd.Big32(4))
					if mehd.Byte(0) == 1 {
						length = mehd.Big64(4)
					}
					d.Duration = Milliseconds(float64(length), float64(scale))
				}
			}
		case "trak":
			r.track(box)
		case "udta":
			r.userData(box)
		case "meta":
			r.meta(box)
		}
	}
	if d.Created != record.NoTime && d.Height > 0 {
		d.Taken = d.Created
	}
}

// track reads the width and height of a track. It ignores tracks that show no
// pictures.
func (r *mp4Reader) track(v View) {
	if h := Box(Box(v, "mdia"), "hdlr"); h != nil && !h.Has(8, "vide") {
		return
	}
	t := Box(v, "tkhd")
	matrix := 40
	if t.Byte(0) == 1 {
		matrix = 52
	}
	w, h := int64(t.Big32(matrix+36)>>16), int64(t.Big32(matrix+40)>>16)
	if t.Big32(matrix) == 0 && t.Big32(matrix+4) != 0 {
		w, h = h, w // the picture is turned by 90 degrees
	}
	if d := r.b.Doc; w > 0 && h > 0 && w*h > d.Width*d.Height {
		d.Width, d.Height = w, h
	}
}

// quickTimeFields maps the tags of QuickTime and iTunes to fields; \xa9 stands
// for the copyright sign with which their names begin.
var quickTimeFields = map[string]Field{
	"\xa9nam": Title, "titl": Title, "\xa9ART": Author, "\xa9aut": Author, "perf": Author, "auth": Author, "aART": Author,
	"\xa9alb": Album, "albm": Album, "\xa9cmt": Comment, "\xa9des": Comment, "desc": Comment, "dscp": Comment, "\xa9inf": Comment,
	"ldes": Comment, "\xa9cpy": Rights, "cprt": Rights, "\xa9lyr": Lyrics, "\xa9gen": Keywords, "gnre": Keywords, "keyw": Keywords,
	"\xa9too": Producer, "\xa9swr": Producer, "\xa9enc": Producer, "\xa9day": Date,
}

// longFields maps the tags of the newer form to fields. Their names begin with
// "com.apple.quicktime.", which is left out here.
var longFields = map[string]Field{
	"title": Title, "author": Author, "artist": Author, "album": Album, "description": Comment, "comment": Comment, "information": Comment,
	"copyright": Rights, "keywords": Keywords, "software": Producer, "creationdate": Date, "year": Date,
}

// userData reads a box udta: tags of QuickTime, of 3GP, and the box meta of iTunes.
func (r *mp4Reader) userData(v View) {
	for name, box := range Boxes(v) {
		switch {
		case name == "meta":
			r.meta(box)
		case name == "\xa9xyz":
			r.place(string(box.Sub(4, box.Big16(0))))
		case name == "loci":
			r.loci(box)
		case name[0] == 0xa9:
			if f, ok := quickTimeFields[name]; ok {
				// Size, language, text.
				r.tags.AddRaw(f, box.Sub(4, box.Big16(0)))
			}
		default:
			f, ok := quickTimeFields[name]
			switch text := box.From(6); {
			case !ok || box.Big32(0) != 0:
			case text.Has(0, "\xfe\xff") || text.Has(0, "\xff\xfe"):
				r.tags.Add(f, UTF16(text, true))
			case f != Keywords: // keywords have another form
				r.tags.AddRaw(f, text)
			}
		}
	}
}

// place sets the place of the document from text, which has the form of ISO
// 6709. It ignores other texts.
func (r *mp4Reader) place(text string) {
	if p := placeISO6709(text); p != "" {
		r.b.Doc.Place = p
	}
}

// loci reads the box loci of a 3GP file and sets the place of the document. The
// box has a name, a role, longitude and latitude.
func (r *mp4Reader) loci(box View) {
	at := 6
	if box.Has(at, "\xfe\xff") {
		for at += 2; at < len(box) && box.Big16(at) != 0; at += 2 {
		}
		at += 2
	} else {
		for ; at < len(box) && box[at] != 0; at++ {
		}
		at++
	}
	if lat := box.Sub(at+5, 4); len(lat) == 4 && r.b.Doc.Place == "" {
		r.b.Doc.Place = Place(float64(int32(lat.Big32(0)))/65536, float64(int32(box.Big32(at+1)))/65536)
	}
}

// meta reads a box meta. In MP4 it begins with 4 bytes of version and flags, in QuickTime
// it does not.
func (r *mp4Reader) meta(v View) {
	if v.Big32(0) == 0 {
		v = v.From(4)
	}
	r.keys = nil
	for name, box := range Boxes(v) {
		switch name {
		case "keys":
			for _, key := range Boxes(box.From(8)) {
				r.keys = append(r.keys, string(key))
			}
		case "ilst":
			r.list(box)
		}
	}
}

// list reads a box ilst. An item in it is named by four letters, or by the
// number of a name in the box keys.
func (r *mp4Reader) list(v View) {
	for name, item := range Boxes(v) {
		data := Box(item, "data")
		text := data.From(8)
		f, ok := quickTimeFields[name]
		if n := View(name).Big32(0); n > 0 && n <= len(r.keys) {
			key := strings.TrimPrefix(r.keys[n-1], "com.apple.quicktime.")
			if key == "location.ISO6709" {
				r.place(string(text))
			}
			f, ok = longFields[strings.ToLower(key)]
		}
		switch kind := data.Big24(1); {
		case !ok:
		case kind == 1 || kind == 4:
			r.tags.AddRaw(f, text)
		case kind == 2 || kind == 5:
			r.tags.Add(f, UTF16(text, true))
		}
	}
}
