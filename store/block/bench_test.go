package block

import (
	"crypto/sha256"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
	"infomall/store/words"
)

// samples are the bodies that the benchmarks work on: the pages of the
// segmentation set where it is at hand, else the page of the paper.
func samples(b *testing.B) (bodies [][]byte) {
	if root := pagetest.Root(); root != "" {
		bodies = pagetest.Bodies(b, filepath.Join(root, "segmentation", "dataset-popular-html.tar.zst"), ".html.orig")
	} else {
		before, after := pagetest.Paper()
		bodies = [][]byte{[]byte(before), []byte(after), []byte(strings.Repeat(before, 10))}
	}
	size := 0
	for _, body := range bodies {
		size += len(body)
	}
	b.SetBytes(int64(size))
	return bodies
}

func BenchmarkDivide(b *testing.B) {
	bodies := samples(b)
	for b.Loop() {
		for _, body := range bodies {
			Divide(markup.NewTree(body), Options{}).Free()
		}
	}
}

func BenchmarkDivideClassic(b *testing.B) {
	bodies := samples(b)
	for b.Loop() {
		for _, body := range bodies {
			Divide(markup.NewTree(body), Options{Profile: Classic})
		}
	}
}

// BenchmarkPass is what every new version costs: partition, layout, digests of
// all blocks, and links.
func BenchmarkPass(b *testing.B) {
	bodies := samples(b)
	for b.Loop() {
		for _, body := range bodies {
			t := Divide(markup.NewTree(body), Options{})
			for _, n := range t.Cut(0) {
				sha256.Sum256(t.Bytes(n))
			}
			sha256.Sum256(t.Layout())
			t.Page.AppendLinks(nil, 0, len(body), "utf-8", nil)
			t.Free()
		}
	}
}

// BenchmarkAll adds labels, what the page says of itself, and of every block
// topic, text and fingerprint, as if none of them were known.
func BenchmarkAll(b *testing.B) {
	bodies := samples(b)
	for b.Loop() {
		for _, body := range bodies {
			p := &Body{Tree: Divide(markup.NewTree(body), Options{}), Charset: "utf-8"}
			r := NewReader().Read(p)
			sha256.Sum256(p.Layout())
			p.Page.Meta(p.Charset)
			p.Labels()
			for _, n := range r.Leaves {
				p.TopicAndText(p.Blocks[n].Start, p.Blocks[n].End)
			}
			r.Close()
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	old := strings.Repeat("the first of many sentences that tell nothing new. ", 50)
	new := strings.Replace(old, "nothing", "something", 5)
	b.SetBytes(int64(len(old)))
	for b.Loop() {
		Diff(old, new)
	}
}

// BenchmarkStages takes the stages of BenchmarkAll one by one.
func BenchmarkStages(b *testing.B) {
	leaves := func(t *Tree, f func(block *Block)) {
		for _, n := range t.Cut(0) {
			f(&t.Blocks[n])
		}
	}
	stages := []struct {
		name string
		run  func(t *Tree)
	}{
		{"tree", func(t *Tree) { markup.NewTree(t.Page.Body).Free() }},
		{"flow", func(t *Tree) { newFlow(t.Page).free() }},
		{"divide", func(t *Tree) { Divide(t.Page, Options{}).pageFlow().free() }},
		{"digests", func(t *Tree) { leaves(t, func(l *Block) { sha256.Sum256(t.Page.Body[l.Start:l.End]) }) }},
		{"layout", func(t *Tree) { sha256.Sum256(t.Layout()) }},
		{"links", func(t *Tree) { t.Page.AppendLinks(nil, 0, len(t.Page.Body), "utf-8", nil) }},
		{"reader", func(t *Tree) { NewReader().Read(&Body{Tree: t, Charset: "utf-8"}) }},
		{"meta", func(t *Tree) { t.Page.Meta("utf-8") }},
		{"labels", func(t *Tree) { t.Labels() }},
		{"topics", func(t *Tree) {
			p := &Body{Tree: t, Charset: "utf-8"}
			leaves(t, func(l *Block) { p.Topic(l.Start, l.End) })
		}},
		{"text", func(t *Tree) { leaves(t, func(l *Block) { t.Page.TextRange(l.Start, l.End, "utf-8") }) }},
	}
	for _, s := range stages {
		b.Run(s.name, func(b *testing.B) {
			var trees []*Tree
			for _, body := range samples(b) {
				trees = append(trees, Divide(markup.NewTree(body), Options{}))
			}
			for b.Loop() {
				for _, t := range trees {
					s.run(t)
				}
			}
		})
	}
	b.Run("fingerprints", func(b *testing.B) {
		var texts []string
		for _, body := range samples(b) {
			t := Divide(markup.NewTree(body), Options{})
			leaves(t, func(l *Block) { texts = append(texts, t.Page.TextRange(l.Start, l.End, "utf-8")) })
		}
		for b.Loop() {
			for _, text := range texts {
				var s words.Simhash
				s.Add(text, 1)
				s.Sum()
			}
		}
	})
}
