// Package index stores the words of the leaves of segments, so that a query reads only
// the lists of its own words and not the leaves. An index is of one segment, or of several
// small ones: their terms are then stored once. It is derived from these segments alone. It
// may be missing, and is then made again.
//
// # Words
//
//	leaf      a block of a page that is stored once, whatever pages contain it
//	reading   the charset of a page, and whether it is markup or plain text; a leaf of
//	          other letters than ASCII has another text in another reading
//	document  a text that a block has in a reading; blocks with equal texts share it
//	neutral   said of a block that has the same text in every reading of its run: its
//	          bytes are plain ASCII
//	posting   a document that has a term, with the places of the term in it
//	skipped   said of a block that has no document, because no page of the segment has it
//	          as a leaf: a piece of a layout, or a picture
//	users     the captures whose pages have a leaf
//	target    the URL to which a page has a link, by its key
//	named     said of a run that has leaves of pages
//	part      the terms of consecutive runs; an index has one part, or more if the terms
//	          of all runs took too much memory when the index was made
//
// # The file
//
//	+------+--------+-----+--------+-------+------+
//	| byte | block  | ... | block  | table | tail |
//	+------+--------+-----+--------+-------+------+
//
// A block is a frame of zstd, and a block of terms is two. There are six kinds: the terms of
// a part in order, the postings of the same terms, and of some runs the shapes of the
// documents, the pages, the users of the leaves, and the targets of the links. The table is a
// frame of zstd. It says where each block is, the checksum of each block, and which blocks
// each run has. The tail has the length and the checksum of the table. store/FORMAT.md draws
// the bytes.
package index

import (
	"infomall/store/block/facts"
	"infomall/store/segment"
)

// Version is the version of an index. It is increased when package match cuts texts into terms in
// another way, or when a block of the file has another form. An index of another version is not used.
const Version = 2

// Name identifies the db-file that an index belongs to. An index is used for a db-file only if
// number, size and checksum are equal.
type Name struct {
	Number uint32 // number of the db-file
	Bytes  int64
	CRC    uint32
}

// Reading says how a page and its leaves are read: in which charset, and whether as markup or
// as plain text.
type Reading struct {
	Charset string
	Plain   bool // as plain text, and not as markup
}

// PageKind says where the leaves of a capture's page are stored, and whether they are known.
type PageKind uint8

const (
	// PageUnknown: the page has to be read to know its text.
	PageUnknown PageKind = iota
	// PageNone: the capture is no page and has no text.
	PageNone
	// PageEmpty: the page has a text without any term.
	PageEmpty
	// PageSame: the page is equal to the page of an earlier capture of the run: number Page.Same.
	PageSame
	// PageOwn: the capture stores its body, in leaves.
	PageOwn
	// PageHeld: the capture at Page.Holder stores the body, in leaves.
	PageHeld
)

// Page is what the index has of one capture of a run: its page, and where the leaves of the
// page are stored.
type Page struct {
	Kind   PageKind
	Same   uint32 // number of the capture in the run, for PageSame
	Holder Holder // where the body is stored, for PageHeld

	// Of PageOwn and PageHeld:
	Reading Reading
	Title   string
	Cut     []facts.OutlineBlock // the blocks of the page, see facts.KeptLevel
	Print   uint64               // the fingerprint of its main text, see facts.Kept.MainPrint
	Printed bool                 // the page has a fingerprint, in Print
	// Terms is the number of terms of the leaves of the page, as far as the Builder knows it, rounded
	// down to a few digits. The Builder sets it.
	Terms int
}

// HasLeaves reports whether the leaves of the page are known.
func (p *Page) HasLeaves() bool { return p.Kind >= PageOwn }

// Holder is the place of a capture that stores a body.
type Holder struct {
	segment.RunRef
	N uint32 // number of the capture in the run
}
