package duplicate

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"sort"

	"infomall/exec/relation/result"
)

// about is what a comparison needs of each page or block from the beginning, without the key.
type about struct {
	mark  uint64 // changes when the page or block of this key changes
	bytes int64  // the size of the body
}

// aboutBytes is how many bytes appendAbout appends.
const aboutBytes = 16

// appendAbout appends a to dst. In the file comparison.about, the key follows.
func appendAbout(dst []byte, a about) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, a.mark), uint64(a.bytes))
}

// aboutOf returns the about and the key of page x. The key names the page or block, as
// result.Compared.AppendKey writes it. It is valid until the next call.
func (c *comparison) aboutOf(x *compared) (a about, key []byte, err error) {
	if c.raw, err = c.about.read(x.about, c.raw); err != nil {
		return about{}, nil, err
	}
	a.mark, a.bytes = binary.LittleEndian.Uint64(c.raw), int64(binary.LittleEndian.Uint64(c.raw[8:]))
	return a, c.raw[aboutBytes:], nil
}

// page returns what the key of page x names.
func (c *comparison) page(x *compared) (result.Compared, error) {
	_, key, err := c.aboutOf(x)
	if err != nil {
		return result.Compared{}, err
	}
	return result.ParseCompared(string(key))
}

// textPrint has the numbers by which a text or picture is compared with others.
type textPrint struct {
	body uint64 // equal for equal bodies
	// The print of a text without words ends here.
	simhash uint64 // a fingerprint: a hash that is similar for similar texts
	numbers []byte // the numbers of MinHash, or the words with their counts if keywords are compared
}

// appendPrint appends p to dst.
func appendPrint(dst []byte, p textPrint) []byte {
	dst = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, p.body), p.simhash)
	return append(dst, p.numbers...)
}

// printOf returns the print of page x. It is empty if the text of x was not read. Its numbers
// are valid until the next call.
func (c *comparison) printOf(x *compared) (p textPrint, err error) {
	if x.print == 0 {
		return textPrint{}, nil
	}
	if c.raw, err = c.prints.read(x.print, c.raw); err != nil {
		return textPrint{}, err
	}
	p.body = binary.LittleEndian.Uint64(c.raw)
	if x.state != wordless {
		p.simhash, p.numbers = binary.LittleEndian.Uint64(c.raw[8:]), c.raw[16:]
	}
	return p, nil
}

// find returns the index in c.list of the page or block with this key, and whether there is one.
// It is fastest if the key is the next one after that of the call before.
func (c *comparison) find(key []byte) (i int, ok bool, err error) {
	compare := func(i int) int {
		_, k, readErr := c.aboutOf(&c.list[i])
		err = cmp.Or(err, readErr)
		return bytes.Compare(key, k)
	}
	from, end := 0, c.last+1
	if end < len(c.list) {
		order := compare(end)
		switch {
		case order == 0:
			c.last = end
			return end, err == nil, err
		case order > 0:
			from, end = end+1, end+1
			for step := 1; end < len(c.list) && compare(end) > 0; step *= 2 {
				from, end = end+1, end+step
			}
			end = min(end+1, len(c.list))
		}
	}
	i, ok = sort.Find(end-from, func(i int) int { return compare(from + i) })
	c.last = from + i
	if !ok {
		c.last--
	}
	return from + i, ok && err == nil, err
}
