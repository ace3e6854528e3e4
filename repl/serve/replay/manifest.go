package replay

import (
	"bytes"
	"encoding/json"
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
				r.relinkString(i, end, text, m)
			}
			name, i = "", end
			if isName(r.view[end:]) {
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

// importMap rewrites the import map from start to end-1: JSON that says which modules the names
// in imports stand for, and in scopes also for the modules at which addresses.
func (r *rewriter) importMap(start, end int) {
	depth, part := 0, ""
	for i := start; i < end; {
		switch r.view[i] {
		case '"':
			next := stringEnd(r.view[:end], i)
			var text string
			if json.Unmarshal(r.text(i, next), &text) != nil {
				return // no JSON from here on
			}
			switch name := isName(r.view[next:end]); {
			case name && depth == 1:
				part = text
			case part == "imports" && !name, part == "scopes" && (!name || depth == 2):
				r.relinkString(i, next, text, Program)
			}
			i = next
			continue
		case '{':
			depth++
		case '}':
			depth--
		}
		i++
	}
}

// relinkString rewrites text, an address for m, which is the JSON string from start to end-1.
func (r *rewriter) relinkString(start, end int, text string, m Modifier) {
	if linked := string(r.link([]byte(text), m)); linked != text {
		quoted, err := json.Marshal(linked)
		if err != nil {
			return // Unreachable: a string has a form in JSON.
		}
		r.replace(start, end, quoted)
	}
}

// isName reports whether rest, which follows a JSON string, says that the string is the name of a
// member.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
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
