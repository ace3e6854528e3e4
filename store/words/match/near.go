package match

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// nearAt reports whether the operator NEAR and an opening bracket are next.
func (p *queryParser) nearAt() bool {
	rest, ok := strings.CutPrefix(p.text[p.at:], "NEAR")
	return ok && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "（"))
}

// near reads a NEAR of a query, such as NEAR(a b, 5). found is true unless there is an
// error.
func (p *queryParser) near() (_ node, found bool, _ error) {
	start := p.at
	p.at += len("NEAR")
	open := p.at
	p.at += p.bracket()
	a := Atom{Within: nearDefault}
	for {
		p.blanks()
		if p.done() {
			break
		}
		if n := p.text[p.at:]; n[0] == ',' || strings.HasPrefix(n, "，") {
			if err := p.within(&a); err != nil {
				return node{}, false, err
			}
			continue
		}
		if p.bracket() > 0 {
			return node{}, false, p.faultAt(p.at, "NEAR has words and phrases only, and no brackets in it", "write NEAR(kafka broker, 5)")
		}
		phrases, err := p.phrase()
		if err != nil {
			return node{}, false, err
		}
		if a.Phrases = append(a.Phrases, phrases...); len(a.Phrases) > nearPhrasesMax {
			return node{}, false, p.fault(start, p.at-start, fmt.Sprintf("NEAR takes %d words and phrases at most", nearPhrasesMax), "name fewer")
		}
	}
	if err := p.closeBracket(open); err != nil {
		return node{}, false, err
	}
	if len(a.Phrases) == 0 {
		return node{}, false, p.fault(start, p.at-start, "NEAR has no word in it", "write NEAR(kafka broker, 5)")
	}
	if len(a.Phrases) == 1 {
		n, err := p.atoms(start, a.Phrases)
		return n, err == nil, err
	}
	lists, err := p.nearForms(start, a.Phrases)
	if err != nil {
		return node{}, false, err
	}
	var any []node
	for _, list := range lists {
		p.q.atoms = append(p.q.atoms, Atom{Phrases: list, Within: a.Within})
		any = append(any, node{op: opAtom, atom: len(p.q.atoms) - 1})
	}
	return group(opOr, any), true, nil
}

// within reads the comma in a NEAR and the number after it, and sets a.Within. If no number
// with a closing bracket follows, the comma only separates words.
func (p *queryParser) within(a *Atom) error {
	_, comma := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += comma
	rest := p.text[p.at:]
	end := strings.IndexAny(rest, ")）")
	if end < 0 {
		return nil
	}
	number := strings.TrimSpace(rest[:end])
	if number == "" || strings.Trim(number, "0123456789") != "" {
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			return p.fault(p.at, end, "the number of NEAR is a whole one, from 0 on", "write NEAR(kafka broker, 5); without the comma, "+number+" is a word to look for")
		}
		return nil
	}
	n := 0
	for _, c := range number {
		if n = n*10 + int(c-'0'); n > NearMax {
			return p.fault(p.at, end, fmt.Sprintf("NEAR reaches over %d words at most", NearMax), "name a smaller number")
		}
	}
	a.Within = n
	p.at += end
	return nil
}

// inNear reports whether the comma at p.at ends the words of a NEAR that began at offset from.
// It does if only a number and the closing bracket follow, as in ", 5)".
func (p *queryParser) inNear(from int) bool {
	rest := strings.TrimLeft(p.text[p.at+1:], " 0123456789+-.")
	return p.at > from && (strings.HasPrefix(rest, ")") || strings.HasPrefix(rest, "）"))
}
