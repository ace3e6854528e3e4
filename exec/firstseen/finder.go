package firstseen

import (
	"context"
	"encoding/binary"

	"infomall/exec/spill"
	"infomall/store/record"
)

// Answer says whether a page has a text for the first time. "Earlier" is at an earlier time, or
// at the same time at a URL that comes earlier.
type Answer uint8

// The answers.
const (
	IsNew      Answer = iota // no page of the host had the text earlier
	OnSameURL                // only the same URL had the text earlier
	OnOtherURL               // another URL of the host had the text earlier
)

// Finder finds new texts. Use it in one goroutine: first Page, Add and Ask for all pages, then
// Solve, then Answer. Close it at the end.
type Finder struct {
	sorter   *spill.Sorter
	host     uint64 // number of the host
	url      uint32 // number of the URL
	time     record.Time
	on       map[uint64]bool // texts that the URL is known to have
	asked    int
	answers  []byte // four answers in a byte
	key, val []byte
}

// onMost is how many texts of one URL are remembered. If it has more, some are sorted twice.
const onMost = 1 << 18

// New returns a Finder that may use the memory m divided by share. Its methods fail when ctx is
// done.
func New(ctx context.Context, m *spill.Memory, share int64) *Finder {
	return &Finder{sorter: m.Sorter(ctx, share), on: make(map[uint64]bool)}
}

// Close releases memory and temporary files.
func (f *Finder) Close() { f.sorter.Close() }

// Page begins the next page. newHost and newURL report that the host, or the URL, is another
// than that of the page before. Pages come sorted by host, URL and time.
func (f *Finder) Page(newHost, newURL bool, time record.Time) {
	if newHost {
		f.host++
	}
	if newURL || newHost {
		f.url++
		clear(f.on)
	}
	f.time = time
}

// Add notes that the page has a text.
func (f *Finder) Add(text uint64) error {
	if f.on[text] {
		return nil // an earlier version of the URL had it, or the page has it twice
	}
	f.val = f.val[:0]
	return f.put(text)
}

// Ask notes that the page has a text, and asks whether it is new. It returns the number of the
// question, for Answer.
func (f *Finder) Ask(text uint64) (question int, err error) {
	question = f.asked
	f.asked++
	f.val = binary.AppendUvarint(f.val[:0], uint64(question))
	return question, f.put(text)
}

// put adds a text of the page to the sorter, with f.val.
func (f *Finder) put(text uint64) error {
	if len(f.on) >= onMost {
		clear(f.on)
	}
	f.on[text] = true
	f.key = binary.BigEndian.AppendUint64(f.key[:0], mix(text^mix(f.host)))
	f.key = binary.BigEndian.AppendUint64(f.key, uint64(f.time)^1<<63)
	f.key = binary.BigEndian.AppendUint32(f.key, f.url)
	return f.sorter.Add(f.key, f.val)
}

// Solve finds the answers.
func (f *Finder) Solve() error {
	f.on = nil
	f.answers = make([]byte, (f.asked+3)/4)
	var text uint64  // the text whose pages come now
	var first uint32 // the first URL with it
	var at uint64    // the time of the first page with it
	several, begun := false, false
	for r, err := range f.sorter.Sorted() {
		if err != nil {
			return err
		}
		t, time, url := binary.BigEndian.Uint64(r.Key), binary.BigEndian.Uint64(r.Key[8:]), binary.BigEndian.Uint32(r.Key[16:])
		if !begun || t != text {
			text, first, at = t, url, time
			several, begun = false, true
		}
		several = several || url != first
		if len(r.Val) == 0 {
			continue
		}
		a := IsNew
		switch {
		case several:
			a = OnOtherURL
		case time > at:
			a = OnSameURL
		}
		n, _ := binary.Uvarint(r.Val)
		f.answers[n/4] |= byte(a) << (n % 4 * 2)
	}
	return nil
}

// Answer returns the answer to a question. Call it after Solve.
func (f *Finder) Answer(question int) Answer {
	return Answer(f.answers[question/4] >> (question % 4 * 2) & 3)
}

// mix returns a hash of x in which each bit depends on each bit of x.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
