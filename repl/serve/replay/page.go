package replay

import "time"

// Page is the archived document whose body is rewritten, or the document to which
// a rewritten requisite belongs.
type Page struct {
	URL             string    // the canonical URL of the body
	Asked           time.Time // the time that the reader asked for; the zero time is the latest capture
	Captured        time.Time // the time of the capture
	Charset         string    // the charset of the body, a name that charset.Find returns; "" is UTF-8
	InterfaceOrigin string    // the origin of the interface, such as http://127.0.0.1:8080
	Frame           bool      // the document is in a frame of another archived page: its modifier is if_
	Ruffle          bool      // Ruffle plays the Flash of the document; see RuffleFiles
	View            View      // of the page, and so of its frames
	Marks           []Mark    // what the view marks in the body, in the order of Start
}

// timeDigits is the form of a time in an address.
const timeDigits = "20060102150405"

// Address returns the replay address of url, an absolute URL that may have a fragment. The
// address is an absolute path; if m says that a page is wanted, its time is the time that was
// asked for, and otherwise the time of the capture of p. The address of a page also has the view
// of p.
func (p *Page) Address(url string, m Modifier) string {
	at := p.Captured
	if m.page() {
		at = p.Asked
	}
	if m == PageTop || m == PageFrame {
		m += Modifier(p.View.String())
	}
	return string(append(appendPrefix(nil, appendTime(nil, at), m), url...))
}

// page reports whether m is the modifier of a page.
func (m Modifier) page() bool {
	return m == Interface || m == PageTop || m == PageFrame || m == AfterLoad
}

// appendTime appends a time as an address has it: nothing for the zero time.
func appendTime(dst []byte, at time.Time) []byte {
	if at.IsZero() {
		return dst
	}
	return at.UTC().AppendFormat(dst, timeDigits)
}

// appendPrefix appends the part of an address before the URL.
func appendPrefix(dst, at []byte, m Modifier) []byte {
	dst = append(append(append(dst, '/'), at...), m...)
	if len(at) > 0 || len(m) > 0 {
		dst = append(dst, '/')
	}
	return dst
}
