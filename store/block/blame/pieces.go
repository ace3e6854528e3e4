package blame

import (
	"strings"

	"infomall/store/block/life"
	"infomall/store/words"
)

// pieces divides a text into pieces, which have no origins yet.
func (p *Page) pieces(text string) []Piece {
	if p.Unit == Words {
		p.tokens = life.AppendTokens(p.tokens[:0], text)
	} else {
		p.tokens = appendLines(p.tokens[:0], text)
	}
	out := make([]Piece, len(p.tokens))
	for i := range out {
		out[i].Token = p.tokens[i]
	}
	clear(p.tokens) // they hold the text
	return out
}

// appendLines appends the lines of a text that have words to out. Text without words
// goes with the line after it, or is the last token. Lines that differ only in
// white space are equal tokens.
func appendLines(out []life.Token, text string) []life.Token {
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

// pairLines finds the lines in come (the added lines) that were edited from a line in
// gone (the removed lines). An edited line gets the field First of the removed line,
// and the text of the removed line as Origin.Old. The lines are paired in order.
func (a *addition) pairLines(gone, come []Piece) {
	for i := range come[:min(len(gone), len(come))] {
		if words.Likeness(words.NewBag(gone[i].Text), words.NewBag(come[i].Text)) >= likeEnough {
			come[i].First, come[i].Last = gone[i].First, a.newOrigin(gone[i].Text)
		}
	}
}
