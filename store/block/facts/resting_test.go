package facts

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/page/pagetest"
)

// TestResting draws pages. The reading that comes from the compact form of a reading has the same
// blocks, leaves, layout and links.
func TestResting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		page := editedPage(t) + rapid.SampledFrom([]string{"", "<img src=/a><a href=/b></a>", "<ul><li><a href=/c>c</a><li>d<hr></ul>"}).Draw(t, "end")
		contentType := rapid.SampledFrom([]string{pagetest.HTMLType, "text/html; charset=gbk", "text/plain"}).Draw(t, "type")
		mime := "text/html"
		if contentType == "text/plain" {
			mime = contentType
		}
		body, ok := divide.Open([]byte(page), divide.As{Mime: mime, ContentType: contentType}, divide.Options{})
		if !ok {
			return
		}
		want := NewReader().Read(body)
		want.Close()
		got := want.Rest().Reading([]byte(page))
		if len(got.Blocks) != len(want.Blocks) {
			t.Fatalf("%d blocks, want %d", len(got.Blocks), len(want.Blocks))
		}
		for n := range want.Blocks {
			g, w := &got.Blocks[n], &want.Blocks[n]
			if g.Start != w.Start || g.End != w.End || g.Parent != w.Parent || g.Next != w.Next || g.Depth != w.Depth || g.Path != w.Path {
				t.Fatalf("block %d is %+v, want %+v", n, g, w)
			}
		}
		if got.Charset != want.Charset || got.Plain != want.Plain || got.Links != want.Links {
			t.Fatalf("charset, plain and links are %q, %v, %d, want %q, %v, %d", got.Charset, got.Plain, got.Links, want.Charset, want.Plain, want.Links)
		}
		if !reflect.DeepEqual(got.Facts(), want.Facts()) || string(got.Layout()) != string(want.Layout()) {
			t.Fatalf("other facts or layout: %q, want %q", got.Layout(), want.Layout())
		}
		if got, want := got.LinksOfCut(), want.LinksOfCut(); !slices.Equal(got, want) {
			t.Fatalf("the blocks have %d links, want %d", got, want)
		}
	})
}
