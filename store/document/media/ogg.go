package media

import (
	"bytes"
	"strings"

	"infomall/store/document"
)

// ogg is the container of Vorbis, Opus, Speex, FLAC and Theora. It consists of
// pages. The serial number of a page says to which stream it belongs. The first
// packets of a stream describe the stream.
var ogg = Container{
	Name:  "ogg",
	Is:    func(v View) bool { return v.Has(0, "OggS") },
	Video: has("\x80theora"),
	Read:  readOgg,
}

const (
	oggStreamsMax = 16
	oggHeadMax    = 1 << 20 // largest number of bytes at the start of a file that are searched for the first packets
)

// oggStream is the state of one stream while a file is read.
type oggStream struct {
	serial  int
	packet  []byte // the bytes of the current packet that were read so far
	packets int    // number of packets that were read
	kind    string
	rate    float64 // granules in a second; 0 if granules are not a time
	shift   uint    // for Theora: number of low bits of a granule that count frames since the last whole picture
	preskip int     // for Opus: number of granules before the start of the sound
}

func readOgg(b *document.Builder, v View) error {
	var t Tags
	var streams []*oggStream
	for at := 0; at < min(len(v), oggHeadMax) && v.Has(at, "OggS"); {
		p := v.From(at)
		segments := int(p.Byte(26))
		serial := p.Little32(14)
		var s *oggStream
		for _, o := range streams {
			if o.serial == serial {
				s = o
			}
		}
		if s == nil && len(streams) < oggStreamsMax {
			s = &oggStream{serial: serial}
			streams = append(streams, s)
		}
		pos := 27 + segments
		for i := range segments {
			n := int(p.Byte(27 + i))
			if s != nil && s.packets < 3 {
				s.packet = append(s.packet, p.Sub(pos, n)...)
				if n < 255 {
					s.header(b, &t)
					s.packet, s.packets = nil, s.packets+1
				}
			}
			pos += n
		}
		at += pos
	}
	b.Doc.Duration = oggDuration(v, streams)
	return t.Put(b)
}

// header reads the current packet, one of the first three of the stream, and
// stores what it says in s, t and the document.
func (s *oggStream) header(b *document.Builder, t *Tags) {
	p := View(s.packet)
	switch {
	case s.packets == 0 && p.Has(0, "\x01vorbis"):
		s.kind, s.rate = "vorbis", float64(p.Little32(12))
	case s.packets == 0 && p.Has(0, "OpusHead"):
		s.kind, s.rate, s.preskip = "opus", 48000, p.Little16(10)
	case s.packets == 0 && p.Has(0, "Speex   "):
		s.kind, s.rate = "speex", float64(p.Little32(36))
	case s.packets == 0 && p.Has(0, "\x7fFLAC"):
		s.kind, s.rate = "flac", float64(p.Big32(27)>>12)
	case s.packets == 0 && p.Has(0, "\x80theora"):
		s.kind = "theora"
		if d := p.Big32(26); d > 0 {
			s.rate = float64(p.Big32(22)) / float64(d)
		}
		s.shift = uint(p.Big16(40)>>5) & 31
		b.Doc.Width, b.Doc.Height = int64(p.Big24(14)), int64(p.Big24(17))
	case p.Has(0, "\x03vorbis"), p.Has(0, "\x81theora"):
		t.Vorbis(p.From(7))
	case p.Has(0, "OpusTags"):
		t.Vorbis(p.From(8))
	case s.kind == "speex" && s.packets == 1:
		t.Vorbis(p)
	case s.kind == "flac" && p.Byte(0)&0x7f == 4:
		t.Vorbis(p.From(4))
	}
}

// oggDuration returns the duration of the recording in milliseconds, or -1 if
// it is not known. It reads the last page of each stream.
func oggDuration(v View, streams []*oggStream) int64 {
	longest := int64(-1)
	for end, looked := len(v), 0; looked < 64; looked++ {
		at := bytes.LastIndex(v[:end], []byte("OggS"))
		if at < 0 {
			break
		}
		end = at
		serial, granule := v.Little32(at+14), v.little64(at+6)
		for _, s := range streams {
			if s.serial != serial || s.rate <= 0 || granule == 1<<64-1 {
				continue
			}
			n := float64(granule) - float64(s.preskip)
			if s.kind == "theora" {
				n = float64(granule>>s.shift) + float64(granule&(1<<s.shift-1))
			}
			longest = max(longest, Milliseconds(n, s.rate))
		}
	}
	return longest
}

// vorbisFields maps the names of Vorbis comments to fields.
var vorbisFields = map[string]Field{
	"TITLE": Title, "ARTIST": Author, "PERFORMER": Author, "COMPOSER": Author, "AUTHOR": Author, "ALBUM": Album,
	"DESCRIPTION": Comment, "COMMENT": Comment, "COPYRIGHT": Rights, "LICENSE": Rights, "LYRICS": Lyrics, "UNSYNCEDLYRICS": Lyrics,
	"GENRE": Keywords, "ENCODER": Producer, "DATE": Date, "YEAR": Date,
}

// Vorbis adds the tags in v, a block of Vorbis comments: the name of the
// encoder, then texts such as "TITLE=Aria".
func (t *Tags) Vorbis(v View) {
	vendor := v.Sub(4, v.Little32(0))
	at := v.After(4, v.Little32(0))
	count := v.Little32(at)
	for at += 4; count > 0 && at+4 <= len(v); count-- {
		n := v.Little32(at)
		name, value, _ := bytes.Cut(v.Sub(at+4, n), []byte("="))
		if f, ok := vorbisFields[strings.ToUpper(string(name[:min(len(name), 32)]))]; ok {
			t.AddRaw(f, value)
		}
		at = v.After(at+4, n)
	}
	t.AddRaw(Producer, vendor)
}
