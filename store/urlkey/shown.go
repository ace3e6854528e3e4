package urlkey

import "strings"

// The prefixes of the URLs under which the archive keeps what a browser made of a page.
// The rest of such a URL is that of the page, such as dom:https://www.pku.edu.cn/.
const (
	DOM        = "dom:"        // the document after load, as HTML
	Screenshot = "screenshot:" // a picture of the page, as PNG
)

// Shown returns the URL of the page of which a canonical URL names the document after
// load or the picture. ok is false if url is neither.
func Shown(url string) (page string, ok bool) {
	for _, prefix := range []string{DOM, Screenshot} {
		if page, ok = strings.CutPrefix(url, prefix); ok {
			return page, true
		}
	}
	return "", false
}
