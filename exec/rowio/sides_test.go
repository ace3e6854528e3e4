package rowio

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/lang/cells"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name  string
		spans []Span
		limit int
		want  string
	}{
		{"fits", []Span{{Text: "one two"}}, 7, "one two"},
		{"at a space", []Span{{Text: "one two three"}}, 8, "one two |three"},
		{"a word too long", []Span{{Text: "abcdefgh ij"}}, 5, "abcde|fgh |ij"},
		{"lines of its own", []Span{{Text: "a\nb"}}, 8, "a|b"},
		{"ideographs take two cells", []Span{{Text: "图书馆七月闭馆"}}, 6, "图书馆|七月闭|馆"},
		{"colour goes on in the next line", []Span{{Text: "one "}, {Text: "two three", Color: "<"}, {Text: " four"}}, 8, "one <two \x1b[0m|<three\x1b[0m |four"},
		{"ideographs fill the line", []Span{{Text: "in 图书馆七"}, {Text: "月闭馆"}}, 12, "in 图书馆七|月闭馆"},
		{"ideographs begin in the line", []Span{{Text: "七月"}, {Text: "图书馆"}}, 8, "七月图书|馆"},
		{"no line begins with a comma", []Span{{Text: "图书馆，七月闭馆。"}}, 6, "图书|馆，七|月闭|馆。"},
		{"but where there is no room else", []Span{{Text: "图，"}}, 2, "图|，"},
		{"nothing", nil, 8, ""},
	} {
		var got []string
		for _, l := range wrap(c.spans, c.limit) {
			got = append(got, l.text)
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWrapKeepsText shows that no character is lost, and that no line is too
// wide.
func TestWrapKeepsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-c图书é，。 \n]{0,80}`).Draw(t, "text")
		limit := rapid.IntRange(2, 20).Draw(t, "limit")
		var got strings.Builder
		for _, l := range wrap([]Span{{Text: text}}, limit) {
			if n := cells.Width(strings.TrimRight(l.text, " ")); n > limit {
				t.Fatalf("line %q takes %d cells, limit %d", l.text, n, limit)
			}
			got.WriteString(l.text)
		}
		if a, b := strings.Join(strings.Fields(got.String()), ""), strings.Join(strings.Fields(text), ""); a != b {
			t.Fatalf("got %q, want %q", a, b)
		}
	})
}

// TestSides shows that the bar is in the middle, whatever the texts.
func TestSides(t *testing.T) {
	var b strings.Builder
	left, right := []Span{{Text: strings.Repeat("left 图 ", 14)}}, []Span{{Text: "right"}}
	if err := Sides(&b, left, right, SidesWidthMin); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "left"); got != 14 {
		t.Errorf("got %q", b.String())
	}
	for line := range strings.Lines(b.String()) {
		if before, _, ok := strings.Cut(line, "│"); !ok || cells.Width(before) != SidesWidthMin/2-1 {
			t.Errorf("the bar of %q is not in the middle", line)
		}
	}
}
