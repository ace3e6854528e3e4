package relation

import "infomall/store/record"

// Evidence says on which further captures of a URL a row depends, besides the
// capture from which it was made. It is a set, one bit for each kind of capture.
type Evidence uint8

// The values of Evidence. "The version" is the one of the capture from which the
// row was made.
const (
	// OnBefore is the capture before the row's capture, and the first capture of
	// its version.
	OnBefore Evidence = 1 << iota
	// OnVersion is all captures of the version, and the capture after the last of
	// them.
	OnVersion
	// OnEarlier is all earlier captures of the URL.
	OnEarlier
	// OnURL is all captures of the URL.
	OnURL
)

// on returns a copy of c that depends on further captures.
func (c Column) on(e Evidence) Column {
	c.stands |= e
	return c
}

// evidence returns on which further captures the column depends.
func (c *Column) evidence() Evidence {
	e := c.stands
	if c.Needs&(record.ColChange|record.ColPrevious|record.ColVersionTime) != 0 {
		e |= OnBefore
	}
	if c.Ahead {
		e |= OnVersion
	}
	return e
}

// Evidence returns on which further captures of its URL a row of n depends, by the
// columns that the query reads. It leaves out what the row says by being chosen,
// such as that a version is the last.
func (n *Request) Evidence() Evidence {
	e := n.Relation.stands
	for _, f := range n.Fields {
		e |= f.evidence()
	}
	return e
}
