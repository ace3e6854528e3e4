package firstseen

import (
	"context"
	"encoding/binary"

	"infomall/exec/spill"
	"infomall/store/record"
)

// Answer says whether a page is the first that has a text. A page is earlier if its time is
// earlier, or if it has the same time and its URL sorts before.
type Answer uint8

// The answers.
const (
	IsNew      Answer = iota // no page of the host had the text earlier
	OnSameURL                // only the same URL had the text earlier
	OnOtherURL               // another URL of the host had the text earlier
)

// Finder finds out which texts are new. Use it in one goroutine. First call Page for each page,
// followed by Add and Ask for its texts. Then call Solve once, then Answer for each question. Close
// it at the end.
type Finder struct {
	sorter   *spill.Sorter
	known    *Known
	host     uint64 // hash of the host
	url      uint32 // number of the URL
	urlHash  uint32 // hash of the URL, not several
	time     record.Time
	last     record.Time     // the latest time of all pages
	on       map[uint64]bool // texts that the URL is known to have
	asked    int
	answers  []byte // four answers in a byte
	key, val []byte
}

// onMost is how many texts of the current URL a Finder remembers, to drop repetitions. If the URL
// has more, the Finder forgets them all and sorts some texts twice.
const onMost = 1 << 18

// New returns a Finder that may use the memory m divided by share. If known is not nil, it has the
// texts of pages that are earlier than all pages the Finder gets; Solve adds the texts of the new
// pages to it. The methods of the Finder fail when ctx is done.
func New(ctx context.Context, m *spill.Memory, share int64, known *Known) *Finder {
	return &Finder{sorter: m.Sorter(ctx, share), known: known, on: make(map[uint64]bool), last: record.NoTime}
}

// Close releases memory and temporary files.
func (f *Finder) Close() { f.sorter.Close() }

// Page begins the next page, of the given host, URL and time. Pages must come sorted by URL and
// time. Page returns ErrEarlier if the page is not later than the pages of the known texts.
func (f *Finder) Page(host, url string, time record.Time) error {
	if f.known != nil && time <= f.known.Until {
		return ErrEarlier
	}
	h := hashOf(url)
	if hash := max(uint32(h>>32), several+1); f.url == 0 || hash != f.urlHash {
		f.url++
		f.urlHash = hash
		clear(f.on)
	}
	f.host, f.time, f.last = hashOf(host), time, max(f.last, time)
	return nil
}

// Add notes that the current page has the text with this hash, without asking whether it is new.
func (f *Finder) Add(text uint64) error {
	if f.on[text] {
		return nil // an earlier version of the URL had it, or the page has it twice
	}
	f.val = f.val[:0]
	return f.put(text)
}

// Ask notes that the current page has the text with this hash, and asks whether the text is new.
// question is the number to pass to Answer.
func (f *Finder) Ask(text uint64) (question int, err error) {
	question = f.asked
	f.asked++
	f.val = binary.AppendUvarint(f.val[:0], uint64(question))
	return question, f.put(text)
}

// put adds a text of the current page to the sorter, with the value f.val.
func (f *Finder) put(text uint64) error {
	if len(f.on) >= onMost {
		clear(f.on)
	}
	f.on[text] = true
	f.key = binary.BigEndian.AppendUint64(f.key[:0], mix(text^f.host))
	f.key = binary.BigEndian.AppendUint64(f.key, uint64(f.time)^1<<63)
	f.key = binary.BigEndian.AppendUint32(f.key, f.url)
	f.key = binary.BigEndian.AppendUint32(f.key, f.urlHash)
	return f.sorter.Add(f.key, f.val)
}

// Solve finds the answers to all questions. Call it once, after the last page.
func (f *Finder) Solve() error {
	f.on = nil
	f.answers = make([]byte, (f.asked+3)/4)
	m, err := newMerger(f.known)
	if err != nil {
		return err
	}
	var is seen   // the text whose pages come now
	var at uint64 // the time of the first page with it, or 0 if it was known before
	begun := false
	for r, err := range f.sorter.Sorted() {
		if err != nil {
			return err
		}
		text, time, url := binary.BigEndian.Uint64(r.Key), binary.BigEndian.Uint64(r.Key[8:]), binary.BigEndian.Uint32(r.Key[20:])
		if !begun || text != is.text {
			if begun {
				if err := m.add(is); err != nil {
					return err
				}
			}
			switch was, before, err := m.find(text); {
			case err != nil:
				return err
			case before:
				is, at = was, 0
			default:
				is, at = seen{text, url}, time
			}
			begun = true
		}
		if url != is.url {
			is.url = several
		}
		if len(r.Val) == 0 {
			continue
		}
		a := IsNew
		switch {
		case is.url == several:
			a = OnOtherURL
		case time > at:
			a = OnSameURL
		}
		n, _ := binary.Uvarint(r.Val)
		f.answers[n/4] |= byte(a) << (n % 4 * 2)
	}
	if begun {
		if err := m.add(is); err != nil {
			return err
		}
	}
	return m.finish(f.last)
}

// Answer returns the answer to the question with this number, as Ask returned it. Call it after
// Solve.
func (f *Finder) Answer(question int) Answer {
	return Answer(f.answers[question/4] >> (question % 4 * 2) & 3)
}

// mix returns a hash of x in which each bit depends on each bit of x.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// hashOf returns a hash of a text that is the same in all processes.
func hashOf(text string) uint64 {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(basis)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return mix(h)
}
