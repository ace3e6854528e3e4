package urlkey

import (
	"fmt"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Resolve returns the canonical URL to which reference, such as the value of an href, refers on
// a page with the canonical base URL base. Character references in reference, such as &amp;,
// must be decoded already. If base has the prefix DOM or Screenshot, references are relative to
// the URL after the prefix. An error says why reference gives no URL.
func Resolve(base, reference string) (string, error) {
	if n := canonicalPrefix(reference); n > 0 {
		return reference[:n], nil
	}
	if b := newBase(base); b.path >= 0 {
		if reference == "" || reference[0] == '#' {
			return b.url, nil
		}
		var room [256]byte // enough for most URLs
		if u := appendPlain(room[:0], &b, reference); u != nil {
			return string(u), nil
		}
	}
	return resolve(base, reference)
}

// Base returns the base URL of a page, to which its links are relative. page is the canonical URL
// of the page, or that URL with the prefix DOM. named is the href of the page's base element, or
// "" if there is none. Base returns named, resolved against the URL of the page. It returns the
// URL of the page itself if named is "", is no URL, or has a scheme other than http and https. A
// page with a file URL may also name a file URL.
func Base(page, named string) string {
	page = PageOf(page)
	if named == "" {
		return page
	}
	u, err := Resolve(page, named)
	if err != nil || !IsHTTP(u) && !(strings.HasPrefix(u, "file:///") && strings.HasPrefix(page, "file:///")) {
		return page
	}
	return u
}

// Resolver resolves references of one page after another without allocating memory
// for each reference. Call Page first: before that, Plain resolves nothing. Only
// one goroutine may use it.
type Resolver struct {
	base base
	url  []byte
}

// Page sets the base, a canonical URL, to which the references in the next calls of Plain are
// relative.
func (r *Resolver) Page(base string) { r.base = newBase(base) }

// Plain returns the canonical URL to which reference refers, the same as [Resolve]. It
// can only resolve simple references, as most are. For others it returns nil, and the
// caller calls Resolve. The URL is valid until the next call of Plain.
func (r *Resolver) Plain(reference []byte) []byte {
	if r.base.path <= 0 {
		return nil
	}
	u := appendPlain(r.url[:0], &r.base, reference)
	if u != nil {
		r.url = u
	}
	return u
}

// resolve does the same as Resolve, but always calls the parser, even for simple references.
func resolve(base, reference string) (string, error) {
	if err := checkLength(reference); err != nil {
		return "", fmt.Errorf("%q is no URL: %w", clip(reference), err)
	}
	if !utf8.ValidString(reference) {
		reference = escapeBytes(reference)
	}
	b, err := whatwg.Parse(PageOf(base))
	if err != nil {
		return "", fmt.Errorf("base %q is no URL: %w", clip(base), reason(err))
	}
	u, err := b.Parse(reference)
	if err != nil {
		return "", fmt.Errorf("%q is no URL: %w", clip(reference), reason(err))
	}
	return Canonical(strings.TrimSpace(u.Href(true)))
}

// base is a canonical URL to which references are relative, with the offsets in it
// that are needed to resolve references.
type base struct {
	url string
	// Indexes into url: where the path begins, where the last folder of the
	// path ends, and where the query begins. path is -1, and the others are
	// unset, if the scheme is neither http nor https.
	path, folder, query int
	plain               bool // canonicalPrefix accepts the URL up to its query
}

func newBase(url string) base {
	url = PageOf(url)
	b := base{url: url, path: pathStart(url)}
	if b.path < 0 {
		return b
	}
	if b.query = strings.IndexByte(url, '?'); b.query < 0 {
		b.query = len(url)
	}
	b.folder = strings.LastIndexByte(url[:b.query], '/') + 1
	b.plain = canonicalPrefix(url[:b.query]) == b.query
	return b
}

// appendPlain resolves reference against b, an http or https URL, and appends the canonical
// result to dst, which must be empty. It returns nil if reference is not simple. A reference is
// simple if a beginning of the base, followed by the reference, is already a canonical URL.
func appendPlain[T string | []byte](dst []byte, b *base, reference T) []byte {
	switch {
	case len(reference)+len(b.url) > urlBytesMax:
		return nil
	case len(reference) == 0 || reference[0] == '#':
		return append(dst, b.url...)
	case hasPrefix(reference, "http://"), hasPrefix(reference, "https://"):
		return plainPrefix(append(dst, reference...))
	case hasPrefix(reference, "//"):
		dst = append(dst, b.url[:strings.IndexByte(b.url, ':')+1]...)
		return plainPrefix(append(dst, reference...))
	case !b.plain:
		return nil
	case reference[0] == '/':
		return plainTail(append(append(dst, b.url[:b.path]...), reference...), b.path)
	case reference[0] == '?':
		return plainTail(append(append(dst, b.url[:b.query]...), reference...), b.query)
	case maybeScheme(reference):
		return nil
	}
	folder := b.folder
	for {
		switch {
		case hasPrefix(reference, "./"):
			reference = reference[2:]
		case hasPrefix(reference, "../"):
			reference = reference[3:]
			if up := folder - 1; up > b.path {
				folder = strings.LastIndexByte(b.url[:up], '/') + 1
			}
		default:
			return plainTail(append(append(dst, b.url[:folder]...), reference...), folder)
		}
	}
}

func hasPrefix[T string | []byte](s T, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}

// maybeScheme reports whether reference may begin with a scheme: it has a colon
// before its first slash, question mark or #.
func maybeScheme[T string | []byte](reference T) bool {
	for i := range len(reference) {
		switch reference[i] {
		case ':':
			return true
		case '/', '?', '#':
			return false
		}
	}
	return false
}

// plainPrefix returns the canonical URL at the start of u (u without its fragment),
// or nil if canonicalPrefix cannot decide quickly.
func plainPrefix(u []byte) []byte {
	if n := canonicalPrefix(u); n > 0 {
		return u[:n]
	}
	return nil
}

// plainTail returns u without its fragment if that is a canonical URL, and nil if it
// cannot decide quickly. The caller knows that u[:from] is canonical, so plainTail
// checks only the rest. from is an index in the path of u or at its end.
func plainTail(u []byte, from int) []byte {
	if n := plainPath(u, from); n > 0 {
		return u[:n]
	}
	return nil
}

// pathStart returns the index at which the path of a canonical http or https
// URL begins, and -1 for any other URL.
func pathStart(base string) int {
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(base, scheme) {
			if i := strings.IndexByte(base[len(scheme):], '/'); i >= 0 {
				return len(scheme) + i
			}
		}
	}
	return -1
}
