package markup

import (
	"archive/tar"
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// sharedPath locates a file of the test data that lies beside the checkout, or
// in the folder that INFOMALL_SHARED names. It is "" where that is absent.
func sharedPath(name string) string {
	root := os.Getenv("INFOMALL_SHARED")
	if root == "" {
		root = "../../../../shared"
	}
	path := filepath.Join(root, "data", name)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

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

// samples are a generated page and, where the shared data is at hand, the
// pages of the segmentation set.
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
	if path := sharedPath("segmentation/dataset-popular-html.tar.zst"); path != "" {
		sets = append(sets, sample{"popular", tarBodies(t, path, ".html.orig")})
	}
	return sets
}

// tarBodies reads the files of a zstd-compressed tar whose name ends in suffix.
func tarBodies(t testing.TB, path, suffix string) (bodies [][]byte) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(bufio.NewReader(f), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return bodies
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, suffix) {
			continue
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
}
