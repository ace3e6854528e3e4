package store

import (
	"context"

	"infomall/store/record"
	"infomall/store/segment"
)

// takeBody makes s, a revisit, a capture of the body of o. A record without headers
// of its own had the original's. said is as readAs gives it.
func takeBody(s, o *segment.Stored, said *analysis) {
	s.ID, s.Digest, s.Bytes = o.ID, o.Digest, o.Bytes
	if said != nil {
		takeReading(s, said)
		return
	}
	s.Content, s.Page = o.Content, o.Page
	switch {
	case len(s.Head) == 0:
		s.Status, s.Kind, s.Mime = o.Status, o.Kind, o.Mime
	case s.Status == 304 || s.Kind == record.KindPage && o.Kind == record.KindSoftMissing:
		// A 304 says that all is as it was; and a page that says that nothing is
		// there says so at every visit.
		s.Kind = o.Kind
	}
}

// takes makes e, which is stored as s, a capture of the body of o, as takeBody does.
func (e *located) takes(s, o *segment.Stored, said *analysis) {
	now := *s
	takeBody(&now, o, said)
	e.ID, e.Content, e.Bytes, e.resolved = now.ID, now.Content, now.Bytes, true
	e.Status, e.Kind, e.Mime = now.Status, now.Kind, now.Mime
}

// takeReading gives s, whose kind is what its headers say, what was read off its body.
func takeReading(s *segment.Stored, read *analysis) {
	s.Page, s.Content = read.page, read.content
	if read.missing && s.Kind == record.KindPage {
		s.Kind = record.KindSoftMissing
	} else {
		s.Page.Reason = ""
	}
	if s.Kind != record.KindPage {
		s.Page.BlockCount, s.Content = -1, 0 // only pages have blocks
	}
}

// readsAnew reports whether the body of o may say something else to who reads it by
// the headers of revisit s.
func readsAnew(s, o *segment.Stored) bool {
	if len(s.Head) == 0 || s.Status == 304 {
		return false
	}
	found := func(k record.Kind) bool { return k == record.KindPage || k == record.KindSoftMissing }
	return found(s.Kind) != found(o.Kind) || sentAs(s.Head, s.Mime) != sentAs(o.Head, o.Mime)
}

// readAs gives what the body of o, which lies in at, says by the headers of revisit
// s. It is nil where that is what it says of o, or the body can't be read.
func (v *Snapshot) readAs(ctx context.Context, s, o *segment.Stored, at *segment.Reader) (*analysis, error) {
	if !readsAnew(s, o) {
		return nil, nil
	}
	owner, _, err := v.owner(ctx, at, o)
	if err == nil && owner != nil {
		if owner.Bytes > dividedMax {
			return &analysis{page: segment.NoPage}, nil
		}
		var body []byte
		if body, err = v.bodyIn(ctx, owner); err == nil {
			return newAnalyses().analyse(body, sentAs(s.Head, s.Mime)), nil
		}
	}
	if ctx.Err() == nil && err != nil {
		v.a.warn(err) // VERIFY tells of it; the capture is there all the same
		err = nil
	}
	return nil, err
}
