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
	if u := resolvePlain(base, reference); u != "" {
		return u, nil
	}
	return resolve(base, reference)
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

// resolvePlain is what most references mean: those that, put behind the part of
// the base that they keep, give a URL that is canonical as it stands. It is ""
// where it cannot tell.
func resolvePlain(base, reference string) string {
	path := pathStart(base)
	if path < 0 || len(reference) > urlBytesMax {
		return ""
	}
	switch {
	case reference == "" || reference[0] == '#':
		return base
	case strings.HasPrefix(reference, "http://"), strings.HasPrefix(reference, "https://"):
		return plainPrefix(reference)
	case strings.HasPrefix(reference, "//"):
		return plainPrefix(base[:strings.IndexByte(base, ':')+1] + reference)
	case reference[0] == '/':
		return plainPrefix(base[:path] + reference)
	}
	page, _, _ := strings.Cut(base, "?")
	if reference[0] == '?' {
		return plainPrefix(page + reference)
	}
	if i := strings.IndexAny(reference, ":/?#"); i >= 0 && reference[i] == ':' {
		return "" // perhaps a scheme
	}
	folder := page[:strings.LastIndexByte(page, '/')+1]
	for {
		if rest, ok := strings.CutPrefix(reference, "./"); ok {
			reference = rest
			continue
		}
		rest, ok := strings.CutPrefix(reference, "../")
		if !ok {
			return plainPrefix(folder + reference)
		}
		reference = rest
		if up := folder[:len(folder)-1]; len(up) > path {
			folder = up[:strings.LastIndexByte(up, '/')+1]
		}
	}
}

// plainPrefix is the part of s that canonicalPrefix finds.
func plainPrefix(s string) string { return s[:canonicalPrefix(s)] }

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
