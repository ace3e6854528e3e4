package robots

import "strings"

// Directives is what a page asks of robots. The same words in a page's own
// markup are page.Meta's.
type Directives struct {
	NoIndex   bool
	NoFollow  bool // its links are not to be followed
	NoArchive bool // no copy is to be kept
}

// Header reads the values of a response's X-Robots-Tag headers. A value that
// begins with the name of another agent is not for us.
func Header(values []string, agent string) Directives {
	var d Directives
	for _, value := range values {
		ours := true
		for part := range strings.SplitSeq(value, ",") {
			name, rest, named := strings.Cut(part, ":")
			if named {
				name = strings.ToLower(strings.TrimSpace(name))
				if valued[name] {
					continue
				}
				ours, part = strings.EqualFold(name, agent), rest
			}
			if ours {
				d.set(strings.ToLower(strings.TrimSpace(part)))
			}
		}
	}
	return d
}

// valued are the directives that have a value after a colon, as the name of an
// agent has its directives.
var valued = map[string]bool{"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true}

func (d *Directives) set(word string) {
	switch word {
	case "noindex":
		d.NoIndex = true
	case "nofollow":
		d.NoFollow = true
	case "noarchive":
		d.NoArchive = true
	case "none":
		d.NoIndex, d.NoFollow = true, true
	}
}
