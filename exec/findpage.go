package exec

import (
	"context"
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// pageAsked is the page that a statement asks for, by URL and time.
type pageAsked struct {
	url    string        // canonical
	urlAt  ast.Expr      // the URL in the statement, for its position
	when   *value.Period // the page as it was at the end of it; nil means the latest capture
	whenAt ast.Expr      // the time in the statement; nil if absent
}

// pageAsked returns the page that a statement asks for. If when is nil, that is the latest
// capture. Otherwise it is the page as it was at the end of the period when.
func (s *Session) pageAsked(url, when ast.Expr) (*pageAsked, error) {
	env := s.env()
	raw, err := expr.ConstantText(url, env)
	if err != nil {
		return nil, err
	}
	canonical, err := urlkey.Canonical(raw)
	if err != nil {
		return nil, ast.Errorf(url, "%v", err)
	}
	asked := &pageAsked{url: canonical, urlAt: url, whenAt: when}
	if when != nil {
		p, err := value.PeriodOf(when, env)
		if err != nil {
			return nil, err
		}
		asked.when = &p
	}
	return asked, nil
}

// scan returns a scan of all captures of the URL before the time to.
func (a *pageAsked) scan(to record.Time) record.Scan {
	key := urlkey.Key(a.url)
	return record.Scan{
		Ranges:  []urlkey.Range{{From: key, To: key + "\x00"}},
		From:    record.MinTime,
		To:      to,
		Columns: record.ColStatus | record.ColKind | record.ColChange | record.ColTruncated,
	}
}

// capture is one capture of a page.
type capture struct {
	ref    record.Ref
	time   record.Time
	status int32
	kind   record.Kind
	part   bool // it was cut when fetched
}

// captureFound is the capture that a statement asks for.
type captureFound struct {
	capture
	first  bool    // the capture is of the URL's first version
	before capture // the last capture of the version before, unless first is set
}

// needBody returns an error if why, the reason that the archive has no body for the
// capture c, is not empty. If damage was skipped, the error is that damage.
func (s *Session) needBody(snap op.Snapshot, at ast.Node, c capture, why string) error {
	if why == "" {
		return nil
	}
	if err := snap.Damage(); err != nil {
		return err
	}
	return ast.Errorf(at, "the archive has no body for the capture of %s: %s", s.stamp(c.time), why)
}

// findPage finds the capture asked for: the last one not after the period.
func (s *Session) findPage(ctx context.Context, snap op.Snapshot, asked *pageAsked) (captureFound, error) {
	to := record.MaxTime + 1
	if asked.when != nil {
		to = asked.when.To
	}
	var found captureFound
	any := false
	for b, err := range snap.Scan(ctx, asked.scan(to)) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return found, err
		}
		for i := range b.N {
			if any && b.Change[i] != record.ChangeSame {
				found.first, found.before = false, found.capture
			}
			if !any {
				any, found.first = true, true
			}
			found.capture = capture{b.Ref[i], b.Time[i], b.Status[i], b.Kind[i], b.Truncated[i]}
		}
	}
	if !any {
		return found, s.noPage(ctx, snap, asked)
	}
	return found, nil
}

// noPage is the error of a page that was not there yet, or never.
func (s *Session) noPage(ctx context.Context, snap op.Snapshot, asked *pageAsked) error {
	for b, err := range snap.Scan(ctx, asked.scan(record.MaxTime+1)) {
		if err != nil {
			return err
		}
		if b.N > 0 {
			err := ast.Errorf(asked.whenAt, "no capture of %s at or before %s", asked.url, s.stamp(asked.when.To-1))
			err.Hint = "the first is of " + s.stamp(b.Time[0])
			return err
		}
	}
	return ast.Errorf(asked.urlAt, "no capture of %s", asked.url)
}

// usedNote says which capture of a page is used, and how far it is from the
// time asked for.
func (s *Session) usedNote(asked *pageAsked, at record.Time) string {
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

// would returns a line that says which capture a statement would read.
func (s *Session) would(asked *pageAsked) string {
	if asked.when == nil {
		return "reads the last capture of " + asked.url
	}
	return fmt.Sprintf("reads the last capture of %s at or before %s", asked.url, s.stamp(asked.when.To-1))
}
