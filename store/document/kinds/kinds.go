// Package kinds lists the kinds of documents that the program reads, and reads a
// body by the kind that it is of.
package kinds

import (
	"fmt"

	"infomall/store/document"
	"infomall/store/document/format"
)

// All is the list of kinds. The first kind whose Is reports true reads the body.
var All = []document.Kind{}

// depthMax is how many archives a document may be inside of and is still read.
const depthMax = 2

// Of returns the kind of a body, or nil if no kind reads it.
func Of(in *document.Input) *document.Kind {
	for i := range All {
		if All[i].Is(in) {
			return &All[i]
		}
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
	return b.Doc
}

// read calls k.Read. It returns a panic as an error: the libraries that read
// documents are many, and a body that breaks one must not end the program.
func read(k *document.Kind, b *document.Builder, in *document.Input) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reader of %s failed: %v", k.Name, p)
		}
	}()
	return k.Read(b, in)
}
