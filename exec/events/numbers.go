package events

// numbers gives the words of a stream numbers from 0, in the order in which they come. It is
// a hash table with open addressing: a stream has tens of millions of words, and a map takes
// three times as long.
type numbers struct {
	words []uint32 // by slot
	of    []uint32 // the number plus 1 by slot; 0 if the slot is free
	n     uint32
	shift uint8 // 32 minus the logarithm of the number of slots
}

func newNumbers() *numbers { return newNumbersOf(12) }

func newNumbersOf(bits uint8) *numbers {
	return &numbers{words: make([]uint32, 1<<bits), of: make([]uint32, 1<<bits), shift: 32 - bits}
}

// slot returns the slot of a word: the one which has it, or the free one for it.
func (t *numbers) slot(w uint32) uint32 {
	// Knuth's multiplicative hash: the golden ratio.
	i := w * 2654435769 >> t.shift
	for t.of[i] != 0 && t.words[i] != w {
		i = (i + 1) & uint32(len(t.of)-1)
	}
	return i
}

// find returns the number of a word. If the word has none, ok is false.
func (t *numbers) find(w uint32) (n uint32, ok bool) {
	n = t.of[t.slot(w)]
	return n - 1, n != 0
}

// number returns the number of a word and gives it one if it has none.
func (t *numbers) number(w uint32) uint32 {
	i := t.slot(w)
	if t.of[i] == 0 {
		if t.n*2 >= uint32(len(t.of)) {
			t.grow()
			i = t.slot(w)
		}
		t.n++
		t.words[i], t.of[i] = w, t.n
	}
	return t.of[i] - 1
}

// grow doubles the slots.
func (t *numbers) grow() {
	old := *t
	*t = *newNumbersOf(32 - old.shift + 1)
	t.n = old.n
	for i, n := range old.of {
		if n != 0 {
			j := t.slot(old.words[i])
			t.words[j], t.of[j] = old.words[i], n
		}
	}
}
