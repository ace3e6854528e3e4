package dedup

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"
)

func fnvOf(word string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(word))
	return mix(h.Sum64())
}

// TestKeywords shows that keywords are words that the text has often and other
// texts rarely, in whatever case. A name wins over an equally rare word.
func TestKeywords(t *testing.T) {
	c := NewCorpus(fnvOf)
	terms := func(text string) []Term {
		var list Terms
		for _, w := range strings.Fields(text) {
			list.Word(w)
		}
		return list.List()
	}
	texts := []string{
		"the lake of Tongji and the lake house by the lake on a hill in rain",
		"the stone the hill the rain the house the wind",
		"The the the",
		"",
	}
	for _, text := range texts {
		c.Add(terms(text))
	}
	for i, want := range []string{"a|and|by|lake|tongji", "hill|house|stone|the|wind", "the", ""} {
		got := c.Keywords(terms(texts[i]), nil)
		if strings.Join(got, "|") != want || !slices.IsSorted(got) {
			t.Errorf("%q has keywords %q, want %s", texts[i], got, want)
		}
	}
	for _, c := range []struct {
		text string
		want Term
	}{{"Lake lake", Term{"lake", 2, false}}, {"Lake LAKE", Term{"lake", 2, true}}, {"湖", Term{"湖", 1, false}}} {
		if got := terms(c.text); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q has terms %+v, want %+v", c.text, got, c.want)
		}
	}
}
