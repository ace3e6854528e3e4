package sound

import (
	"math"

	"infomall/store/document"
	"infomall/store/document/media"
)

// readWAV reads a WAV file: chunks "fmt ", "fact" and "data", the tags of a list INFO, of
// a chunk "bext" (Broadcast Wave) and of ID3.
func readWAV(b *document.Builder, v media.View) error {
	var t media.Tags
	var rate, bytesPerSecond, samples, data int
	format := 0
	for id, c := range media.Chunks(v.From(12), false) {
		switch id {
		case "fmt ":
			format, rate, bytesPerSecond = c.Little16(0), c.Little32(4), c.Little32(8)
		case "fact":
			samples = c.Little32(0)
		case "data":
			data = len(c)
		case "LIST":
			if c.Has(0, "INFO") {
				t.Info(c.From(4))
			}
		case "bext":
			t.AddRaw(media.Comment, c.Sub(0, 256))
			t.AddRaw(media.Author, c.Sub(256, 32))
			if date := string(c.Sub(320, 10)); len(date) == 10 {
				t.Add(media.Date, date+" "+string(c.Sub(330, 8)))
			}
		case "id3 ", "ID3 ":
			readID3(b, &t, c)
		}
	}
	const pcm = 1
	b.Doc.Duration = media.Milliseconds(float64(data), float64(bytesPerSecond))
	if format != pcm && samples > 0 && rate > 0 {
		b.Doc.Duration = media.Milliseconds(float64(samples), float64(rate))
	}
	return t.Put(b)
}

// readAIFF reads an AIFF file.
func readAIFF(b *document.Builder, v media.View) error {
	var t media.Tags
	for id, c := range media.Chunks(v.From(12), true) {
		switch id {
		case "COMM":
			b.Doc.Duration = media.Milliseconds(float64(c.Big32(2)), extended(c.From(8)))
		case "NAME":
			t.AddRaw(media.Title, c)
		case "AUTH":
			t.AddRaw(media.Author, c)
		case "(c) ":
			t.AddRaw(media.Rights, c)
		case "ANNO":
			t.AddRaw(media.Comment, c)
		case "ID3 ":
			readID3(b, &t, c)
		}
	}
	return t.Put(b)
}

// extended returns a floating-point number of 80 bits.
func extended(v media.View) float64 {
	return math.Ldexp(float64(v.Big64(2)), v.Big16(0)&0x7fff-16383-63)
}

// auBits is how many bits a sample has, by its encoding.
var auBits = map[int]int{1: 8, 2: 8, 3: 16, 4: 24, 5: 32, 6: 32, 7: 64, 23: 4, 24: 8, 25: 3, 26: 5, 27: 8}

// readAU reads a file of Sun or NeXT.
func readAU(b *document.Builder, v media.View) error {
	var t media.Tags
	start, size := v.Big32(4), v.Big32(8)
	if left := max(0, len(v)-start); size > left {
		size = left
	}
	perSecond := v.Big32(16) * v.Big32(20) * auBits[v.Big32(12)] / 8
	b.Doc.Duration = media.Milliseconds(float64(size), float64(perSecond))
	t.AddRaw(media.Comment, v.Sub(24, start-24))
	return t.Put(b)
}

// readFLAC reads a FLAC file: blocks, of which the last before the sound has its high bit
// set.
func readFLAC(b *document.Builder, v media.View) error {
	var t media.Tags
	for at, last := 4, false; !last && at+4 <= len(v); {
		kind, size := v.Byte(at), v.Big24(at+1)
		c := v.Sub(at+4, size)
		switch kind & 0x7f {
		case 0: // STREAMINFO: the rate has 20 bits, the number of samples 36
			samples := c.Big64(10) & (1<<36 - 1)
			b.Doc.Duration = media.Milliseconds(float64(samples), float64(c.Big24(10)>>4))
		case 4:
			t.Vorbis(c)
		}
		last = kind&0x80 != 0
		at += 4 + size
	}
	return t.Put(b)
}

// readRealAudio reads RealAudio of the versions 3 to 5, whose header is not that of a
// container.
func readRealAudio(b *document.Builder, v media.View) error {
	var t media.Tags
	size, perMinute, at := v.Big32(18), v.Big16(16), 22
	if version := v.Big16(4); version >= 4 {
		size, perMinute, at = v.Big32(12), v.Big32(32), 56
		if version == 5 {
			at = 66
		} else {
			at += 1 + int(v.Byte(at)) // interleaver
			at += 1 + int(v.Byte(at)) // codec
		}
		at += 3
	}
	b.Doc.Duration = media.Milliseconds(float64(size)*60, float64(perMinute))
	for _, f := range []media.Field{media.Title, media.Author, media.Rights, media.Comment} {
		n := int(v.Byte(at))
		t.AddRaw(f, v.Sub(at+1, n))
		at += 1 + n
	}
	return t.Put(b)
}
