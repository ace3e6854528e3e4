package grammar

import (
	"slices"

	"infomall/lang/scan"
)

// These constants bound the work of a Prober, which parses a faulty statement
// again and again to find out what would be right. If more than ProbeTokensMax
// tokens come before the fault, the message says only what was found. A Prober
// ignores all tokens after the first proberTokens.
const (
	ProbeTokensMax = 1000
	proberTokens   = 2 * ProbeTokensMax
)

// Prober parses changed versions of one statement to learn what the grammar accepts. The
// Pos.Offset of a token in Tokens, or in a changed version, is the index of the token, and
// not an offset in a source.
type Prober struct {
	Tokens []scan.Token
	probe  []scan.Token // of Accepts: the first i tokens, the token t, and the end
}

// NewProber returns a Prober of the statement that tokens make. It copies
// tokens.
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
// or len(tokens) if the grammar accepts all. The offset of each token must be
// its index.
func reach(tokens []scan.Token) int {
	l := lexerOf(tokens)
	defer l.free()
	if _, err := l.parse(); err != nil {
		return stumbleOf(err).Offset
	}
	return len(tokens)
}

// ReachWith returns how far the grammar gets in the statement if the tokens in the parameter by
// replace the tokens from index i up to, not including, j. The result is the index of the first
// token that the grammar does not accept, or the number of tokens if it accepts all.
func (p *Prober) ReachWith(i, j int, by ...scan.Token) int {
	tokens := slices.Concat(p.Tokens[:i], by, p.Tokens[j:])
	number(tokens)
	return reach(tokens)
}

// Accepts reports whether the grammar accepts the token t directly after the
// first i tokens of the statement.
func (p *Prober) Accepts(i int, t scan.Token) bool {
	if len(p.probe) != i+2 {
		p.probe = append(slices.Clone(p.Tokens[:i]), scan.Token{}, scan.Token{Type: scan.EOF, Pos: scan.Position{Offset: i + 1}})
	}
	t.Pos = scan.Position{Offset: i}
	p.probe[i] = t
	return reach(p.probe) > i
}

// These tokens are examples to try the grammar with, one for each kind of token that is neither
// a word of the language nor an operator.
var (
	AName     = scan.Token{Type: scan.Ident, Value: "name"}
	AQuoted   = scan.Token{Type: scan.Quoted, Value: `"name"`}
	AString   = scan.Token{Type: scan.String, Value: "''"}
	ANumber   = scan.Token{Type: scan.Number, Value: "1"}
	ASize     = scan.Token{Type: scan.Size, Value: "1KB"}
	ADuration = scan.Token{Type: scan.Duration, Value: "1d"}
	APeriod   = scan.Token{Type: scan.Period, Value: "2008-06"}
)

// ReadsFrom reports whether the tokens from index i on make a complete
// statement by themselves.
func (p *Prober) ReadsFrom(i int) bool {
	rest := slices.Clone(p.Tokens[i:])
	number(rest)
	return reach(rest) == len(rest)
}
