package markup

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// packs checks that the links of a range come back from their packed form, all
// but where they stand.
func packs(t *testing.T, body []byte, charset string, start, end int) {
	t.Helper()
	tree := NewTree(body)
	for _, keep := range []func(int) bool{nil, func(offset int) bool { return offset%3 > 0 }} {
		packsSome(t, tree, charset, start, end, keep)
	}
}

func packsSome(t *testing.T, tree *Tree, charset string, start, end int, keep func(int) bool) {
	t.Helper()
	body := tree.Body
	var want []Link
	var at []int
	for _, l := range tree.Links(start, end, charset) {
		if keep == nil || keep(l.Offset) {
			at = append(at, l.Offset)
			l.Offset = 0
			want = append(want, l)
		}
	}
	packed, offsets := tree.AppendLinks([]byte("x"), start, end, charset, keep)
	if keep == nil {
		same, places, text := tree.AppendLinksText([]byte("x"), start, end, charset)
		if shown := tree.TextRange(start, end, charset); !bytes.Equal(same, packed) || !slices.Equal(places, offsets) || text != shown {
			t.Fatalf("links and text of %q in one pass are\n%q at %v, %q\nby themselves\n%q at %v, %q", body, same, places, text, packed, offsets, shown)
		}
	}
	got, rest, err := TakeLinks(append(packed[1:], "rest"...))
	if err != nil || !slices.Equal(offsets, at) || string(rest) != "rest" {
		t.Fatalf("links packed at %v, want %v; unpacked: %v, with %q left\nof %q", offsets, at, err, rest, body)
	}
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("links of %q\n got %+v\nwant %+v", body, got, want)
	}
	refers(t, append(packed[1:], "rest"...), got, rest, nil)
}

// refers checks that AppendReferences finds what TakeLinks found.
func refers(t *testing.T, packed []byte, links []Link, rest []byte, fault error) {
	t.Helper()
	references, left, err := AppendReferences(nil, packed)
	if (err == nil) != (fault == nil) || !bytes.Equal(left, rest) {
		t.Fatalf("references leave %q, error %v; links leave %q, error %v", left, err, rest, fault)
	}
	if err != nil {
		return
	}
	if len(references) != len(links) {
		t.Fatalf("%d references, and %d links", len(references), len(links))
	}
	for i, r := range references {
		if l := &links[i]; r.Kind != l.Kind || r.NoFollow != l.NoFollow || string(r.Target) != l.Target {
			t.Fatalf("reference %d is %+v, the link %+v", i, r, l)
		}
	}
}

// TestPackedLinks packs the links of generated pages: near to each other and
// far apart, in each other, at the ends, with and without words of their own.
func TestPackedLinks(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	words := []string{"a", "bc", "Löwe", "中文", "&amp;", "<b>", "</b>", "<br>", "  ", "\n"}
	tags := []string{"<a href=x>", "</a>", "<a rel='nofollow me' href=/y>", "<img src=i.png alt='a picture'>", "<img src=j>", "<area href=z>", "<iframe src=f></iframe>", "<form action=q>", "</form>"}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(40) {
			if r.IntN(3) == 0 {
				b.WriteString(tags[r.IntN(len(tags))])
			} else {
				b.WriteString(strings.Repeat(words[r.IntN(len(words))], 1+r.IntN(30)))
			}
		}
		body := []byte(b.String())
		start := r.IntN(len(body) + 1)
		packs(t, body, "utf-8", start, start+r.IntN(len(body)-start+1))
		packs(t, body, "utf-8", 0, len(body))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzPackedLinks(f *testing.F) {
	f.Add([]byte("<p>one <a href=x>two</a> three"), "utf-8", 0, 100)
	f.Add([]byte("<a href=\xd6><img src=y alt=\xd0></a>"), "gb18030", 1, 9)
	f.Fuzz(func(t *testing.T, body []byte, charset string, start, end int) {
		start = max(0, min(start, len(body)))
		packs(t, body, charset, start, max(start, min(end, len(body))))
	})
}

// FuzzTakeLinks unpacks what nobody packed.
func FuzzTakeLinks(f *testing.F) {
	packed, _ := NewTree([]byte("<p>one <a href=x>two</a> <img src=y alt=z>")).AppendLinks(nil, 0, 50, "utf-8", nil)
	f.Add(packed)
	f.Add([]byte{0xff, 0xff, 3, 0})
	f.Fuzz(func(t *testing.T, src []byte) {
		links, rest, err := TakeLinks(src)
		refers(t, src, links, rest, err)
		if err == nil {
			_ = fmt.Sprint(links, rest)
		}
	})
}
