package replay

import (
	"encoding/json"
	"strings"
)

// manifestUses has the members of a manifest whose values are addresses.
var manifestUses = map[string]Modifier{"src": Image, "start_url": PageTop, "scope": PageTop, "url": PageTop, "action": PageTop}

// manifest rewrites the source, the JSON manifest of a web application.
func (r *rewriter) manifest() {
	name := "" // the name of the member whose value comes next
	for i := 0; i < len(r.view); {
		switch r.view[i] {
		case '"':
			end := stringEnd(r.view, i)
			var text string
			if json.Unmarshal(r.text(i, end), &text) != nil {
				return // no JSON from here on
			}
			if m, ok := manifestUses[name]; ok {
				if linked := string(r.link([]byte(text), m)); linked != text {
					quoted, err := json.Marshal(linked)
					if err != nil {
						return // Unreachable: a string has a form in JSON.
					}
					r.replace(i, end, quoted)
				}
			}
			name, i = "", end
			for i < len(r.view) && strings.IndexByte(" \t\r\n", r.view[i]) >= 0 {
				i++
			}
			if i < len(r.view) && r.view[i] == ':' {
				name = text
			}
		case ',', '[', '{', '}', ']':
			name = ""
			i++
		default:
			i++
		}
	}
}

// stringEnd returns the place after the JSON string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
