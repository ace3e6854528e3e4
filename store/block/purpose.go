package block

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

// String is the label as a query shows it.
func (l Label) String() string { return labelNames[l] }

// evidence is a score for each label.
type evidence [Other + 1]float64

// add adds other evidence, multiplied by weight. nil adds nothing.
func (e *evidence) add(o *evidence, weight float64) {
	if o == nil {
		return
	}
	for l, v := range o {
		e[l] += weight * v
	}
}

// best returns the label with the highest score.
func (e *evidence) best() Label {
	best := Other
	for l := range e {
		if e[l] > e[best] {
			best = Label(l)
		}
	}
	return best
}
