package blame

import (
	"fmt"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
)

// bodyOf divides a page.
func bodyOf(page, charset string) *divide.Body {
	b, _ := divide.Open([]byte(page), divide.As{Mime: "text/html", ContentType: "text/html; charset=" + charset}, divide.Options{})
	return b
}

// versionOf returns a version of a page of paragraphs. The paragraph "gone" makes a
// page that is missing; after "latin:", the page is in ISO-8859-1.
func versionOf(n int, paragraphs string) life.Version {
	v := life.Version{Time: record.Time(n), Kind: record.KindPage}
	if paragraphs == "gone" {
		v.Kind = record.KindMissing
		paragraphs = "Not here"
	}
	charset := "utf-8"
	if rest, ok := strings.CutPrefix(paragraphs, "latin:"); ok {
		charset, paragraphs = "iso-8859-1", rest
	}
	v.Body = bodyOf("<html><body>\n<p>"+strings.ReplaceAll(paragraphs, "|", "</p>\n<p>")+"</p>\n</body></html>", charset)
	v.Size = int64(len(v.Body.Page.Body))
	return v
}

// origins returns the words or lines of the page, each with the number of its version.
func origins(p *Page) string {
	var out []string
	for _, l := range p.Leaves() {
		for i := range l.Pieces {
			if piece := &l.Pieces[i]; piece.HasWord() {
				out = append(out, fmt.Sprintf("%s:%d", piece.Word, piece.Last.Time))
			}
		}
	}
	return strings.Join(out, " ")
}

// followed returns a Page after versions of these paragraphs, which have the times
// 1, 2 and so on.
func followed(unit Unit, versions ...string) *Page {
	p, h := &Page{Unit: unit}, life.History{}
	for i, v := range versions {
		before := record.Time(i)
		if i == 0 {
			before = record.NoTime
		}
		p.Add(VersionOf(h.Add(versionOf(i+1, v)), before))
	}
	return p
}

// TestOrigins shows in which version each word or line of the last version came in.
func TestOrigins(t *testing.T) {
	const long = "one two three four five six seven eight"
	for _, c := range []struct {
		name     string
		unit     Unit
		versions []string
		want     string
	}{
		{"one version", Words, []string{"one two"}, "one:1 two:1"},
		{"a word comes in", Words, []string{"one three four", "one two three four"}, "one:1 two:2 three:1 four:1"},
		{"a word is replaced twice", Words, []string{"one two three four", "one 2 three four", "one II three four"}, "one:1 II:3 three:1 four:1"},
		{"a word comes back", Words, []string{"one two three four", "one 2 three four", "one two three four"}, "one:1 two:3 three:1 four:1"},
		{"a word goes", Words, []string{"one two three four", "one three four"}, "one:1 three:1 four:1"},
		{"Chinese", Words, []string{"开放时间八点", "开放时间七点"}, "开:1 放:1 时:1 间:1 七:2 点:1"},
		{"markup", Words, []string{"one two three four", "one <b>two</b> three four"}, "one:1 two:1 three:1 four:1"},
		{"charset", Words, []string{"one caf\u00e9 three four", "latin:one caf\xe9 three four"}, "one:1 café:1 three:1 four:1"},
		{"a block moves", Words, []string{long + "|alpha beta gamma", "alpha beta gamma|" + long}, "alpha:1 beta:1 gamma:1 one:1 two:1 three:1 four:1 five:1 six:1 seven:1 eight:1"},
		{"text moves to another block", Words,
			[]string{"red green blue " + long + "|alpha beta gamma delta", "red green blue|alpha beta gamma delta " + long},
			"red:1 green:1 blue:1 alpha:1 beta:1 gamma:1 delta:1 one:1 two:1 three:1 four:1 five:1 six:1 seven:1 eight:1"},
		{"a block goes and comes back", Words, []string{"one two three|alpha beta gamma", "one two three", "one two three|alpha beta gamma"}, "one:1 two:1 three:1 alpha:3 beta:3 gamma:3"},
		{"the page goes and comes back", Words, []string{"one two three", "gone", "one two three"}, "one:3 two:3 three:3"},
		{"the page is gone", Words, []string{"one two three", "gone"}, ""},
		{"a line comes in", Lines, []string{"one<br>three", "one<br>two<br>three"}, "one:1 two:2 three:1"},
		{"a line is edited", Lines, []string{"one<br>two words<br>three", "one<br>two  words more<br>three"}, "one:1 twowordsmore:2 three:1"},
		{"white space", Lines, []string{"one<br>two words<br>three", "one<br> two   words <br>three"}, "one:1 twowords:1 three:1"},
	} {
		if got := origins(followed(c.unit, c.versions...)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestOldText shows the replaced text of words, lines and blocks, and their intervals.
func TestOldText(t *testing.T) {
	words := followed(Words, "one two three four five", "one 2 three four five", "one 2 drei vier five")
	l := words.Leaves()[0]
	for i, want := range []string{"", "two", "three four", "three four", ""} {
		if got := l.Pieces[i].Last.Old; got != want {
			t.Errorf("word %d replaced %q, want %q", i, got, want)
		}
	}
	if o := l.Pieces[2].Last; o.NotBefore != 2 || o.Time != 3 {
		t.Errorf("a word came in after %d and by %d, want 2 and 3", o.NotBefore, o.Time)
	}
	if o := l.Pieces[0].Last; o.NotBefore != record.NoTime || o.Time != 1 {
		t.Errorf("a first word came in after %d and by %d, want %d and 1", o.NotBefore, o.Time, record.NoTime)
	}
	if l.First.Time != 1 || l.Last.Time != 3 || l.Last.Old != "one 2 three four five" {
		t.Errorf("the block came in with version %d, was edited in %d and was %q", l.First.Time, l.Last.Time, l.Last.Old)
	}
	lines := followed(Lines, "a b c<br>d e f<br>g h i", "a b c<br>d e F<br>g h i<br>j k l")
	p := lines.Leaves()[0].Pieces
	if p[1].First.Time != 1 || p[1].Last.Time != 2 || p[1].Last.Old != "d e f" {
		t.Errorf("the edited line came in with version %d, was edited in %d and was %q", p[1].First.Time, p[1].Last.Time, p[1].Last.Old)
	}
	if p[3].First.Time != 2 || p[3].Last.Old != "" {
		t.Errorf("the new line came in with version %d and replaced %q", p[3].First.Time, p[3].Last.Old)
	}
}

// TestOldTextIsBounded shows that a long text that was replaced is kept in part, cut
// between two characters.
func TestOldTextIsBounded(t *testing.T) {
	p := followed(Words, "one two three x"+strings.Repeat("é", 3000)+" four five six", "one two three new four five six")
	old := p.Leaves()[0].Pieces[3].Last.Old
	if want := "x" + strings.Repeat("é", oldMax/2-1) + "…"; old != want {
		t.Errorf("the old text has %d bytes and ends with %q", len(old), old[max(0, len(old)-12):])
	}
}
