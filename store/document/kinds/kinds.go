// Package kinds lists the kinds of documents that the program reads, and reads a
// body by the kind that it is of.
package kinds

import (
	"fmt"

	"infomall/store/document"
	"infomall/store/document/bundle"
	"infomall/store/document/epub"
	"infomall/store/document/feed"
	"infomall/store/document/flash"
	"infomall/store/document/format"
	"infomall/store/document/interchange"
	"infomall/store/document/jsontext"
	"infomall/store/document/mail"
	"infomall/store/document/msdoc"
	"infomall/store/document/msoutlook"
	"infomall/store/document/msppt"
	"infomall/store/document/msxls"
	"infomall/store/document/msxml"
	"infomall/store/document/ole"
	"infomall/store/document/ooxml"
	"infomall/store/document/opendocument"
	"infomall/store/document/pagetext"
	"infomall/store/document/pdf"
	"infomall/store/document/picture"
	"infomall/store/document/rtf"
	"infomall/store/document/sound"
	"infomall/store/document/table"
	"infomall/store/document/uof"
	"infomall/store/document/video"
	"infomall/store/document/xmltext"
)

// all is the list of kinds. The first kind whose Is reports true reads the body.
var all = []document.Kind{
	// Zip files with a known content, before zip files as such.
	ooxml.Kind, opendocument.Kind, epub.Kind,
	rtf.Kind,
	pdf.Kind,
	// Documents in OLE2 containers. Each kind looks for a stream of its own
	// format; ole.Other reads any OLE2 file.
	msdoc.Kind,
	msxls.Kind,
	msppt.Kind,
	msoutlook.Kind,
	ole.Other,
	flash.Kind,
	picture.Kind,
	// Sound and video share containers: each asks whether the file shows pictures.
	sound.Kind,
	video.Kind,
	// Feeds are XML or JSON, and come before the kinds that read any XML or JSON.
	feed.Kind,
	jsontext.Kind,
	mail.Kind,
	interchange.Kind,
	table.Kind,
	// XML of Office comes before the kind that reads any XML.
	msxml.Kind,
	uof.Kind,
	xmltext.Kind,
	// Documents that are zip files come before the kind that reads any zip file.
	bundle.Kind,
	// Any page or text inside of another document that no other kind reads.
	pagetext.Kind,
}

// depthMax is the largest number of archives around a document that is still
// read.
const depthMax = 2

// Of returns the kind of a body, or nil if no kind reads it.
func Of(in *document.Input) *document.Kind {
	for i := range all {
		if all[i].Is(in) {
			return &all[i]
		}
	}
	return nil
}

// NameOf returns the name of the kind of a body, or "" if no kind reads it.
func NameOf(in *document.Input) string {
	if k := Of(in); k != nil {
		return k.Name
	}
	return ""
}

// Prepare opens the libraries that Read needs for a body and that take long to
// open, such as PDFium.
func Prepare(in *document.Input) error {
	if k := Of(in); k != nil && k.Prepare != nil {
		return k.Prepare()
	}
	return nil
}

// Read reads a body. It returns nil if no kind reads it. If a reader panics, the
// document says so in its Reason.
func Read(in *document.Input) *document.Document {
	k := Of(in)
	if k == nil || in.Depth > depthMax {
		return nil
	}
	b := document.NewBuilder(in.Limits, func(inner *document.Input) *document.Document {
		inner.Depth = in.Depth + 1
		return Read(inner)
	})
	b.Doc.Kind = k.Name
	b.Doc.Format = string(format.Identify(in.Body).ID)
	if err := read(k, b, in); err != nil && b.Doc.Reason == "" {
		b.Doc.Reason = err.Error()
	}
	b.Doc.SetTitle(b.Lead)
	return b.Doc
}

// read calls k.Read. It returns a panic as an error, because a body that breaks
// one of the many libraries must not end the program.
func read(k *document.Kind, b *document.Builder, in *document.Input) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reader of %s failed: %v", k.Name, p)
		}
	}()
	return k.Read(b, in)
}
