// Package video reads video files: their tags, their duration and the size of their
// pictures. It knows FLV, AVI and MPEG, and the containers of package media if they show
// pictures.
package video

import (
	"infomall/store/document"
	"infomall/store/document/media"
)

// Kind reads video files.
var Kind = document.Kind{
	Name: "video",
	Is: func(in *document.Input) bool {
		if readerOf(in.Body) != nil {
			return true
		}
		c, video := media.Of(in.Body)
		return c != nil && video
	},
	Read: func(b *document.Builder, in *document.Input) error {
		if read := readerOf(in.Body); read != nil {
			return read(b, in.Body)
		}
		if c, _ := media.Of(in.Body); c != nil {
			return c.Read(b, in.Body)
		}
		return nil
	},
}

// readerOf returns the reader of a format that only carries video, or nil.
func readerOf(v media.View) func(*document.Builder, media.View) error {
	switch {
	case v.Has(0, "FLV\x01"):
		return readFLV
	case v.Has(0, "RIFF") && (v.Has(8, "AVI ") || v.Has(8, "AVIX")):
		return readAVI
	case v.Has(0, "\x00\x00\x01\xba"), v.Has(0, "\x00\x00\x01\xb3"):
		return readMPEG
	case isTransport(v):
		return readTransport
	}
	return nil
}
