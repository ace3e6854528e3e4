package relation

import (
	"bytes"
	"strings"

	"infomall/store/urlkey"
)

// resolved resolves the links of pages to URLs, and caches the results for
// links that must be parsed: the pages of a folder lead to the same URLs again
// and again, and parsing takes a hundred times as long as a look-up. The zero
// value is ready. Use it in one goroutine.
type resolved struct {
	base  string // the URL to which the links of the current page are relative
	plain urlkey.Resolver
	urls  map[string]string // by folder and link
	key   []byte
	bytes int // about how many bytes urls takes
}

const (
	// resolvedBytes bounds the cache. resolvedEntry is how many bytes the map
	// takes for each entry besides its text.
	resolvedBytes = 16 << 20
	resolvedEntry = 100
)

// page begins a page whose links are relative to base.
func (r *resolved) page(base string) {
	r.base = base
	r.plain.Page(base)
}

// target returns the URL to which a link of the page leads, or an empty slice
// if it leads to none. The result is valid until the next call.
func (r *resolved) target(link []byte) []byte {
	if url := r.plain.Plain(link); url != nil {
		return url
	}
	link = withoutFragment(link)
	folder, ok := folderOf(r.base)
	if len(link) == 0 {
		folder, ok = r.base, true // the page itself
	} else if !ofFolder(link) {
		ok = false
	}
	r.key = append(append(append(r.key[:0], folder...), 0), link...)
	if ok {
		if url, ok := r.urls[string(r.key)]; ok {
			return append(r.key[:0], url...)
		}
	}
	url, err := urlkey.Resolve(r.base, string(link))
	if err != nil {
		url = ""
	}
	if ok {
		if r.bytes += len(r.key) + len(url) + resolvedEntry; r.urls == nil || r.bytes > resolvedBytes {
			r.urls, r.bytes = make(map[string]string), 0
		}
		r.urls[string(r.key)] = url
	}
	return append(r.key[:0], url...)
}

// withoutFragment returns a link without its fragment, which no canonical URL
// has. It returns the whole link if a space precedes the fragment, because only
// spaces at the end of a link can be ignored.
func withoutFragment(link []byte) []byte {
	at := bytes.IndexByte(link, '#')
	if at < 0 || at > 0 && link[at-1] <= ' ' {
		return link
	}
	return link[:at]
}

// folderOf returns a canonical URL up to the last slash of its path, and
// reports whether it has one.
func folderOf(base string) (string, bool) {
	path, _, _ := strings.Cut(base, "?")
	_, rest, ok := strings.Cut(path, "://")
	slash := strings.LastIndexByte(rest, '/')
	return path[:len(path)-len(rest)+slash+1], ok && slash >= 0
}

// ofFolder reports whether a link leads to the same URL from all pages of a
// folder: it begins with a path or a host name, or with a host after two
// slashes. Other links may depend on the page itself, such as one that begins
// with a question mark.
func ofFolder(link []byte) bool {
	c := link[0]
	if c != '/' && c != '.' && !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9') {
		return false
	}
	_, after, has := bytes.Cut(link, []byte(":"))
	return !has || bytes.HasPrefix(after, []byte("//"))
}
