package indexfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// tree reads the file of a bbolt database. bbolt itself only writes such files and maps them into
// memory: it does not check what it reads, and in a damaged file it may go round a circle of pages
// until the stack is full, which ends the program. The numbers below are sizes in bytes:
//
//	page      id 8, flags 2, count 2, overflow 4, then the elements, then keys and values
//	branch    each element: position 4, key size 4, page 8
//	leaf      each element: flags 4, position 4, key size 4, value size 4
//	meta      pages 0 and 1; the one with the higher transaction number is valid
//	bucket    the value of a leaf element: root page 8, sequence 8; if the root is 0, the
//	          bucket's only page follows
type tree struct {
	mapped   []byte      // the content of the file, if it is mapped into memory
	f        io.ReaderAt // the file, if it is read by ranges
	size     int64
	pageSize int64
	root     uint64
	pages    uint64 // how many pages there are
}

const (
	pageHead   = 16
	elemBytes  = 16
	bucketHead = 16

	flagBranch = 1
	flagLeaf   = 2
	flagMeta   = 4
	flagBucket = 1 // flag of a leaf element whose value is a bucket

	metaMagic   = 0xed0cdaed
	metaVersion = 2
	metaBytes   = 64

	// treeDepthMax is how many levels a tree may have at most. In a damaged file, a page may be
	// its own descendant; the bound ends the way down.
	treeDepthMax = 32
	// pageBytesMax is how many bytes a page may have at most, with its overflow. The values of
	// an index are smaller.
	pageBytesMax = 256 << 20
)

// part returns the n bytes of the file from the offset at on, or fewer if the file ends before.
func (t *tree) part(at, n int64) ([]byte, error) {
	n = max(0, min(n, t.size-at))
	if t.f == nil {
		return t.mapped[at : at+n : at+n], nil
	}
	b := make([]byte, n)
	if _, err := t.f.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// openMapped returns the tree of a database whose file is mapped into memory. It reads only the
// meta pages.
func openMapped(content []byte) (*tree, error) {
	t := &tree{mapped: content, size: int64(len(content))}
	return t, t.open()
}

// openRanges does the same for a file of size bytes that is read by ranges.
func openRanges(f io.ReaderAt, size int64) (*tree, error) {
	t := &tree{f: f, size: size}
	return t, t.open()
}

// open reads the meta pages.
func (t *tree) open() error {
	newest := uint64(0)
	// The second meta page begins after the first one, which says how large a page is. If the first
	// one is damaged, open takes the page size of index files.
	at, found := int64(0), false
	for range 2 {
		b, err := t.part(at, pageHead+metaBytes)
		if err != nil {
			return err
		}
		if len(b) < pageHead+metaBytes {
			break
		}
		m := b[pageHead:]
		sum := fnv.New64a()
		sum.Write(m[:56])
		pageSize, txid := int64(binary.LittleEndian.Uint32(m[8:])), binary.LittleEndian.Uint64(m[48:])
		whole := binary.LittleEndian.Uint16(b[8:])&flagMeta != 0 && binary.LittleEndian.Uint32(m) == metaMagic && binary.LittleEndian.Uint32(m[4:]) == metaVersion &&
			sum.Sum64() == binary.LittleEndian.Uint64(m[56:]) && pageSize >= 512 && pageSize <= 1<<20
		if whole && (!found || txid > newest) {
			found, newest, t.pageSize = true, txid, pageSize
			t.root, t.pages = binary.LittleEndian.Uint64(m[16:]), binary.LittleEndian.Uint64(m[40:])
		}
		if at = indexPage; whole {
			at = pageSize
		}
	}
	if !found {
		return fmt.Errorf("%w: it has no whole meta page", ErrDamaged)
	}
	return nil
}

// treePage is one page in memory.
type treePage struct {
	b     []byte
	flags uint16
	count int
}

// page reads the page with this id and the pages with its overflow.
func (t *tree) page(id uint64) (treePage, error) {
	if id < 2 || id >= t.pages || int64(id) > t.size/t.pageSize {
		return treePage{}, fmt.Errorf("%w: it has no page %d", ErrDamaged, id)
	}
	at := int64(id) * t.pageSize
	b, err := t.part(at, t.pageSize)
	if err != nil {
		return treePage{}, err
	}
	if len(b) < pageHead || binary.LittleEndian.Uint64(b) != id {
		return treePage{}, fmt.Errorf("%w: page %d is another page", ErrDamaged, id)
	}
	if over := int64(binary.LittleEndian.Uint32(b[12:])); over > 0 {
		n := (over + 1) * t.pageSize
		if n > pageBytesMax || at+n > t.size+t.pageSize {
			return treePage{}, fmt.Errorf("%w: page %d has the overflow %d", ErrDamaged, id, over)
		}
		if t.f == nil {
			b, err = t.part(at, n)
		} else {
			var rest []byte
			rest, err = t.part(at+t.pageSize, n-t.pageSize)
			b = append(b, rest...)
		}
		if err != nil {
			return treePage{}, err
		}
	}
	return newTreePage(b)
}

// newTreePage returns the page that b holds, after a check of its head.
func newTreePage(b []byte) (treePage, error) {
	if len(b) < pageHead {
		return treePage{}, ErrDamaged
	}
	p := treePage{b, binary.LittleEndian.Uint16(b[8:]), int(binary.LittleEndian.Uint16(b[10:]))}
	if p.flags != flagBranch && p.flags != flagLeaf || pageHead+p.count*elemBytes > len(b) || p.flags == flagBranch && p.count == 0 {
		return p, fmt.Errorf("%w: a page of it has the flags %d and the count %d", ErrDamaged, p.flags, p.count)
	}
	return p, nil
}

// key returns the key of element i.
func (p *treePage) key(i int) ([]byte, error) {
	e := p.b[pageHead+i*elemBytes:]
	if p.flags == flagBranch {
		return p.part(i, binary.LittleEndian.Uint32(e), 0, binary.LittleEndian.Uint32(e[4:]))
	}
	return p.part(i, binary.LittleEndian.Uint32(e[4:]), 0, binary.LittleEndian.Uint32(e[8:]))
}

// value returns the value of element i of a leaf, and the element's flags.
func (p *treePage) value(i int) (v []byte, flags uint32, err error) {
	e := p.b[pageHead+i*elemBytes:]
	v, err = p.part(i, binary.LittleEndian.Uint32(e[4:]), binary.LittleEndian.Uint32(e[8:]), binary.LittleEndian.Uint32(e[12:]))
	return v, binary.LittleEndian.Uint32(e), err
}

// child returns the id of the page to which element i of a branch refers.
func (p *treePage) child(i int) uint64 {
	return binary.LittleEndian.Uint64(p.b[pageHead+i*elemBytes+8:])
}

// part returns the n bytes of the page that begin pos+skip bytes after the beginning of element i.
// pos is the position that element i states. The error is ErrDamaged if the page ends before.
func (p *treePage) part(i int, pos, skip, n uint32) ([]byte, error) {
	from := int64(pageHead+i*elemBytes) + int64(pos) + int64(skip)
	if from+int64(n) > int64(len(p.b)) {
		return nil, fmt.Errorf("%w: an element of it ends after its page", ErrDamaged)
	}
	return p.b[from : from+int64(n) : from+int64(n)], nil
}

// bucket returns a cursor for the bucket with this name, or nil if there is none.
func (t *tree) bucket(name []byte) (*treeCursor, error) {
	top := &treeCursor{t: t, root: t.root}
	k, err := top.move(name)
	if err != nil || !bytes.Equal(k, name) {
		return nil, err
	}
	v, flags, err := top.value()
	if err != nil || flags&flagBucket == 0 {
		return nil, err
	}
	if len(v) < bucketHead {
		return nil, fmt.Errorf("%w: bucket %s is short", ErrDamaged, name)
	}
	c := &treeCursor{t: t, root: binary.LittleEndian.Uint64(v)}
	if c.root == 0 {
		inline, err := newTreePage(v[bucketHead:])
		if err == nil && inline.flags != flagLeaf {
			err = ErrDamaged
		}
		if err != nil {
			return nil, err
		}
		c.inline = &inline
	}
	return c, nil
}

// treeCursor is a place in a bucket: a stack with one page for each level, and the index of an
// element in each page.
type treeCursor struct {
	t      *tree
	root   uint64
	inline *treePage // the only page of a small bucket; nil if it has pages of its own
	stack  []treeLevel
	last   []byte      // the key that the cursor returned last; the next one must be larger; nil after a seek
	aside  *treeCursor // another cursor of the bucket, see the method other; nil at first
}

// other returns another cursor of the bucket, always the same.
func (c *treeCursor) other() *treeCursor {
	if c.aside == nil {
		c.aside = &treeCursor{t: c.t, root: c.root, inline: c.inline}
	}
	return c.aside
}

type treeLevel struct {
	p treePage
	i int
}

// down pushes the page id onto the stack, and then one descendant after the other down to a
// leaf. The function choose returns the index of the element of a page to follow.
func (c *treeCursor) down(id uint64, choose func(p *treePage) (int, error)) (err error) {
	for {
		if len(c.stack) == treeDepthMax {
			return fmt.Errorf("%w: its pages form a circle", ErrDamaged)
		}
		c.stack = append(c.stack, treeLevel{})
		at := &c.stack[len(c.stack)-1]
		if c.inline != nil {
			at.p = *c.inline
		} else if at.p, err = c.t.page(id); err != nil {
			return err
		}
		if at.i, err = choose(&at.p); err != nil {
			return err
		}
		if at.p.flags == flagLeaf {
			return nil
		}
		id = at.p.child(at.i)
	}
}

// find returns the index of the first element of a leaf whose key is not less than key, or of
// the last element of a branch whose key is not greater.
func find(p *treePage, key []byte) (int, error) {
	lo, hi := 0, p.count
	for lo < hi {
		mid := (lo + hi) / 2
		k, err := p.key(mid)
		if err != nil {
			return 0, err
		}
		if c := bytes.Compare(k, key); c < 0 || c == 0 && p.flags == flagBranch {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if p.flags == flagBranch {
		return max(lo-1, 0), nil
	}
	return lo, nil
}

// move moves to the first pair whose key is key or comes after it. It returns the key of that
// pair, or nil if there is none.
func (c *treeCursor) move(key []byte) ([]byte, error) {
	c.stack, c.last = c.stack[:0], nil
	if err := c.down(c.root, func(p *treePage) (int, error) { return find(p, key) }); err != nil {
		return nil, err
	}
	if last := c.stack[len(c.stack)-1]; last.i == last.p.count {
		return c.step()
	}
	return c.key()
}

// step moves to the next leaf. It returns the first key of that leaf, or nil if there is none.
func (c *treeCursor) step() ([]byte, error) {
	n := len(c.stack) - 1
	for c.stack = c.stack[:n]; n > 0; n-- {
		if last := &c.stack[n-1]; last.i+1 < last.p.count {
			last.i++
			break
		}
		c.stack = c.stack[:n-1]
	}
	if n <= 0 {
		return nil, nil
	}
	last := c.stack[n-1]
	if err := c.down(last.p.child(last.i), func(*treePage) (int, error) { return 0, nil }); err != nil {
		return nil, err
	}
	if c.stack[len(c.stack)-1].p.count == 0 {
		return nil, fmt.Errorf("%w: a page of it is empty", ErrDamaged)
	}
	return c.key()
}

// key returns the current key.
func (c *treeCursor) key() ([]byte, error) {
	last := c.stack[len(c.stack)-1]
	return last.p.key(last.i)
}

// value returns the current value, and the flags of its element.
func (c *treeCursor) value() ([]byte, uint32, error) {
	last := c.stack[len(c.stack)-1]
	return last.p.value(last.i)
}

// pair returns the pair at the cursor. k and err are what the method that moved the cursor
// returned. The keys must ascend: if k does not come after the key before, the error is
// ErrDamaged. The value is nil if it is a nested bucket.
func (c *treeCursor) pair(k []byte, err error) (key, v []byte, e error) {
	if k == nil || err != nil {
		return nil, nil, err
	}
	if c.last != nil && bytes.Compare(k, c.last) <= 0 {
		return nil, nil, fmt.Errorf("%w: its keys are not in order", ErrDamaged)
	}
	c.last = k
	v, flags, err := c.value()
	if flags&flagBucket != 0 {
		v = nil
	}
	return k, v, err
}

func (c *treeCursor) seek(key []byte) (k, v []byte, err error) { return c.pair(c.move(key)) }

func (c *treeCursor) next() (k, v []byte, err error) {
	if len(c.stack) == 0 {
		return nil, nil, nil
	}
	if last := &c.stack[len(c.stack)-1]; last.i+1 < last.p.count {
		last.i++
		return c.pair(c.key())
	}
	return c.pair(c.step())
}

// before returns the key before k, at which the cursor is, or the last key of the bucket if k
// is nil. It returns nil if there is none. The cursor stays.
func (c *treeCursor) before(k []byte) ([]byte, error) {
	o := c.other()
	if k == nil {
		o.stack = o.stack[:0]
		return o.lastBelow(o.root)
	}
	if _, err := o.move(k); err != nil {
		return nil, err
	}
	for n := len(o.stack) - 1; n >= 0; n-- {
		if o.stack[n].i > 0 {
			o.stack[n].i--
			if n == len(o.stack)-1 {
				return o.key()
			}
			id := o.stack[n].p.child(o.stack[n].i)
			o.stack = o.stack[:n+1]
			return o.lastBelow(id)
		}
	}
	return nil, nil
}

func (c *treeCursor) lastBelow(id uint64) ([]byte, error) {
	if err := c.down(id, func(p *treePage) (int, error) { return max(p.count-1, 0), nil }); err != nil {
		return nil, err
	}
	if last := c.stack[len(c.stack)-1]; last.p.count == 0 {
		return nil, nil
	}
	return c.key()
}

// get returns the value of key, or nil if there is none. The cursor stays.
func (c *treeCursor) get(key []byte) ([]byte, error) {
	k, v, err := c.other().seek(key)
	if err != nil || !bytes.Equal(k, key) {
		return nil, err
	}
	return v, nil
}
