package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNearer holds which words are near, in which order, and that a text counts once.
func TestNearer(t *testing.T) {
	words := []string{"zookeper", "kafak", "stream", "東京", "ab", "nothing", "café"}
	n := NewNearer(words)
	for _, text := range []string{
		"Zookeeper zookeeper, zookeeper", "a ZOOKEEPERS of kafka", "zookeeper streams",
		"zoo keeper steam", "streamer dream, tream", "stream", "東京 ab abc cafe", "caf\u00e9",
	} {
		n.Next()
		for _, part := range strings.SplitAfter(text, " ") {
			n.Add(n.Part(part))
		}
	}
	got := n.Words()
	want := [][]NearWord{
		{{"zookeeper", 2}, {"zookeepers", 1}},
		{{"kafka", 1}},
		{{"stream", 1}},
		nil,
		{{"ab", 1}},
		nil,
		{{"cafe", 2}}, // a word must be folded to be found itself
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("near %s: %v, want %v", words[i], got[i], want[i])
		}
	}
}

// TestNearDistance holds the distance of words.
func TestNearDistance(t *testing.T) {
	n := NewNearer(nil)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"kafka", "kafka", 0}, {"kafka", "kakfa", 1}, {"kafka", "kafk", 1}, {"kafka", "akafka", 1}, {"kafka", "kofka", 1},
		{"kafka", "kfkaa", 2}, {"kafka", "kofko", 2}, {"kafka", "xyz", 3}, {"kafka", "", 3}, {"Ёлка", "елка", 1},
	} {
		if got := n.distance([]rune(c.a), []rune(c.b), 3); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestNearerBounded gives a Nearer a hundred thousand words that are near one word, and as
// many that are not.
func TestNearerBounded(t *testing.T) {
	n := NewNearer([]string{"abcdefgh", strings.Repeat("x", nearRunesMax+1)})
	n.Next()
	for i := range 100_000 {
		a, b := rune('\u4dff'-i/300), rune('\u1e00'+i%300)
		n.Add(n.Part(fmt.Sprintf("%cbcdefg%c w%d", a, b, i)))
	}
	if len(n.words[0].near) > nearKept || len(n.far) > nearKnown {
		t.Errorf("%d near and %d far words are kept", len(n.words[0].near), len(n.far))
	}
	if got := n.Words(); len(got[0]) > nearMax || len(got[1]) != 0 {
		t.Errorf("near words: %v", got)
	}
}
