// Package pdf reads PDF files with PDFium, which runs as WebAssembly: whatever a file
// does to PDFium, it cannot do to the program. Each page is a section. Its text is in
// the order in which PDFium gives it, in paragraphs.
//
// PDFium cannot be stopped while it reads. A file that takes too long is ended with the
// process that reads it; see package store/document/child.
//
// # Words
//
//	engine      PDFium, compiled; it makes instances
//	instance    a PDFium with memory of its own; it reads several files
//	line        text of one row of a page
//	lead        the text in the largest type of the first page
//	running     said of a line that many pages have at their top or bottom
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/klippa-app/go-pdfium"
	pdfium_errors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"infomall/store/document"
)

// Kind reads PDF files with theEngine.
var Kind = document.Kind{Name: "pdf", Is: is, Prepare: theEngine.Open, Read: theEngine.Read}

// headerWithin is how many bytes may be before the header of a PDF file, as in PDFium.
const headerWithin = 1024

// is reports whether a body is a PDF file: whether it begins with the header of one, or
// has it near its beginning and is declared as one.
func is(in *document.Input) bool {
	start := in.Body[:min(len(in.Body), headerWithin)]
	at := bytes.Index(start, []byte("%PDF-"))
	if at <= 0 {
		return at == 0
	}
	return strings.Contains(in.Mime, "pdf") || len(bytes.Trim(start[:at], "\xef\xbb\xbf\x00 \t\r\n")) == 0
}

// Read reads a PDF file into b. It returns an error if the file, or a page of it, cannot
// be read.
func (e *engine) Read(b *document.Builder, in *document.Input) error {
	var pages []page
	err := e.use(len(in.Body), func(p pdfium.Pdfium) (int, error) {
		f, err := openFile(p, in.Body)
		if err != nil {
			return 0, err
		}
		f.limits = b.Limits()
		err = f.readAll(b.Doc)
		pages = f.pages
		if cerr := f.close(); cerr != nil && err == nil {
			err = &brokenError{cerr}
		}
		return len(f.pages), err
	})
	readXMP(b.Doc, in.Body)
	return errors.Join(write(b, pages), err)
}

// file is a PDF file that PDFium has opened.
type file struct {
	p      pdfium.Pdfium
	doc    references.FPDF_DOCUMENT
	limits document.Limits
	shown  structs.FPDF_FS_RECTF // the part of the page being read that is shown, in points
	pages  []page
	text   int // bytes of text in pages
	links  int // links in pages
}

// openFile opens a PDF file. A file that is encrypted is opened if its password is empty.
// The caller closes the file.
func openFile(p pdfium.Pdfium, body []byte) (*file, error) {
	empty := ""
	d, err := p.OpenDocument(&requests.OpenDocument{File: &body, Password: &empty})
	switch {
	case err == nil:
		return &file{p: p, doc: d.Document}, nil
	case errors.Is(err, pdfium_errors.ErrPassword):
		return nil, errors.New("encrypted: it needs a password")
	case errors.Is(err, pdfium_errors.ErrSecurity):
		return nil, errors.New("encrypted in a way that is not known")
	case errors.Is(err, pdfium_errors.ErrFormat), errors.Is(err, pdfium_errors.ErrFile), errors.Is(err, pdfium_errors.ErrPage),
		errors.Is(err, pdfium_errors.ErrUnknown), errors.Is(err, pdfium_errors.ErrSuccess):
		return nil, errors.New("damaged: it cannot be opened")
	}
	return nil, &brokenError{fmt.Errorf("PDFium failed: %w", err)}
}

func (f *file) close() error {
	_, err := f.p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: f.doc})
	return err
}

// readAll reads the properties of the file into d, and its pages into f.pages.
func (f *file) readAll(d *document.Document) error {
	f.properties(d)
	n, err := f.p.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: f.doc})
	if err != nil {
		return &brokenError{err}
	}
	if n.PageCount == 0 {
		return errors.New("damaged: it has no page that can be read")
	}
	d.Pages = int64(n.PageCount)
	var unread []int
	for i := range min(n.PageCount, f.limits.Pages) {
		pg, err := f.page(i)
		if isTrap(err) {
			return &brokenError{fmt.Errorf("page %d: PDFium failed: %w", i+1, err)}
		}
		if err != nil {
			unread = append(unread, i+1)
		}
		f.pages = append(f.pages, pg)
		for _, l := range pg.lines {
			f.text += len(l.text)
		}
		f.links += len(pg.links)
		if f.text > f.limits.Text {
			return document.ErrLimit
		}
	}
	switch {
	case len(unread) > 0:
		return fmt.Errorf("damaged: %d of its pages cannot be read, the first of them is page %d", len(unread), unread[0])
	case n.PageCount > f.limits.Pages:
		return document.ErrLimit
	}
	return nil
}

// isTrap reports whether PDFium broke with err: its instance is not used again.
func isTrap(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "wasm error") || strings.Contains(err.Error(), "panic occurred") || strings.Contains(err.Error(), "module closed"))
}
