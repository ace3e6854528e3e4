// Package picture reads pictures: their size, what EXIF, IPTC and XMP say about them, and
// a hash of how they look. It knows JPEG, PNG, GIF, WebP, TIFF, BMP, ICO, AVIF, HEIF and
// SVG.
//
// EXIF, IPTC and XMP are parsed here and not by a library. The library there is reads no
// XMP of PNG or GIF, leaves texts in other charsets than UTF-8 and Latin-1 unreadable, and
// takes 5 ms of every start of the program.
package picture

import (
	"errors"
	"fmt"

	"infomall/store/document"
	"infomall/store/document/media"
	"infomall/store/record"
)

// Kind reads pictures.
var Kind = document.Kind{
	Name: "picture",
	Is:   func(in *document.Input) bool { return readerOf(in.Body) != nil || isSVG(in) },
	Read: func(b *document.Builder, in *document.Input) error {
		if isSVG(in) {
			return readSVG(b, in)
		}
		r := &reader{b: b, orientation: 1}
		read := readerOf(in.Body)
		if read == nil {
			return errors.New("not a picture")
		}
		err := read(r, in.Body)
		if r.turned() {
			b.Doc.Width, b.Doc.Height = b.Doc.Height, b.Doc.Width
		}
		r.dates()
		if err2 := r.tags.Put(b); err == nil {
			err = err2
		}
		return err
	},
}

// reader reads one picture.
type reader struct {
	b           *document.Builder
	tags        media.Tags
	orientation int // of EXIF, from 1 to 8: how the picture must be turned to be shown
	taken       []string
}

// readerOf returns the reader of the format of a picture of points, or nil.
func readerOf(v media.View) func(*reader, media.View) error {
	switch {
	case v.Has(0, "\xff\xd8\xff"):
		return readJPEG
	case v.Has(0, "\x89PNG\r\n\x1a\n"):
		return readPNG
	case v.Has(0, "GIF87a"), v.Has(0, "GIF89a"):
		return readGIF
	case v.Has(0, "RIFF") && v.Has(8, "WEBP"):
		return readWebP
	case v.Has(0, "II*\x00"), v.Has(0, "MM\x00*"):
		return readTIFF
	case v.Has(0, "BM") && v.Little32(6) == 0 && v.Little32(14) >= 12 && v.Little32(14) <= 124:
		return readBMP
	case v.Has(0, "\x00\x00\x01\x00") && v.Little16(4) > 0 && v.Little16(4) < 100 && v.Byte(9) == 0 && v.Little16(10) <= 1:
		return readICO
	case media.StillImage(v):
		return readHEIF
	}
	return nil
}

// turned reports whether the picture is shown turned by 90 degrees, so that its width is shown as
// its height.
func (r *reader) turned() bool { return r.orientation >= 5 }

// resize sets the size of the picture in points.
func (r *reader) resize(width, height int) {
	if width > 0 && height > 0 {
		r.b.Doc.Width, r.b.Doc.Height = int64(width), int64(height)
	}
}

// dates sets when the picture was taken, to the first text of its dates that is a date.
func (r *reader) dates() {
	for _, date := range r.taken {
		if r.b.Doc.Taken == record.NoTime {
			r.b.Doc.Taken = media.Time(date)
		}
	}
}

// pointsMax bounds the pictures whose look is hashed, and decodedMax the memory that
// their decoded form takes.
const (
	pointsMax  = 64 << 20
	decodedMax = 192 << 20
)

// tooLarge returns an error if the picture has too many points to be decoded. bytes is
// how many bytes a point takes while it is decoded.
func (r *reader) tooLarge(bytes float64) error {
	points := r.b.Doc.Width * r.b.Doc.Height
	if r.b.Doc.Width > 1<<20 || r.b.Doc.Height > 1<<20 || points > pointsMax || float64(points)*bytes > decodedMax {
		return fmt.Errorf("the picture is %d by %d: its look has no hash, because that is too large", r.b.Doc.Width, r.b.Doc.Height)
	}
	return nil
}
