package ole

import (
	"errors"

	"infomall/store/document"
)

// Other takes the compound files that no other kind takes, such as drawings of Visio and
// encrypted documents of Office 2007 and later. It reads their properties.
var Other = document.Kind{
	Name: "ole",
	Is:   func(in *document.Input) bool { return Is(in.Body) },
	Read: func(b *document.Builder, in *document.Input) error {
		f, err := Open(in.Body)
		if err != nil {
			return err
		}
		f.Describe(b.Doc)
		if f.Has("EncryptedPackage") {
			return errEncrypted
		}
		return errOther
	},
}

var (
	errEncrypted = errors.New("the document is encrypted")
	errOther     = errors.New("only the properties are read: no reader takes this kind of OLE2 document")
)
