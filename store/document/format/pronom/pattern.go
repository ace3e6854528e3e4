package pronom

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// element says which bytes match at one place of a pattern: op is one of the
// operators below, and a and b are its operands.
type element struct{ op, a, b byte }

// The operators of elements. Package format has the same constants.
const (
	opByte    = iota // matches the byte a
	opRange          // matches a byte from a to b
	opOutside        // matches a byte that is not from a to b
	opBits           // matches a byte in which all bits of a are set
	opNotBits        // matches a byte in which not all bits of a are set
	opUnlike         // elements in a row with this operator match if at least one byte differs from the a of its element
	opBetween        // elements in a row with this operator match if the bytes, compared as a text, are from the text of all a to the text of all b
)

// pattern is a list of elements that match bytes one after another.
type pattern []element

// literal reports whether p matches only one text.
func (p pattern) literal() bool {
	for _, e := range p {
		if e.op != opByte {
			return false
		}
	}
	return true
}

// item is a part of a pattern: a list of alternatives.
type item []pattern

// split parses the text of a pattern and divides it. The part that is best to
// search for, usually the longest literal, becomes the main pattern, and the
// parts to its left and right become the fragments.
func split(text string) (sub, error) {
	items, err := parse(text)
	if err != nil {
		return sub{}, err
	}
	best := -1
	for i, it := range items {
		if len(it) == 1 && (best < 0 || rank(it[0]) > rank(items[best][0])) {
			best = i
		}
	}
	if best < 0 {
		return sub{}, fmt.Errorf("pattern %q has only alternatives", text)
	}
	s := sub{main: items[best][0]}
	alternatives := func(it item) (list []fragment) {
		for _, p := range it {
			list = append(list, fragment{pattern: p})
		}
		return list
	}
	for i := best - 1; i >= 0; i-- {
		s.left = append(s.left, alternatives(items[i]))
	}
	for _, it := range items[best+1:] {
		s.right = append(s.right, alternatives(it))
	}
	return s, nil
}

// rank returns a number that is higher if p is a better pattern to search for.
func rank(p pattern) int {
	if p.literal() {
		return 1000 + len(p)
	}
	return len(p)
}

// parsePlain parses a pattern without alternatives.
func parsePlain(text string) (pattern, error) {
	items, err := parse(text)
	var p pattern
	for _, it := range items {
		if len(it) != 1 {
			return nil, fmt.Errorf("fragment %q has alternatives", text)
		}
		p = append(p, it[0]...)
	}
	return p, err
}

// parse splits a pattern into literals, runs of other elements, and alternatives.
func parse(text string) ([]item, error) {
	p := parser{text: text}
	items, err := p.items(false)
	if err == nil && p.text != "" {
		err = fmt.Errorf("%q is left over", p.text)
	}
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("the pattern is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", text, err)
	}
	return items, nil
}

type parser struct{ text string }

// items parses a list of items up to the end of the text or, if inner is true,
// up to the next "|" or ")".
func (p *parser) items(inner bool) ([]item, error) {
	var out []item
	add := func(list ...element) {
		for _, e := range list {
			if n := len(out); n > 0 && len(out[n-1]) == 1 && out[n-1][0].literal() == (e.op == opByte) {
				out[n-1][0] = append(out[n-1][0], e)
			} else {
				out = append(out, item{pattern{e}})
			}
		}
	}
	for {
		p.text = strings.TrimLeft(p.text, " \t\r\n")
		switch {
		case p.text == "" || inner && strings.ContainsAny(p.text[:1], "|)"):
			return out, nil
		case p.text[0] == '(':
			p.text = p.text[1:]
			it, err := p.alternatives()
			if err != nil {
				return nil, err
			}
			out = append(out, it)
		case p.text[0] == '[':
			e, err := p.set()
			if err != nil {
				return nil, err
			}
			add(e...)
		default:
			b, err := p.bytes()
			if err != nil {
				return nil, err
			}
			for _, c := range b {
				add(element{opByte, c, 0})
			}
		}
	}
}

func (p *parser) alternatives() (item, error) {
	var it item
	for {
		inner, err := p.items(true)
		if err != nil {
			return nil, err
		}
		var whole pattern
		for _, i := range inner {
			if len(i) != 1 {
				return nil, fmt.Errorf("alternatives inside of alternatives")
			}
			whole = append(whole, i[0]...)
		}
		it = append(it, whole)
		if p.text == "" || len(whole) == 0 {
			return nil, fmt.Errorf("alternatives without an end")
		}
		end := p.text[0]
		if p.text = p.text[1:]; end == ')' {
			return it, nil
		}
	}
}

// set parses a set of bytes in square brackets.
func (p *parser) set() (pattern, error) {
	inside, rest, ok := strings.Cut(p.text[1:], "]")
	if !ok {
		return nil, fmt.Errorf("a bracket without an end")
	}
	p.text = rest
	unknown := fmt.Errorf("[%s] is not known", inside)
	inside, not := strings.CutPrefix(strings.TrimSpace(inside), "!")
	inside, bits := strings.CutPrefix(inside, "&")
	in := parser{text: inside}
	first, err := in.run()
	if err != nil {
		return nil, err
	}
	last := first
	if in.text != "" && !bits && strings.ContainsAny(in.text[:1], ":-") {
		in.text = in.text[1:]
		if last, err = in.run(); err != nil {
			return nil, err
		}
	}
	one := len(first) == 1
	if in.text != "" || len(first) != len(last) || string(last) < string(first) || !one && (bits || not && string(first) != string(last)) {
		return nil, unknown
	}
	var op byte
	switch {
	case bits && not:
		op = opNotBits
	case bits:
		op = opBits
	case not && one:
		op = opOutside
	case not:
		op = opUnlike
	case one:
		op = opRange
	default:
		op = opBetween
	}
	var out pattern
	for i := range first {
		out = append(out, element{op, first[i], last[i]})
	}
	return out, nil
}

// run parses bytes that follow each other, up to a ":" or "-" or the end of the
// text.
func (p *parser) run() (out []byte, err error) {
	for {
		p.text = strings.TrimSpace(p.text)
		if len(out) > 0 && (p.text == "" || strings.ContainsAny(p.text[:1], ":-")) {
			return out, nil
		}
		b, err := p.bytes()
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
}

// bytes parses a text in quotes, or a byte as two hexadecimal digits.
func (p *parser) bytes() ([]byte, error) {
	if p.text == "" {
		return nil, fmt.Errorf("bytes are expected")
	}
	if q := p.text[0]; q == '\'' || q == '"' {
		inside, rest, ok := strings.Cut(p.text[1:], string(q))
		if !ok || inside == "" {
			return nil, fmt.Errorf("a quotation without an end")
		}
		p.text = rest
		return []byte(inside), nil
	}
	if len(p.text) < 2 {
		return nil, fmt.Errorf("%q is not known", p.text)
	}
	b, err := hex.DecodeString(p.text[:2])
	if err != nil {
		return nil, fmt.Errorf("%.20q is not known", p.text)
	}
	p.text = p.text[2:]
	return b, nil
}
