package article_test

import (
	"path/filepath"
	"testing"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/page/article"
	"infomall/store/page/pagetest"
)

// BenchmarkRead measures Read beside dividing the same pages and beside finding their main text.
func BenchmarkRead(b *testing.B) {
	var pages []*divide.Body
	var inputs []*article.Input
	_, bodies := pagetest.Files(b, filepath.Join(pagetest.Shared(b), "dates", "pages.tar.zst"), "")
	bodies = bodies[:min(len(bodies), 60)]
	size := int64(0)
	for _, body := range bodies {
		size += int64(len(body))
		if p, ok := divide.Open(body, divide.As{Mime: "text/html"}, divide.Options{}); ok {
			pages = append(pages, p)
			inputs = append(inputs, input(p, "", 0))
		}
	}
	b.Run("divide", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, body := range bodies {
				if p, ok := divide.Open(body, divide.As{Mime: "text/html"}, divide.Options{}); ok {
					p.Free()
				}
			}
		}
	})
	b.Run("main", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			for _, p := range pages {
				about.MainRanges(p)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			for _, in := range inputs {
				article.Read(in)
			}
		}
	})
}
