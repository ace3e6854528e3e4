package robots

import "strings"

// Directives are what the HTTP header of a page asks of robots. Package
// markup reads the same directives in the markup of a page.
type Directives struct {
	NoFollow  bool // its links should not be followed
	NoArchive bool // no copy should be stored
}

// Header parses the values of a response's X-Robots-Tag headers. A directive
// may follow the name of an agent and a colon. It counts if that name is
// agent, or if there is no name.
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

// valued holds the directives that have a value after a colon. Without this
// list they would look like the name of an agent.
var valued = map[string]bool{"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true}

// set adds one directive, such as "nofollow", in lower case. It ignores unknown
// ones.
func (d *Directives) set(word string) {
	switch word {
	case "nofollow", "none":
		d.NoFollow = true
	case "noarchive":
		d.NoArchive = true
	}
}
