package video

import (
	"bytes"

	"infomall/store/document"
	"infomall/store/document/media"
)

// lookBytes is how much of the start and of the end of a file is searched.
const lookBytes = 512 << 10

// readMPEG reads an MPEG program stream, or a stream of pictures alone. It finds the size
// in the first sequence header, and the duration by the clocks of the first and the last
// pack.
func readMPEG(b *document.Builder, v media.View) error {
	pictureSize(b.Doc, v)
	first, ok1 := packClock(v)
	tail := v.From(max(0, len(v)-lookBytes))
	for end := len(tail); ok1 && end > 0; {
		at := bytes.LastIndex(tail[:end], []byte("\x00\x00\x01\xba"))
		if at < 0 {
			break
		}
		if last, ok := packClock(tail[at:]); ok && last > first {
			b.Doc.Duration = media.Milliseconds(float64(last-first), 90_000)
			break
		}
		end = at
	}
	return nil
}

// pictureSize sets the size of the pictures by the first sequence header.
func pictureSize(d *document.Document, v media.View) {
	head := v.Sub(0, lookBytes)
	if at := bytes.Index(head, []byte("\x00\x00\x01\xb3")); at >= 0 {
		d.Width, d.Height = size(head.Big24(at+4)>>12), size(head.Big24(at+4)&0xfff)
	}
}

// packClock returns the clock of the pack at the start of v, in 1/90000 s.
func packClock(v media.View) (clock uint64, ok bool) {
	if !v.Has(0, "\x00\x00\x01\xba") || len(v) < 12 {
		return 0, false
	}
	w := v.Big64(4)
	switch {
	case w>>60 == 2: // MPEG-1: 4 bits, then 3, 15 and 15 bits with a bit after each
		return w>>57&7<<30 | w>>41&0x7fff<<15 | w>>25&0x7fff, true
	case w>>62 == 1: // MPEG-2: the same after 2 bits
		return w>>59&7<<30 | w>>43&0x7fff<<15 | w>>27&0x7fff, true
	}
	return 0, false
}

// packetBytes is the size of a packet of a transport stream.
const packetBytes = 188

// isTransport reports whether v is an MPEG transport stream: packets that begin with "G".
func isTransport(v media.View) bool {
	for i := range 5 {
		if v.Byte(i*packetBytes) != 'G' {
			return false
		}
	}
	return v.Big16(1)&0x8000 == 0
}

// readTransport reads a transport stream. The first and the last clock of the first
// stream that has a clock give the duration.
func readTransport(b *document.Builder, v media.View) error {
	pictureSize(b.Doc, v)
	id, first, last := -1, uint64(0), uint64(0)
	for at := 0; at+packetBytes <= len(v); at += packetBytes {
		p := v[at : at+packetBytes]
		if p[0] != 'G' || p[3]&0x20 == 0 || p[4] < 7 || p[5]&0x10 == 0 {
			continue // no clock
		}
		clock := p.Big64(6) >> 31
		switch pid := p.Big16(1) & 0x1fff; {
		case id < 0:
			id, first, last = pid, clock, clock
		case pid == id:
			last = clock
		}
	}
	if last > first {
		b.Doc.Duration = media.Milliseconds(float64(last-first), 90_000)
	}
	return nil
}
