// Package sound reads sound files: their tags and their duration. It knows MP3, WAV,
// AIFF, AU, FLAC, MIDI and RealAudio, and the containers of package media if they show no
// pictures.
//
// The tags are parsed here and not by a library. The libraries there are know no durations
// and no charset but Latin-1, and the tags of old files are in the charset of their
// country, such as GBK.
package sound

import (
	"infomall/store/document"
	"infomall/store/document/media"
)

// Kind reads sound files.
var Kind = document.Kind{
	Name: "sound",
	Is: func(in *document.Input) bool {
		if readerOf(in.Body) != nil {
			return true
		}
		c, video := media.Of(in.Body)
		return c != nil && !video
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

// readerOf returns the reader of a format that only carries sound, or nil.
func readerOf(v media.View) func(*document.Builder, media.View) error {
	switch {
	case v.Has(0, "RIFF") && v.Has(8, "WAVE"), v.Has(0, "RF64") && v.Has(8, "WAVE"):
		return readWAV
	case v.Has(0, "RIFF") && v.Has(8, "RMID"):
		return readRMID
	case v.Has(0, "FORM") && (v.Has(8, "AIFF") || v.Has(8, "AIFC")):
		return readAIFF
	case v.Has(0, ".snd"):
		return readAU
	case v.Has(0, "fLaC"):
		return readFLAC
	case v.Has(0, "MThd"):
		return readMIDI
	case v.Has(0, ".ra\xfd"):
		return readRealAudio
	case isMP3(v):
		return readMP3
	}
	return nil
}
