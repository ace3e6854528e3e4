// Package document is what is read out of a body that is not a page, such as a
// PDF, a letter or a picture: its text, its title, its dates and its links. It
// declares the result and the form in which the archive stores it. Each kind of
// document has a package of its own below this one, and package kinds lists them.
//
// # Words
//
//	document   what was read out of a body
//	kind       a family of formats that one package reads, such as pdf
//	format     what the bytes are by the registry PRONOM, such as fmt/18 (PDF 1.4)
//	section    a page, slide, sheet, chapter, item or member of a document
//	part       a paragraph, heading, table or note of a section
//	scanned    said of a document whose pages are pictures without text
//	reading    the stored form of a document
//
// A reader of a kind is a pure function of the bytes. It opens no file, asks no
// clock and no network. It ends, within the bounds of Limits, for any bytes.
package document

import (
	"time"

	"infomall/store/record"
)

// Input is a body to read.
type Input struct {
	Body    []byte // bytes of the body after content-decoding
	Mime    string // declared media type in lower case, without parameters; "" if none
	Charset string // charset that the header declares, in lower case; "" if none
	Depth   int    // number of archives, such as zip files, around the body; 0 for a stored body
	Limits  Limits
}

// Limits bound what a reader takes from one body. The zero value of a field
// stands for its default. A reader leaves out everything beyond a limit, and
// the Reason of the document says so.
type Limits struct {
	Unpacked int64 // total size of the compressed parts of the body after decompression, in bytes
	Text     int   // number of bytes of text
	Parts    int   // number of parts and sections together
	Links    int   // number of links
	Pages    int   // number of pages that are read
	Nesting  int   // depth to which elements, groups or containers may be nested
	// Time is how much CPU time a child process may take to read the body.
	// Package child has the default. The readers themselves do not measure
	// time.
	Time time.Duration

	left *int64 // how much of Unpacked is left; a document and the bodies inside it share this number
}

// The defaults of Limits.
const (
	unpackedMax = 64 << 20
	textMax     = 8 << 20
	partsMax    = 200_000
	linksMax    = 100_000
	pagesMax    = 5_000
	nestingMax  = 256
)

// WithDefaults returns l with the defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	set := func(x *int, to int) {
		if *x == 0 {
			*x = to
		}
	}
	if l.Unpacked == 0 {
		l.Unpacked = unpackedMax
	}
	set(&l.Text, textMax)
	set(&l.Parts, partsMax)
	set(&l.Links, linksMax)
	set(&l.Pages, pagesMax)
	set(&l.Nesting, nestingMax)
	return l
}

// Document is the result of reading one body: its text, its parts and its properties. A text
// field that is not known is "", a time is record.NoTime, and a number is -1.
type Document struct {
	Kind   string // name of the Kind that read the body, such as "pdf"; "" if none did
	Format string // PRONOM identifier, such as "fmt/18"; "" if it is unknown

	Title, Author, Producer, Lang string
	Description, Keywords         string
	Created, Modified             record.Time // times that the document states
	Taken                         record.Time // time at which the picture or recording was made
	Pages                         int64       // number of pages, slides or sheets, if the format stores it
	Width, Height                 int64       // size of a picture or video, in pixels
	Duration                      int64       // length of a recording, in milliseconds
	Place                         string      // latitude and longitude in degrees, such as "48.8566,2.3522"
	Print                         uint64      // perceptual hash of a picture; valid if HasPrint is set
	HasPrint                      bool
	Scanned                       bool // all pages are pictures without text
	// Reason says why the body, or the rest of it, could not be read. It is "" if all
	// of it was read.
	Reason   string
	Sections []Section
	Links    []Link
}

// Section is one page, slide, sheet, chapter, item or member of a document. A
// document without such a division has one section of kind Whole.
type Section struct {
	Kind  SectionKind
	Name  string // name that the document gives the section, such as "12", "Umsatz 2008" or "report.doc"; "" if none
	Parts []Part
}

// String returns the kind and the name of the section, such as "page 12" or "sheet
// Umsatz". It returns "" for a section of kind Whole.
func (s *Section) String() string {
	if s.Kind == Whole || s.Name == "" {
		return s.Kind.String()
	}
	return s.Kind.String() + " " + s.Name
}

// SectionKind is the kind of a section.
type SectionKind uint8

// The kinds of sections.
const (
	Whole   SectionKind = iota
	Page                // page of a text document; Name is its number, from 1
	Slide               // slide of a presentation; Name is its number, from 1
	Sheet               // sheet of a workbook
	Chapter             // chapter of a book
	Item                // item of a feed
	Member              // member of an archive or a mail
	sectionKinds
)

var sectionNames = [...]string{"", "page", "slide", "sheet", "chapter", "item", "member"}

// String returns the name of the kind, such as "page", and "" for Whole.
func (k SectionKind) String() string { return sectionNames[k] }

// Part is one piece of the text of a section. Its text is UTF-8 and is not empty.
// Text has "\n" where a line must end. In a Table, "\t" separates the cells of a row
// and "\n" the rows.
type Part struct {
	Kind PartKind
	Text string
}

// PartKind is the kind of a part.
type PartKind uint8

// The kinds of parts.
const (
	Paragraph PartKind = iota
	Heading
	Table
	Note    // footnote, comment, speaker's note, header or footer of a page
	Deleted // text that a tracked change has removed; it is not part of the document's text
	partKinds
)

// Link is one link of a document.
type Link struct {
	Target  string // address as written in the document
	Anchor  string // text of the link; "" if it is not known
	Section int    // index of the section of the link in Document.Sections
}

// New returns a document in which nothing is known.
func New() *Document {
	return &Document{
		Created: record.NoTime, Modified: record.NoTime, Taken: record.NoTime,
		Pages: -1, Width: -1, Height: -1, Duration: -1,
	}
}
