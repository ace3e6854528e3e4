package urlkey

import (
	"fmt"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Resolve returns the canonical URL that a reference means in a page whose base
// is a canonical URL. The reference is as the page has it, its character
// references resolved. An error says why it means none.
func Resolve(base, reference string) (string, error) {
	if n := canonicalPrefix(reference); n > 0 {
		return reference[:n], nil
	}
	if b := newBase(base); b.path >= 0 {
		if reference == "" || reference[0] == '#' {
			return base, nil
		}
		var room [256]byte // most have it
		if u := appendPlain(room[:0], &b, reference); u != nil {
			return string(u), nil
		}
	}
	return resolve(base, reference)
}

// Resolver resolves the references of a page, and then of others, without memory
// for each. It is for one goroutine; before the first page it resolves none.
type Resolver struct {
	base base
	url  []byte
}

// Page begins a page whose base is a canonical URL.
func (r *Resolver) Page(base string) { r.base = newBase(base) }

// Plain gives what [Resolve] would, of the references that most are: nil of those
// that it must be asked about. The URL is valid until the Resolver is used again.
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

// resolve is Resolve without its short cut.
func resolve(base, reference string) (string, error) {
	if err := checkLength(reference); err != nil {
		return "", fmt.Errorf("%q is no URL: %w", clip(reference), err)
	}
	if !utf8.ValidString(reference) {
		reference = escapeBytes(reference)
	}
	b, err := whatwg.Parse(base)
	if err != nil {
		return "", fmt.Errorf("base %q is no URL: %w", clip(base), reason(err))
	}
	u, err := b.Parse(reference)
	if err != nil {
		return "", fmt.Errorf("%q is no URL: %w", clip(reference), reason(err))
	}
	return Canonical(strings.TrimSpace(u.Href(true)))
}

// base is a canonical URL that references are relative to.
type base struct {
	url string
	// Where its path begins, -1 of one that is neither http nor https; where the
	// last folder of that ends, and where its query begins.
	path, folder, query int
	plain               bool // canonicalPrefix would have it all, up to the query
}

func newBase(url string) base {
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

// appendPlain appends what most references mean to dst, which is empty: those
// that, put behind the part of the base that they keep, give a URL that is
// canonical as it stands. It gives nil where it cannot tell. The base is http or
// https.
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

// maybeScheme reports whether a colon stands in a reference where that of a scheme
// would.
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

// plainPrefix is the part of u that canonicalPrefix finds, nil for none.
func plainPrefix(u []byte) []byte {
	if n := canonicalPrefix(u); n > 0 {
		return u[:n]
	}
	return nil
}

// plainTail is plainPrefix of a URL that is known to be canonical as it stands up
// to a place in its path or the end of that.
func plainTail(u []byte, from int) []byte {
	if n := plainPath(u, from); n > 0 {
		return u[:n]
	}
	return nil
}

// pathStart returns where the path of a canonical http or https URL begins, or
// -1 of any other.
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
