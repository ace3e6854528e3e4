package divide

import (
	"encoding/binary"

	"infomall/store/packed"
)

// AppendBlocks appends the blocks of the tree to dst in a compact form, which TakeBlocks reads. A
// block takes some ten bytes.
func (t *Tree) AppendBlocks(dst []byte) []byte {
	blocks := t.Blocks
	dst = binary.AppendUvarint(dst, uint64(len(blocks)))
	dst = binary.AppendUvarint(dst, uint64(blocks[0].End))
	last := 0
	for n := 1; n < len(blocks); n++ {
		b := &blocks[n]
		dst = binary.AppendUvarint(dst, uint64(b.Start-last))
		dst = binary.AppendUvarint(dst, uint64(b.End-b.Start))
		dst = binary.AppendUvarint(dst, uint64(n-b.Parent))
		dst = binary.AppendUvarint(dst, uint64(b.Next-n))
		dst = packed.AppendSized(append(dst, byte(b.Depth)), b.Path[len(blocks[b.Parent].Path):])
		last = b.Start
	}
	return dst
}

// TakeBlocks sets t.Blocks to the blocks that AppendBlocks wrote. It returns false if the bytes in r
// are not such blocks.
func (t *Tree) TakeBlocks(r *packed.Reader) bool {
	blocks := make([]Block, r.Count())
	if len(blocks) == 0 {
		return false
	}
	var paths []byte
	ends := make([]int, len(blocks)) // where the path of each block ends in paths
	last := 0
	blocks[0].End = r.Number()
	for n := 1; n < len(blocks); n++ {
		b := &blocks[n]
		last += r.Number()
		b.Start = last
		b.End = last + r.Number()
		b.Parent, b.Next, b.Depth = n-r.Number(), n+r.Number(), int(r.Byte())
		if r.Bad || b.Parent < 0 || b.Parent >= n || b.Next <= n || b.Next > len(blocks) {
			return false
		}
		if p := b.Parent; p > 0 {
			paths = append(paths, paths[ends[p-1]:ends[p]]...)
		}
		paths = append(paths, r.Sized()...)
		ends[n] = len(paths)
	}
	all := string(paths)
	for n := 1; n < len(blocks); n++ {
		blocks[n].Path = all[ends[n-1]:ends[n]]
	}
	if len(blocks) > 1 { // a page that shows nothing has 0
		blocks[0].Next = len(blocks)
	}
	t.Blocks = blocks
	return !r.Bad
}
