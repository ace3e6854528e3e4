// Package msdoc reads documents of Word before 2007: Word 97 to 2003 ([MS-DOC]), Word 6
// and 95, and Word 2.
//
// # Words
//
//	character position  the number of a character of the document, from 0; CP in [MS-DOC]
//	offset              the place of a byte in the stream WordDocument; FC in [MS-DOC]
//	piece               characters that follow one another in the document and in the stream
//	story               a range of characters: the main text, footnotes, headers, comments …
//	run                 characters, or a paragraph, that share their properties
//	mark                the character that ends a paragraph, a cell or a row of a table
package msdoc

import (
	"bytes"
	"errors"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/ole"
)

// Kind reads documents of Word before 2007.
var Kind = document.Kind{Name: "doc", Is: is, Read: read}

const word2 = "\xdb\xa5\x2d\x00" // start of a file of Word 2, which has no container

const (
	mainStream = "WordDocument"
	headWord97 = "\xec\xa5"
	headWord6  = "\xdc\xa5"
)

func is(in *document.Input) bool {
	if bytes.HasPrefix(in.Body, []byte(word2)) {
		return true
	}
	f, err := ole.Open(in.Body)
	return err == nil && f.Find([]string{mainStream}, []string{headWord97, headWord6}) != nil
}

var (
	errEncrypted = errors.New("the document is encrypted")
	errFormat    = errors.New("the header of the document is damaged")
	errLost      = errors.New("the file is cut: its directory is lost, so parts of the text may be missing")
)

func read(b *document.Builder, in *document.Input) error {
	if bytes.HasPrefix(in.Body, []byte(word2)) {
		w := word{main: in.Body, old: true}
		return w.read(b)
	}
	f, err := ole.Open(in.Body)
	if err != nil {
		return err
	}
	f.Describe(b.Doc)
	w := word{main: f.Find([]string{mainStream}, []string{headWord97, headWord6})}
	w.old = bytes.HasPrefix(w.main, []byte(headWord6))
	if !w.old && len(w.main) > 12 {
		name, other := "0Table", "1Table"
		if ole.U16(w.main, 10)&flagTable1 != 0 {
			name, other = other, name
		}
		if w.table = f.Stream(name); w.table == nil {
			w.table = f.Stream(other)
		}
	}
	if err := w.read(b); err != nil {
		return err
	}
	if f.Lost() {
		return errLost
	}
	return nil
}

// word is one document. Offsets that are not in a stream are read as 0.
type word struct {
	main   []byte // the stream WordDocument
	table  []byte // the stream with the tables of Word 97 and later; main for older files
	old    bool   // Word 2, 6 or 95
	page   int    // code page of text in bytes
	pieces []piece
	chars  formats          // of characters
	paras  formats          // of paragraphs
	fonts  []int            // code page of each font, 0 if it is that of the document
	lang   office.Languages // of text that names none
	langs  office.LanguageCount
}

// Flags of the header.
const (
	flagComplex   = 0x0004
	flagEncrypted = 0x0100
	flagTable1    = 0x0200
)

const (
	charsetMac = 0x100 // mark of a document of Word for the Macintosh
	macPage    = 10000
)

// read reads the header and the stories.
func (w *word) read(b *document.Builder) error {
	if len(w.main) < 0x60 {
		return errFormat
	}
	flags := ole.U16(w.main, 10)
	if flags&flagEncrypted != 0 {
		return errEncrypted
	}
	var lengths []uint32
	var clx []byte
	if w.old {
		w.table = w.main
		w.page = ole.PageOfLanguage(int(ole.U16(w.main, 6)))
		if ole.U16(w.main, 0x14) == charsetMac {
			w.page = macPage
		}
		lengths = u32s(w.main, 0x34, len(storyKinds))
		if !bytes.HasPrefix(w.main, []byte(word2)) {
			w.chars = formatsOf(w.main, w.part(0xb8), 2, oldSizes)
			w.paras = formatsOf(w.main, w.part(0xc0), 2, oldSizes)
			w.fonts = oldFonts(w.part(0xd0))
			if flags&flagComplex != 0 {
				clx = w.part(0x160)
			}
		}
	} else {
		w.page = 1252
		lengths = u32s(w.main, 0x4c, len(storyKinds))
		w.chars = formatsOf(w.main, w.part(0xfa), 4, newSizes)
		w.paras = formatsOf(w.main, w.part(0x102), 4, newSizes)
		clx = w.part(0x1a2)
	}
	// Some programs, such as LibreOffice, count the pages only among the settings of
	// the document.
	if pages := int16(ole.U16(w.settings(), settingPages)); b.Doc.Pages < 0 && pages > 0 {
		b.Doc.Pages = int64(pages)
	}
	if w.pieces = piecesOf(clx, w.old); w.pieces == nil {
		w.pieces = w.onePiece()
	}
	w.lang = w.languages()
	err := w.stories(b, lengths)
	if b.Doc.Lang == "" {
		b.Doc.Lang = w.langs.Most()
	}
	return err
}

// settingPages is where the settings of a document have the number of its pages.
const settingPages = 46

// settings returns the settings of a document of Word 97 and later.
func (w *word) settings() []byte {
	if w.old {
		return nil
	}
	return w.part(0x192)
}

// part returns the part of the table stream whose offset and length are at an offset of
// the header, or nil if it is not in the stream.
func (w *word) part(at int) []byte {
	from, n := uint64(ole.U32(w.main, at)), uint64(ole.U32(w.main, at+4))
	if n == 0 || from >= uint64(len(w.table)) {
		return nil
	}
	return w.table[from:min(from+n, uint64(len(w.table)))]
}

// u32s returns n numbers from an offset of b.
func u32s(b []byte, at, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = ole.U32(b, at+4*i)
	}
	return out
}
