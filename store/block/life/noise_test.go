package life

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSubstantial(t *testing.T) {
	for _, c := range []struct {
		op               Op
		old, new, reason string
		want             bool
	}{
		{Edited, "The library is closed", "The library is open", "", true},
		{Edited, "The library is closed.", "The library\tis closed", "markup", false},
		{Edited, "Updated 2008-06-01 by the office", "Updated 2008-07-14 by the office", "date", false},
		{Edited, "Monday, 2 June 2008: no classes", "Friday, 6 June 2008: no classes", "date", false},
		{Edited, "Friday, 6 June 2008: no classes", "Friday, 6 June 2008: some classes", "", true},
		{Edited, "2008年6月1日 星期日 开馆", "2008年7月12日 星期六 开馆", "date", false},
		{Edited, "本页访问量：10233 次", "本页访问量：10240 次", "counter", false},
		{Edited, "1,204 views on 2008-06-01 12:30", "1,310 views on 2008-06-02 08:15", "counter, date", false},
		{Edited, "You are visitor number 10233 of this page", "You are visitor number 10,877 of this page", "counter", false},
		{Edited, "It has been accessed 1,204 times since May", "It has been accessed 1,310 times since May", "counter", false},
		{Edited, "It has been accessed 1,204 times since May", "It has been accessed 1,310 times since June", "", true},
		{Edited, "Tickets cost 12 yuan", "Tickets cost 14 yuan", "", true},
		{Edited, "id 0f3a9b2c4d5e6f708192", "id 1a2b3c4d5e6f70819203", "token", false},
		{Edited, "one two three", "three one two", "order", false},
		{Edited, "one two three", "three one", "", true},
		{Edited, "two visits 2008-06-01", "two visits", "", true},
		{Edited, "5 comments", "no comments", "", true},
		{Added, "", "The library is closed", "", true},
		{Added, "", "", "markup", false},
		{Removed, "10 views", "", "", true},
		{Moved, "one two", "one two", "order", false},
	} {
		if reason, ok := substantial(c.op, c.old, c.new); ok != c.want || reason != c.reason {
			t.Errorf("%s, %q to %q: got %q, %v, want %q, %v", c.op, c.old, c.new, reason, ok, c.reason, c.want)
		}
	}
}

// TestNoWordsHidden puts a word in a text full of what rules describe: that is
// substantial wherever it comes.
func TestNoWordsHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"2008-06-01", "12:30", "访问量：12", "7 comments", "one", "图书", "3 days ago", "0f3a9b2c4d5e6f708192", "© 2001-2008"})
		parts := rapid.SliceOfN(part, 0, 12).Draw(t, "parts")
		at := rapid.IntRange(0, len(parts)).Draw(t, "at")
		word := rapid.SampledFrom([]string{"closed", "馆", "42", "june"}).Draw(t, "word")
		old := strings.Join(parts, " ")
		new := strings.Join(append(append(append([]string{}, parts[:at]...), word), parts[at:]...), " ")
		if reason, ok := substantial(Edited, old, new); !ok {
			t.Fatalf("%q to %q is called %s", old, new, reason)
		}
	})
}
