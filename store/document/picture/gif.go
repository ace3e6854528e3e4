package picture

import (
	"image/gif"
	"strings"

	"infomall/store/document/media"
)

// readGIF reads the blocks of a GIF: comments, XMP, and how long an animation lasts. The
// hash is of the first frame.
func readGIF(r *reader, v media.View) error {
	r.resize(v.Little16(6), v.Little16(8))
	frames, hundredths := 0, 0
	at := 13 + palette(v.Byte(10))
	for at < len(v) {
		switch v[at] {
		case 0x21:
			kind := v.Byte(at + 1)
			first := v.Sub(at+3, int(v.Byte(at+2)))
			switch {
			case kind == 0xf9:
				hundredths += first.Little16(1)
			case kind == 0xfe:
				r.comment(blocks(v, at+2))
			case kind == 0xff && first.Has(0, "XMP DataXMP"):
				// The packet is not in blocks, and ends with bytes that are like blocks.
				packet := v.Sub(at+14, xmpBytesMax)
				if end := strings.Index(string(packet), "<?xpacket end"); end >= 0 {
					packet = packet[:end]
				}
				r.xmp(packet)
			}
			at = skip(v, at+2)
		case 0x2c:
			frames++
			at = skip(v, at+10+palette(v.Byte(at+9))+1)
		default:
			at = len(v)
		}
	}
	if frames > 1 && hundredths > 0 {
		r.b.Doc.Duration = int64(hundredths) * 10
	}
	return r.hash(v, 2, gif.Decode)
}

// palette returns how many bytes of colours follow a field of flags.
func palette(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skip returns the position after the blocks at position at. A block of size zero ends
// them.
func skip(v media.View, at int) int {
	for at < len(v) && v[at] != 0 {
		at += 1 + int(v[at])
	}
	return at + 1
}

// blocks returns the content of the blocks at position at.
func blocks(v media.View, at int) (out media.View) {
	for at < len(v) && v[at] != 0 && len(out) < textBytesMax {
		out = append(out, v.Sub(at+1, int(v[at]))...)
		at += 1 + int(v[at])
	}
	return out
}
