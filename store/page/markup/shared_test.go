package markup

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/page/pagetest"
)

// sample is a set of bodies to measure and try things on.
type sample struct {
	name   string
	bodies [][]byte
}

func (s sample) bytes() (n int64) {
	for _, b := range s.bodies {
		n += int64(len(b))
	}
	return n
}

// samples returns a generated page and, if there is shared test data, the pages of
// the segmentation set.
func samples(t testing.TB) []sample {
	var w strings.Builder
	w.WriteString(`<html><head><title>news</title></head><body><div id="nav"><ul>`)
	for i := range 20 {
		fmt.Fprintf(&w, `<li><a href="/section/%d" class="link">Section %d</a></li>`, i, i)
	}
	w.WriteString(`</ul></div><div id="main">`)
	for i := range 60 {
		fmt.Fprintf(&w, "<p class=\"para\">Paragraph %d tells of <b>something</b> that happened, in some words &amp; a <a href=\"/n/%d.html\">link</a>.</p>\n", i, i)
	}
	w.WriteString(`</div></body></html>`)
	sets := []sample{{"generated", [][]byte{[]byte(w.String())}}}
	if root := pagetest.Root(); root != "" {
		sets = append(sets, sample{"popular", pagetest.Bodies(t, filepath.Join(root, "segmentation", "dataset-popular-html.tar.zst"), ".html.orig")})
	}
	return sets
}
