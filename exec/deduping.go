package exec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"infomall/exec/dedup"
	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// The queries for what is compared. Of a page that is what it is about: its frame,
// which it shares with others of its site, makes no two pages alike.
const (
	comparedPages  = "SELECT url, time, main, bytes FROM versions WHERE kind = 'page'"
	comparedBlocks = "SELECT url, time, text, bytes, block FROM blocks"
)

const (
	distanceDefault   = 3
	similarityDefault = .8
	// shinglesLeast is how many shingles the text of a page must have: where next
	// to nothing is taken for what a page is about, it is likely part of the frame.
	shinglesLeast = 40
)

// deduping is a DEDUP whose clauses are read.
type deduping struct {
	blocks     bool
	method     string
	distance   int
	similarity float64
	node       plan.Node
}

// planDedup reads the statement.
func (s *Session) planDedup(st *ast.Dedup, env *plan.Env) (*deduping, error) {
	d := &deduping{blocks: st.Of == "blocks", method: cmp.Or(st.Method, "minhash"), distance: distanceDefault, similarity: similarityDefault}
	if st.Distance != nil {
		n, err := plan.ConstantCount(st.Distance, "DISTANCE", env)
		if err != nil {
			return nil, err
		}
		if n > dedup.DistanceMax {
			return nil, ast.Errorf(st.Distance, "DISTANCE takes a whole number from 0 to %d, not %d: fingerprints further apart have nothing to do with each other", dedup.DistanceMax, n)
		}
		if d.distance = int(n); d.method != "simhash" {
			err := ast.Errorf(st.Distance, "minhash has no DISTANCE")
			err.Hint = "write METHOD simhash, or SIMILARITY 0.8"
			return nil, err
		}
	}
	if st.Similarity != nil {
		x, err := plan.ConstantNumber(st.Similarity, "SIMILARITY", env)
		if err != nil {
			return nil, err
		}
		if !(x >= .3 && x <= 1) {
			return nil, ast.Errorf(st.Similarity, "SIMILARITY takes a number from 0.3 to 1, not %v", x)
		}
		d.similarity = x
	}
	asked := linksAsked{scopes: st.Scopes, time: st.Time}
	text := comparedPages
	if d.blocks {
		text = comparedBlocks
	}
	var err error
	d.node, err = asked.plan(text, env)
	return d, err
}

// compared is one page or block.
type compared struct {
	url      string
	time     record.Time
	block    string
	bytes    int64
	from, to int64 // of its shingles in the file, in bytes
}

// comparison is what is compared, with their shingles in a file.
type comparison struct {
	*deduping
	list   []compared
	prints []uint64 // fingerprints
	file   *os.File
	groups *dedup.Groups
	bands  *op.Lines
	band   *dedup.Bands
	raw    []byte
}

// dedup runs DEDUP.
func (s *Session) dedup(ctx context.Context, st *ast.Dedup) (*Result, error) {
	if s.ReadOnly {
		return nil, ast.Errorf(st, "DEDUP writes, and this session only reads")
	}
	begun := time.Now()
	env := s.env()
	d, err := s.planDedup(st, env)
	if err != nil {
		return nil, err
	}
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	run := s.runner(snap, nil)
	c := &comparison{deduping: d, bands: run.Lines(ctx), band: dedup.NewBands(d.similarity)}
	defer c.bands.Close()
	if c.file, err = run.TempFile(); err != nil {
		return nil, err
	}
	defer c.file.Close()
	rows, err := run.Rows(ctx, d.node)
	if err != nil {
		return nil, err
	}
	if err := c.read(rows); err != nil {
		return nil, err
	}
	if err := c.group(ctx); err != nil {
		return nil, err
	}
	found, stats, err := c.duplicates()
	if err != nil {
		return nil, err
	}
	what := "pages"
	if d.blocks {
		what = "blocks"
	}
	kept := record.Result{Kind: record.ResultDuplicates, Name: what, Computed: env.Now, AsOf: env.Now, Statement: st.String()}
	if _, err = s.Archive.SaveResult(ctx, kept, duplicateRows(found)); err != nil {
		return nil, err
	}
	t := newTable(text("of"), text("method"), whole("compared"), whole("groups"), whole("duplicates"), whole("exact"), whole("bytes"), whole("ms"))
	t.add(value.OfText(what), value.OfText(d.method), value.OfInt(int64(len(c.list))), value.OfInt(stats.groups), value.OfInt(stats.duplicates),
		value.OfInt(stats.exact), value.OfInt(stats.bytes), value.OfInt(time.Since(begun).Milliseconds()))
	return t.result(ResultWork, nil), nil
}

// read makes shingles and fingerprints of the texts. What has no words, and
// a page that has hardly any, is no duplicate of anything.
func (c *comparison) read(rows op.Rows) error {
	at := int64(0)
	var numbers []uint64
	for b, err := range rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			text := b.Cols[2].At(i).Text
			set := plan.Shingles(text)
			if len(set) == 0 || !c.blocks && len(set) < shinglesLeast {
				continue
			}
			x := compared{url: strings.Clone(b.Cols[0].Texts[i]), time: record.Time(b.Cols[1].Ints[i]), bytes: b.Cols[3].At(i).Int, from: at}
			if c.blocks {
				x.block = strings.Clone(b.Cols[4].Texts[i])
			}
			c.raw = c.raw[:0]
			for _, h := range set {
				c.raw = binary.LittleEndian.AppendUint32(c.raw, h)
			}
			if _, err := c.file.Write(c.raw); err != nil {
				return fmt.Errorf("write a temporary file of shingles: %w", err)
			}
			at += int64(len(c.raw))
			x.to = at
			var print page.Simhash
			print.Add(text, 1)
			c.prints = append(c.prints, print.Sum())
			if c.method == "minhash" {
				numbers = c.band.Of(set, numbers[:0])
				if err := c.put(numbers, uint32(len(c.list))); err != nil {
					return err
				}
			}
			c.list = append(c.list, x)
		}
	}
	c.groups = dedup.NewGroups(len(c.list))
	return nil
}

// bandLine is the length of what is sorted: band, number, and who has it.
const bandLine = 2 + 8 + 4

// put adds the numbers of a set to those that are sorted.
func (c *comparison) put(numbers []uint64, of uint32) error {
	var line [bandLine]byte
	binary.BigEndian.PutUint32(line[10:], of)
	for band, n := range numbers {
		binary.BigEndian.PutUint16(line[:], uint16(band))
		binary.BigEndian.PutUint64(line[2:], n)
		if err := c.bands.Add(line[:]); err != nil {
			return err
		}
	}
	return nil
}

// set reads the shingles of one.
func (c *comparison) set(i uint32) ([]uint32, error) {
	x := &c.list[i]
	c.raw = slices.Grow(c.raw[:0], int(x.to-x.from))[:x.to-x.from]
	if _, err := c.file.ReadAt(c.raw, x.from); err != nil {
		return nil, fmt.Errorf("read a temporary file of shingles: %w", err)
	}
	set := make([]uint32, len(c.raw)/4)
	for i := range set {
		set[i] = binary.LittleEndian.Uint32(c.raw[4*i:])
	}
	return set, nil
}

// group finds candidates and joins those that are alike.
func (c *comparison) group(ctx context.Context) (err error) {
	if c.method == "simhash" {
		dedup.Pairs(c.prints, c.distance, func(i uint32, others []uint32) bool {
			if err = ctx.Err(); err == nil {
				err = c.confirm(i, others)
			}
			return err == nil
		})
		return err
	}
	var last [bandLine - 4]byte
	var same []uint32 // who has the number at hand, one of each group
	for line, err := range c.bands.Sorted() {
		if err != nil {
			return err
		}
		if i := binary.BigEndian.Uint32(line[10:]); string(line[:10]) != string(last[:]) {
			copy(last[:], line)
			same = append(same[:0], i)
		} else {
			if err := c.confirm(i, same); err != nil {
				return err
			}
			same = append(same, i)
			same = c.oneOfEach(same)
		}
	}
	return ctx.Err()
}

// sameMax bounds how many are compared with each that has the same number.
const sameMax = 64

// oneOfEach keeps the first of each group.
func (c *comparison) oneOfEach(list []uint32) []uint32 {
	i := list[len(list)-1]
	before := func(j uint32) bool { return c.groups.Of(j) == c.groups.Of(i) }
	if slices.ContainsFunc(list[:len(list)-1], before) || len(list) > sameMax {
		return list[:len(list)-1]
	}
	return list
}

// confirm joins one with those among others that share enough of its shingles.
func (c *comparison) confirm(i uint32, others []uint32) error {
	var set []uint32
	for _, j := range others {
		if c.groups.Of(i) == c.groups.Of(j) {
			continue
		}
		if set == nil {
			var err error
			if set, err = c.set(i); err != nil {
				return err
			}
		}
		other, err := c.set(j)
		if err != nil {
			return err
		}
		if dedup.Jaccard(set, other) >= c.similarity {
			c.groups.Join(i, j)
		}
	}
	return nil
}

// dedupStats sums up what was found.
type dedupStats struct{ groups, duplicates, exact, bytes int64 }

// duplicates lists the members of groups of two or more in order of their rows'
// keys. The representative is the earliest, of several the first in SURT order.
func (c *comparison) duplicates() (found []op.Duplicate, stats dedupStats, err error) {
	members := make(map[uint32][]uint32)
	for i := range c.list {
		if of := c.groups.Of(uint32(i)); of != uint32(i) {
			members[of] = append(members[of], uint32(i))
		}
	}
	for of := range c.list {
		list := members[uint32(of)]
		if list == nil {
			continue
		}
		list = append(list, uint32(of))
		slices.SortFunc(list, func(i, j uint32) int {
			return cmp.Or(cmp.Compare(c.list[i].time, c.list[j].time), cmp.Compare(i, j))
		})
		first, err := c.set(list[0])
		if err != nil {
			return nil, stats, err
		}
		stats.groups++
		for n, i := range list {
			set, err := c.set(i)
			if err != nil {
				return nil, stats, err
			}
			x := &c.list[i]
			d := op.Duplicate{
				URL: x.url, Time: x.time, Block: x.block, Group: stats.groups, Method: c.method, Distance: page.Distance(c.prints[i], c.prints[list[0]]),
				Similarity: dedup.Jaccard(first, set), Containment: dedup.Containment(first, set), Representative: n == 0,
			}
			if found = append(found, d); n > 0 {
				stats.duplicates++
				stats.bytes += x.bytes
				if d.Similarity == 1 {
					stats.exact++
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b op.Duplicate) int {
		return cmp.Or(strings.Compare(urlkey.Key(a.URL), urlkey.Key(b.URL)), cmp.Compare(a.Time, b.Time), strings.Compare(a.Block, b.Block))
	})
	return found, stats, nil
}

// duplicateRows yields the rows to keep. Two versions of one millisecond have one
// row: that of the first.
func duplicateRows(found []op.Duplicate) iter.Seq2[record.ResultRow, error] {
	return func(yield func(record.ResultRow, error) bool) {
		var last []byte
		for i := range found {
			row := found[i].Row()
			if i > 0 && bytes.Equal(row.Key, last) {
				continue
			}
			last = row.Key
			if !yield(row, nil) {
				return
			}
		}
	}
}

// wouldDedup says what a DEDUP would read.
func (s *Session) wouldDedup(ctx context.Context, st *ast.Dedup) ([]string, error) {
	d, err := s.planDedup(st, s.env())
	if err != nil {
		return nil, err
	}
	snap, release, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	how := fmt.Sprintf("compare by %d bands of MinHash, confirm what shares %v of its shingles", dedup.NewBands(d.similarity).Count(), d.similarity)
	if d.method == "simhash" {
		const such = 1_000_000
		how = fmt.Sprintf("compare fingerprints that differ in %d bits at most, confirm what shares %v of its shingles; among a million: %s",
			d.distance, d.similarity, dedup.Plan(such, d.distance))
	}
	would, err := wouldRead(ctx, snap, d.node)
	return append([]string{how}, would...), err
}
