package segment

import "infomall/store/segment/column"

// WantKeysLater asks a Tally for what LoadKeys needs.
const WantKeysLater Want = 1 << (frontCols + 2)

// LoadKeys sets t.Keys. The cursor must have WantKeysLater among its columns. It serves
// a caller who needs the keys of few chunks: to decode keys takes most of the time of a
// chunk.
func (t *Tally) LoadKeys() (err error) {
	stems, err := column.CutEndings(&t.ends, t.stored, t.urls)
	if err == nil {
		t.Keys, err = column.DecodeKeys(t.Keys, stems, t.urls, &t.ends)
	}
	return err
}

// Titles returns the titles of the pages. Most titles of a run come once in the list,
// however many entries have them.
func (p *Pages) Titles() []string { return p.text[0].List }

// TitleAt returns the index in Titles of the title of entry i, or -1 if the entry has no
// body.
func (p *Pages) TitleAt(i int) int {
	t, n := &p.text[0], int(p.at[i])
	switch {
	case n < 0 || len(t.List) == 1:
		return min(n, 0)
	case t.At != nil:
		return int(t.At[n])
	}
	return n
}
