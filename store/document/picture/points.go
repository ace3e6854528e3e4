package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"infomall/store/document/media"
)

// readWebP reads the chunks of a WebP, and hashes the picture.
func readWebP(r *reader, v media.View) error {
	animated := false
	for id, c := range media.Chunks(v.From(12), false) {
		switch id {
		case "VP8X":
			animated = c.Byte(0)&2 != 0
			r.resize(1+c.Little32(4)&0xffffff, 1+c.Little32(6)>>8)
		case "VP8 ":
			if c.Has(3, "\x9d\x01\x2a") && r.b.Doc.Width < 0 {
				r.resize(c.Little16(6)&0x3fff, c.Little16(8)&0x3fff)
			}
		case "VP8L":
			if r.b.Doc.Width < 0 {
				r.resize(1+c.Little32(1)&0x3fff, 1+c.Little32(1)>>14&0x3fff)
			}
		case "EXIF":
			if c.Has(0, "Exif\x00\x00") {
				c = c[6:]
			}
			r.exif(c)
		case "XMP ":
			r.xmp(c)
		}
	}
	if animated {
		return nil // the library does not decode animations
	}
	return r.hash(v, 8, webp.Decode)
}

// pagesMax is how many pages of a TIFF are counted.
const pagesMax = 10_000

// readTIFF reads the directories of a TIFF: there is one for each page. The hash is of the
// first page.
func readTIFF(r *reader, v media.View) error {
	t, _ := newTIFF(v)
	all, next := t.entries(t.long(4))
	width, height, planes, bits := 0, 0, 1, 8
	for _, e := range all {
		switch e.tag {
		case 0x0100:
			width = e.number()
		case 0x0101:
			height = e.number()
		case 0x0102:
			bits = e.number()
		case 0x0115:
			planes = e.number()
		}
	}
	r.resize(width, height)
	r.directory(all)
	pages := int64(1)
	for ; next > 0 && pages < pagesMax; pages++ {
		n := t.short(next)
		if n == 0 || next+2 > len(v) {
			break
		}
		next = t.long(next + 2 + 12*n)
	}
	if pages < pagesMax { // else the directories are a circle
		r.b.Doc.Pages = pages
	}
	return r.hash(v, float64(min(planes, 8)*min(bits, 64))/8+4, tiff.Decode)
}

// readBMP reads a Windows bitmap.
func readBMP(r *reader, v media.View) error {
	if v.Little32(14) == 12 {
		r.resize(v.Little16(18), v.Little16(20))
	} else {
		h := int(int32(v.Little32(22))) // negative: the first row is the top
		r.resize(int(int32(v.Little32(18))), max(h, -h))
	}
	return r.hash(v, 5, bmp.Decode)
}

// readICO reads the largest picture of an icon. It is a PNG, or a bitmap without the
// header of the file.
func readICO(r *reader, v media.View) error {
	best, area := media.View(nil), 0
	for i := range v.Little16(4) {
		e := v.From(6 + 16*i)
		w, h := int(e.Byte(0)), int(e.Byte(1))
		if w == 0 {
			w = 256
		}
		if h == 0 {
			h = 256
		}
		if w*h > area {
			area, best = w*h, v.Sub(e.Little32(12), e.Little32(8))
			r.resize(w, h)
		}
	}
	if best.Has(0, "\x89PNG") {
		r.resize(best.Big32(16), best.Big32(20))
		return r.hash(best, 8, png.Decode)
	}
	return nil
}

// readHEIF reads the size of an AVIF or HEIF: the largest that the boxes of properties
// have.
func readHEIF(r *reader, v media.View) error {
	meta := media.Box(v, "meta").From(4)
	for name, p := range media.Boxes(media.Box(media.Box(meta, "iprp"), "ipco")) {
		switch name {
		case "ispe":
			if w, h := p.Big32(4), p.Big32(8); w < 1<<20 && h < 1<<20 && int64(w)*int64(h) > r.b.Doc.Width*r.b.Doc.Height {
				r.resize(w, h)
			}
		case "irot":
			if p.Byte(0)&1 == 1 {
				r.orientation = 6
			}
		}
	}
	return nil
}

// hash decodes the picture and hashes its look. bytesPerPoint is how many bytes a point
// takes while it is decoded.
func (r *reader) hash(v media.View, bytesPerPoint float64, decode func(io.Reader) (image.Image, error)) error {
	d := r.b.Doc
	if d.Width < sideMin || d.Height < sideMin {
		return nil
	}
	if err := r.tooLarge(bytesPerPoint); err != nil {
		return err
	}
	m, err := decode(bytes.NewReader(v))
	if err != nil {
		return fmt.Errorf("the look of the picture has no hash: %w", err)
	}
	if size := m.Bounds(); size.Dx() < sideMin || size.Dy() < sideMin {
		return nil
	}
	d.Print, d.HasPrint = look(shrink(m).turn(r.orientation))
	return nil
}
