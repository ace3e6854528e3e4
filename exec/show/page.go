package show

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/divide"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
)

// pageView is a SHOW PAGE statement whose clauses were read.
type pageView struct {
	s     *session.Session
	st    *ast.ShowPage
	asked *pageAsked
}

// Page is the statement SHOW PAGE, which shows a page as it was at some time.
var Page = session.Declare("SHOW PAGE", session.Answers, readShowPage)

// readShowPage makes a pageView of a SHOW PAGE statement. It checks the URL and
// the time.
func readShowPage(s *session.Session, st *ast.ShowPage) (*pageView, error) {
	s, err := s.KnownAt(st.Known)
	if err != nil {
		return nil, err
	}
	v := &pageView{s, st, &pageAsked{s: s, urlAt: st.URL, whenAt: st.Time}}
	return v, v.asked.read()
}

// Run returns the page as it was at the time in the statement: the last capture
// at or before that time, in the form that AS names. The caller closes the
// result.
func (v *pageView) Run(ctx context.Context) (*session.Result, error) {
	snap, release, err := v.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	snap.SkipDamage() // to other captures of the page
	res, err := v.result(ctx, snap)
	if err != nil {
		release()
		return nil, err
	}
	if err := snap.Damage(); err != nil {
		res.Notes = append(res.Notes, err.Error())
	}
	res.Close = release // a large body is read while it is written
	return res, nil
}

// result does the work of Run. The result is valid until snap is released.
func (v *pageView) result(ctx context.Context, snap relation.Snapshot) (*session.Result, error) {
	st, asked := v.st, v.asked
	var found captureFound
	var err error
	if st.Form == ast.PageBlocks {
		found, err = asked.findVersion(ctx, snap)
	} else {
		found.capture, err = asked.findForm(ctx, snap)
	}
	if err != nil {
		return nil, err
	}
	note := asked.usedNote(found.time)
	if st.Form == ast.PageWire {
		body, err := v.wire(ctx, snap, found.capture)
		return &session.Result{Kind: session.ResultBytes, Columns: v.column(), Bytes: body, Notes: []string{note}}, err
	}
	p, err := snap.Payload(ctx, found.ref)
	if err != nil {
		return nil, err
	}
	if st.Form == ast.PageHeaders && len(p.Head) == 0 {
		if err := snap.Damage(); err != nil {
			return nil, err
		}
	}
	if st.Form != ast.PageHeaders {
		if err := asked.needBody(snap, st, found.capture, p.NoBody); err != nil {
			return nil, err
		}
	}
	if st.Form == ast.PageBlocks {
		r, err := asked.blocks(ctx, snap, found, &p)
		if err == nil {
			err = snap.Damage() // perhaps the version before cannot be read
		}
		if err != nil {
			return nil, err
		}
		res := blockTable(r, found.capture)
		d := &draw.Blocks{URL: asked.url, Captured: asked.captureLine(found.capture), Document: draw.DocumentLine(r.Tree.Document), Parts: draw.Parts(r)}
		if r.Before != nil {
			d.Against = asked.captureLine(found.before)
		}
		res.Drawing = d
		res.Notes = append(res.Notes, note)
		return res, nil
	}
	body, err := pageForm(st, &p)
	if st.Form == ast.PageDefault {
		note += "; AS text shows its words, AS blocks its parts"
	}
	return &session.Result{Kind: session.ResultBytes, Columns: v.column(), Bytes: body, Notes: []string{note}}, err
}

// column returns the single column for a page that is printed as a row. The
// column's name is the form after AS, such as html.
func (v *pageView) column() []value.Column {
	form := v.st.Form
	if form == ast.PageDefault {
		form = ast.PageHTML
	}
	return []value.Column{session.Text(form.String())}
}

// pageForm returns the payload of a capture as text, HTML, raw bytes or
// headers, as st.Form asks. It handles neither PageWire nor PageBlocks. A
// capture that cannot be shown in that form is an error.
func pageForm(st *ast.ShowPage, p *record.Payload) (io.WriterTo, error) {
	switch st.Form {
	case ast.PageHeaders:
		if len(p.Head) == 0 {
			return nil, noHeaders(st)
		}
		return bytes.NewReader(p.Head), nil
	case ast.PageRaw:
		if p.Large != nil {
			return pieces(p.Large), nil
		}
		return bytes.NewReader(p.Body), nil
	}
	if p.Document != nil && st.Form == ast.PageText {
		b, _ := divide.OpenStored(p, nil, divide.Options{})
		if b != nil {
			return strings.NewReader(b.Page.Text(b.Charset)), nil
		}
	}
	body, err := readable(p)
	if err != nil {
		form := st.Form
		if form == ast.PageDefault {
			form = ast.PageHTML
		}
		err := ast.Errorf(st, "this capture can't be shown as %s: %v", form, err)
		if err.Hint = "AS raw gives its bytes"; p.Document != nil {
			err.Hint = "AS text gives its words, AS raw its bytes"
		}
		return nil, err
	}
	if st.Form == ast.PageText {
		return strings.NewReader(visible(p, body)), nil
	}
	found := charset.Find(body, message.Header(p.Head, "Content-Type"), p.Charset)
	return bytes.NewReader(charset.ToUTF8(body, found.Charset)), nil
}

// noHeaders returns the error for a statement that asks for the HTTP headers of
// a capture that has none.
func noHeaders(st *ast.ShowPage) error {
	err := ast.Errorf(st, "this capture has no headers: it came as a file, not as an HTTP response")
	err.Hint = "AS raw gives its bytes"
	return err
}

// wire returns the HTTP response of a capture as it was received: headers and
// body. A response 304 Not Modified has headers only. A capture without
// headers, or without a body in the archive, is an error.
func (v *pageView) wire(ctx context.Context, snap relation.Snapshot, c capture) (io.WriterTo, error) {
	stored, err := snap.Stored(ctx, c.ref)
	if err == nil && stored.URL == "" {
		err = snap.Damage()
	}
	if err != nil {
		return nil, err
	}
	if len(stored.Head) == 0 {
		return nil, noHeaders(v.st)
	}
	told := stored.Via == record.ViaNotModified
	if stored.NoBody != "" && !told {
		return nil, v.asked.needBody(snap, v.st, c, stored.NoBody)
	}
	return pieces(func(yield func([]byte, error) bool) {
		if !yield(stored.Head, nil) || told {
			return
		}
		stored.Wire()(yield)
	}), nil
}

// readable returns the body of a text, such as an HTML page, after content
// decoding. A body that is large or is not text is an error.
func readable(p *record.Payload) ([]byte, error) {
	switch {
	case p.Large != nil:
		return nil, fmt.Errorf("it has %d bytes", p.Size)
	case !relation.IsText(p.Mime):
		return nil, fmt.Errorf("it is %s, no text", p.Mime)
	}
	body, err := relation.Decode(p)
	if err == nil && p.Document != nil && page.IsBinary(body) {
		err = fmt.Errorf("it is %s, no text", p.Mime)
	}
	return body, err
}

// visible returns the text that a page shows, in reading order and in UTF-8.
// body is the body that readable returned for p.
func visible(p *record.Payload, body []byte) string {
	contentType := message.Header(p.Head, "Content-Type")
	if b, ok := openBody(nil, p, divide.Options{}); ok {
		return b.Page.Text(b.Charset)
	}
	found := charset.Find(body, contentType, p.Charset)
	body = charset.ToUTF8(body, found.Charset)
	if strings.Contains(p.Mime, "html") || strings.Contains(p.Mime, "xml") {
		return markup.NewTree(body).Text("utf-8")
	}
	return markup.NewPlainTree(body).Text("utf-8")
}

// pieces is an io.WriterTo for a body that is read piece by piece.
type pieces iter.Seq2[[]byte, error]

// WriteTo writes all pieces to w, and returns the number of bytes written. It
// may be called only once.
func (p pieces) WriteTo(w io.Writer) (written int64, err error) {
	for piece, err := range p {
		if err != nil {
			return written, err
		}
		n, err := w.Write(piece)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Would returns one line for EXPLAIN, which says which capture would be read.
func (v *pageView) Would(context.Context) ([]string, error) {
	return []string{v.asked.would()}, nil
}
