package op

import (
	"bytes"
	"strings"

	"infomall/store/urlkey"
)

// resolved tells what URLs the links of pages mean. Most are told at once; of the
// others, which are parsed, it remembers what they meant: pages of a folder lead to
// the same ones again and again, and to parse one takes a hundred times as long as
// to find it. The zero value is ready, for one goroutine.
type resolved struct {
	base  string
	plain urlkey.Resolver
	urls  map[string]string
	key   []byte
	bytes int // of urls, about
}

const (
	// resolvedBytes bounds what is remembered, resolvedEntry is what the map takes
	// for each beside its text.
	resolvedBytes = 16 << 20
	resolvedEntry = 100
)

// page begins a page whose links are relative to base.
func (r *resolved) page(base string) {
	r.base = base
	r.plain.Page(base)
}

// target is the URL that a link of the page means, empty if it means none. It is
// valid until the next link.
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

// withoutFragment is a link up to its fragment, which no canonical URL has. Blanks
// at the end of a link count for nothing, but not those before a fragment.
func withoutFragment(link []byte) []byte {
	at := bytes.IndexByte(link, '#')
	if at < 0 || at > 0 && link[at-1] <= ' ' {
		return link
	}
	return link[:at]
}

// folderOf is a canonical URL up to the last slash of its path.
func folderOf(base string) (string, bool) {
	path, _, _ := strings.Cut(base, "?")
	_, rest, ok := strings.Cut(path, "://")
	slash := strings.LastIndexByte(rest, '/')
	return path[:len(path)-len(rest)+slash+1], ok && slash >= 0
}

// ofFolder reports whether a link means the same on all pages of a folder: it
// begins with a path, or with the name of a host behind two slashes. Else it might
// be about the page itself, such as one that begins with a question mark.
func ofFolder(link []byte) bool {
	c := link[0]
	if c != '/' && c != '.' && !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9') {
		return false
	}
	_, after, has := bytes.Cut(link, []byte(":"))
	return !has || bytes.HasPrefix(after, []byte("//"))
}
