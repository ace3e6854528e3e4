package list

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// find returns the cost of a word, or 0 if the list does not have it.
func find(l *List, word string) uint8 {
	first, size := utf8.DecodeRuneInString(word)
	node := l.Root(first)
	for _, letter := range word[size:] {
		if node < 0 {
			return 0
		}
		node = l.Next(node, letter)
	}
	if node < 0 {
		return 0
	}
	return l.Cost(node)
}

// TestPack packs random words of few letters, so that many words begin with others. The
// list must have each word with its cost, and no other word.
func TestPack(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	letters := []rune{FirstLetter, 0x4e00, 0x4e01, 0x4e3f, 0x4e40, '学', '大', LastLetter}
	word := func() string {
		b := make([]rune, 1+random.IntN(min(LettersMax, 1+random.IntN(LettersMax))))
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	for _, size := range []int{0, 1, 2, 10, 63, 64, 65, 5000} {
		want := map[string]uint8{}
		for len(want) < size {
			want[word()] = uint8(1 + random.IntN(255))
		}
		packed, err := Pack(want)
		if err != nil {
			t.Fatalf("seed %d: pack %d words: %v", seed, size, err)
		}
		if again, _ := Pack(maps.Clone(want)); again != packed {
			t.Errorf("seed %d: %d words, packed twice, give different bytes", seed, size)
		}
		l, err := Open(packed)
		if err != nil {
			t.Fatalf("seed %d: open %d words: %v", seed, size, err)
		}
		for w, cost := range want {
			if got := find(&l, w); got != cost {
				t.Fatalf("seed %d: %q costs %d, want %d", seed, w, got, cost)
			}
		}
		for range 1000 {
			if w := word(); find(&l, w) != want[w] {
				t.Fatalf("seed %d: %q costs %d, want %d", seed, w, find(&l, w), want[w])
			}
		}
		var all []string
		for w, cost := range l.All() {
			if all = append(all, w); want[w] != cost {
				t.Fatalf("seed %d: All has %q with %d, want %d", seed, w, cost, want[w])
			}
		}
		if !slices.Equal(all, slices.Sorted(maps.Keys(want))) {
			t.Errorf("seed %d: All has %d words, want %d in order", seed, len(all), len(want))
		}
	}
}

func TestPackRefuses(t *testing.T) {
	for word, cost := range map[string]uint8{"": 1, "T恤": 1, "か": 1, "\U00020000": 1, "\xff": 1, "一\n": 1, "学": 0, strings.Repeat("学", LettersMax+1): 1} {
		if packed, err := Pack(map[string]uint8{word: cost}); err == nil {
			t.Errorf("%q with cost %d was packed into %d bytes, want an error", word, cost, len(packed))
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	packed, err := Pack(map[string]uint8{"大学": 7, "大": 9})
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(packed) {
		if _, err := Open(packed[:n]); !errors.Is(err, errPacked) {
			t.Errorf("the first %d bytes of %d: error %v, want %v", n, len(packed), err, errPacked)
		}
	}
	if _, err := Open(packed + "x"); !errors.Is(err, errPacked) {
		t.Errorf("one byte too many: error %v, want %v", err, errPacked)
	}
}

// TestNoWord looks up letters that no word has, also in a list without words.
func TestNoWord(t *testing.T) {
	packed, err := Pack(map[string]uint8{"大学": 7})
	if err != nil {
		t.Fatal(err)
	}
	full, err := Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*List{{}, &full} {
		for _, letter := range []rune{-1, 0, 'a', FirstLetter - 1, FirstLetter, LastLetter, LastLetter + 1, utf8.MaxRune, '学'} {
			if node := l.Root(letter); node != -1 {
				t.Errorf("root of %U is %d, want -1", letter, node)
			}
		}
	}
	if node := full.Next(full.Root('大'), '大'); node != -1 {
		t.Errorf("大大 is node %d, want -1", node)
	}
}

func TestCostOf(t *testing.T) {
	for _, tt := range []struct {
		n, all int
		want   uint8
	}{{1, 1, 1}, {1, 2, 10}, {1, 1024, 100}, {3, 4, 4}, {1, 1 << 40, 255}} {
		if got := CostOf(tt.n, tt.all); got != tt.want {
			t.Errorf("%d of %d words: cost %d, want %d", tt.n, tt.all, got, tt.want)
		}
	}
}
