package events

import (
	"encoding/binary"
	"errors"
)

// History sums up the documents of the periods before a window, so that Find can find the
// events of the window without reading them: see Options.Before. The zero History has no
// documents. It takes about two bytes for each different word.
type History struct {
	// Documents has, by period, how many documents there were.
	Documents []uint32
	// Words has, by number of the word, how many documents have the word. The numbers of
	// words must be those of the stream of the window, and should be small.
	Words []uint32

	last []uint32 // by word, the number of the last document that has it
	n    uint32   // documents added
}

// Add adds a document. It panics if the period of the document is negative.
func (h *History) Add(d *Document) {
	for d.Period >= len(h.Documents) {
		h.Documents = append(h.Documents, 0)
	}
	h.Documents[d.Period]++
	h.n++
	for _, w := range d.Words {
		for int(w) >= len(h.Words) {
			h.Words = append(h.Words, make([]uint32, int(w)+1-len(h.Words))...)
		}
		for len(h.last) < len(h.Words) {
			h.last = append(h.last, make([]uint32, len(h.Words)-len(h.last))...)
		}
		if h.last[w] != h.n {
			h.last[w] = h.n
			h.Words[w]++
		}
	}
}

// of returns how many documents have a word. A nil History has none.
func (h *History) of(word uint32) uint32 {
	if h == nil || int(word) >= len(h.Words) {
		return 0
	}
	return h.Words[word]
}

// documents returns how many documents there were. A nil History has none.
func (h *History) documents() int {
	n := 0
	if h != nil {
		for _, v := range h.Documents {
			n += int(v)
		}
	}
	return n
}

// Append appends the encoded history to dst and returns dst. ParseHistory reads it.
func (h *History) Append(dst []byte) []byte {
	for _, list := range [][]uint32{h.Documents, h.Words} {
		dst = binary.AppendUvarint(dst, uint64(len(list)))
		for _, v := range list {
			dst = binary.AppendUvarint(dst, uint64(v))
		}
	}
	return dst
}

// errHistory says that bytes are no history.
var errHistory = errors.New("events: the stored history is damaged")

// ParseHistory returns the history that Append has encoded. It returns an error if data is
// anything else.
func ParseHistory(data []byte) (*History, error) {
	h := &History{}
	for _, list := range []*[]uint32{&h.Documents, &h.Words} {
		n, size := binary.Uvarint(data)
		// Each number takes a byte at least.
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, errHistory
		}
		data = data[size:]
		*list = make([]uint32, n)
		for i := range *list {
			v, size := binary.Uvarint(data)
			if size <= 0 || v > 1<<32-1 {
				return nil, errHistory
			}
			(*list)[i], data = uint32(v), data[size:]
		}
	}
	if len(data) > 0 {
		return nil, errHistory
	}
	return h, nil
}
