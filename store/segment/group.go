package segment

import (
	"fmt"

	"github.com/klauspost/compress/zstd"

	"infomall/store/packed"
	"infomall/store/segment/column"
)

// The columns that follow the front columns in the meta of a run, in the order in
// which they are stored. Those of one group are together.
const (
	colHolders   = iota // of entries with BodyHeld or BodyElsewhere
	colHolderKey        // of entries with BodyElsewhere

	colDigests  // 32 bytes for each entry with a body and without flagSameID
	colContents // 8 bytes for each entry with flagContent and without flagSameID

	colTitle // this and the others of its group, for each entry with a body and without flagSameID
	colLang
	colCharset
	colDeclaredCharset
	colReason
	colCharsetSource
	colUnread
	colReadBytes
	colLinkCount
	colBlockCount

	colRecipes // of entries with BodyOwn
	colBlockLens
	colBlockIDs // 16 bytes for each block that is not alone a body

	colIP
	colOrigin
	colAskedURL
	colLocation
	colSource
	colRefersURL
	colRefersTime
	colHead
	colFraming
	colExtra

	colRecordID
	colDeclared
	backCols
)

// The groups of columns of the meta of a run, in the order in which they are stored.
// Each group is compressed by itself, so a reader decompresses only the groups that it
// needs.
const (
	groupCaptures = iota // format, layout and front; which segment has a body
	groupIDs             // what the bodies are
	groupPages           // what was read from the bodies
	groupBlocks          // of which blocks the bodies consist
	groupResponse        // what the servers said, and where the captures come from
	groupNames           // names of records and declared digests, which hardly compress
	groups
)

// columnsOf says which columns a group has: from <= column < to.
type columnsOf struct{ from, to int }

// groupColumns has the columns of each group.
var groupColumns = [groups]columnsOf{
	{colHolders, colDigests}, {colDigests, colTitle}, {colTitle, colRecipes}, {colRecipes, colIP}, {colIP, colRecordID}, {colRecordID, backCols},
}

// cutGroup cuts plain, the columns of a group, into cols. They share plain's memory. A
// group whose columns are all empty has no bytes.
func cutGroup(cols *[backCols][]byte, group int, plain []byte) error {
	if len(plain) == 0 {
		return nil
	}
	r := packed.Reader{B: plain}
	of := groupColumns[group]
	for i := of.from; i < of.to; i++ {
		cols[i] = r.Sized()
	}
	if r.Bad || len(r.B) != 0 {
		return column.ErrDamaged
	}
	return nil
}

// frames cuts data, the data of a run, into the compressed groups of columns and the
// compressed content. All share data's memory.
func (h *recordHead) frames(data []byte) (meta [groups][]byte, content []byte, err error) {
	if len(h.metaLengths) != groups {
		return meta, nil, errLengths
	}
	for i, n := range h.metaLengths {
		if n > len(data) {
			return meta, nil, errLengths
		}
		meta[i], data = data[:n], data[n:]
	}
	return meta, data, nil
}

// metaSize returns the size of the frames of a run's meta when they are decompressed.
func metaSize(frames [groups][]byte) (size int, err error) {
	for _, f := range frames {
		if len(f) == 0 {
			continue
		}
		var h zstd.Header
		if err := h.Decode(f); err != nil {
			return 0, err
		}
		n := h.FrameContentSize
		if !h.HasFCS { // The encoder leaves the size of some small frames out.
			plain, err := decoder().DecodeAll(f, nil)
			if err != nil {
				return 0, err
			}
			n = uint64(len(plain))
		}
		if n > runUnzipMax {
			return 0, errLengths
		}
		size += int(n)
	}
	return size, nil
}

// need decompresses those of the groups that were not decompressed before. The caller
// holds m.mu.
func (m *Meta) need(groups ...int) error {
	for _, g := range groups {
		if len(m.frames[g]) == 0 {
			continue
		}
		plain, err := decoder().DecodeAll(m.frames[g], nil)
		if err == nil {
			err = cutGroup(&m.cols, g, plain)
		}
		if err != nil {
			return err
		}
		m.frames[g] = nil
	}
	return nil
}

// fault returns err with the place of the run, if err is not nil and the place is known.
func (m *Meta) fault(err error) error {
	if err == nil || m.file == "" {
		return err
	}
	return &Error{File: m.file, Offset: m.offset, Err: fmt.Errorf("run %d: %w", m.number, err)}
}
