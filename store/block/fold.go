package block

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"infomall/store/record"
)

// Skeleton is the digest of a layout in which runs of blocks count as one, and
// so do repeats of equal groups of them, white space between them left out:
// two versions that differ only in how many blocks stand side by side have one
// skeleton.
func Skeleton(layout []byte) (record.Digest, error) {
	open := []folded{{}}
	err := eachMark(layout, func(text []byte, kind byte) error {
		top := &open[len(open)-1]
		top.text(text)
		switch kind {
		case markLeaf:
			top.unit([]byte{mark, markLeaf})
		case markZero:
			top.text([]byte{mark, markZero})
		case markOpen:
			open = append(open, folded{})
		case markClose:
			if len(open) == 1 {
				return fmt.Errorf("%w: a block ends that did not begin", ErrLayout)
			}
			// A digest stands for the group: nesting then costs nothing.
			inner := sha256.Sum256(top.out)
			open = open[:len(open)-1]
			open[len(open)-1].unit(append([]byte{mark, markOpen}, inner[:]...))
		}
		return nil
	})
	if err == nil && len(open) != 1 {
		err = fmt.Errorf("%w: a block does not end", ErrLayout)
	}
	if err != nil {
		return record.Digest{}, err
	}
	return sha256.Sum256(open[0].out), nil
}

// folded is what lies inside one group, folded.
type folded struct {
	out  []byte
	last []byte // the unit that out ends with, but for white space; nil if none
	end  int    // where that unit ends in out
}

func (f *folded) text(b []byte) {
	f.out = append(f.out, b...)
	if len(bytes.TrimSpace(b)) > 0 {
		f.last = nil
	}
}

// unit adds a block, or a group of them, unless an equal one came right before.
func (f *folded) unit(u []byte) {
	if f.last != nil {
		f.out = f.out[:f.end]
		if bytes.Equal(f.last, u) {
			return
		}
	}
	f.out = append(f.out, u...)
	f.last, f.end = u, len(f.out)
}
