package search

import (
	"infomall/store/block/label"
	"infomall/store/words/match"
)

// A page answers a query better than another if the words of the query stand
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

// Page has the counts of a query's words in a page, from which Rank computes how well the page
// answers the query.
type Page struct {
	Title  string
	Blocks []Block // the blocks that the facts of the page describe
}

// Block has the counts of a query's words in one block of a page. Phrases that begin in one
// leaf and end in another are not counted.
type Block struct {
	Label  label.Label
	Counts []int // how often the block has each atom of the query
	Linked []int // how often each atom is in the texts of links to other addresses
	Terms  int   // number of terms of the block
}

// Best says how well a page answers a query, as far as that depends on the page alone.
type Best struct {
	Place int         // index of the best block in Page.Blocks
	Says  []float64   // for each atom, how much the page is about it, from 0 on; nil if no ranks are needed
	Label label.Label // label of the best block
	Print Print
	// Stored is set if an index of words has the page. Its blocks can then be read one by one,
	// in the way that Reading says.
	Stored  bool
	Reading Reading
}

// Print is the fingerprint of the main text of a page, see facts.Kept.MainPrint. Pages with
// similar texts have fingerprints that differ in few bits.
type Print struct {
	Bits  uint64
	Has   bool // the page has a fingerprint
	Known bool // Bits and Has are known
}

// Factors are the three summands of Best.Says, for each atom: from the best block, the whole
// page, and the title.
type Factors struct {
	Place               int // index of the best block in Page.Blocks
	Block, Whole, Title []float64
}

// The constants of Rank. The constants named Length are from 0 to 1, and say how much a word
// counts less in a longer text. The constants named usual are the numbers of terms of a usual
// text.
//
// Bounder must compute exactly the score of a simple page. So the products are converted to float64:
// then no processor adds to them before it rounds them.
const (
	saturation = 1.2 // k1 of BM25: how much a word counts when it occurs again
	linkedPart = .1  // how much a word in a link counts, because it is about another page

	blockLength, usualBlock = .5, 80
	wholeLength, usualWhole = .3, 400
	titleLength, usualTitle = .75, 8

	wholeWeight   = 2.0
	coveredWeight = 5.0 // if the title has the words of the query and no others
)

// LabelWeight returns the factor by which the words of a block count, from the label (the
// purpose) of the block. Because words in links count little already, most labels need no
// factor.
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

// saturated returns BM25's weight of a word that occurs n times in a text. The parameter length
// is the relativeLength of the text.
func saturated(n, length float64) float64 {
	return n * (saturation + 1) / (n + float64(saturation*length))
}

// relativeLength returns the factor of BM25 for the length of a text: 1 for a text of the usual
// number of terms, and more for a longer text. The parameter b says how much the length
// matters, from 0 to 1.
func relativeLength(terms int, usual, b float64) float64 {
	return 1 - b + float64(b*float64(terms))/usual
}

// Rank returns how well the page p answers q.
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

// Explain returns the numbers that Rank adds up to Best.Says: for each word of q, what the best
// block, the whole page and the title contribute. They are 0 for words that q excludes.
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

// Found returns how often the block has the atom with this number. An occurrence in a link counts
// as linkedPart of an occurrence.
func (b *Block) Found(atom int) float64 {
	linked := min(b.Counts[atom], b.Linked[atom])
	return float64(b.Counts[atom]-linked) + linkedPart*float64(linked)
}

// weighTitle sets out[i] to the weight of atom i of the query q in the title of a page. That is the
// weight of BM25, and besides it the product of three numbers: coveredWeight, the share of the
// title's words that are in the query, and the share of the query's atoms that are in the title.
func weighTitle(q *match.Query, title string, out []float64) {
	counts := make([]int, len(out))
	terms := q.Count(title, counts)
	if terms == 0 {
		return
	}
	asked, had, covered := 0, 0, 0 // number of atoms, of atoms in the title, and of the terms of the atoms in the title
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

// Score returns the score of a page, by which pages are sorted: the sum over all atoms of Says
// times rarity. rarity has the result of Counts.Rarity.
func (b *Best) Score(rarity []float64) float64 {
	sum := 0.0
	for a, says := range b.Says {
		sum += float64(says * rarity[a])
	}
	return sum
}
