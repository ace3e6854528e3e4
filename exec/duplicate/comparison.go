package duplicate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/exec/dedup"
	"infomall/exec/expr"
	"infomall/exec/op"
	"infomall/exec/relation/result"
	"infomall/exec/spill"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/words"
)

// compared is one page, or one block of a page, that DEDUP compares with
// others. What is seldom needed is in temporary files, because an archive has millions of
// these.
type compared struct {
	about spot // the record of comparison.about with the key and the size
	print spot // the record of comparison.prints; 0 if the text was not read yet, or is missing
	set   spot // the record of comparison.sets with the shingles; 0 if the text was not read yet
	time  record.Time
	state uint8
	cut   bool // the body is incomplete, because the fetch cut it
}

// The states of a page or block in a comparison.
const (
	unread     uint8 = iota // the text was not read yet
	wordless                // the text has no words, so it is a duplicate of nothing
	remembered              // the last DEDUP compared it with all others in this state
	fresh                   // it must be compared with all others
)

// comparison is the state of one DEDUP: all pages, images or blocks (parts of pages)
// that it compares, sorted by key, and their groups. The list has no pointers, so that the
// garbage collector need not go through it.
type comparison struct {
	*duplication
	run    *op.Runner
	list   []compared
	last   int   // the result of the last call of find
	texts  int64 // how many texts were read from the archive
	groups *dedup.Groups
	quotes []quote
	before map[uint32]result.Duplicate // results of the last DEDUP, by index in list
	corpus *dedup.Corpus               // nil unless keywords are compared
	band   *dedup.Bands
	// about has a record for each element of list: its key and its about, as appendAbout writes them.
	about *spans
	// prints has a record for each element of list whose text or picture is known: its print, as
	// appendPrint writes it.
	prints *spans
	sets   *spans // the shingles of texts, four bytes each
	raw    []byte
	key    []byte // memory for find
}

// newComparison queries the archive for the pages, images or blocks that d compares. It
// returns a comparison in which all of them are unread. The caller closes it.
func newComparison(ctx context.Context, d *duplication, run *op.Runner) (_ *comparison, err error) {
	c := &comparison{duplication: d, run: run, band: dedup.NewBands(d.similarity), before: make(map[uint32]result.Duplicate), last: -1}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	for _, s := range []**spans{&c.about, &c.prints, &c.sets} {
		if *s, err = newSpans(run); err != nil {
			return nil, err
		}
	}
	rows, err := run.Rows(ctx, d.there)
	if err != nil {
		return nil, err
	}
	// A row is sorted by its key. Its value is cut, then the about without the key, and the print of
	// a picture.
	sorter := run.Sorter(ctx, 2)
	defer sorter.Close()
	for b, err := range rows {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			at := result.Compared{URL: b.Cols[0].Texts[i], Time: record.Time(b.Cols[1].Ints[i]), Block: b.Cols[3].At(i).Text}
			c.key = at.AppendKey(c.key[:0])
			a := about{bytes: b.Cols[2].At(i).Int, mark: words.Hash(b.Cols[4].At(i).Text + b.Cols[6].At(i).Text)}
			if d.blocks {
				a.mark = uint64(a.bytes)
			}
			c.raw = append(c.raw[:0], 0)
			if b.Cols[5].At(i).Bool {
				c.raw[0] = 1
			}
			c.raw = appendAbout(c.raw, a)
			if c.images {
				c.raw = appendPrint(c.raw, textPrint{body: words.Hash(b.Cols[4].At(i).Text), simhash: uint64(b.Cols[6].Ints[i])})
				c.texts++
			}
			if err := sorter.Add(c.key, c.raw); err != nil {
				return nil, err
			}
		}
	}
	if err := c.takeAll(sorter); err != nil {
		return nil, err
	}
	c.groups = dedup.NewGroups(len(c.list))
	return c, nil
}

// takeAll fills c.list with the rows that newComparison has sorted.
func (c *comparison) takeAll(sorter *spill.Sorter) (err error) {
	var list pieces[compared]
	c.key = c.key[:0]
	for r, err := range sorter.Sorted() {
		if err != nil {
			return err
		}
		if bytes.Equal(r.Key, c.key) {
			continue // two versions of one millisecond count once
		}
		c.key = append(c.key[:0], r.Key...)
		x := compared{time: result.KeyTime(r.Key), cut: r.Val[0] == 1}
		c.raw = append(append(c.raw[:0], r.Val[1:1+aboutBytes]...), r.Key...)
		if x.about, err = c.about.add(c.raw); err != nil {
			return err
		}
		if c.images {
			x.state = fresh
			if x.print, err = c.prints.add(r.Val[1+aboutBytes:]); err != nil {
				return err
			}
		}
		list.add(x)
	}
	c.list = list.join()
	return nil
}

// close closes the temporary files.
func (c *comparison) close() {
	for _, s := range []*spans{c.about, c.prints, c.sets} {
		if s != nil {
			s.file.Close() // an unlinked file: closing frees its space
		}
	}
}

// comparable returns how many pages, blocks or images of c can be compared. A page or
// block without words cannot.
func (c *comparison) comparable() (n int) {
	for i := range c.list {
		if c.list[i].state >= remembered {
			n++
		}
	}
	return n
}

// compare reads the texts of pages that are new or changed since the last DEDUP, and joins
// similar pages into groups. made identifies how prints (fingerprints of texts) are
// computed, as printsMade returns it. A print that the last DEDUP stored is used only if
// it was computed in the same way.
func (c *comparison) compare(ctx context.Context, made string) error {
	err := ctx.Err()
	if err == nil && c.images {
		return c.bySimHash(ctx)
	}
	if err == nil {
		err = c.recall(ctx, made)
	}
	if err != nil {
		return err
	}
	var wanted []uint32
	for i := range c.list {
		if c.list[i].state == unread {
			wanted = append(wanted, uint32(i))
		}
	}
	if err := c.read(ctx, wanted); err != nil {
		return err
	}
	switch c.method {
	case methodSimHash:
		return c.bySimHash(ctx)
	case methodMinHash:
		return c.byNumbers(ctx, c.bandsOf)
	case methodKeywords:
		return c.byKeywords(ctx)
	}
	return c.byShingles(ctx)
}

// report returns a function that shows the user the progress of a phase of the statement.
// unit names in the plural what is counted, such as pages.
func (c *comparison) report(phase, unit string) func(done, total int64) {
	if report := c.s.Report("dedup: "+phase, unit); report != nil {
		return report
	}
	return func(done, total int64) {}
}

// scopesMax is the most URLs that the query for texts may name. If texts of
// more URLs are needed, the query reads all texts in the scope of the
// statement.
const scopesMax = 1000

// read reads the texts of the pages with the given indexes in c.list, and
// computes their shingles and prints. A page whose text is not in the archive
// becomes wordless.
func (c *comparison) read(ctx context.Context, wanted []uint32) error {
	node := c.duplication.texts
	missing := make([]bool, len(c.list)) // of each page in c.list whether it is wanted and its text did not come yet
	urls := make(map[string]bool)
	for _, i := range wanted {
		missing[i] = true
		if len(urls) <= scopesMax {
			at, err := c.page(&c.list[i])
			if err != nil {
				return err
			}
			urls[at.URL] = true
		}
	}
	switch {
	case len(wanted) == 0:
		return nil
	case len(urls) <= scopesMax && len(wanted) < len(c.list):
		var scopes []ast.Scope
		for url := range urls {
			scopes = append(scopes, ast.Scope{From: &ast.String{Value: url}})
		}
		var err error
		if node, err = c.textsOf(scopes); err != nil {
			return err
		}
	}
	rows, err := c.run.Rows(ctx, node)
	if err != nil {
		return err
	}
	for b, err := range rows {
		if err != nil {
			return err
		}
		for n := range b.N {
			at := result.Compared{URL: b.Cols[0].Texts[n], Time: record.Time(b.Cols[1].Ints[n]), Block: b.Cols[2].At(n).Text}
			c.key = at.AppendKey(c.key[:0])
			i, ok, err := c.find(c.key)
			if err != nil {
				return err
			}
			if !ok || !missing[i] {
				continue
			}
			missing[i] = false
			if err := c.take(&c.list[i], words.Hash(b.Cols[3].At(n).Text), b.Cols[4].At(n).Text, b.Cols[5].At(n).Text); err != nil {
				return err
			}
		}
	}
	for i, m := range missing {
		if m {
			c.list[i].state = wordless // the archive has no text of the page
		}
	}
	return nil
}

// take computes the shingles (hashes of consecutive words) of page x. If x is unread, it
// also makes the print and sets the state to fresh. body is a hash of the page's body. text is
// the main text of the page, and all the whole text, which take uses if text has too few
// shingles. A page without words becomes wordless: it is a duplicate of nothing. If the whole
// text is short too, the page has few shingles, so that one word more or less makes it a
// different page. With the method keywords, take replaces each synonym by the base word of its
// line in the list of synonyms.
func (c *comparison) take(x *compared, body uint64, text, all string) (err error) {
	c.texts++
	if synonyms := c.s.Settings().SynonymList(); c.method == methodKeywords && synonyms != nil {
		text, all = synonyms.Base(text), synonyms.Base(all)
	}
	set := expr.Shingles(text)
	if !c.blocks && len(set) < shinglesLeast {
		text = all
		set = expr.Shingles(text)
	}
	if len(set) == 0 {
		x.state = wordless
		x.print, err = c.prints.add(binary.LittleEndian.AppendUint64(c.raw[:0], body))
		return err
	}
	c.raw = c.raw[:0]
	for _, h := range set {
		c.raw = binary.LittleEndian.AppendUint32(c.raw, h)
	}
	if x.set, err = c.sets.add(c.raw); err != nil || x.state != unread {
		return err // the print of x is known from the last DEDUP
	}
	x.state = fresh
	var sum words.Simhash
	sum.Add(text, 1)
	c.raw = appendPrint(c.raw[:0], textPrint{body: body, simhash: sum.Sum()})
	switch c.method {
	case methodMinHash:
		for _, n := range c.band.Of(set, nil) {
			c.raw = binary.LittleEndian.AppendUint32(c.raw, uint32(n))
		}
	case methodKeywords:
		c.raw = appendTerms(c.raw, text)
	}
	x.print, err = c.prints.add(c.raw)
	return err
}

// shingles returns the shingles of page i (hashes of its consecutive words),
// sorted. If they are not in the temporary file, it reads the text from the
// archive first. It is an error if that text is no longer there.
func (c *comparison) shingles(ctx context.Context, i uint32) ([]uint32, error) {
	x := &c.list[i]
	if x.set == 0 {
		if err := c.read(ctx, []uint32{i}); err != nil {
			return nil, err
		}
		if x.set == 0 {
			_, key, err := c.aboutOf(x)
			return nil, cmp.Or(err, fmt.Errorf("a page or block that was compared before is no longer there: %q", key))
		}
	}
	var err error
	if c.raw, err = c.sets.read(x.set, c.raw); err != nil {
		return nil, err
	}
	set := make([]uint32, len(c.raw)/4)
	for i := range set {
		set[i] = binary.LittleEndian.Uint32(c.raw[4*i:])
	}
	return set, nil
}

// bySimHash finds candidates for duplicates: pages whose fingerprints (hashes
// that are similar for similar texts) are near each other. It joins the pages
// of confirmed candidates into groups. Images whose hashes are near each other
// need no further confirmation.
func (c *comparison) bySimHash(ctx context.Context) (err error) {
	var prints []uint64
	var at []uint32
	for i := range c.list {
		if c.list[i].state >= remembered {
			p, err := c.printOf(&c.list[i])
			if err != nil {
				return err
			}
			prints = append(prints, p.simhash)
			at = append(at, uint32(i))
		}
	}
	var list []uint32
	report := c.report("compare", c.what())
	passed := func(done int) { report(int64(done), int64(len(prints))) }
	ended := dedup.Pairs(ctx, prints, c.distance, passed, func(i uint32, others []uint32) bool {
		list = list[:0]
		for _, j := range others {
			list = append(list, at[j])
		}
		switch err = ctx.Err(); {
		case err == nil && c.images:
			for _, j := range list {
				c.groups.Join(at[i], j)
			}
		case err == nil:
			err = c.confirm(ctx, at[i], list)
		}
		return err == nil
	})
	return errors.Join(err, ended)
}

// bandLine is the length in bytes of one sorted entry of byNumbers: band,
// number, and index of the page.
const bandLine = 2 + 8 + 4

// byNumbers finds candidates for duplicates: pages with the same number at the
// same index of their lists of numbers. It joins the pages of confirmed
// candidates into groups. The function of appends the list of numbers of page x
// to dst.
func (c *comparison) byNumbers(ctx context.Context, of func(x *compared, dst []uint64) ([]uint64, error)) (err error) {
	lines := c.run.Lines(ctx)
	defer lines.Close()
	var numbers []uint64
	var line [bandLine]byte
	added := int64(0) // lines
	for i := range c.list {
		if c.list[i].state < remembered {
			continue
		}
		if numbers, err = of(&c.list[i], numbers[:0]); err != nil {
			return err
		}
		binary.BigEndian.PutUint32(line[10:], uint32(i))
		for band, n := range numbers {
			binary.BigEndian.PutUint16(line[:], uint16(band))
			binary.BigEndian.PutUint64(line[2:], n)
			if err := lines.Add(line[:]); err != nil {
				return err
			}
			added++
		}
	}
	var last [bandLine - 4]byte
	var same []uint32 // the pages with the current number
	report, done := c.report("compare", "entries"), int64(0)
	for line, err := range lines.Sorted() {
		if err != nil {
			return err
		}
		report(done, added)
		done++
		if string(line[:10]) != string(last[:]) {
			copy(last[:], line)
			same = same[:0]
		}
		i := binary.BigEndian.Uint32(line[10:])
		if err := c.confirm(ctx, i, same); err != nil {
			return err
		}
		if same = append(same, i); len(same) > sameMax {
			same = c.oneOfEach(same)
		}
	}
	return ctx.Err()
}

// bandsOf appends the MinHash numbers of page x to dst, one number for each
// band, and returns the longer dst. Similar pages probably have an equal number
// in some band.
func (c *comparison) bandsOf(x *compared, dst []uint64) (_ []uint64, err error) {
	p, err := c.printOf(x)
	for n := p.numbers; len(n) > 0; n = n[4:] {
		dst = append(dst, uint64(binary.LittleEndian.Uint32(n)))
	}
	return dst, err
}

// sameMax is the most pages with the same number that are compared with each
// other. If there are more, only the first of each group is compared further.
const sameMax = 64

// oneOfEach returns those pages of list that are the first of their group, but
// at most sameMax. It reuses the memory of list.
func (c *comparison) oneOfEach(list []uint32) []uint32 {
	seen := make(map[uint32]bool, len(list))
	list = slices.DeleteFunc(list, func(i uint32) bool {
		of := c.groups.Of(i)
		defer func() { seen[of] = true }()
		return seen[of]
	})
	return list[:min(len(list), sameMax)]
}

// confirm compares page i with each page of others, by their shingles, and
// joins those that are similar enough into one group. It skips pairs that the
// last DEDUP has compared.
func (c *comparison) confirm(ctx context.Context, i uint32, others []uint32) error {
	var set []uint32
	for _, j := range others {
		if c.groups.Of(i) == c.groups.Of(j) || c.list[i].state == remembered && c.list[j].state == remembered {
			continue
		}
		if set == nil {
			var err error
			if set, err = c.shingles(ctx, i); err != nil {
				return err
			}
		}
		other, err := c.shingles(ctx, j)
		if err != nil {
			return err
		}
		if dedup.Jaccard(set, other) >= c.similarity {
			c.groups.Join(i, j)
		}
	}
	return nil
}

// dedupStats has the totals of a DEDUP: groups, duplicates, exact duplicates,
// the bytes of all duplicates, and the bytes that the archive saves because a
// body occurs twice in a group.
type dedupStats struct{ groups, duplicates, exact, bytes, saved int64 }

// member adds a duplicate to the totals. bytes is the size of its body. exact is set if its whole
// body, and not only its words, is equal to that of the representative (the earliest page) of its
// group. saved is set if an earlier member of the group has the same body.
func (s *dedupStats) member(bytes int64, exact, saved bool) {
	s.duplicates++
	s.bytes += bytes
	if exact {
		s.exact++
	}
	if saved {
		s.saved += bytes
	}
}

// duplicates returns the members of all groups of two or more, sorted by the
// keys of their rows, and the totals. The representative of a group is its
// earliest member; of several earliest, it is the first in SURT order.
func (c *comparison) duplicates(ctx context.Context) (found []result.Duplicate, stats dedupStats, err error) {
	members := make(map[uint32][]uint32)
	for i := range c.list {
		if of := c.groups.Of(uint32(i)); of != uint32(i) {
			members[of] = append(members[of], uint32(i))
		}
	}
	report := c.report("groups", c.what())
	for of := range c.list {
		list := members[uint32(of)]
		if list == nil {
			continue
		}
		report(int64(of), int64(len(c.list)))
		list = append(list, uint32(of))
		slices.SortFunc(list, func(i, j uint32) int {
			return cmp.Or(cmp.Compare(c.list[i].time, c.list[j].time), cmp.Compare(i, j))
		})
		if found, err = c.members(ctx, list, found, &stats); err != nil {
			return nil, stats, err
		}
	}
	quoted := c.quoted()
	for n, g := range quoted {
		report(int64(n), int64(len(quoted)))
		if found, err = c.members(ctx, g, found, &stats); err != nil {
			return nil, stats, err
		}
	}
	slices.SortFunc(found, func(a, b result.Duplicate) int {
		return cmp.Or(strings.Compare(string(a.AppendKey(nil)), string(b.AppendKey(nil))), cmp.Compare(a.Group, b.Group))
	})
	return found, stats, nil
}

// members appends the members of one group to found, adds them to the totals in
// stats, and returns the longer found. list has the indexes of the members; the
// first is the representative.
func (c *comparison) members(ctx context.Context, list []uint32, found []result.Duplicate, stats *dedupStats) ([]result.Duplicate, error) {
	stats.groups++
	bodies := make(map[uint64]bool)
	if err := c.readMembers(ctx, list); err != nil {
		return nil, err
	}
	keywords, err := c.keywordsOf(list[0])
	if err != nil {
		return nil, err
	}
	var first textPrint
	for n, i := range list {
		x := &c.list[i]
		p, err := c.printOf(x)
		if err != nil {
			return nil, err
		}
		p.numbers = nil
		if n == 0 {
			first = p
		}
		d, err := c.duplicate(ctx, i, list[0], words.Distance(p.simhash, first.simhash))
		if err != nil {
			return nil, err
		}
		d.Group, d.Keywords, d.Representative = stats.groups, keywords, n == 0
		if n > 0 {
			a, _, err := c.aboutOf(x)
			if err != nil {
				return nil, err
			}
			exact := p.body == first.body && !x.cut && !c.list[list[0]].cut
			stats.member(a.bytes, exact, bodies[p.body])
		}
		bodies[p.body] = true
		found = append(found, d)
	}
	return found, nil
}

// readMembers reads, in one query, the texts of those pages of a group that
// duplicate must compare with their representative and that were not read yet.
// list has the indexes of the group's members, the representative first.
func (c *comparison) readMembers(ctx context.Context, list []uint32) error {
	if c.images {
		return nil
	}
	var wanted []uint32
	for _, i := range list {
		if _, known := c.known(i, list[0]); !known && c.list[i].set == 0 {
			wanted = append(wanted, i)
		}
	}
	if first := list[0]; len(wanted) > 0 && wanted[0] != first && c.list[first].set == 0 {
		wanted = append(wanted, first)
	}
	return c.read(ctx, wanted)
}

// known returns what the last DEDUP stored about page i as a duplicate of
// first, its representative. The bool is false if it stored nothing about this
// pair.
func (c *comparison) known(i, first uint32) (result.Duplicate, bool) {
	d, ok := c.before[i]
	f, also := c.before[first]
	return d, ok && also && f.Representative && f.Group == d.Group
}

// duplicate returns how similar page i is to first, its representative. It
// compares the two, unless the last DEDUP stored the result. distance is the number of bits in
// which their fingerprints differ.
func (c *comparison) duplicate(ctx context.Context, i, first uint32, distance int) (result.Duplicate, error) {
	if d, ok := c.known(i, first); ok {
		return d, nil
	}
	d := result.Duplicate{Method: c.method, Distance: distance}
	var err error
	if d.Compared, err = c.page(&c.list[i]); err != nil {
		return d, err
	}
	if c.images {
		d.Similarity = 1 - float64(d.Distance)/64
		return d, nil
	}
	of, err := c.shingles(ctx, first)
	if err != nil {
		return d, err
	}
	set, err := c.shingles(ctx, i)
	d.Similarity, d.Containment = dedup.Jaccard(of, set), dedup.Containment(of, set)
	return d, err
}

// duplicateRows yields one row per duplicate in found, for the archive to
// store.
func duplicateRows(found []result.Duplicate) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		for i := range found {
			if !yield(found[i].Row(), nil) {
				return
			}
		}
	}
}
