package media

import "infomall/store/document"

// realMedia is the container of RealAudio and RealVideo. It consists of chunks.
// The head of a chunk has a name of four letters and a size, which includes the
// head.
var realMedia = Container{
	Name:  "realmedia",
	Is:    func(v View) bool { return v.Has(0, ".RMF") },
	Video: has("video/x-pn-realvideo"),
	Read:  readReal,
}

func readReal(b *document.Builder, v View) error {
	var t Tags
	for at := 0; at+10 <= len(v); {
		size := v.Big32(at + 4)
		c := v.Sub(at+10, size-10)
		switch string(v[at : at+4]) {
		case "PROP":
			b.Doc.Duration = Milliseconds(float64(c.Big32(20)), 1000)
			if b.Doc.Duration < 0 {
				b.Doc.Duration = Milliseconds(float64(len(v))*8, float64(c.Big32(4))) // by bits a second
			}
		case "CONT":
			pos := 0
			for _, f := range []Field{Title, Author, Rights, Comment} {
				n := c.Big16(pos)
				t.AddRaw(f, c.Sub(pos+2, n))
				pos += 2 + n
			}
		case "MDPR":
			name := int(c.Byte(30))
			mime := 31 + name
			data := mime + 1 + int(c.Byte(mime)) + 4
			if c.Has(data+4, "VIDO") {
				b.Doc.Width, b.Doc.Height = int64(c.Big16(data+12)), int64(c.Big16(data+14))
			}
		case "DATA":
			return t.Put(b)
		}
		if size < 10 {
			break
		}
		at += size
	}
	return t.Put(b)
}
