package exec

import (
	"bytes"
	"context"
	"fmt"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// showPage gives one page as it was at a time: the last capture not after it.
func (s *Session) showPage(ctx context.Context, st *ast.ShowPage) (*Result, error) {
	asked, err := s.pageAsked(st)
	if err != nil {
		return nil, err
	}
	snap, err := s.Archive.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close() // a reader has nothing to lose on Close
	snap.SetCache(s.Settings.Cache)
	ref, at, err := s.findPage(ctx, snap, st, asked)
	if err != nil {
		return nil, err
	}
	p, err := snap.Payload(ctx, ref)
	if err != nil {
		return nil, err
	}
	note := s.usedNote(asked, at)
	body, err := pageForm(st, &p)
	if err != nil {
		return nil, err
	}
	return &Result{
		Kind:  ResultBytes,
		Bytes: bytes.NewReader(body),
		Notes: []string{note},
		Close: func() {},
	}, nil
}

// pageAsked is what SHOW PAGE wants: a URL, and a period unless the latest
// capture is wanted.
type pageAsked struct {
	url  string
	when *value.Period
}

func (s *Session) pageAsked(st *ast.ShowPage) (pageAsked, error) {
	env := s.env()
	raw, err := plan.ConstantText(st.URL, env)
	if err != nil {
		return pageAsked{}, err
	}
	url, err := urlkey.Canonical(raw)
	if err != nil {
		return pageAsked{}, ast.Errorf(st.URL, "%v", err)
	}
	asked := pageAsked{url: url}
	if st.Time != nil {
		p, err := value.PeriodOf(st.Time, env)
		if err != nil {
			return asked, err
		}
		asked.when = &p
	}
	return asked, nil
}

// scan is the scan of all captures of the URL before to.
func (a pageAsked) scan(to record.Time) record.Scan {
	key := urlkey.Key(a.url)
	return record.Scan{
		Ranges: []urlkey.Range{{From: key, To: key + "\x00"}},
		From:   record.MinTime,
		To:     to,
	}
}

// findPage finds the capture to show.
func (s *Session) findPage(ctx context.Context, snap op.Snapshot, st *ast.ShowPage, asked pageAsked) (record.Ref, record.Time, error) {
	to := record.MaxTime + 1
	if asked.when != nil {
		to = asked.when.To
	}
	var ref record.Ref
	at := record.NoTime
	for b, err := range snap.Scan(ctx, asked.scan(to)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return ref, at, err
		}
		if b.N > 0 {
			ref, at = b.Ref[b.N-1], b.Time[b.N-1]
		}
	}
	if at != record.NoTime {
		return ref, at, nil
	}
	return ref, at, s.noPage(ctx, snap, st, asked)
}

// noPage is the error of a page that was not there yet, or never.
func (s *Session) noPage(ctx context.Context, snap op.Snapshot, st *ast.ShowPage, asked pageAsked) error {
	for b, err := range snap.Scan(ctx, asked.scan(record.MaxTime+1)) {
		if err != nil {
			return err
		}
		if b.N > 0 {
			err := ast.Errorf(st.Time, "no capture of %s at or before %s", asked.url, s.stamp(asked.when.To-1))
			err.Hint = "the first is of " + s.stamp(b.Time[0])
			return err
		}
	}
	return ast.Errorf(st.URL, "no capture of %s", asked.url)
}

// usedNote says which capture is shown.
func (s *Session) usedNote(asked pageAsked, at record.Time) string {
	note := fmt.Sprintf("%s as captured %s", asked.url, s.stamp(at))
	switch {
	case asked.when == nil:
		return note
	case at >= asked.when.From:
		return note + ", within the time asked for"
	}
	return fmt.Sprintf("%s, %s before the time asked for", note, value.AppendDuration(nil, int64(asked.when.From-at)))
}

func (s *Session) stamp(t record.Time) string {
	return string(value.AppendTime(nil, t, s.env().Location()))
}

// pageForm gives the response in the form asked for.
func pageForm(st *ast.ShowPage, p *record.Payload) ([]byte, error) {
	if st.Form == ast.PageHeaders {
		if len(p.Head) == 0 {
			return nil, ast.Errorf(st, "this capture has no headers: it came as a file, not as an HTTP response")
		}
		return p.Head, nil
	}
	if p.NoBody != "" {
		return nil, ast.Errorf(st, "the archive has no body for this capture: %s", p.NoBody)
	}
	if st.Form == ast.PageRaw {
		return p.Body, nil
	}
	body, err := op.Decode(p)
	if err == nil && !op.IsText(p.Mime) {
		err = fmt.Errorf("it is %s, no text", p.Mime)
	}
	if err != nil {
		e := ast.Errorf(st, "this capture can't be shown as html: %v", err)
		e.Hint = "AS raw gives its bytes"
		return nil, e
	}
	charset, _ := page.Charset(body, record.Header(p.Head, "Content-Type"))
	return page.ToUTF8(body, charset), nil
}

// wouldShow says what a SHOW PAGE would read.
func (s *Session) wouldShow(st *ast.ShowPage) ([]string, error) {
	asked, err := s.pageAsked(st)
	if err != nil {
		return nil, err
	}
	if asked.when == nil {
		return []string{"reads the last capture of " + asked.url}, nil
	}
	return []string{fmt.Sprintf("reads the last capture of %s at or before %s", asked.url, s.stamp(asked.when.To-1))}, nil
}
