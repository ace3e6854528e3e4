package urlkey

import (
	"bytes"
	"strings"
)

// Links resolves the links of pages to URLs, as [Resolve] does. It caches the results
// for links that must be parsed: the pages of a folder often link to the same URLs, and
// parsing a link takes a hundred times as long as a look-up in the cache. The cache takes
// at most 16 MB of memory. The zero value is ready for use. Only one goroutine may use it.
type Links struct {
	base  string            // the URL to which the links of the current page are relative
	plain Resolver          // resolves links that need no parser
	urls  map[string]string // the cache: the URL of each link; the key is the result of From, a zero byte, and the link
	key   []byte            // working memory for a key of urls
	bytes int               // an estimate of the memory that urls takes, in bytes
}

const (
	// linksBytes is the greatest size of the cache in bytes; a full cache is emptied.
	// linksEntry is how many bytes an entry of the cache takes besides its two texts.
	linksBytes = 16 << 20
	linksEntry = 100
)

// Page sets the URL to which links are relative in the following calls of Target.
func (r *Links) Page(base string) {
	r.base = PageOf(base)
	r.plain.Page(base)
}

// Target returns the canonical URL to which a link of the current page leads, or an
// empty slice if the link is no URL. link is the link as it is written in the page. The
// result is valid until the next call.
func (r *Links) Target(link []byte) []byte {
	if url := r.plain.Plain(link); url != nil {
		return url
	}
	link = withoutFragment(link)
	reach := ReachOf(link)
	from, ok := r.From(reach)
	ok = ok && reach != FromPage
	r.key = append(append(append(r.key[:0], from...), 0), link...)
	if ok {
		if url, ok := r.urls[string(r.key)]; ok {
			return append(r.key[:0], url...)
		}
	}
	url, err := Resolve(r.base, string(link))
	if err != nil {
		url = ""
	}
	if ok {
		if r.bytes += len(r.key) + len(url) + linksEntry; r.urls == nil || r.bytes > linksBytes {
			r.urls, r.bytes = make(map[string]string), 0
		}
		r.urls[string(r.key)] = url
	}
	return append(r.key[:0], url...)
}

// Reach says from which other pages a link would lead to the same URL.
type Reach int

const (
	FromSite   Reach = iota // from all pages with the same scheme and host
	FromFolder              // from all pages of the same folder
	FromPage                // perhaps only from the page that has the link
	ToItself                // the link leads to the page that has it, such as #top
)

// ReachOf returns the Reach of a link.
func ReachOf(link []byte) Reach {
	link = withoutFragment(link)
	switch {
	case len(link) == 0:
		return ToItself
	case !ofFolder(link):
		return FromPage
	case link[0] == '/' || hasPrefix(link[max(schemeEnd(link), 0):], "://"):
		return FromSite
	default:
		return FromFolder
	}
}

// From returns the URL with which a page must begin so that a link with this reach leads
// from there to the same URL as from the current page. That is the site of the current
// page, such as http://a.cn/, its folder, such as http://a.cn/x/, or its own URL. For a
// page that is neither http nor https, From returns the folder in place of the site. ok is
// false if the current page has no folder.
func (r *Links) From(reach Reach) (from string, ok bool) {
	if reach == FromPage || reach == ToItself {
		return r.base, true
	}
	folder, ok := folderOf(r.base)
	if reach == FromSite && ok {
		folder = siteOf(folder)
	}
	return folder, ok
}

// LastSegment returns the part after the last slash in the path of the URL to which link
// leads. That part does not depend on the page that has the link, if it is an http or
// https page. ok is false if the part cannot be known without resolving the link.
func LastSegment(link []byte) (segment []byte, ok bool) {
	link = withoutFragment(link)
	for _, scheme := range []string{"http://", "https://"} {
		if hasPrefix(link, scheme) {
			if link = link[len(scheme):]; bytes.IndexByte(link, '/') <= 0 {
				return nil, false // there is no path, or the host comes after further slashes
			}
			break
		}
	}
	at := bytes.LastIndexByte(link, '/')
	segment = link[at+1:]
	if len(segment) == 0 || string(segment) == "." || string(segment) == ".." || bytes.HasPrefix(link, []byte("//")) {
		return nil, false
	}
	for i, c := range link {
		plain := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.'
		if !plain && (i > at || c != '/' && c != '{' && c != '}') {
			return nil, false
		}
	}
	return segment, true
}

// siteOf returns the site of a folder, the URL up to the first slash of its path. For a
// folder that is neither http nor https it returns the whole folder, because a link that
// begins with a slash may then keep the drive of the folder.
func siteOf(folder string) string {
	if at := pathStart(folder); at >= 0 {
		return folder[:at+1]
	}
	return folder
}

// withoutFragment returns link without its fragment, the part from # on,
// because canonical URLs have none. If a space precedes the fragment, it
// returns the whole link. Without the fragment, that space would be at the end
// of the link and would be ignored, so the link would mean another URL.
func withoutFragment(link []byte) []byte {
	at := bytes.IndexByte(link, '#')
	if at < 0 || at > 0 && link[at-1] <= ' ' {
		return link
	}
	return link[:at]
}

// folderOf returns the canonical URL base up to the last slash of its path,
// such as http://a.cn/x/ for http://a.cn/x/y. It returns false if the URL has
// no path.
func folderOf(base string) (string, bool) {
	path, _, _ := strings.Cut(base, "?")
	_, rest, ok := strings.Cut(path, "://")
	slash := strings.LastIndexByte(rest, '/')
	return path[:len(path)-len(rest)+slash+1], ok && slash >= 0
}

// ofFolder reports whether link, which is not empty, leads to the same URL from
// all pages of a folder. It does if it begins with a path or a host name, or
// with a host after two slashes. Other links may depend on the page itself, for
// example those that begin with a question mark.
func ofFolder(link []byte) bool {
	c := link[0]
	if c != '/' && c != '.' && !('a' <= c|0x20 && c|0x20 <= 'z') && !('0' <= c && c <= '9') {
		return false
	}
	_, after, has := bytes.Cut(link, []byte(":"))
	return !has || bytes.HasPrefix(after, []byte("//"))
}
