// Package msppt reads presentations of PowerPoint 97 to 2003 ([MS-PPT]).
//
// # Words
//
//	record     a piece of the stream: a type, a length and data, or other records
//	edit       what one save added to the stream; later edits replace records of earlier ones
//	reference  the number by which records refer to slides; the edits say where each is
//	outline    texts of the title and body of the slides, which shapes refer to
package msppt

import (
	"errors"

	"infomall/store/document"
	"infomall/store/document/ole"
)

// Kind reads presentations of PowerPoint 97 to 2003. Of older ones it reads only the
// properties.
var Kind = document.Kind{Name: "ppt", Is: is, Read: read}

// The streams of a presentation. A file for two versions of PowerPoint has a folder for
// the newer one.
var (
	streamNames = []string{"PP97_DUALSTORAGE/PowerPoint Document", "PowerPoint Document"}
	userNames   = []string{"PP97_DUALSTORAGE/Current User", "Current User"}
	oldNames    = []string{"PP40", "PPT"} // of PowerPoint 95 and before
	heads       = []string{"\x0f\x00\xe8\x03"}
)

func is(in *document.Input) bool {
	f, err := ole.Open(in.Body)
	return err == nil && (f.Find(streamNames, heads) != nil || f.Find(oldNames, nil) != nil)
}

var (
	errEncrypted = errors.New("the presentation is encrypted")
	errOld       = errors.New("the presentation is of PowerPoint 95 or before, whose text is not read")
	errLost      = errors.New("the file is cut: the list of its slides is lost, so their order may be wrong")
)

func read(b *document.Builder, in *document.Input) error {
	f, err := ole.Open(in.Body)
	if err != nil {
		return err
	}
	f.Describe(b.Doc)
	stream := f.Find(streamNames, heads)
	if stream == nil {
		return errOld
	}
	s := &show{b: b, stream: stream, budget: min(len(stream), 4*b.Limits().Text), records: 16*len(stream)/recordHead + 64}
	return s.read(f.Find(userNames, nil))
}
