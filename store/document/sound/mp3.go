package sound

import (
	"strings"

	"infomall/store/document"
	"infomall/store/document/media"
)

// frame is the header of one frame of MPEG audio.
type frame struct {
	version int // 0: MPEG 2.5, 2: MPEG 2, 3: MPEG 1
	layer   int // 1 to 3
	kbit    int
	rate    int
	mono    bool
	size    int // bytes with the header
	samples int
}

// mpegBits has the kilobits a second by version (MPEG 1, others), layer and index.
var mpegBits = [2][3][15]int{
	{
		{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	},
	{
		{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	},
}

var mpegRates = [3]int{44100, 48000, 32000}

// frameAt returns the frame at the start of v. ok is false if there is none.
func frameAt(v media.View) (f frame, ok bool) {
	h := v.Big32(0)
	bitIndex, rateIndex := h>>12&15, h>>10&3
	f.version, f.layer = h>>19&3, 4-h>>17&3
	if len(v) < 4 || h>>21 != 0x7ff || f.version == 1 || h>>17&3 == 0 || bitIndex == 0 || bitIndex == 15 || rateIndex == 3 {
		return f, false
	}
	older, shift := 1, 1 // MPEG 2
	switch f.version {
	case 3:
		older, shift = 0, 0
	case 0:
		shift = 2
	}
	f.kbit, f.rate, f.mono = mpegBits[older][f.layer-1][bitIndex], mpegRates[rateIndex]>>shift, h>>6&3 == 3
	padding := h >> 9 & 1
	switch {
	case f.layer == 1:
		f.samples, f.size = 384, (12*f.kbit*1000/f.rate+padding)*4
	case f.layer == 3 && older == 1:
		f.samples, f.size = 576, 72*f.kbit*1000/f.rate+padding
	default:
		f.samples, f.size = 1152, 144*f.kbit*1000/f.rate+padding
	}
	return f, f.size > 4
}

// searchBytes is how far after the tags the first frame may be.
const searchBytes = 16 << 10

// firstFrame returns the position of the first frame that is followed by two similar frames, or by
// the end of the file. It searches the first search bytes, and returns -1 if there is no such
// frame.
func firstFrame(v media.View, search int) int {
	for at := 0; at < min(len(v), search); at++ {
		if v[at] != 0xff {
			continue
		}
		f, ok := frameAt(v[at:])
		next, n := at, 0
		for g := f; ok && n < 3 && g.version == f.version && g.layer == f.layer && g.rate == f.rate; n++ {
			if next += g.size; next >= len(v) {
				n = 3
				break
			}
			g, ok = frameAt(v[next:])
		}
		if n >= 3 {
			return at
		}
	}
	return -1
}

// isMP3 reports whether a body is MPEG audio. A body that has no tag must begin with a
// frame, because two bytes of text or picture easily look like one.
func isMP3(v media.View) bool {
	if v.Has(0, "ID3") {
		return v.Byte(3) < 5 && v.Byte(4) != 0xff
	}
	f, ok := frameAt(v)
	return ok && f.size < len(v) && firstFrame(v, 1) == 0
}

func readMP3(b *document.Builder, v media.View) error {
	var t media.Tags
	for n := id3Size(v); n > 0; n = id3Size(v) {
		readID3(b, &t, v)
		v = v.From(n)
	}
	if v.Has(0, "fLaC") {
		return readFLAC(b, v)
	}
	readID3v1(&t, &v)
	readAPE(&t, v)
	if at := firstFrame(v, searchBytes); at >= 0 {
		duration(b.Doc, &t, v[at:])
	}
	return t.Put(b)
}

// duration sets the duration of MPEG audio. It uses the number of frames in a Xing or VBRI header,
// or else counts the frames.
func duration(d *document.Document, t *media.Tags, v media.View) {
	f, _ := frameAt(v)
	side := 32 // bytes between the header and the header of Xing
	switch {
	case f.version == 3 && f.mono, f.version != 3 && !f.mono:
		side = 17
	case f.version != 3:
		side = 9
	}
	x := v.From(4 + side)
	frames := 0
	if x.Has(0, "Xing") || x.Has(0, "Info") {
		if x.Big32(4)&1 != 0 {
			frames = x.Big32(8)
		}
		if lame := string(x.Sub(120, 9)); strings.HasPrefix(lame, "LAME") || strings.HasPrefix(lame, "Lav") {
			t.Add(media.Producer, strings.TrimRight(lame, "\x00U"))
		}
	} else if x = v.From(36); x.Has(0, "VBRI") {
		frames = x.Big32(14)
	}
	if frames > 0 {
		d.Duration = media.Milliseconds(float64(frames)*float64(f.samples), float64(f.rate))
		return
	}
	seconds := 0.0
	for len(v) > 0 {
		g, ok := frameAt(v)
		if !ok {
			at := firstFrame(v, searchBytes)
			if at < 0 {
				break
			}
			v = v[at:]
			continue
		}
		seconds += float64(g.samples) / float64(g.rate)
		v = v.From(g.size)
	}
	d.Duration = media.Milliseconds(seconds, 1)
}
