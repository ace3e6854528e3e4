package video

import (
	"strings"

	"infomall/store/document"
	"infomall/store/document/media"
)

// readAVI reads an AVI file: a list "hdrl" with the main header and one list "strl" for
// each stream, and the tags of a list "INFO".
func readAVI(b *document.Builder, v media.View) error {
	var t media.Tags
	for id, c := range media.Chunks(v.From(12), false) {
		switch {
		case id == "LIST" && c.Has(0, "hdrl"):
			aviHeader(b.Doc, &t, c.From(4))
		case id == "LIST" && c.Has(0, "INFO"):
			t.Info(c.From(4))
		case id == "IDIT":
			t.AddRaw(media.Date, c)
		}
	}
	return t.Put(b)
}

func aviHeader(d *document.Document, t *media.Tags, v media.View) {
	for id, c := range media.Chunks(v, false) {
		switch {
		case id == "avih":
			d.Width, d.Height = size(c.Little32(32)), size(c.Little32(36))
			if d.Duration < 0 {
				d.Duration = media.Milliseconds(float64(c.Little32(0))*float64(c.Little32(16)), 1e6)
			}
		case id == "LIST" && c.Has(0, "strl"):
			for id, s := range media.Chunks(c.From(4), false) {
				if id == "strh" && s.Has(0, "vids") {
					d.Duration = media.Milliseconds(float64(s.Little32(20))*float64(s.Little32(32)), float64(s.Little32(24)))
				}
			}
		case id == "IDIT":
			t.AddRaw(media.Date, []byte(strings.TrimRight(string(c), "\n\r\x00")))
		}
	}
}

// size returns a width or height, or -1 if no picture has it.
func size(n int) int64 {
	if n <= 0 || n > 1<<16 {
		return -1
	}
	return int64(n)
}
