package store

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"infomall/store/block/facts"
	"infomall/store/packed"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// storedLinks tells how many links the blocks of an archive have, each as often as
// it is stored, and how many bytes its segments take for them: the difference to
// runs compressed with facts that tell of no links.
func storedLinks(tb testing.TB, a *Archive) (links, bytes int64) {
	v, err := a.Snapshot(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	defer v.Close()
	enc := segment.NewEncoder()
	defer enc.Close()
	for _, info := range v.Pin.Segments {
		s := v.Runs.Reader(info)
		for n := range uint32(info.Runs) {
			r, err := v.Runs.Run(s, n)
			if err != nil {
				tb.Fatal(err)
			}
			content, err := r.Content()
			if err != nil {
				tb.Fatal(err)
			}
			encoded, err := r.Facts()
			if err != nil {
				tb.Fatal(err)
			}
			ends, err := r.Meta.BlockEnds()
			if err != nil {
				tb.Fatal(err)
			}
			var all, without []byte
			add := func(b, less []byte) {
				all, without = append(binary.AppendUvarint(all, uint64(len(b))), b...), append(binary.AppendUvarint(without, uint64(len(less))), less...)
			}
			for i := range uint32(r.Meta.Len()) {
				less, n := pageWithoutLinks(tb, encoded.Page(i))
				add(encoded.Page(i), less)
				links += n
			}
			for i := range uint32(len(ends)) {
				less, n := leafWithoutLinks(tb, encoded.Block(i))
				add(encoded.Block(i), less)
				links += n
			}
			bytes += int64(len(enc.EncodeAll(append(content[:len(content):len(content)], all...), nil)) -
				len(enc.EncodeAll(append(content[:len(content):len(content)], without...), nil)))
		}
	}
	return links, bytes
}

// leafWithoutLinks cuts the links off the facts of a leaf, and counts them.
func leafWithoutLinks(tb testing.TB, encoded []byte) ([]byte, int64) {
	if len(encoded) < 2 || encoded[0] != facts.Extractor {
		return encoded, 0
	}
	const charset, fingerprint = 2, 4
	t := packed.Reader{B: encoded[1:]}
	form := t.Byte()
	if form&charset != 0 {
		t.Sized()
	}
	if form&fingerprint != 0 {
		t.Take(8)
	}
	links, rest, err := markup.AppendReferences(nil, t.B)
	if err != nil || len(rest) > 0 {
		tb.Fatalf("links of a leaf: %v, %d bytes left", err, len(rest))
	}
	return encoded[:len(encoded)-len(t.B)], int64(len(links))
}

// pageWithoutLinks cuts those of the layout off the facts of a page.
func pageWithoutLinks(tb testing.TB, encoded []byte) ([]byte, int64) {
	if len(encoded) < 2 || encoded[0] != facts.Extractor {
		return encoded, 0
	}
	const inline, outside = 8, 16
	t := packed.Reader{B: encoded[1:]}
	form := t.Byte()
	t.Sized() // charset
	t.Sized() // base
	cut := t.Count()
	for range cut {
		if t.Byte() == 0xff {
			t.Sized() // path
		}
	}
	t.Take(cut) // labels
	inCut := 0
	for range cut {
		inCut += max(1, t.Number())
	}
	leaves := t.Number() - 1
	if leaves < 0 {
		leaves = inCut
	}
	if form&inline != 0 {
		for range leaves {
			t.Sized()
		}
	}
	if t.Bad {
		tb.Fatalf("facts of a page are damaged: %q", encoded)
	}
	if form&outside != 0 {
		_, rest, err := markup.AppendReferences(nil, t.B)
		if err != nil {
			tb.Fatal(err)
		}
		t.B = rest
	}
	if len(t.B) == 0 {
		return encoded, 0
	}
	links, _, err := markup.AppendReferences(nil, t.B)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded[:len(encoded)-len(t.B)], int64(len(links))
}

// TestStoredLinks stores pages of a made site, which share a frame and lead to each
// other by their titles, and tells what a link takes of each distinct block: 20
// bytes are wanted at most.
func TestStoredLinks(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const pages = 400
	r := rand.New(rand.NewPCG(1, 2))
	var words []string
	for range 5000 {
		w := ""
		for range 1 + r.IntN(4) {
			w += string("bcdfghklmnprstvwz"[r.IntN(17)]) + string("aeiou"[r.IntN(5)])
		}
		words = append(words, w)
	}
	text := func(n int) string {
		var s []string
		for range n {
			s = append(s, words[r.IntN(len(words))])
		}
		return strings.Join(s, " ")
	}
	var titles []string
	for range pages {
		titles = append(titles, text(4))
	}
	var visits []*visit
	for n := range pages {
		var s strings.Builder
		fmt.Fprintf(&s, "<html><head><title>%s</title></head><body><ul>", titles[n])
		for i := range 10 {
			fmt.Fprintf(&s, "<li><a href=/d%d/>%s</a>", i, titles[i])
		}
		s.WriteString("</ul><div>")
		for range 20 {
			to := r.IntN(pages)
			fmt.Fprintf(&s, "<p>%s <a href=\"/d%d/page-%d.html\">%s</a> %s</p>", text(10), to%10, to, titles[to], text(1))
		}
		visits = append(visits, &visit{
			url: fmt.Sprintf("http://www.example.com/d%d/page-%d.html", n%10, n), status: 200, time: day0 + record.Time(n), body: s.String() + "</div></body></html>",
		})
	}
	put(t, a, visits)
	links, bytes := storedLinks(t, a)
	each := float64(bytes) / float64(links)
	t.Logf("%d links of blocks, %.1f bytes each", links, each)
	if links < pages*20 || each > 20 {
		t.Errorf("%d links stored, %.1f bytes each; want %d or more, and 20 at most", links, each, pages*20)
	}
}

// BenchmarkStoredLinks reports the same for the file that INFOMALL_IMPORT names.
// FORMAT.md, "Why so", has the bytes that a link of real sites takes.
//
// Links take 4 per cent of the CPU time of kafka's import at most, by profile: reading
// links of layouts takes 2.4; reading links of leaves .8, together with the text, which
// other facts need too; and a sixth of the compressor's 3.7. Of the month of
// BenchmarkMonthLinks, which is mostly links, they take 8.
func BenchmarkStoredLinks(b *testing.B) {
	name := os.Getenv("INFOMALL_IMPORT")
	if name == "" {
		b.Skip("INFOMALL_IMPORT names no file of captures")
	}
	a := openAt(b.TempDir(), Options{})
	defer a.Close()
	if _, err := a.Import(b.Context(), task.ImportOptions{Patterns: []string{name}}); err != nil {
		b.Fatal(err)
	}
	var links, bytes int64
	for b.Loop() {
		links, bytes = storedLinks(b, a)
	}
	b.ReportMetric(float64(links), "links")
	b.ReportMetric(float64(bytes)/float64(links), "bytes/link")
}
