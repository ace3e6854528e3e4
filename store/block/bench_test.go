package block_test

import (
	"crypto/sha256"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/flow"
	"infomall/store/block/life"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
	"infomall/store/words"
)

// samples returns the bodies that the benchmarks work on: the pages of the
// segmentation set if it is there, otherwise the page of the paper.
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
			divide.Divide(markup.NewTree(body), divide.Options{}).Free()
		}
	}
}

func BenchmarkDivideClassic(b *testing.B) {
	bodies := samples(b)
	for b.Loop() {
		for _, body := range bodies {
			divide.Divide(markup.NewTree(body), divide.Options{Profile: divide.Classic})
		}
	}
}

// BenchmarkPass is what every new version costs: partition, layout, digests of
// all blocks, and links.
func BenchmarkPass(b *testing.B) {
	bodies := samples(b)
	for b.Loop() {
		for _, body := range bodies {
			t := divide.Divide(markup.NewTree(body), divide.Options{})
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
			p := &divide.Body{Tree: divide.Divide(markup.NewTree(body), divide.Options{}), Charset: "utf-8"}
			r := facts.NewReader().Read(p)
			sha256.Sum256(p.Layout())
			p.Page.Meta(p.Charset)
			about.Labels(p.Tree)
			for _, n := range r.Leaves {
				about.TopicAndText(p, p.Blocks[n].Start, p.Blocks[n].End)
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
		life.Diff(old, new)
	}
}

// BenchmarkStages takes the stages of BenchmarkAll one by one.
func BenchmarkStages(b *testing.B) {
	leaves := func(t *divide.Tree, f func(block *divide.Block)) {
		for _, n := range t.Cut(0) {
			f(&t.Blocks[n])
		}
	}
	stages := []struct {
		name string
		run  func(t *divide.Tree)
	}{
		{"tree", func(t *divide.Tree) { markup.NewTree(t.Page.Body).Free() }},
		{"flow", func(t *divide.Tree) { flow.New(t.Page).Free() }},
		{"divide", func(t *divide.Tree) { divide.Divide(t.Page, divide.Options{}).Flow().Free() }},
		{"digests", func(t *divide.Tree) { leaves(t, func(l *divide.Block) { sha256.Sum256(t.Page.Body[l.Start:l.End]) }) }},
		{"layout", func(t *divide.Tree) { sha256.Sum256(t.Layout()) }},
		{"links", func(t *divide.Tree) { t.Page.AppendLinks(nil, 0, len(t.Page.Body), "utf-8", nil) }},
		{"reader", func(t *divide.Tree) { facts.NewReader().Read(&divide.Body{Tree: t, Charset: "utf-8"}) }},
		{"meta", func(t *divide.Tree) { t.Page.Meta("utf-8") }},
		{"labels", func(t *divide.Tree) { about.Labels(t) }},
		{"topics", func(t *divide.Tree) {
			p := &divide.Body{Tree: t, Charset: "utf-8"}
			leaves(t, func(l *divide.Block) { about.TopicOf(p, l.Start, l.End) })
		}},
		{"text", func(t *divide.Tree) { leaves(t, func(l *divide.Block) { t.Page.TextRange(l.Start, l.End, "utf-8") }) }},
	}
	for _, s := range stages {
		b.Run(s.name, func(b *testing.B) {
			var trees []*divide.Tree
			for _, body := range samples(b) {
				trees = append(trees, divide.Divide(markup.NewTree(body), divide.Options{}))
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
			t := divide.Divide(markup.NewTree(body), divide.Options{})
			leaves(t, func(l *divide.Block) { texts = append(texts, t.Page.TextRange(l.Start, l.End, "utf-8")) })
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
