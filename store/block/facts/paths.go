package facts

import (
	"strconv"
	"strings"

	"infomall/store/packed"
)

// The paths of the blocks of a cut, such as "1.1", "1.2" and "2.T", mostly follow from each other.
// The facts of a page therefore have one byte for each path, which says how to make its two names from
// the names of the path before. With whole paths, and labels between the numbers of leaves, the facts
// of the pages of a sealed site took 236 KB instead of 129.
//
// The byte is 16 times the step of the first name, plus the step of the second one. The second name of a
// path with a new first name begins as no name. The steps are:
//
//	0  the name of the path before
//	1  that name with the next number
//	2  no name
//	3  the name "1"
//	   then, for each letter of pathLetters: the name that is the letter, and the letter with the number 1
//
// Any other path is stored as the byte pathText and the text.
const (
	stepSame = iota
	stepNext
	stepName // the first step that is a name: stepName + 2 × letter, and 1 more with the number 1

	pathLetters = "TCBLR"
	stepsEnd    = stepName + 2 + 2*len(pathLetters)
	pathText    = 0xff
)

// pathName is one name of a path, such as "T2". It has no letter if letter is 0, otherwise letter is 1 + an
// index in pathLetters. It has no number if number is 0.
type pathName struct {
	letter byte
	number int
}

// cutName parses the first name of a path. rest is the path after the name and its dot. ok is false
// if the path does not begin with a name that a pathName can have.
func cutName(path string) (name pathName, rest string, ok bool) {
	s, rest, more := strings.Cut(path, ".")
	if more && rest == "" {
		return name, rest, false
	}
	digits := s
	if s != "" {
		if name.letter = byte(1 + strings.IndexByte(pathLetters, s[0])); name.letter > 0 {
			digits = s[1:]
		}
	}
	name.number, _ = strconv.Atoi(digits)
	var room [24]byte
	return name, rest, string(name.append(room[:0])) == s
}

// append appends the name to dst.
func (n pathName) append(dst []byte) []byte {
	if n.letter > 0 {
		dst = append(dst, pathLetters[n.letter-1])
	}
	if n.number > 0 {
		dst = strconv.AppendInt(dst, int64(n.number), 10)
	}
	return dst
}

// stepTo returns the step that leads from n to the name next. ok is false if no step does.
func (n pathName) stepTo(next pathName) (step byte, ok bool) {
	switch {
	case next == n:
		return stepSame, true
	case n.number > 0 && next == pathName{n.letter, n.number + 1}:
		return stepNext, true
	case next.number <= 1:
		return stepName + 2*next.letter + byte(next.number), true
	}
	return 0, false
}

// step returns the name to which a step leads from n. ok is false if there is no such step.
func (n pathName) step(step byte) (next pathName, ok bool) {
	switch {
	case step == stepSame:
		return n, true
	case step == stepNext:
		return pathName{n.letter, n.number + 1}, n.number > 0
	case int(step) < stepsEnd:
		step -= stepName
		return pathName{step / 2, int(step % 2)}, true
	}
	return pathName{}, false
}

// pathSteps is the state in which paths are encoded and decoded: the names of the path before.
type pathSteps [2]pathName

// names parses a path of at most two names. ok is false if path is not such a path.
func names(path string) (out pathSteps, ok bool) {
	first, rest, ok := cutName(path)
	if !ok || first == (pathName{}) {
		return out, false
	}
	second, rest, ok := cutName(rest)
	return pathSteps{first, second}, ok && rest == ""
}

// appendPath appends an encoded path to dst.
func (p *pathSteps) appendPath(dst []byte, path string) []byte {
	next, ok := names(path)
	if ok {
		last := *p
		*p = next
		if next[0] != last[0] {
			last[1] = pathName{}
		}
		a, first := last[0].stepTo(next[0])
		b, second := last[1].stepTo(next[1])
		if first && second {
			return append(dst, a<<4|b)
		}
	}
	*p = next
	return packed.AppendSized(append(dst, pathText), path)
}

// takePath decodes the next path and appends it to dst. If there is none, it sets t.Bad.
func (p *pathSteps) takePath(dst []byte, t *packed.Reader) []byte {
	b := t.Byte()
	if b == pathText {
		path := t.Sized()
		*p, _ = names(string(path))
		return append(dst, path...)
	}
	first, ok := p[0].step(b >> 4)
	if first != p[0] {
		p[1] = pathName{}
	}
	second, ok2 := p[1].step(b & 0xf)
	if !ok || !ok2 {
		t.Bad = true
		return dst
	}
	p[0], p[1] = first, second
	dst = first.append(dst)
	if second != (pathName{}) {
		dst = second.append(append(dst, '.'))
	}
	return dst
}

// skipPaths passes n encoded paths.
func skipPaths(t *packed.Reader, n int) {
	for range n {
		if t.Byte() == pathText {
			t.Sized()
		}
	}
}
