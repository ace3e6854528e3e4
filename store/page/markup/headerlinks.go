package markup

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"infomall/store/record/message"
)

// linkHeaders are the names of the response headers that have links.
var linkHeaders = [...]string{"Refresh", "Link"}

// LinkHeaders returns the lines of the headers in head that have links, such as
// "Link: </b>; rel=next\n", in the order of linkHeaders. It returns "" if there
// are none.
func LinkHeaders(head []byte) string {
	var lines strings.Builder
	for _, name := range linkHeaders {
		for value := range message.Headers(head, name) {
			lines.WriteString(name + ": " + value + "\n")
		}
	}
	return lines.String()
}

// HeaderLinks parses lines, which LinkHeaders returned, and returns their links.
// The Offset of all links is 0.
func HeaderLinks(lines string) []Link {
	var links []Link
	add := func(l Link) {
		l.Target = strings.TrimSpace(l.Target)
		if l.Target == "" {
			return
		}
		if !utf8.ValidString(l.Target) {
			l.Target = percentEncoded(l.Target)
		}
		l.Rel = strings.ToValidUTF8(l.Rel, "\uFFFD")
		l.NoFollow = hasWord(l.Rel, "nofollow")
		links = append(links, l)
	}
	for line := range strings.Lines(lines) {
		line = strings.TrimSuffix(line, "\n")
		if value, ok := strings.CutPrefix(line, "Refresh: "); ok {
			add(Link{Kind: LinkRefresh, Target: RefreshTarget(value)})
			continue
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(line, "Link: "), "<") {
			address, parameters, ok := strings.Cut(part, ">")
			if !ok {
				continue
			}
			l := Link{Kind: LinkLink, Target: address, Rel: headerRel(parameters)}
			if hasWord(l.Rel, "stylesheet") {
				l.Kind = LinkCSS
			}
			add(l)
		}
	}
	return links
}

// headerRel returns the value of the parameter rel, or "" if it is missing.
// parameters are those of one link in a Link header, such as `; rel="next"`.
func headerRel(parameters string) string {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, ok := strings.Cut(p, "=")
		if ok && strings.EqualFold(strings.TrimSpace(name), "rel") {
			return strings.Trim(value, "\" \t,")
		}
	}
	return ""
}

// percentEncoded returns address with each byte outside ASCII replaced by % and
// two hexadecimal digits.
func percentEncoded(address string) string {
	var out []byte
	for i := range len(address) {
		if c := address[i]; c < utf8.RuneSelf {
			out = append(out, c)
		} else {
			out = fmt.Appendf(out, "%%%02X", c)
		}
	}
	return string(out)
}
