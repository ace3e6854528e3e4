package relation

import (
	"strings"

	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/document"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/words"
)

// documentColumns are the columns of the relation versions that are about
// documents, such as PDFs, Word files, pictures and recordings.
var documentColumns = []Column{
	payload("document", value.Text, "kind of the document, such as pdf; NULL if the body is a page, or was not read as a document", ofDocument(func(d *document.Document) value.Value { return value.TextOrNull(d.Kind) })),
	payload("created", value.Time, "when the document was written, as the document says", documentTime(func(d *document.Document) record.Time { return d.Created })),
	payload("taken", value.Time, "when the picture or recording was made, as the file says", documentTime(func(d *document.Document) record.Time { return d.Taken })),
	payload("place", value.Text, "where the picture was taken: latitude and longitude in degrees, such as 48.8566,2.3522", ofDocument(func(d *document.Document) value.Value { return value.TextOrNull(d.Place) })),
	payload("producer", value.Text, "program or device that made the document, as the document says", ofDocument(func(d *document.Document) value.Value { return value.TextOrNull(d.Producer) })),
	payload("document_pages", value.Int, "number of pages, slides or sheets; NULL if the document does not say it", ofDocument(func(d *document.Document) value.Value { return knownNumber(d.Pages) })),
	payload("scanned", value.Bool, "whether the pages are pictures without text; NULL if the body has no pages", ofDocument(func(d *document.Document) value.Value {
		if d.Pages < 0 && !d.Scanned {
			return value.Value{}
		}
		return value.OfBool(d.Scanned)
	})),
	payload("words", value.Int, "number of words of text", ofPage(func(b *divide.Body) value.Value { return value.OfInt(int64(words.Count(b.Page.Text(b.Charset)))) })),
	payload("imagehash", value.Int, "perceptual hash of the picture: similar pictures differ in few bits", ofDocument(func(d *document.Document) value.Value {
		if !d.HasPrint {
			return value.Value{}
		}
		return value.OfInt(int64(d.Print))
	})),
	payload("width", value.Int, "width of the picture or video, in pixels", ofDocument(func(d *document.Document) value.Value { return knownNumber(d.Width) })),
	payload("height", value.Int, "height of the picture or video, in pixels", ofDocument(func(d *document.Document) value.Value { return knownNumber(d.Height) })),
	payload("duration", value.Duration, "length of the sound or video", ofDocument(func(d *document.Document) value.Value {
		if d.Duration < 0 {
			return value.Value{}
		}
		return value.OfDuration(d.Duration)
	})),
	payload("declared_mime", value.Text, "media type that the server declared, without parameters", ofResponse(func(r *response) value.Value {
		return value.TextOrNull(message.Mime(message.Header(r.Head, "Content-Type")))
	})),
}

// ofDocument returns the code of a late column of the relation versions that f
// computes from the document. The value is NULL if the body is not a document.
func ofDocument(f func(*document.Document) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		d, err := l.document()
		if err != nil || d == nil {
			return value.Value{}, err
		}
		return f(d), nil
	}
}

// document returns the body of the current row's capture as a document, such as a PDF, or nil if it
// is not a document. It takes what is stored about the document, and does not read the body.
func (l *LateRow) document() (*document.Document, error) {
	if l.opened != nil {
		return l.opened.document(), nil
	}
	r, ref := l.reader, l.ref(0)
	if r.documentRef == ref && r.documentRead {
		return r.document, nil
	}
	reading, err := r.Snapshot.Document(l.ctx, ref)
	if err != nil {
		return nil, err
	}
	var d *document.Document
	if reading != nil {
		if d, err = document.Unpack(reading); err != nil {
			return nil, err
		}
	}
	r.documentRef, r.document, r.documentRead = ref, d, true
	return d, nil
}

// documentTime returns the code of a late column that has the time that f returns,
// or NULL for record.NoTime.
func documentTime(f func(*document.Document) record.Time) lateCode {
	return ofDocument(func(d *document.Document) value.Value {
		if t := f(d); t != record.NoTime {
			return value.OfTime(t)
		}
		return value.Value{}
	})
}

// knownNumber returns n as an Int, or NULL if n is negative, which means that it
// is not known.
func knownNumber(n int64) value.Value {
	if n < 0 {
		return value.Value{}
	}
	return value.OfInt(n)
}

// hasText reports whether the body is a text, or a document with some text.
func (r *response) hasText() bool {
	b := r.blocks()
	return b != nil && (b.Document == nil || len(b.Blocks) > 1)
}

// linkWorkMax is how many bytes of text documentLinks searches at most for the anchors of the links
// of one document.
const linkWorkMax = 64 << 20

// documentLinks returns the links of a document. The Offset of a link is the start of the block
// that contains the link. A document does not say which block that is. So documentLinks begins at
// the block of the previous link, and takes the first block whose text has the anchor. If no block
// has it, documentLinks takes the section. Offset is -1 if the section has no block.
func documentLinks(b *divide.Body) []facts.Link {
	d := b.Document
	links := make([]facts.Link, 0, len(d.Links))
	n, work := 0, linkWorkMax // the block of the link before
	for _, l := range d.Links {
		at := b.SectionBlock(l.Section)
		if n < at || n >= b.Blocks[at].Next {
			n = at
		}
		for i := max(n, 1); l.Anchor != "" && work > 0 && i < b.Blocks[at].Next; i++ {
			p := b.PartOf(i)
			if p == nil {
				continue
			}
			if work -= len(p.Text); strings.Contains(p.Text, l.Anchor) {
				n, at = i, i
				break
			}
		}
		f := facts.Link{Link: markup.Link{Kind: markup.LinkA, Target: l.Target, Anchor: l.Anchor, Offset: -1}, Leaf: -1, Part: -1}
		if at > 0 {
			f.Offset = b.Blocks[at].Start
		}
		links = append(links, f)
	}
	return links
}

// linkBlock returns the index of the block that contains the byte at offset of the body, if the
// body is divided down to the given level. If no block of this level in a document contains the
// byte, it returns the section that does. It returns 0 if there is none.
func (r *response) linkBlock(level, offset int) int {
	b := r.blocks()
	n := r.partAt(level, offset)
	if n > 0 || r.document() == nil || offset < 0 {
		return n
	}
	for i := 1; i < len(b.Blocks) && b.Blocks[i].Start <= offset; i++ {
		if offset < b.Blocks[i].End {
			n = i
		}
	}
	return n
}
