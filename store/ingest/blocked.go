package ingest

import (
	"crypto/sha1"
	"crypto/sha256"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// isBlocked reports whether the block-list l keeps a staged capture out of the archive:
// because of its URL and time, because of its body, or, for a revisit, because of the
// capture or the digest that its record names.
func isBlocked(l *task.BlockList, s *staged) bool {
	if l.URL(s.Key, s.Time) != nil {
		return true
	}
	if s.Body == segment.BodyOwn {
		return l.Body(s.Key, s.Time, s.digest) != nil
	}
	e := s.stored()
	if e.RefersURL != "" && e.RefersTime != record.NoTime {
		if to, err := urlkey.Canonical(e.RefersURL); err == nil && l.URL(urlkey.Key(to), e.RefersTime) != nil {
			return true
		}
	}
	switch newHash, sum := digestOf(e.DeclaredDigest); {
	case newHash == nil:
	case len(sum) == sha256.Size:
		return l.Body(s.Key, s.Time, record.Digest([]byte(sum))) != nil
	case len(sum) == sha1.Size:
		return l.BodySHA1(s.Key, s.Time, [sha1.Size]byte([]byte(sum))) != nil
	}
	return false
}

// leaveOut divides staged into the captures that may be imported and the captures that
// the block-list l keeps out. It overwrites staged: kept uses its memory.
func leaveOut(l *task.BlockList, staged []*staged) (kept, blocked []*staged) {
	kept = staged[:0]
	for _, s := range staged {
		if isBlocked(l, s) {
			blocked = append(blocked, s)
		} else {
			kept = append(kept, s)
		}
	}
	return kept, blocked
}
