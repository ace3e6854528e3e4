package term

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"infomall/store/words/cut"
	"infomall/store/words/match"
)

// bytesMax is the size in bytes of the longest term. A longer word is no term.
const bytesMax = 64

// runBytes bounds the memory that a run takes. A longer Chinese run is read piece by
// piece.
const runBytes = 16 << 10

// cutter finds the words of Chinese runs, whose letters are folded.
var cutter cut.Cutter

// Reader reads the terms of texts. The zero value is ready to use and finds no new
// words. Only one goroutine may use it.
type Reader struct {
	// New has the new words that Of yields, too. It may be nil.
	New *NewWords

	terms  match.Terms
	run    []byte // letters of the run that is being read
	script script
	from   int // offset in the text at which the last letter of the run begins
	end    int // offset in the text at which the run ends
	pieces []piece
}

// piece is a word or a single letter into which a Chinese run is cut. It is at run[from:to].
type piece struct {
	from, to int
	letters  int
	stop     bool // it is a stop word, which is part of no new word
	notFirst bool // no new word begins with it
	notLast  bool // no new word ends with it
}

// script is the script of the letters of a run.
type script uint8

const (
	chinese script = iota
	hiragana
	katakana
	hangul
	other
)

// scriptOf returns the script of a letter of a run. before is the script of the letter before
// it, which matters only for ー: that letter makes a vowel long, and has the script of the
// vowel.
func scriptOf(letter rune, before script) script {
	switch {
	case letter == 'ー':
		if before == hiragana {
			return hiragana
		}
		return katakana
	case unicode.Is(unicode.Han, letter):
		return chinese
	case unicode.Is(unicode.Hiragana, letter):
		return hiragana
	case unicode.Is(unicode.Katakana, letter):
		return katakana
	case unicode.Is(unicode.Hangul, letter):
		return hangul
	}
	return other
}

// Of ranges over the terms of a text, in order, with repetitions. The second value is true for
// a new word, which comes after the pieces of its run. The first value is valid until the next
// iteration.
func (r *Reader) Of(text string) iter.Seq2[[]byte, bool] {
	return func(yield func([]byte, bool) bool) {
		r.run = r.run[:0]
		for r.terms.Read(text); r.terms.Next(); {
			t := &r.terms
			if !t.Letter {
				if !r.finish(yield) || len(t.Term()) <= bytesMax && !yield(t.Term(), false) {
					return
				}
				continue
			}
			letter, _ := utf8.DecodeRune(t.Term())
			before := other
			if len(r.run) > 0 && (t.From == r.end || t.From == r.from) {
				before = r.script
			}
			s := scriptOf(letter, before)
			if !r.follows(s) && !r.finish(yield) {
				return
			}
			r.script, r.from, r.end = s, t.From, t.To
			if s == chinese || len(r.run) <= bytesMax {
				r.run = append(r.run, t.Term()...)
			}
		}
		r.finish(yield)
	}
}

// follows reports whether the letter that was read last, which has script s, belongs to the
// current run. A letter of the text that folding turns into several letters keeps them in one
// run.
func (r *Reader) follows(s script) bool {
	return len(r.run) > 0 && len(r.run) < runBytes && s == r.script && (r.terms.From == r.end || r.terms.From == r.from)
}

// finish calls yield with the terms of the run, and makes the run empty. It returns false if
// yield does.
func (r *Reader) finish(yield func([]byte, bool) bool) bool {
	if len(r.run) == 0 {
		return true
	}
	defer func() { r.run = r.run[:0] }()
	if r.script != chinese {
		return len(r.run) > bytesMax || yield(r.run, false)
	}
	if r.New == nil {
		for at, w := range cutter.Of(string(r.run)) {
			if !yield(r.run[at:at+len(w)], false) {
				return false
			}
		}
		return true
	}
	r.pieces = cutRun(r.pieces[:0], string(r.run))
	for _, p := range r.pieces {
		if !yield(r.run[p.from:p.to], false) {
			return false
		}
	}
	for i := 0; i < len(r.pieces); {
		n := r.New.at(r.run, r.pieces[i:])
		if n > 0 && !yield(r.run[r.pieces[i].from:r.pieces[i+n-1].to], true) {
			return false
		}
		i += max(n, 1)
	}
	return true
}

// cutRun appends the pieces of a Chinese run to dst.
func cutRun(dst []piece, run string) []piece {
	for at, w := range cutter.Of(run) {
		p := piece{from: at, to: at + len(w), letters: utf8.RuneCountInString(w)}
		p.stop = p.letters <= cut.StopLettersMax && cut.Stop(w)
		if p.letters == 1 {
			p.notFirst, p.notLast = neverFirst[w], neverLast[w]
		}
		dst = append(dst, p)
	}
	return dst
}

// AppendRuns appends to dst the Chinese runs of a text that have two letters or more, each with
// a line feed after it. FindNew reads texts in this form.
func (r *Reader) AppendRuns(dst []byte, text string) []byte {
	if isASCII(text) {
		return dst
	}
	size := len(dst)
	end := func() {
		if len(dst) > size {
			if utf8.RuneCount(dst[size:]) < 2 {
				dst = dst[:size]
			} else {
				dst = append(dst, '\n')
			}
		}
		size = len(dst)
	}
	for r.terms.Read(text); r.terms.Next(); {
		t := &r.terms
		letter, _ := utf8.DecodeRune(t.Term())
		if !t.Letter || !unicode.Is(unicode.Han, letter) {
			end()
			continue
		}
		if len(dst) > size && t.From != r.end && t.From != r.from || len(dst)-size >= runBytes {
			end()
		}
		dst, r.from, r.end = append(dst, t.Term()...), t.From, t.To
	}
	end()
	return dst
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
