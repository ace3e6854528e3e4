// Package flash reads Flash files (SWF): size, duration, links of scripts, and the texts
// of text fields.
//
// # Words
//
//	tag        one piece of a file: a shape, a text, a script, the end of a frame
//	action     one instruction of ActionScript 1 or 2
//	constants  the texts that the actions of a script or the code of ActionScript 3 use
package flash

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"infomall/store/document"
	"infomall/store/document/media"
)

// Kind reads Flash files.
var Kind = document.Kind{
	Name: "flash",
	Is: func(in *document.Input) bool {
		v := media.View(in.Body)
		return (v.Has(0, "FWS") || v.Has(0, "CWS") || v.Has(0, "ZWS")) && v.Byte(3) > 0 && v.Byte(3) < 60 && v.Little32(4) > 8
	},
	Read: read,
}

// movie is the state while one Flash file is read.
type movie struct {
	b       *document.Builder
	version byte
	tags    media.Tags
	fonts   map[int][]uint16 // by font: the character of each glyph
	texts   []string         // texts of text fields, in the charset of the file
	drawn   []string         // texts that are drawn by glyphs, in UTF-8
	targets []string         // targets of links, in the charset of the file
	seen    map[string]bool  // set of the targets
	count   int              // number of tags that were read
	scripts int              // bytes of scripts that were read
}

// tagsMax is the largest number of tags that are read, and scriptsMax the
// largest number of bytes of all scripts together.
const (
	tagsMax    = 500_000
	scriptsMax = 64 << 20
)

func read(b *document.Builder, in *document.Input) error {
	v := media.View(in.Body)
	m := &movie{b: b, version: v.Byte(3), fonts: make(map[int][]uint16), seen: make(map[string]bool)}
	var failed error
	switch v.Byte(0) {
	case 'C':
		z, err := zlib.NewReader(bytes.NewReader(v.From(8)))
		if err != nil {
			return fmt.Errorf("the file cannot be unpacked: %w", err)
		}
		most := min(int64(v.Little32(4)), b.Limits().Unpacked)
		body, err := io.ReadAll(io.LimitReader(z, most))
		if err != nil {
			failed = fmt.Errorf("the rest of the file cannot be unpacked: %w", err)
		} else if int64(len(body)) == b.Limits().Unpacked {
			failed = document.ErrLimit
		}
		v = body
	case 'Z':
		return errors.New("the file is packed with LZMA, which is not read")
	default:
		v = v.From(8)
	}
	v = m.header(v)
	m.read(v, 0)
	m.links()
	if err := m.putTexts(); err != nil {
		return err
	}
	if err := m.tags.Put(b); err != nil {
		return err
	}
	return failed
}

// header reads the size, the frame rate and the number of frames, and returns
// the bytes after them.
func (m *movie) header(v media.View) media.View {
	r := bits{v: v}
	xMin, xMax, yMin, yMax := r.rectangle()
	const twips = 20 // a point
	if w, h := (xMax-xMin)/twips, (yMax-yMin)/twips; w > 0 && h > 0 && w < 1<<16 && h < 1<<16 {
		m.b.Doc.Width, m.b.Doc.Height = int64(w), int64(h)
	}
	at := r.bytes()
	rate := float64(v.Little16(at)) / 256
	frames := v.Little16(at + 2)
	m.b.Doc.Duration = media.Milliseconds(float64(frames), rate)
	m.b.Doc.Producer = fmt.Sprintf("Flash %d", m.version)
	return v.From(at + 4)
}

// read reads the tags in v. depth is the number of sprites around the tags. A sprite inside a
// sprite is not allowed, and is not read.
func (m *movie) read(v media.View, depth int) {
	for at := 0; at+2 <= len(v) && m.count < tagsMax; m.count++ {
		kind, size := v.Little16(at)>>6, v.Little16(at)&63
		if at += 2; size == 63 {
			size = v.Little32(at)
			at += 4
		}
		c := v.Sub(at, size)
		at = v.After(at, size)
		switch kind {
		case 0:
			return
		case 39: // DefineSprite
			if depth == 0 {
				m.read(c.From(4), 1)
			}
		case 12: // DoAction
			m.actions(c)
		case 59: // DoInitAction
			m.actions(c.From(2))
		case 7, 34: // DefineButton, DefineButton2
			m.button(kind, c)
		case 26, 70: // PlaceObject2, PlaceObject3: actions of a clip lie behind its matrix
			m.clip(kind, c)
		case 82: // DoABC: flags, name, code
			if end := bytes.IndexByte(c.From(4), 0); end >= 0 {
				m.code(c.From(4 + end + 1))
			}
		case 72: // DoABC without flags and name
			m.code(c)
		case 37:
			m.editText(c)
		case 11, 33:
			m.staticText(kind, c)
		case 13, 62:
			m.fontInfo(kind, c)
		case 48, 75:
			m.font(c)
		case 77:
			m.metadata(c)
		}
	}
}

// bits reads numbers of any number of bits, most significant bit first.
type bits struct {
	v  media.View
	at int // position in v, in bits
}

// take returns the next n bits, at most 32.
func (r *bits) take(n int) (x uint32) {
	for range n {
		x = x<<1 | uint32(r.v.Byte(r.at>>3)>>(7-r.at&7)&1)
		r.at++
	}
	return x
}

// signed returns the next n bits as a number with a sign.
func (r *bits) signed(n int) int {
	if n == 0 {
		return 0
	}
	return int(int32(r.take(n)<<(32-n)) >> (32 - n))
}

// rectangle reads the edges of a rectangle, in twips (1/20 of a point).
func (r *bits) rectangle() (xMin, xMax, yMin, yMax int) {
	n := int(r.take(5))
	return r.signed(n), r.signed(n), r.signed(n), r.signed(n)
}

// matrix skips the fields of a matrix.
func (r *bits) matrix() {
	for range 2 { // scale, rotation
		if r.take(1) == 1 {
			r.at += 2 * int(r.take(5))
		}
	}
	r.at += 2 * int(r.take(5))
	r.align()
}

// align moves to the beginning of the next whole byte, unless the position is
// at one.
func (r *bits) align() { r.at = (r.at + 7) &^ 7 }

// bytes returns the position in bytes, rounded up to a whole byte.
func (r *bits) bytes() int { return (r.at + 7) >> 3 }
