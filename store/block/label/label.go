// Package label has the labels of blocks: the purposes that a block may have, such
// as nav or main. It reads the purposes that elements declare by their tag, class,
// id and role. The words of class, id and role are in labels.txt.
//
// # Words
//
//	label     the purpose of a block, such as nav or main
//	name      one name in the value of a class, id or role, such as "leftNav_2"
//	evidence  a score for each label; the label with the highest score is the best
package label

// Label is the purpose of a block.
type Label uint8

// The labels, in the order of the manual.
const (
	Main Label = iota
	Nav
	Header
	Footer
	Aside
	Ad
	Form
	List
	Media
	Other
)

var labelNames = [...]string{"main", "nav", "header", "footer", "aside", "ad", "form", "list", "media", "other"}

// String returns the name of the label as a query shows it, such as "nav".
func (l Label) String() string { return labelNames[l] }

// Evidence is a score for each label: the higher the score, the more likely a
// block has the label.
type Evidence [Other + 1]float64

// Add adds the scores of o, multiplied by weight, to e. If o is nil, it adds
// nothing.
func (e *Evidence) Add(o *Evidence, weight float64) {
	if o == nil {
		return
	}
	for l, v := range o {
		e[l] += weight * v
	}
}

// Best returns the label with the highest score, or Other if no score is higher
// than that of Other.
func (e *Evidence) Best() Label {
	best := Other
	for l := range e {
		if e[l] > e[best] {
			best = Label(l)
		}
	}
	return best
}
