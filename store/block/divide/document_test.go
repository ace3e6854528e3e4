package divide

import (
	"slices"
	"testing"

	"infomall/store/document"
)

// TestOfDocument shows the blocks of a document with two pages and of one without.
func TestOfDocument(t *testing.T) {
	b := document.NewBuilder(document.Limits{}, nil)
	for _, page := range []string{"1", "2"} {
		if err := b.Begin(document.Page, page); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"first of " + page, "second of " + page} {
			if err := b.Add(document.Paragraph, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(b *Body, level int, want ...string) {
		t.Helper()
		var got []string
		for _, n := range b.Cut(level) {
			got = append(got, b.Blocks[n].Path+": "+b.Text(b.Blocks[n].Start, b.Blocks[n].End))
		}
		if !slices.Equal(got, want) {
			t.Errorf("level %d: got %q, want %q", level, got, want)
		}
	}
	two := ofDocument(b.Doc)
	check(two, 1, "1: first of 1\nsecond of 1", "2: first of 2\nsecond of 2")
	check(two, 0, "1.1: first of 1", "1.2: second of 1", "2.1: first of 2", "2.2: second of 2")

	b = document.NewBuilder(document.Limits{}, nil)
	for _, text := range []string{"one", "two"} {
		if err := b.Add(document.Paragraph, text); err != nil {
			t.Fatal(err)
		}
	}
	check(ofDocument(b.Doc), 1, "1: one", "2: two")
}

// TestSections shows which section and part each block of a document is, and that of a
// section without text there is no block.
func TestSections(t *testing.T) {
	b := document.NewBuilder(document.Limits{}, nil)
	begin := func(kind document.SectionKind, name string, parts ...string) {
		t.Helper()
		if err := b.Begin(kind, name); err != nil {
			t.Fatal(err)
		}
		for _, text := range parts {
			if err := b.Add(document.Paragraph, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin(document.Whole, "", "before")
	begin(document.Sheet, "Umsatz 2008", "a", "b")
	begin(document.Sheet, "empty")
	begin(document.Chapter, "", "last")
	d := ofDocument(b.Doc)
	var got []string
	for n := range d.Blocks {
		part := "-"
		if p := d.PartOf(n); p != nil {
			part = p.Text
		}
		got = append(got, d.SectionOf(n)+": "+part)
	}
	want := []string{": -", ": before", "sheet Umsatz 2008: -", "sheet Umsatz 2008: a", "sheet Umsatz 2008: b", "chapter: -", "chapter: last"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var blocks []int
	for s := range d.Document.Sections {
		blocks = append(blocks, d.SectionBlock(s))
	}
	if want := []int{0, 2, 0, 5}; !slices.Equal(blocks, want) {
		t.Errorf("blocks of sections: got %v, want %v", blocks, want)
	}
}
