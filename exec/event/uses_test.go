package event

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"infomall/exec/events"
	"infomall/exec/firstseen"
	"infomall/exec/op"
	"infomall/exec/spill"
)

// TestUses adds random uses of words, most of which go to temporary files, and replaces the words
// of some texts. The uses of each word must be the added ones, and their number within the
// bounds of count. Few files are open at once.
func TestUses(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 7))
	const words, texts = 40, 5000
	u := uses{memory: &spill.Memory{Bytes: 1 << 10}, from: 3}
	defer u.close()
	want := make([][]events.Use, words)
	for text := u.from; text < texts; text++ {
		of := make(map[int]bool)
		for n := range 6 {
			word := min(int(r.ExpFloat64()*6), words-1)
			title := n < 2
			if err := u.add(uint32(word), text, title); err != nil {
				t.Fatal(err)
			}
			if !of[word] {
				want[word] = append(want[word], events.NewUse(text, title))
				of[word] = true
			}
		}
	}
	if files := u.moved / (u.memory.Bytes / usesShare); files < 300 || len(u.full) > 50 {
		t.Fatalf("the uses went to %d files, want 300 at least; %d are open, want 50 at most", files, len(u.full))
	}
	c := &collection{uses: u, list: make([]entry, texts)}
	c.words.names = make([]string, words)
	if err := c.uses.load(context.Background(), c, 1<<30); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		for word := range words {
			got := c.uses.of(nil, uint32(word))
			if !slices.Equal(got, want[word]) {
				t.Fatalf("%s: word %d has %d uses, want %d", when, word, len(got), len(want[word]))
			}
			apart := texts/63 + 1 + len(c.uses.replaced) + len(c.uses.other[uint32(word)])
			if least, most := c.uses.count(uint32(word)); len(got) < least || len(got) > most || most-least > apart {
				t.Fatalf("%s: word %d has %d uses, count says %d to %d", when, word, len(got), least, most)
			}
		}
	}
	check("added")
	for text := 10; text < texts; text += 400 {
		c.uses.replace(text, []uint32{2, 39, 2})
		for word := range want {
			want[word] = slices.DeleteFunc(want[word], func(x events.Use) bool { return x.Doc() == text })
		}
	}
	for text := 10; text < texts; text += 400 { // those of replaced texts come last
		want[2], want[39] = append(want[2], events.NewUse(text, true)), append(want[39], events.NewUse(text, true))
	}
	check("replaced")
}

// TestStreamKeys shows that the rows of a word with many pieces have different keys in ascending order.
func TestStreamKeys(t *testing.T) {
	memory := spill.Memory{Bytes: 1 << 20}
	c := &collection{run: &op.Runner{}, rows: memory.Spool(1)}
	c.run.FirstSeen = firstseen.NewKnown(&memory)
	defer c.run.FirstSeen.Close()
	const pieces = 700
	for n := range pieces {
		s := memory.Spool(1)
		if err := s.Add([]byte{0, byte(n)}); err != nil {
			t.Fatal(err)
		}
		c.uses.full = append(c.uses.full, s)
	}
	c.uses.lists = [][]byte{nil, {1}}
	var last []byte
	var got []byte
	for row, err := range c.streamRows(0) {
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Compare(row.Key, last) <= 0 {
			t.Fatalf("after %d pieces, key %q follows %q", len(got), row.Key, last)
		}
		last = append(last[:0], row.Key...)
		if row.Key[0] == rowUses && row.Key[4] == 0 {
			got = append(got, row.Value...)
		}
	}
	for n := range pieces {
		if len(got) != pieces || got[n] != byte(n) {
			t.Fatalf("%d pieces, and piece %d differs", len(got), n)
		}
	}
}
