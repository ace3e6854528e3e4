package snapshot

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"infomall/store/body"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// A query answers what it can of a damaged archive, and fails after its last row. For
// this its snapshot skips damage: a value that only a damaged db-file has is NULL, and
// a capture that neither the index nor the db-file has is left out. SHOW PAGE and DIFF
// skip damage to captures that they do not show. Every other statement, such as EXPORT
// and MERGE, fails at the first damaged place that it needs.

// skippedNamed is how many damaged files the error of Snapshot.Damage names at most.
const skippedNamed = 4

// damageMet is the damage that a snapshot has met so far while reading.
type damageMet struct {
	mu    sync.Mutex // guards the fields after skip
	skip  bool
	first []string        // the first messages: one for each file, and for each body that is in no file
	files map[string]bool // the files and bodies of which first has a message
	more  bool            // there is more damage than first describes
	pool  string          // pool of the first damaged db-file, "" if there is none
}

// SkipDamage makes the snapshot continue after damage to a db-file, without the captures in the
// damaged part. Damage then returns what was skipped. Call SkipDamage before the first read.
func (v *Snapshot) SkipDamage() { v.damage.skip = true }

// Damage returns an error that names the damaged files that reads have skipped. It returns nil
// if nothing was skipped.
func (v *Snapshot) Damage() error {
	d := v.damage
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.first) == 0 {
		return nil
	}
	list := strings.Join(d.first, "; ")
	if d.more {
		list += "; and more"
	}
	remedy := ""
	if d.pool != "" {
		remedy = fmt.Sprintf("; REPAIR POOL '%s' FROM 'a copy of the archive' restores it", d.pool)
	}
	return fmt.Errorf("%s.\nValues that cannot be read are NULL or left out; everything else is answered. VERIFY lists all damage%s", list, remedy)
}

// maySkip reports whether err is damage that this snapshot skips; reading then continues.
func (v *Snapshot) maySkip(err error) bool { return v.damage.skip && body.IsDamage(err) }

// skips reports whether err is damage that this snapshot skips; reading then continues. If so,
// skips also records err, so that Damage reports it.
func (v *Snapshot) skips(err error) bool {
	if !v.maySkip(err) {
		return false
	}
	d := v.damage
	d.mu.Lock()
	defer d.mu.Unlock()
	file, pool := err.Error(), "" // of a missing body
	var at *segment.Error
	if errors.As(err, &at) {
		file, pool = at.File, path.Base(path.Dir(at.File))
	}
	switch {
	case d.files[file]:
		return true
	case len(d.first) == skippedNamed:
		d.more = true
		return true
	case d.files == nil:
		d.files = make(map[string]bool)
	}
	if d.pool == "" {
		d.pool = pool
	}
	d.files[file] = true
	d.first = append(d.first, err.Error())
	return true
}

// noSkip reports that no damage may be skipped. It is the Cursor.skips of a
// cursor that must not miss a capture of a URL.
func noSkip(error) bool { return false }

// Groups of columns. colsOriginal are the columns that a revisit gets from its original (the
// capture that has the body). colsHints are the columns whose value depends on the capture
// before.
const (
	colsOriginal = record.ColKind | record.ColBytes | record.ColDigest | record.ColPage | record.ColLocation | colsHints
	colsHints    = record.ColChange | record.ColPrevious | record.ColVersionTime | record.ColSense
)

// noteUnread records, for Damage, the damage because of which values of e in the given columns
// are unknown.
func (v *Snapshot) noteUnread(e *timeline.Capture, columns record.Columns) {
	if e.Unread != nil && (columns&colsOriginal != 0 || columns&(record.ColStatus|record.ColMime) != 0 && e.Status == 0) {
		v.skips(e.Unread)
	}
	if e.Doubt != nil && columns&colsHints != 0 {
		v.skips(e.Doubt)
	}
}

// noBodyRead is the NoBody that Payload returns for a body that cannot be read
// because of damage.
const noBodyRead = "it cannot be read: its file is damaged"

// unreadable returns the response of a capture whose body cannot be read because of
// damage. p has the parts of the response that could be read.
func unreadable(p record.Payload) record.Payload {
	return record.Payload{Head: p.Head, Mime: p.Mime, NoBody: noBodyRead}
}
