package record

import (
	"bytes"
	"slices"
)

// Requests says which heads of requests are kept with the captures that answer them.
type Requests uint8

// The values of Requests.
const (
	RequestsOff Requests = iota // none
	RequestsOn                  // each, without the header lines that log somebody in
	RequestsAll                 // each, as it was sent
)

// secretLines are the header lines of a request that log somebody in, in lower case.
var secretLines = []string{"cookie", "cookie2", "authorization", "proxy-authorization"}

// Head returns what r keeps of head, the request line and the headers of a request with
// the empty line after them: nil, or a copy. A header that is continued on the next
// line is left out with all its lines.
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
