package record

import (
	"bytes"
	"slices"
)

// Requests says how much of a request's head (the request line and the headers) the archive keeps
// with the capture that answers the request.
type Requests uint8

// The values of Requests.
const (
	RequestsOff Requests = iota // none
	RequestsOn                  // each, without the header lines that log somebody in
	RequestsAll                 // each, as it was sent
)

// secretLines are the names, in lower case, of the request headers that carry passwords or the
// identity of a user who has logged in.
var secretLines = []string{"cookie", "cookie2", "authorization", "proxy-authorization"}

// Head returns the part of head that the setting r keeps, as a copy, or nil if r keeps nothing.
// head is the request line and the headers of a request with the empty line after them. A header
// that r does not keep is left out together with its continuation lines.
func (r Requests) Head(head []byte) []byte {
	switch {
	case r == RequestsOff || len(head) == 0:
		return nil
	case r == RequestsAll:
		return bytes.Clone(head)
	}
	kept := make([]byte, 0, len(head))
	secret := false
	for line := range bytes.Lines(head) {
		if line[0] != ' ' && line[0] != '\t' {
			name, _, _ := bytes.Cut(line, []byte(":"))
			secret = slices.Contains(secretLines, string(bytes.ToLower(bytes.TrimSpace(name))))
		}
		if !secret {
			kept = append(kept, line...)
		}
	}
	return kept
}
