package exec

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"infomall/exec/op"
	"infomall/lang/ast"
	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
)

// showPage gives one page as it was at a time: the last capture not after it.
func (s *Session) showPage(ctx context.Context, st *ast.ShowPage) (*Result, error) {
	asked, err := s.pageAsked(st.URL, st.Time)
	if err != nil {
		return nil, err
	}
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	res, err := s.shownPage(ctx, snap, st, asked)
	if err != nil {
		release()
		return nil, err
	}
	res.Close = release // a large body is read while it is written
	return res, nil
}

// shownPage is the result of SHOW PAGE. It is good until snap is closed.
func (s *Session) shownPage(ctx context.Context, snap op.Snapshot, st *ast.ShowPage, asked *pageAsked) (*Result, error) {
	found, err := s.findPage(ctx, snap, asked)
	if err != nil {
		return nil, err
	}
	note := s.usedNote(asked, found.time)
	if st.Form == ast.PageWire {
		body, err := s.wire(ctx, snap, st, found.capture)
		return &Result{Kind: ResultBytes, Bytes: body, Notes: []string{note}}, err
	}
	p, err := snap.Payload(ctx, found.ref)
	if err != nil {
		return nil, err
	}
	if st.Form != ast.PageHeaders {
		if err := s.needBody(st, found.capture, p.NoBody); err != nil {
			return nil, err
		}
	}
	if st.Form == ast.PageBlocks {
		r, err := s.foundBlocks(ctx, snap, found, &p)
		if err != nil {
			return nil, err
		}
		res := blockTable(r, found.capture)
		d := &blockDrawing{URL: asked.url, Captured: s.captureLine(found.capture), Parts: drawBlocks(r)}
		if r.Before != nil {
			d.Against = s.captureLine(found.before)
		}
		res.Drawing = d
		res.Notes = append(res.Notes, note)
		return res, nil
	}
	body, err := pageForm(st, &p)
	return &Result{Kind: ResultBytes, Bytes: body, Notes: []string{note}}, err
}

// pageForm gives the response in the form asked for.
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
	body, err := readable(p)
	if err != nil {
		form := st.Form
		if form == ast.PageDefault {
			form = ast.PageHTML
		}
		err := ast.Errorf(st, "this capture can't be shown as %s: %v", form, err)
		err.Hint = "AS raw gives its bytes"
		return nil, err
	}
	if st.Form == ast.PageText {
		return strings.NewReader(visible(p, body)), nil
	}
	found := page.FindCharset(body, record.Header(p.Head, "Content-Type"), p.Charset)
	return bytes.NewReader(page.ToUTF8(body, found.Charset)), nil
}

func noHeaders(st *ast.ShowPage) error {
	err := ast.Errorf(st, "this capture has no headers: it came as a file, not as an HTTP response")
	err.Hint = "AS raw gives its bytes"
	return err
}

// wire is a response as it came. A visit that was told that nothing is new came
// without a body.
func (s *Session) wire(ctx context.Context, snap op.Snapshot, st *ast.ShowPage, c capture) (io.WriterTo, error) {
	stored, err := snap.Stored(ctx, c.ref)
	if err != nil {
		return nil, err
	}
	if len(stored.Head) == 0 {
		return nil, noHeaders(st)
	}
	told := stored.Via == record.ViaNotModified
	if stored.NoBody != "" && !told {
		return nil, s.needBody(st, c, stored.NoBody)
	}
	return pieces(func(yield func([]byte, error) bool) {
		if !yield(stored.Head, nil) || told {
			return
		}
		stored.Wire()(yield)
	}), nil
}

// readable is the body after content-decoding, if it is one that a person can
// read.
func readable(p *record.Payload) ([]byte, error) {
	switch {
	case p.Large != nil:
		return nil, fmt.Errorf("it has %d bytes", p.Size)
	case !op.IsText(p.Mime):
		return nil, fmt.Errorf("it is %s, no text", p.Mime)
	}
	return op.Decode(p)
}

// visible is what a body shows, in reading order. Body is what readable gives.
func visible(p *record.Payload, body []byte) string {
	contentType := record.Header(p.Head, "Content-Type")
	if b, ok := openBody(p, block.Options{}); ok {
		return b.Page.Text(b.Charset)
	}
	found := page.FindCharset(body, contentType, p.Charset)
	body = page.ToUTF8(body, found.Charset)
	if strings.Contains(p.Mime, "html") || strings.Contains(p.Mime, "xml") {
		return page.NewTree(body).Text("utf-8")
	}
	return page.NewPlainTree(body).Text("utf-8")
}

// pieces are the bytes of a body that comes in pieces.
type pieces iter.Seq2[[]byte, error]

// WriteTo writes them all. It is called once.
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

// wouldShow says what a SHOW PAGE would read.
func (s *Session) wouldShow(st *ast.ShowPage) ([]string, error) {
	asked, err := s.pageAsked(st.URL, st.Time)
	if err != nil {
		return nil, err
	}
	return []string{s.would(asked)}, nil
}
