package ole

import (
	"errors"

	"infomall/store/document"
)

// Encrypted takes encrypted documents of Office 2007 and later, which are in a compound
// file. It reads their properties if those are not encrypted.
var Encrypted = document.Kind{
	Name: "encrypted office",
	Is: func(in *document.Input) bool {
		f, err := Open(in.Body)
		return err == nil && f.Has("EncryptedPackage")
	},
	Read: func(b *document.Builder, in *document.Input) error {
		f, err := Open(in.Body)
		if err != nil {
			return err
		}
		f.Describe(b.Doc)
		return errEncrypted
	},
}

var errEncrypted = errors.New("the document is encrypted")
