package segment

import (
	"github.com/klauspost/compress/zstd"

	"infomall/store/packed"
)

// Contents is a run for a caller that needs some of its blocks and no entries.
// Nothing is decompressed before it is needed. Only one goroutine at a time may use
// it.
type Contents struct {
	Stored  int    // number of bytes that were read for it
	record  []byte // the memory it is in
	head    recordHead
	meta    []byte // compressed meta frame
	frame   []byte // compressed content frame
	bytes   int    // size of the blocks
	content []byte // the decompressed content if it was in memory already, or nil
	ends    []int64
}

// Contents reads and checks run n. It uses the memory of room if that is large
// enough.
func (s *Reader) Contents(n uint32, room []byte) (*Contents, error) {
	rec, from, err := s.recordIn(n, room)
	if err != nil {
		return nil, err
	}
	c, err := openContents(rec)
	if err != nil {
		return nil, &Error{File: s.Info.File, Offset: from, Err: err}
	}
	c.head.segment = s.Info.ID
	return c, nil
}

// openContents parses a record. It keeps a reference to b.
func openContents(b []byte) (*Contents, error) {
	h, data, err := parseHead(b)
	if err != nil {
		return nil, err
	}
	if h.kind != kindRun {
		return nil, errLengths
	}
	c := &Contents{Stored: len(b), record: b, head: h, meta: data[:h.metaLength], frame: data[h.metaLength:]}
	var first zstd.Header
	if err := first.Decode(c.meta); err != nil {
		return nil, err
	}
	size := int(first.FrameContentSize)
	if !first.HasFCS {
		plain, err := decoder().DecodeAll(c.meta, nil)
		if err != nil {
			return nil, err
		}
		size = len(plain)
	}
	c.bytes = h.unzip - size - h.factsLength
	if size < 0 || c.bytes < 0 || c.bytes > h.unzip || h.factsFrom > len(c.frame) {
		return nil, errLengths
	}
	return c, nil
}

// Contents returns the contents of a run that is already open.
func (r *Run) Contents() *Contents {
	c := &Contents{head: r.head, bytes: r.blockBytes(), ends: r.ends}
	c.content, c.frame = r.part()
	return c
}

// blockEnds returns the offset at which each block ends.
func (c *Contents) blockEnds() ([]int64, error) {
	if c.ends != nil {
		return c.ends, nil
	}
	plain, err := decoder().DecodeAll(c.meta, nil)
	if err != nil {
		return nil, err
	}
	rest, _, err := cutMetaHead(plain)
	if err != nil {
		return nil, err
	}
	r := packed.Reader{B: rest}
	if _, err := cutFront(&r); err != nil {
		return nil, err
	}
	var lens []byte
	for range colBlockLens + 1 {
		lens = r.Sized()
	}
	if r.Bad {
		return nil, errColumn
	}
	c.ends, err = blockEnds(lens)
	return c.ends, err
}
