package show

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// pageAsked is the page that a statement asks for, by URL and time.
type pageAsked struct {
	s      *session.Session
	url    string        // the URL in its canonical form
	urlAt  ast.Expr      // the URL in the statement, for its position
	when   *value.Period // the time in the statement, whose end counts; nil means the latest capture
	whenAt ast.Expr      // the time in the statement; nil if absent
	absent string        // the URL in the statement, if url is another form of it; see settleForm
}

// read evaluates the expressions a.urlAt and a.whenAt, and sets a.url and
// a.when.
func (a *pageAsked) read() (err error) {
	env := a.s.Env()
	if a.url, err = session.ConstantURL(a.urlAt, env); err != nil || a.whenAt == nil {
		return err
	}
	p, err := value.PeriodOf(a.whenAt, env)
	a.when = &p
	return err
}

// scan returns the parameters for a scan of all captures of the URL before the
// time to.
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
	part   bool // the body is incomplete, because the fetch cut it
}

// captureAt returns the capture of row i of b.
func captureAt(b *record.Batch, i int) capture {
	return capture{b.Ref[i], b.Time[i], b.Status[i], b.Kind[i], b.Truncated[i]}
}

// captureFound is the capture that a statement asks for. It also has the last
// capture of the version before (a version is the captures from one change of
// the page to the next).
type captureFound struct {
	capture
	first  bool    // the capture belongs to the URL's first version
	before capture // the last capture of the version before, unless first is set
}

// needBody returns an error if the archive has no body for the capture c. The
// parameter why is the reason that the archive gives for that; if it is "", the
// body is there, and needBody returns nil. If the snapshot has skipped damage,
// the error is that damage. The error is at the node at.
func (a *pageAsked) needBody(snap relation.Snapshot, at ast.Node, c capture, why string) error {
	if why == "" {
		return nil
	}
	if err := snap.Damage(); err != nil {
		return err
	}
	return ast.Errorf(at, "the archive has no body for the capture of %s: %s", a.s.Stamp(c.time), why)
}

// findForm does what find does. If the archive has no capture of the URL, it looks for a capture of
// another form of the URL, see settleForm.
func (a *pageAsked) findForm(ctx context.Context, snap relation.Snapshot) (capture, error) {
	c, any, err := a.last(ctx, snap)
	if !any && err == nil {
		err = a.settleForm(ctx, snap)
		if err == nil {
			return a.find(ctx, snap)
		}
	}
	return c, err
}

// find returns the capture that the statement asks for: the last capture of the
// URL at or before the end of a.when. If there is none, the error says so.
func (a *pageAsked) find(ctx context.Context, snap relation.Snapshot) (capture, error) {
	c, any, err := a.last(ctx, snap)
	if !any && err == nil {
		err = a.noPage(ctx, snap)
	}
	return c, err
}

// end returns the end of the time in which the statement looks for a capture.
func (a *pageAsked) end() record.Time {
	if a.when != nil {
		return a.when.To
	}
	return record.MaxTime + 1
}

// last returns the last capture of the URL at or before the end of a.when. any reports whether
// there is one. last reads the segments with the latest captures first, and those before only if these
// have none.
func (a *pageAsked) last(ctx context.Context, snap relation.Snapshot) (c capture, any bool, err error) {
	scan := a.scan(a.end())
	scan.Columns &^= record.ColChange // it depends on all earlier captures
	for n := 1; ; n *= 2 {
		scan.From = snap.Since(scan.Ranges[0].From, scan.To, n)
		for b, err := range snap.Scan(ctx, scan) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return c, false, err
			}
			if b.N > 0 {
				any, c = true, captureAt(b, b.N-1)
			}
		}
		if any || scan.From == record.MinTime {
			return c, any, nil
		}
		scan.To = scan.From
	}
}

// findVersion returns the capture that findForm returns, together with the version before.
func (a *pageAsked) findVersion(ctx context.Context, snap relation.Snapshot) (found captureFound, err error) {
	if _, err := a.findForm(ctx, snap); err != nil {
		return found, err
	}
	any := false
	for b, err := range snap.Scan(ctx, a.scan(a.end())) {
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
			found.capture = captureAt(b, i)
		}
	}
	return found, nil
}

// settleForm replaces a.url by another form of the URL if the archive has no capture of a.url, but
// has one of that form: with https in place of http, for example. Most sites answer the same to
// both, and other archives do not tell them apart.
func (a *pageAsked) settleForm(ctx context.Context, snap relation.Snapshot) error {
	for b, err := range snap.Scan(ctx, a.scan(record.MaxTime+1)) {
		if err != nil || b.N > 0 {
			return err
		}
	}
	url, _, err := a.otherForm(ctx, snap)
	if url != "" {
		a.absent, a.url = a.url, url
	}
	return err
}

// noPage returns the error for a page that the archive does not have, or did
// not have yet at the time a.when. In the second case, the hint has the time of
// the first capture.
func (a *pageAsked) noPage(ctx context.Context, snap relation.Snapshot) error {
	for b, err := range snap.Scan(ctx, a.scan(record.MaxTime+1)) {
		if err != nil {
			return err
		}
		if b.N > 0 {
			err := ast.Errorf(a.whenAt, "no capture of %s at or before %s", a.url, a.s.Stamp(a.when.To-1))
			err.Hint = "the first is of " + a.s.Stamp(b.Time[0])
			if _, hint, _ := a.otherForm(ctx, snap); hint != "" && a.absent == "" { // a hint is no reason for another error
				err.Hint += "; " + hint
			}
			return err
		}
	}
	err := ast.Errorf(a.urlAt, "no capture of %s", a.url)
	if longer := a.longer(ctx, snap); longer != "" {
		err.Hint = "the archive has " + longer
	}
	return err
}

// longer returns the first URL of the archive that begins with a.url, such as /about.html for
// /about. It returns "" if there is none, or if a.url has only the path /.
func (a *pageAsked) longer(ctx context.Context, snap relation.Snapshot) string {
	prefix, _, _ := strings.Cut(urlkey.Key(a.url), " ")
	if strings.HasSuffix(prefix, ")/") {
		return ""
	}
	s := record.Scan{Ranges: []urlkey.Range{{From: prefix, To: prefix + "\xff"}}, From: record.MinTime, To: record.MaxTime + 1, Once: true}
	for b, err := range snap.Scan(ctx, s) {
		if err != nil || b.N == 0 {
			return "" // a hint is no reason for another error
		}
		return b.URLs()[0]
	}
	return ""
}

// otherForm returns another form of the URL of which the archive has a capture, at or before
// a.when if possible: with https in place of http or the other way round, with or without www, or
// with or without the slash at the end. It returns "" if there is none. hint says what the archive
// has.
func (a *pageAsked) otherForm(ctx context.Context, snap relation.Snapshot) (form, hint string, err error) {
	to := a.end()
	for _, url := range urlkey.OtherForms(a.url) {
		other := pageAsked{s: a.s, url: url}
		last, any := capture{}, false
		for b, err := range snap.Scan(ctx, other.scan(record.MaxTime+1)) {
			if err != nil {
				return "", "", err
			}
			for i := range b.N {
				switch {
				case b.Time[i] < to:
					last, any = capture{time: b.Time[i], status: b.Status[i], kind: b.Kind[i]}, true
				case !any && form == "":
					form, hint = url, fmt.Sprintf("the archive has %s from %s on", url, a.s.Stamp(b.Time[i]))
				}
			}
		}
		if any {
			return url, fmt.Sprintf("the archive has %s, captured %s", url, a.captureLine(last)), nil
		}
	}
	return form, hint, nil
}

// usedNote returns a note that names the capture of the page that is used, and
// how long before the time of the statement it was made. at is the time of the
// capture.
func (a *pageAsked) usedNote(at record.Time) string {
	note := fmt.Sprintf("%s as captured %s", a.url, a.s.Stamp(at))
	switch {
	case a.when == nil:
	case at >= a.when.From:
		note += ", within the time asked for"
	default:
		note += fmt.Sprintf(", %s before the time asked for", value.AppendDuration(nil, int64(a.when.From-at)))
	}
	if a.absent != "" {
		note += fmt.Sprintf("; %s was never captured", a.absent)
	}
	return note
}

// captureLine returns the time of the capture c, its HTTP status and its kind,
// such as "2004-06-01 12:00:00 200 page".
func (a *pageAsked) captureLine(c capture) string {
	line := a.s.Stamp(c.time)
	if c.status != 0 {
		line += fmt.Sprintf(" %d", c.status)
	}
	return line + " " + c.kind.String()
}

// would returns the line for EXPLAIN that says which capture a statement would
// read.
func (a *pageAsked) would() string {
	if a.when == nil {
		return "reads the last capture of " + a.url
	}
	return fmt.Sprintf("reads the last capture of %s at or before %s", a.url, a.s.Stamp(a.when.To-1))
}
