package divide

import "infomall/store/page/markup"

type Shares = shares

var ModernShares = modernShares

// With returns the shares with others in place of those that TestMarkedShares
// chooses.
func (s shares) With(openRegion, smallRegion, openModule float64, moduleText int32) Shares {
	return shares{openRegion, s.wrapRegion, smallRegion, openModule, moduleText}
}

// DivideBy divides a page by the modern profile with other shares.
func DivideBy(page *markup.Tree, by Shares) *Tree {
	t := &Tree{Page: page, Blocks: []Block{{End: len(page.Body)}}}
	t.divideModern(by, nil, "")
	t.name()
	return t
}
