package search

import (
	"infomall/store/block/label"
	"infomall/store/words/match"
)

// A page answers a question better than another if the words of the question stand
// together in one of its blocks, in all of its text, and in its title. The score of a
// page is the sum, over the words, of how much the page says of the word times how rare
// the word is. The first factor depends on nothing but the page, so it is known before
// all pages were asked. The second depends on all pages, see Collection.
//
// The text is weighed as in BM25F (Robertson and Zaragoza 2009, "The Probabilistic
// Relevance Framework: BM25 and Beyond"). The constants below were chosen by known-item
// search on six sites. What was tried there and did not
// help: words near each other (pages that link to the page asked for have its name in one
// piece), the importance of blocks for their site, and mean lengths of the site's pages
// instead of fixed ones.

// Page counts the words of a question in a page, to compute the rank of the page.
type Page struct {
	Title  string
	Blocks []Block // the blocks of the cut that facts describe
}

// Block counts the words of a question in one block of a page. Phrases that begin
// in one leaf and end in another are not counted.
type Block struct {
	Label  label.Label
	Counts []int // how often the block has each atom of the question
	Linked []int // how often the texts of links to other addresses have each atom
	Terms  int   // number of terms of the block
}

// Best is how well a page answers a question, as far as that depends on the page alone.
type Best struct {
	Place int         // index of the best block in Page.Blocks
	Says  []float64   // for each atom, how much the page says of it, from 0 on; nil if that was not asked for
	Label label.Label // of the best block
	Print Print
	// Stored reports that an index of words has the page, so that its blocks can be read one
	// by one, as Reading says.
	Stored  bool
	Reading Reading
}

// Print is the fingerprint of the main text of a page, see facts.Kept.MainPrint.
type Print struct {
	Bits  uint64
	Has   bool // the page has one
	Known bool // Bits and Has are known
}

// Factors are the parts of Best.Says, for each atom.
type Factors struct {
	Place               int // index of the best block in Page.Blocks
	Block, Whole, Title []float64
}

// The constants of Rank. Those named Length say how much a long text is held against it,
// from 0 to 1. Those named usual are how many terms a usual text has.
const (
	saturation = 1.2 // how much further finds of a word count, k1 of BM25
	linkedPart = .1  // how much a word counts that stands in a link: it is about another page

	blockLength, usualBlock = .5, 80
	wholeLength, usualWhole = .3, 400
	titleLength, usualTitle = .75, 8

	wholeWeight   = 2.0
	coveredWeight = 5.0 // of a title that is the question, no more and no less
)

// LabelWeight returns how much the words of a block count by the label of the block.
// Once words in links count little, other differences between labels are small.
func LabelWeight(l label.Label) float64 {
	switch l {
	case label.Aside, label.Form:
		return .7
	case label.Nav, label.Footer:
		return .3
	case label.Ad:
		return .1
	}
	return 1
}

// saturated returns BM25's weight of a word that a text has n times. length is
// relativeLength of the text.
func saturated(n, length float64) float64 {
	return n * (saturation + 1) / (n + saturation*length)
}

// relativeLength returns 1 for a text of the usual length, and more for a longer one.
func relativeLength(terms int, usual, b float64) float64 { return 1 - b + b*float64(terms)/usual }

// Rank returns how well a page answers q.
func Rank(q *match.Query, p *Page) Best {
	f := Explain(q, p)
	for a := range f.Block {
		f.Block[a] += f.Whole[a] + f.Title[a]
	}
	best := Best{Place: f.Place, Says: f.Block, Label: label.Other}
	if f.Place < len(p.Blocks) {
		best.Label = p.Blocks[f.Place].Label
	}
	return best
}

// Explain returns the parts of Rank. Words that q excludes have none.
func Explain(q *match.Query, p *Page) Factors {
	atoms := len(q.Atoms())
	all := make([]float64, 4*atoms)
	f := Factors{Block: all[:atoms:atoms], Whole: all[atoms : 2*atoms : 2*atoms], Title: all[2*atoms : 3*atoms : 3*atoms]}
	found := all[3*atoms:] // in the whole page
	best, terms := 0.0, 0
	for place := range p.Blocks {
		b := &p.Blocks[place]
		weight, length, sum := LabelWeight(b.Label), relativeLength(b.Terms, usualBlock, blockLength), 0.0
		q.Needed(func(a int) {
			n := b.Found(a)
			found[a] += weight * n
			sum += weight * saturated(n, length)
		})
		terms += b.Terms
		if sum > best {
			best, f.Place = sum, place
		}
	}
	if best > 0 {
		b := &p.Blocks[f.Place]
		length := relativeLength(b.Terms, usualBlock, blockLength)
		q.Needed(func(a int) { f.Block[a] = LabelWeight(b.Label) * saturated(b.Found(a), length) })
	}
	length := relativeLength(terms, usualWhole, wholeLength)
	q.Needed(func(a int) { f.Whole[a] = wholeWeight * saturated(found[a], length) })
	weighTitle(q, p.Title, f.Title)
	return f
}

// Found returns how often the block has an atom of the question, where a word in a link
// counts less.
func (b *Block) Found(atom int) float64 {
	linked := min(b.Counts[atom], b.Linked[atom])
	return float64(b.Counts[atom]-linked) + linkedPart*float64(linked)
}

// weighTitle sets out to the weight of each atom in the title of a page. The weight is that
// of BM25. It grows with the share of the title that the question asks for, and with the
// share of the question that the title has.
func weighTitle(q *match.Query, title string, out []float64) {
	counts := make([]int, len(out))
	terms := q.Count(title, counts)
	if terms == 0 {
		return
	}
	asked, had, covered := 0, 0, 0 // atoms, of these in the title, and the terms of the latter
	q.Needed(func(a int) {
		if asked++; counts[a] > 0 {
			had++
			for _, ph := range q.Atoms()[a].Phrases {
				covered += len(ph.Terms)
			}
		}
	})
	length := relativeLength(terms, usualTitle, titleLength)
	share := min(1, float64(covered)/float64(terms)) * float64(had) / float64(asked)
	q.Needed(func(a int) {
		if counts[a] > 0 {
			out[a] = saturated(float64(counts[a]), length) + coveredWeight*share
		}
	})
}

// Score returns the score of a page. rarity is that of each atom, see Collection.Rarity.
func (b *Best) Score(rarity []float64) float64 {
	sum := 0.0
	for a, says := range b.Says {
		sum += says * rarity[a]
	}
	return sum
}
