package crawl

import (
	"context"
	"slices"
	"strings"
	"time"

	"infomall/store/document"
	"infomall/store/page"
	"infomall/store/record/message"
)

// Bounds of reading documents in a crawl. A document beyond these is stored like any
// other, but its links are not followed.
const (
	documentsMax = 4                // workers that read documents at a time
	documentWait = 10 * time.Second // how long a worker waits until it may read one
)

// documentLinks returns the links of the response of t if it is a document that is not a
// page, such as a PDF file. kind is its Content-Type, body its body after content
// decoding, and whole whether this is all of the body. The result is nil if the crawl
// does not read documents, or if the document is too large to be in memory, or if other
// documents keep the readers busy for too long.
func (e *engine) documentLinks(ctx context.Context, t *fetchTask, kind string, body []byte, whole bool) []document.Link {
	if e.documents == nil {
		return nil
	}
	mime := message.Mime(kind)
	if t.known != nil && t.known.Document != nil {
		if d, err := document.Unpack(t.known.Document); err == nil {
			return d.Links
		}
	}
	if !whole || len(body) == 0 || t.u.Sitemap || !page.IsBinary(body) && mayLead(mime) || hasNoLinks(mime) {
		return nil
	}
	wait := time.NewTimer(documentWait)
	defer wait.Stop()
	select {
	case e.documentSeats <- struct{}{}:
		defer func() { <-e.documentSeats }()
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return nil
	}
	d, err := e.documents.Read(ctx, &document.Input{Body: body, Mime: mime, Limits: document.Limits{Links: linksOfDocumentMax}})
	if d == nil || err != nil {
		return nil // what keeps documents from being read is reported where they are read for the archive
	}
	return d.Links
}

// linksOfDocumentMax is how many links of a document are read. It is more than a crawl
// follows of a document, because some lead to places that it does not fetch.
const linksOfDocumentMax = 20_000

// hasNoLinks reports whether documents of a media type have no links that a crawl can
// follow.
func hasNoLinks(mime string) bool {
	return slices.ContainsFunc([]string{"image/", "audio/", "video/", "font/"}, func(start string) bool { return strings.HasPrefix(mime, start) })
}
