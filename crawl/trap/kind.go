package trap

import (
	"slices"
	"strings"

	"infomall/store/urlkey"
)

const (
	// kindLength is the largest length, in bytes, of the name of a kind (a set of
	// URLs that one script seems to serve).
	kindLength = 256
	// plainName is the largest number of letters that the last part of a path may
	// have to count as the name of a script if it has digits, such as item12. A
	// longer one counts as a title.
	plainName = 12
)

// KindOf returns the name of the kind of URLs to which the canonical URL u belongs, such
// as "/list/#?page" for those of one script. The name has at most 256 bytes.
func KindOf(u string) string { return kindsOf(u)[0] }

// kindsOf returns the names of the kinds to which the URL u belongs. A kind
// is a set of URLs that one script or folder seems to serve. The first name
// consists of the folders of u and the names of its arguments, such as
// "/list/#?page". If u has arguments, the second name stands for the same
// path with any arguments, because facets of a shop appear in every
// combination.
func kindsOf(u string) []string {
	path, query, asks := pathOf(u)
	var b strings.Builder
	slash := strings.LastIndexByte(path, '/')
	folders, _ := distinct(path[:slash])
	for _, f := range folders {
		writeShape(&b, f)
		b.WriteByte('/')
	}
	last := path[slash+1:]
	stem, dot := last, strings.LastIndexByte(last, '.')
	if dot >= 0 {
		stem = last[:dot]
	}
	letters, digits := 0, 0
	for i := range len(stem) {
		switch class[stem[i]] {
		case letter, high:
			letters++
		case digit:
			digits++
		}
	}
	switch {
	case last == "", asks, digits > 0 && letters <= plainName:
		writeShape(&b, last)
	case dot >= 0 && len(last)-dot <= 6:
		b.WriteString("*" + last[dot:])
	default:
		b.WriteByte('*')
	}
	name := b.String()
	name = name[:min(len(name), kindLength)]
	if !asks {
		return []string{name}
	}
	var args []string
	for arg := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		key, _, _ := strings.Cut(arg, "=")
		if args = append(args, key); len(args) == 32 {
			break
		}
	}
	slices.Sort(args)
	args = slices.Compact(args)
	b.Reset()
	b.WriteString(name)
	for _, a := range args {
		b.WriteByte('?')
		writeShape(&b, a)
	}
	full := b.String()
	return []string{full[:min(len(full), kindLength)], name + "?*"}
}

// distinct returns the folders of a path, each once, in order. (If relative
// links lead in a circle, paths repeat the same folders.) most is how often
// the most frequent folder that is not a number occurs in the path.
func distinct(path string) (folders []string, most int) {
	seen := make(map[string]int)
	for f := range strings.SplitSeq(path, "/") {
		if seen[f]++; seen[f] == 1 {
			folders = append(folders, f)
		}
		if strings.Trim(f, "0123456789") != "" {
			most = max(most, seen[f])
		}
	}
	return folders, most
}

// pathOf returns the path and the query of the canonical URL u. asks reports
// whether u has a question mark.
func pathOf(u string) (path, query string, asks bool) {
	_, query, asks = strings.Cut(u, "?")
	if path = urlkey.RawPath(u); path == "" {
		path = "/"
	}
	return path, query, asks
}

// writeShape writes s with "#" in place of each word that has a digit:
// "p12-list" becomes "#-list".
func writeShape(b *strings.Builder, s string) {
	for i := 0; i < len(s); {
		end, digits := i, false
		for end < len(s) && class[s[end]] != other {
			digits = digits || class[s[end]] == digit
			end++
		}
		switch {
		case end == i:
			b.WriteByte(s[i])
			end++
		case digits:
			b.WriteByte('#')
		default:
			b.WriteString(s[i:end])
		}
		i = end
	}
}
