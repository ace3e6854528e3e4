package robots

import "strings"

// Directives are the wishes of a page's HTTP header about robots. Package page
// reads the same directives in the page's markup: markup.Meta.
type Directives struct {
	NoIndex   bool
	NoFollow  bool // its links should not be followed
	NoArchive bool // no copy should be stored
}

// Header parses the values of a response's X-Robots-Tag headers. A directive
// after the name of another agent is ignored; after the name of agent, or
// without a name, it counts.
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
