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
