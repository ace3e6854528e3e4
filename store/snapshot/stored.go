package snapshot

import (
	"bytes"
	"context"
	"fmt"

	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Stored reads one capture, complete with everything that was imported with it. It
// checks the body against its digest. If the snapshot skips damage and the capture
// cannot be read, only NoBody of the result is set; it says why.
func (v *Snapshot) Stored(ctx context.Context, ref record.Ref) (message.Stored, error) {
	s, err := v.wholeStored(ctx, ref)
	if v.skips(err) {
		return message.Stored{NoBody: noBodyRead}, nil
	}
	return s, err
}

func (v *Snapshot) wholeStored(ctx context.Context, ref record.Ref) (message.Stored, error) {
	p, err := v.Payload(ctx, ref)
	if err != nil {
		return message.Stored{}, err
	}
	s := v.Runs.Segment(ref.Segment)
	e, err := v.Runs.Entry(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
	if err != nil {
		return message.Stored{}, err
	}
	out := StoredOf(e)
	out.Body, out.Large, out.Size, out.NoBody = p.Body, p.Large, p.Size, p.NoBody
	if out.Large == nil {
		out.Size = int64(len(p.Body))
	}
	revisit := e.Via == record.ViaRevisit || e.Via == record.ViaNotModified
	if !revisit || out.NoBody != "" {
		return out, nil
	}
	at := timeline.Place{Seg: s, Run: ref.Run, N: ref.N}
	owner, _, err := v.Owner(ctx, at, e)
	if err != nil {
		return out, fmt.Errorf("original of %s: %w", out.URL, err)
	}
	out.Digest, out.Title = owner.Digest, owner.Page.Title
	if n := len(out.Head); n > 0 && !bytes.HasSuffix(out.Head, []byte("\n\r\n")) && !bytes.HasSuffix(out.Head, []byte("\n\n")) {
		// Its body was missing when it was stored, but may be in the archive now.
		out.Head = append(out.Head[:n:n], "\r\n"...)
	}
	if len(out.Head) > 0 {
		out.FrameWhole()
		return out, nil
	}
	// The capture to which the revisit refers may itself have the body of another
	// capture.
	o, err := v.headed(ctx, at, e)
	if err != nil {
		return out, fmt.Errorf("original of %s: %w", out.URL, err)
	}
	if o == nil {
		o = owner
	}
	out.Head, out.Status, out.Mime = o.Head, int(o.Status), o.Mime
	if out.Via = record.ViaRevisit; o.Via == record.ViaResource {
		out.Via = record.ViaResource
	}
	out.FrameWhole()
	return out, nil
}

// headed returns the entry from which e, a revisit without headers of its own, takes its status
// line and headers. The parameter at is the place of e. The result is nil if there is no such
// entry.
func (v *Snapshot) headed(ctx context.Context, at timeline.Place, e *segment.Stored) (*segment.Stored, error) {
	o := v.Originals()
	if e.Body == segment.BodyNone {
		from, err := v.originOf(ctx, at, e)
		if err != nil || from.original == nil || from.original.Head.Seg == nil {
			return nil, err
		}
		return v.Runs.Entry(from.original.Head)
	}
	o.mu.Lock()
	head, err := o.headOf(ctx, Link{Place: at, Key: e.Key, Time: e.Time})
	o.mu.Unlock()
	if err != nil || head.Seg == nil {
		return nil, err
	}
	return v.Runs.Entry(head)
}

// headless reports whether e is a revisit without headers of its own.
func headless(e *segment.Stored) bool {
	return len(e.Head) == 0 && (e.Via == record.ViaRevisit || e.Via == record.ViaNotModified)
}

// StoredOf returns entry e as a message.Stored, without its body.
func StoredOf(e *segment.Stored) message.Stored {
	out := message.Stored{
		Capture: record.Capture{
			AskedURL: e.AskedURL, Origin: e.Origin, Time: e.Time, IP: e.IP, Status: int(e.Status), Mime: e.Mime,
			Head: e.Head, Framing: e.Framing, Truncated: e.Truncated, Via: e.Via,
			DeclaredDigest: e.DeclaredDigest, RefersURL: e.RefersURL, RefersTime: e.RefersTime,
			Source: e.Source, Offset: e.Seq, RecordID: e.RecordID, Extra: e.Extra, Request: e.Request,
		},
		URL: urlkey.URL(e.Key), Title: e.Page.Title, Digest: e.Digest,
	}
	if out.AskedURL == "" {
		out.AskedURL = out.URL
	}
	return out
}
