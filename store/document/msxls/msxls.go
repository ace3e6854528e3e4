// Package msxls reads workbooks of Excel before 2007: Excel 97 to 2003 ([MS-XLS], also
// called BIFF8), Excel 5 and 95 (BIFF5), and the worksheets of Excel 2 to 4.
//
// # Words
//
//	record      a piece of the stream: a code, a length and data
//	substream   the records of the workbook as a whole, or of one sheet
//	shared text a text that cells refer to by its number (SST in [MS-XLS])
//	serial      a date as a number of days, with the time as the fraction of a day
//	number format the pattern by which a number is shown, such as "0.00" or "yyyy-mm-dd"
package msxls

import (
	"bytes"
	"errors"

	"infomall/store/document"
	"infomall/store/document/ole"
)

// Kind reads workbooks of Excel before 2007.
var Kind = document.Kind{Name: "xls", Is: is, Read: read}

var (
	streamNames = []string{"Workbook", "Book"}
	heads       = []string{"\x09\x08\x08\x00\x00\x05", "\x09\x08\x10\x00\x00\x06"}
)

func is(in *document.Input) bool {
	if bare(in.Body) {
		return true
	}
	f, err := ole.Open(in.Body)
	return err == nil && f.Find(streamNames, heads) != nil
}

// bare reports whether body begins like a worksheet that is in no container.
func bare(body []byte) bool {
	code, length, kind := ole.U16(body, 0), ole.U16(body, 2), ole.U16(body, 6)
	switch code {
	case 0x0009, 0x0209, 0x0409:
		return length >= 4 && length <= 16 && (kind == kindSheet || kind == kindChart || kind == kindMacros || kind == kindWorkspace)
	}
	return bytes.HasPrefix(body, []byte(heads[0])) || bytes.HasPrefix(body, []byte(heads[1]))
}

var (
	errEncrypted = errors.New("the workbook is encrypted")
	errFormat    = errors.New("the workbook has no readable record")
	errLost      = errors.New("the file is cut: its directory is lost, so sheets may be missing")
)

func read(b *document.Builder, in *document.Input) error {
	if bare(in.Body) {
		return newBook(in.Body, b).read()
	}
	f, err := ole.Open(in.Body)
	if err != nil {
		return err
	}
	f.Describe(b.Doc)
	b.Doc.Pages = -1 // programs do not count the sheets there
	if err := newBook(f.Find(streamNames, heads), b).read(); err != nil {
		return err
	}
	if f.Lost() {
		return errLost
	}
	return nil
}
