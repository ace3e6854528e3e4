package grammar

import (
	"slices"

	"infomall/lang/scan"
)

// These constants bound the work of parsing a faulty statement again to find
// alternatives. If more than ProbeTokensMax tokens come before the fault, the
// message names only the fault. Tokens after the first proberTokens are
// ignored.
const (
	ProbeTokensMax = 1000
	proberTokens   = 2 * ProbeTokensMax
)

// Prober parses changed versions of one statement to learn what the grammar
// accepts. Each of its tokens, and each token it gives the grammar, has its
// index in place of its offset.
type Prober struct {
	Tokens []scan.Token
	probe  []scan.Token // the first tokens, the token in question, and the end
}

// NewProber returns a prober of a statement, whose tokens it copies.
func NewProber(tokens []scan.Token) *Prober {
	p := &Prober{Tokens: slices.Clone(tokens[:min(len(tokens), proberTokens)])}
	if len(p.Tokens) < len(tokens) {
		p.Tokens = append(p.Tokens, scan.Token{Type: scan.EOF})
	}
	number(p.Tokens)
	return p
}

func number(tokens []scan.Token) {
	for i := range tokens {
		tokens[i].Pos = scan.Position{Offset: i}
	}
}

// reach returns the index of the first token that the grammar does not accept,
// or len(tokens) if it accepts all.
func reach(tokens []scan.Token) int {
	l := lexerOf(tokens)
	defer l.free()
	if _, err := l.parse(); err != nil {
		return stumbleOf(err).Offset
	}
	return len(tokens)
}

// ReachWith returns how far the grammar gets, as reach does, if by replaces the
// tokens from i up to j.
func (p *Prober) ReachWith(i, j int, by ...scan.Token) int {
	tokens := slices.Concat(p.Tokens[:i], by, p.Tokens[j:])
	number(tokens)
	return reach(tokens)
}

// Accepts reports whether the grammar accepts t after the first i tokens.
func (p *Prober) Accepts(i int, t scan.Token) bool {
	if len(p.probe) != i+2 {
		p.probe = append(slices.Clone(p.Tokens[:i]), scan.Token{}, scan.Token{Type: scan.EOF, Pos: scan.Position{Offset: i + 1}})
	}
	t.Pos = scan.Position{Offset: i}
	p.probe[i] = t
	return reach(p.probe) > i
}

// One example for each kind of token that is neither a word nor an operator.
var (
	AName     = scan.Token{Type: scan.Ident, Value: "name"}
	AQuoted   = scan.Token{Type: scan.Quoted, Value: `"name"`}
	AString   = scan.Token{Type: scan.String, Value: "''"}
	ANumber   = scan.Token{Type: scan.Number, Value: "1"}
	ASize     = scan.Token{Type: scan.Size, Value: "1KB"}
	ADuration = scan.Token{Type: scan.Duration, Value: "1d"}
	APeriod   = scan.Token{Type: scan.Period, Value: "2008-06"}
)

// ReadsFrom reports whether the tokens from index i on are a statement.
func (p *Prober) ReadsFrom(i int) bool {
	rest := slices.Clone(p.Tokens[i:])
	number(rest)
	return reach(rest) == len(rest)
}
