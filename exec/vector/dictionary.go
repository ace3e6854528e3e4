package vector

// wordBytes is an estimate of the memory that a word takes in a dictionary besides its letters, in
// bytes: the entry of the map, and the string.
const wordBytes = 72

// Dictionary gives numbers to words, from 0 on, in the order in which they come. The zero
// value is empty and ready to use. Several goroutines may read it while none adds words.
type Dictionary struct {
	numbers map[string]uint32
	words   []string
	letters int64
}

// Number returns the number of a word. If the dictionary does not have the word, Number
// adds it.
func (d *Dictionary) Number(word []byte) uint32 {
	n, ok := d.numbers[string(word)]
	if ok {
		return n
	}
	if d.numbers == nil {
		d.numbers = make(map[string]uint32)
	}
	w := string(word)
	n = uint32(len(d.words))
	d.numbers[w] = n
	d.words = append(d.words, w)
	d.letters += int64(len(w))
	return n
}

// Find returns the number of a word, and reports whether the dictionary has the word.
func (d *Dictionary) Find(word []byte) (n uint32, ok bool) {
	n, ok = d.numbers[string(word)]
	return n, ok
}

// Word returns the word whose number is n. n must be less than Len.
func (d *Dictionary) Word(n uint32) string { return d.words[n] }

// Len returns how many words the dictionary has.
func (d *Dictionary) Len() int { return len(d.words) }

// Bytes returns an estimate of the memory that the dictionary takes, in bytes.
func (d *Dictionary) Bytes() int64 { return d.letters + int64(len(d.words))*wordBytes }
