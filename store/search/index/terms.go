package index

import (
	"bytes"
	"iter"
	"sort"
	"unsafe"

	"infomall/store/packed"
)

// term is a term of a block. Its postings are the bytes from at to at+size of the block of
// postings.
type term struct {
	letters  []byte
	docs     int  // number of documents that have the term
	letter   bool // the term is one letter of a script without spaces
	at, size int
}

// termReader decodes a block of terms. Its fields are the term that was decoded last, and what
// follows it.
type termReader struct {
	term
	numbers, further packed.Reader
}

// next decodes the next term. It returns false at the end, or if the block is damaged.
func (r *termReader) next() bool {
	if len(r.numbers.B) == 0 {
		return false
	}
	r.at += r.size
	same := r.numbers.Number()
	if same > len(r.letters) {
		r.numbers.Bad = true
		return false
	}
	r.letters = append(r.letters[:same], r.further.Take(r.numbers.Number())...)
	docs := r.numbers.Number()
	r.docs, r.letter = docs>>1, docs&1 != 0
	r.size = r.numbers.Number()
	return !r.numbers.Bad && !r.further.Bad
}

// termList is a block of terms, decompressed. A look-up begins at one of the marks.
type termList struct {
	numbers, further []byte
	marks            []termMark
}

// termMark is a place before a term of a termList.
type termMark struct {
	before           string // the term before
	numbers, further int    // how much of termList.numbers and termList.further is before the place
	at               int    // where the postings of the term begin
}

// markEvery is the number of terms between two marks. A look-up decodes half as many on average.
// Without marks it decoded all terms of a block, which was a quarter of the CPU time of a count of
// the captures with a rare word.
const markEvery = 64

// termsOf returns the terms of block b.
func (f *File) termsOf(b termBlock) (*termList, error) {
	return keep(f, b.terms, keptTerms, f.decodeTerms)
}

// decodeTerms returns the terms of a block from its decompressed bytes, and the memory that they
// take, in bytes. It decodes all terms once, and so finds damage before a look-up.
func (f *File) decodeTerms(content []byte) (*termList, int64, error) {
	all := packed.Reader{B: content}
	l := &termList{numbers: all.Sized()}
	l.further = all.B
	r := l.from(0)
	for n := 0; len(r.numbers.B) > 0; n++ {
		if n%markEvery == 0 {
			l.marks = append(l.marks, termMark{string(r.letters), len(l.numbers) - len(r.numbers.B), len(l.further) - len(r.further.B), r.at + r.size})
		}
		if !r.next() {
			return nil, 0, f.fault(errDamaged)
		}
	}
	if all.Bad || len(r.further.B) > 0 {
		return nil, 0, f.fault(errDamaged)
	}
	size := int64(cap(content)) + int64(cap(l.marks))*int64(unsafe.Sizeof(termMark{}))
	for _, m := range l.marks {
		size += int64(len(m.before))
	}
	return l, size, nil
}

// from returns a termReader that begins at the mark with number n.
func (l *termList) from(n int) *termReader {
	if n == 0 {
		return &termReader{numbers: packed.Reader{B: l.numbers}, further: packed.Reader{B: l.further}}
	}
	m := &l.marks[n]
	r := &termReader{numbers: packed.Reader{B: l.numbers[m.numbers:]}, further: packed.Reader{B: l.further[m.further:]}}
	r.letters, r.at = []byte(m.before), m.at
	return r
}

// among looks up words and prefixes in l. It yields each term of l that equals an element of terms, or
// that starts with an element of begins. Both lists must be sorted. The terms come sorted. Each is
// valid until the next one is asked for.
func (l *termList) among(terms, begins []string) iter.Seq[*term] {
	return func(yield func(*term) bool) {
		var r *termReader
		more := true // r has a term that was not yielded
		for len(terms) > 0 || len(begins) > 0 {
			isPrefix := len(terms) == 0 || len(begins) > 0 && begins[0] < terms[0]
			list := &terms
			if isPrefix {
				list = &begins
			}
			want := (*list)[0]
			*list = (*list)[1:]
			if r == nil || string(r.letters) < want {
				n := max(0, sort.Search(len(l.marks), func(i int) bool { return l.marks[i].before >= want })-1)
				if r == nil || l.marks[n].at > r.at {
					r = l.from(n)
					more = r.next()
				}
				for more && string(r.letters) < want {
					more = r.next()
				}
			}
			for more && (string(r.letters) == want || isPrefix && bytes.HasPrefix(r.letters, []byte(want))) {
				if !yield(&r.term) {
					return
				}
				more = r.next()
			}
			if !more {
				return
			}
		}
	}
}

// Terms calls the function each for every term, with the number of documents that have the
// term. The terms of one part come sorted. A term that is in several parts is passed once
// for each part. The slice term is valid until the call returns.
func (f *File) Terms(each func(term []byte, docs int)) error {
	for _, part := range f.parts {
		for _, b := range part {
			l, err := f.termsOf(b)
			if err != nil {
				return err
			}
			for r := l.from(0); r.next(); {
				each(r.letters, r.docs)
			}
		}
	}
	return nil
}
