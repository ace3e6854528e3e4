package draw

import (
	"crypto/sha256"
	"io"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/block/life"
	"infomall/store/record"
)

// drawnVersions are two versions of a page whose text looks like markup.
func drawnVersions(t *testing.T) *life.Revision {
	t.Helper()
	var h life.History
	var r *life.Revision
	for i, body := range []string{
		"<h1>Notes on markup</h1><p>The element &lt;script&gt; is what this paragraph is about, at some length.</p><p>A paragraph that goes from here and does not come back.</p>",
		"<h1>Notes on markup</h1><p>The element &lt;style&gt; is what this paragraph is about, at some length.</p><p>Something else altogether, put here afterwards by somebody.</p>",
	} {
		v := life.Version{Time: record.Time(i), Kind: record.KindPage, Digest: sha256.Sum256([]byte(body)), Size: int64(len(body))}
		v.Body, _ = divide.Open([]byte(body), divide.As{Mime: "text/html", ContentType: "text/html; charset=utf-8"}, divide.Options{})
		r = h.Add(v)
	}
	return r
}

// drawnBlame is a drawing of a text that looks like markup.
func drawnBlame() *Blame {
	return &Blame{URL: "http://x.cn/?a=1&b=<2>", Captured: "now", Parts: []BlamePart{
		{Path: "1", Label: label.Main, Topic: "element", Runs: []BlameRun{
			{Text: "The element ", When: "by May", Age: AgeFirst}, {Text: "<style>", When: "May – June", Old: "<script>", Age: AgeYear},
			{Text: " is\nnew", When: "May – June", Age: AgeYear},
		}},
	}}
}

// drawnStory is a drawing of a story with texts that look like markup.
func drawnStory() *Story {
	return &Story{URL: "http://x.cn/?a=1&b=<2>", Of: "20080101T000000-2", Entries: func(yield func(StoryEntry, error) bool) {
		for _, e := range []StoryEntry{
			{When: "by May", What: "edited", Block: "1.2", Text: "<style>", Old: "<script>", Edits: 1},
			{When: "May – June", What: "small edits", Edits: 12, Until: "June", Reason: "date"},
			{When: "June – July", What: "moved to", URL: "http://x.cn/b", Edits: 3},
		} {
			if !yield(e, nil) {
				return
			}
		}
	}}
}

// TestStoryOnTerminal shows the lines of a story, with and without colours, and that an
// error of the entries is one of the drawing.
func TestStoryOnTerminal(t *testing.T) {
	for _, c := range []struct {
		t    Terminal
		want string
	}{
		{Terminal{}, `http://x.cn/?a=1&b=<2> block 20080101T000000-2
by May                   edited  1.2
                           [-<script>-]
                           {+<style>+}
May – June               12 small edits until June: date
June – July              moved to http://x.cn/b, 3 blocks
`},
		{Terminal{Color: true, Printable: strings.ToUpper}, `HTTP://X.CN/?A=1&B=<2> block 20080101T000000-2
by May                   Y[EDITED]  1.2
                           R[<SCRIPT>]
                           G[<STYLE>]
May – June               12 SMALL EDITS UNTIL JUNE: DATE
June – July              R[MOVED TO HTTP://X.CN/B, 3 BLOCKS]
`},
	} {
		var b strings.Builder
		if err := drawnStory().Text(&b, c.t); err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer(inkEdited, "Y[", inkAdded, "G[", inkRemoved, "R[", inkOff, "]").Replace(b.String())
		if got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	broken := &Story{Entries: func(yield func(StoryEntry, error) bool) { yield(StoryEntry{}, io.ErrUnexpectedEOF) }}
	for name, draw := range map[string]func() error{
		"Text": func() error { return broken.Text(io.Discard, Terminal{}) },
		"HTML": func() error { return broken.HTML(io.Discard) },
		"Part": func() error { return broken.Part(io.Discard) },
	} {
		if err := draw(); err != io.ErrUnexpectedEOF {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBlameOnTerminal shows the lines of a BLAME, with and without colours.
func TestBlameOnTerminal(t *testing.T) {
	for _, c := range []struct {
		d    *Blame
		t    Terminal
		want string
	}{
		{drawnBlame(), Terminal{}, `http://x.cn/?a=1&b=<2> now
1 main: element
  by May                   The element
  May – June               <style>
  May – June               is
                           new
`},
		{drawnBlame(), Terminal{Color: true, Printable: strings.ToUpper}, `HTTP://X.CN/?A=1&B=<2> now
came in before the capture G[within a year], in the first version
1 main: ELEMENT
  by May                   THE ELEMENT
  May – June               G[<STYLE>]
  May – June               G[IS]
                           G[NEW]
`},
		{&Blame{URL: "u", Captured: "now"}, Terminal{Color: true}, "u now\nit has no text\n"},
	} {
		var b strings.Builder
		if err := c.d.Text(&b, c.t); err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer("\x1b[32m", "G[", inkOff, "]").Replace(b.String())
		if got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestDrawings shows that what is drawn as a page says what changed, has no
// markup of the pages that it shows, and needs no other file.
func TestDrawings(t *testing.T) {
	r := drawnVersions(t)
	for _, c := range []struct {
		name string
		d    Drawing
		want []string
	}{
		{"diff", &Diff{URL: "http://x.cn/?a=1&b=<2>", From: "then", To: "now", Revision: r}, []string{
			"http://x.cn/?a=1&amp;b=&lt;2&gt;", "<del> &lt;script</del>", "<ins> &lt;style</ins>", `<section class="edited main">`, "Something else", "goes from here",
		}},
		{"blocks", &Blocks{URL: "http://x.cn/", Captured: "now", Against: "then", Parts: Parts(r)}, []string{
			"&lt;style&gt;", "main edited", "Something else", "changes are against then",
		}},
		{"blame", drawnBlame(), []string{
			"http://x.cn/?a=1&amp;b=&lt;2&gt;", `<span class="age2">within a year</span>`, `<section class="main">`,
			`<span class="age5" title="by May">The element </span>`, `<span class="age2" title="May – June&#10;before: &lt;script&gt;">&lt;style&gt;</span>`,
		}},
		{"story", drawnStory(), []string{
			"http://x.cn/?a=1&amp;b=&lt;2&gt;", "<p class=\"note\">block 20080101T000000-2</p>", `<section class="story-edited"><header>by May <b>edited</b> 1.2</header>`,
			"<pre><del>&lt;script&gt;</del>\n<ins>&lt;style&gt;</ins></pre>", "<b>12 small edits until June: date</b>", "<b>moved to http://x.cn/b, 3 blocks</b>",
		}},
		{"blame of nothing", &Blame{}, []string{"it has no text"}},
	} {
		var b strings.Builder
		if err := c.d.HTML(&b); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", c.name, w, got)
			}
		}
		for _, bad := range []string{"<script", "src=", "href=", "url("} {
			if strings.Contains(got, bad) {
				t.Errorf("%s has %q", c.name, bad)
			}
		}
	}
}

// TestDrawnOnTerminal shows how wide and coloured terminals get a DIFF.
func TestDrawnOnTerminal(t *testing.T) {
	d := &Diff{URL: "u", From: "then", To: "now", Revision: drawnVersions(t)}
	for _, c := range []struct {
		name      string
		t         Terminal
		want, not string
	}{
		{"plain", Terminal{}, "{+<style+}", inkAdded},
		{"colours", Terminal{Color: true}, inkAdded + "<style" + inkOff, "{+"},
		{"wide", Terminal{Width: 140}, " │ ", inkAdded},
		{"made harmless", Terminal{Printable: strings.ToUpper}, "GOES FROM HERE", "goes from here"},
	} {
		var b strings.Builder
		if err := d.Text(&b, c.t); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: got\n%s\nwant %q in it, and no %q", c.name, got, c.want, c.not)
		}
	}
}
