package tianwang

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// FormatText describes the format of Tianwang records, for a reader who has such a
// file and not this program. It is written next to exported files.
//
//go:embed FORMAT.txt
var FormatText string

// Names of properties that only this program writes. They hold facts about captures
// from other formats for which a Tianwang record has no property. FORMAT.txt
// explains each.
const (
	ownPrefix    = "infomall-"
	ownMillis    = ownPrefix + "milliseconds"
	ownResource  = ownPrefix + "resource"
	ownRevisit   = ownPrefix + "revisit"
	ownRefersURL = ownPrefix + "refers-url"
	ownRefersAt  = ownPrefix + "refers-date"
	ownDigest    = ownPrefix + "digest"
	ownRecordID  = ownPrefix + "record-id"
	ownTruncated = ownPrefix + "truncated"
	ownRequest   = ownPrefix + "request" // one line for each line of the head, in order
)

// Values of the property ownRevisit, and the value of ownResource if the media
// type is not known.
const (
	revisitIdentical   = "identical"
	revisitNotModified = "not-modified"
	resourceUnknown    = "-"
)

// takeOwn moves the properties that only this program writes from c.Extra to the
// fields of c that they belong to.
func takeOwn(c *record.Capture) {
	if !bytes.Contains(c.Extra, []byte(ownPrefix)) {
		return
	}
	var rest []byte
	for line := range bytes.Lines(c.Extra) {
		name, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), ": ")
		if !takeProperty(c, name, value) {
			rest = append(rest, line...)
		}
	}
	c.Extra = rest
	if len(c.Request) > 0 {
		c.Request = append(c.Request, "\r\n"...) // the empty line has no property
	}
}

// takeProperty sets the field of c to which the property belongs, if it is one that
// only this program writes. It returns false for any other property, and if the value
// is invalid; the caller then leaves the property in c.Extra.
func takeProperty(c *record.Capture, name, value string) bool {
	switch name {
	case ownMillis:
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil || n > 999 {
			return false
		}
		c.Time += record.Time(n)
	case ownResource:
		c.Via = record.ViaResource
		c.Mime = message.Mime(value)
	case ownRevisit:
		switch value {
		case revisitIdentical:
			c.Via = record.ViaRevisit
		case revisitNotModified:
			c.Via = record.ViaNotModified
		default:
			return false
		}
	case ownRefersURL:
		c.RefersURL = value
	case ownRefersAt:
		t, err := time.Parse(time.RFC3339Nano, value)
		if err != nil {
			return false
		}
		c.RefersTime = record.At(t)
	case ownDigest:
		c.DeclaredDigest = value
	case ownRecordID:
		c.RecordID = value
	case ownTruncated:
		c.Truncated = true
	case ownRequest:
		c.Request = append(append(c.Request, value...), "\r\n"...)
	default:
		return false
	}
	return true
}

// ownLines returns lines "name: value\n" with the facts about s for which the format
// has no property. These lines are properties that only this program writes.
func ownLines(s *message.Stored) []byte {
	var b []byte
	add := func(name, value string) {
		if value != "" && isValue(value) {
			b = fmt.Appendf(b, "%s: %s\n", name, value)
		}
	}
	if ms := s.Time.Std().Nanosecond() / 1e6; ms > 0 {
		add(ownMillis, strconv.Itoa(ms))
	}
	switch {
	case s.Via == record.ViaResource:
		mime := s.Mime
		if mime == "" {
			mime = resourceUnknown
		}
		add(ownResource, mime)
	case s.Via == record.ViaNotModified:
		if message.Status(s.Head) != 304 || s.RefersURL != "" { // a 304 says it by itself
			add(ownRevisit, revisitNotModified)
		}
	case s.NoBody != "":
		add(ownRevisit, revisitIdentical)
	}
	if s.NoBody != "" || s.Via == record.ViaNotModified {
		add(ownRefersURL, s.RefersURL)
		if s.RefersTime != record.NoTime {
			add(ownRefersAt, s.RefersTime.Std().Format(time.RFC3339Nano))
		}
	}
	add(ownDigest, s.DeclaredDigest)
	add(ownRecordID, s.RecordID)
	if s.Truncated {
		add(ownTruncated, "yes")
	}
	for line := range bytes.Lines(s.Request) {
		add(ownRequest, string(bytes.TrimRight(line, " \t\r\n")))
	}
	return b
}

// isValue reports whether value can be written as the value of a property and is then
// read back unchanged. It must have no control characters except tabs, and no blanks at
// its ends.
func isValue(value string) bool {
	return strings.TrimSpace(value) == value && strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' }) < 0
}
