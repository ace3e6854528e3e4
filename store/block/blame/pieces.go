package blame

import (
	"strings"

	"infomall/store/block/life"
	"infomall/store/words"
)

// pieces divides a text into pieces, which have no origins yet.
func (p *Page) pieces(text string) []Piece {
	tokens := lineTokens
	if p.Unit == Words {
		tokens = life.Tokens
	}
	list := tokens(text)
	out := make([]Piece, len(list))
	for i := range list {
		out[i].Token = list[i]
	}
	return out
}

// lineTokens divides a text into its lines that have words. Text without words
// goes with the line after it, or is the last token. Lines that differ only in
// white space are equal tokens.
func lineTokens(text string) []life.Token {
	var out []life.Token
	from := 0
	for end := 0; end < len(text); {
		start := end
		if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
			end += n + 1
		} else {
			end = len(text)
		}
		if line := text[start:end]; words.Least(line, 1) {
			out = append(out, life.Token{Word: strings.Join(strings.Fields(line), ""), Text: text[from:end]})
			from = end
		}
	}
	if rest := text[from:]; rest != "" {
		out = append(out, life.Token{Word: rest, Text: rest})
	}
	return out
}

// likeEnough is the least share of words that two lines have in common if one was
// edited into the other. It is the share at which two blocks at the same place
// count as the same block.
const likeEnough = 0.2

// pairLines gives each line of come that was edited from a line of gone the first
// origin of that line, and makes that line its old text. The lines are paired in
// order. o is the origin of all lines of come.
func (a *addition) pairLines(gone, come []Piece, o *Origin) {
	for i := range come[:min(len(gone), len(come))] {
		if words.Likeness(words.NewBag(gone[i].Text), words.NewBag(come[i].Text)) >= likeEnough {
			come[i].First, come[i].Last = gone[i].First, a.newOrigin(gone[i].Text)
		}
	}
}
