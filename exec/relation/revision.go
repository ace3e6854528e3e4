package relation

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sort"

	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// profiles maps each name of a profile in the query language to the profile of
// package divide: the algorithm that divides pages into blocks.
var profiles = map[string]divide.Profile{"": divide.Modern, "modern": divide.Modern, "classic": divide.Classic}

// options returns how pages are divided into blocks for the request n.
func options(n *Request) divide.Options { return divide.Options{Profile: profiles[n.Profile]} }

// revision is one version that a query has chosen, together with its blocks and
// how they relate to those of earlier versions. It is valid until the iteration
// that yielded it moves on.
type revision struct {
	*life.Revision
	span     *spanBatch
	row      int        // in span
	old, new record.Ref // first captures of the version before and of this one; old only if there is a Before
}

// url returns the canonical URL of the version v.
func (v *revision) url() string { return v.span.URLs()[v.row] }

// revisions yields the versions that n chooses, in order, with their blocks. It
// leaves out versions whose body the archive does not have, because nothing is
// known of their blocks.
//
// It reads the bodies of a URL from the version before the first chosen version
// on. If n reads the identity of blocks, which a block keeps from its first
// version on, revisions also reads the stored fold of the version with which it
// begins. The fold says which blocks of earlier versions the blocks continue. If
// the fold is missing or not valid, revisions reads the bodies from the first
// version of the URL on. It holds two versions of one URL in memory at a time.
func (r *Reader) revisions(ctx context.Context, n *Request) iter.Seq2[*revision, error] {
	return func(yield func(*revision, error) bool) {
		f := r.follow(ctx, n)
		defer f.close()
		scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange|record.ColPrevious))
		for b, err := range r.spans(ctx, scan, n, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				rev, err := f.blocksOf(b, i)
				if err != nil {
					yield(nil, err)
					return
				}
				if rev == nil {
					continue
				}
				if !yield(&revision{Revision: rev, span: b, row: i, old: f.old, new: b.Ref[i]}, nil) {
					return
				}
			}
		}
	}
}

// follow returns a follower, which reads and compares the versions that n
// chooses. The caller calls the follower's close.
func (r *Reader) follow(ctx context.Context, n *Request) *follower {
	f := &follower{r: r, ctx: ctx, to: n.Window.To, options: options(n), whole: n.Asks("identity", "first_seen")}
	if n.Window.From == record.MinTime {
		if f.among = n.Ranges; f.among == nil {
			f.among = []urlkey.Range{{}}
		}
	}
	return f
}

// follower reads the versions of one URL after the other, and compares the
// blocks of each version with those of the version before.
type follower struct {
	r       *Reader
	ctx     context.Context
	to      record.Time
	options divide.Options
	whole   bool           // the caller needs the history of each block from the URL's first version on
	also    record.Columns // columns of batch that the caller needs
	among   []urlkey.Range // the caller reads all captures of these URLs before to; nil if it may read fewer

	many    captures       // a scan of the current URL and of URLs that follow
	alone   captures       // a scan of the current URL only, which replaces many for this URL; or none
	until   string         // the last key that many reads so far; "" if it reads all of among that follow
	fed     bool           // many goes on with further keys, which it takes from feed
	feed    []urlkey.Range // the next keys for many
	ahead   int            // how many URLs many reads at most, while it does not read all
	reads   int            // how many URLs it reads
	used    int            // how many of these were asked for
	resumed int            // how many URLs began in the middle of their versions, lately
	unkept  int            // how many of these then had to be read from the first version on

	key     string
	from    record.Time
	history life.History
	begun   bool           // a version was added to history
	last    record.Ref     // the version last added to history
	unread  string         // why the document of the version read last, or the rest of it, could not be read; or ""
	old     record.Ref     // the version added to history before last
	asked   record.Ref     // the version that again returned last
	given   *life.Revision // what again returned last
}

// errUnfound is returned if one scan of the archive does not find a version
// that another scan of the same captures has found.
var errUnfound = errors.New("a version found by one scan of the archive is missing from another")

// captures is a scan that a follower reads row by row. The zero value is no scan.
type captures struct {
	next  func() (*record.Batch, error, bool) // the next batch
	stop  func()
	from  record.Time // the scan reads captures from this time on
	batch *record.Batch
	row   int  // the next row of batch to read
	torn  bool // the first URL of batch has captures in the batch before, too
}

// more makes the next batch current if no row of the current batch is left. It returns errUnfound at
// the end of the scan.
func (c *captures) more() error {
	for c.batch == nil || c.row == c.batch.N {
		last := ""
		if c.batch != nil && c.batch.N > 0 {
			last = c.batch.Key[c.batch.N-1]
		}
		b, err, ok := c.next()
		if err == nil && !ok {
			err = errUnfound
		}
		if err != nil {
			return err
		}
		c.batch, c.row, c.torn = b, 0, b.N > 0 && b.Key[0] == last
	}
	return nil
}

// back moves to the first capture of the URL with this key, which c has reached. It reports false
// and does not move if c does not read all earlier captures of the URL, or does not have them
// any more.
func (c *captures) back(key string) bool {
	if c.from != record.MinTime || c.batch == nil {
		return false
	}
	first := sort.SearchStrings(c.batch.Key[:c.row], key)
	if first == 0 && c.torn {
		return false
	}
	c.row = first
	return true
}

// close ends the scan, if there is one.
func (c *captures) close() {
	if c.stop != nil {
		c.stop()
	}
	*c = captures{}
}

// blocksOf returns the blocks of the version at row i of b, or nil if the archive
// does not have its body. Unlike find, blocksOf may be called for the same version
// several times, because with EACH a version may be valid in several periods.
func (f *follower) blocksOf(b *spanBatch, i int) (*life.Revision, error) {
	if f.many.next != nil && f.key == b.Key[i] && f.asked == b.Ref[i] {
		return f.given, nil
	}
	rev, err := f.find(b, i)
	f.asked, f.given = b.Ref[i], rev
	return rev, err
}

// find returns the blocks of the version at row i of b and how they relate to
// those of earlier versions, or nil if the archive does not have its body. It
// reads the versions of the URL up to this one. Each call must be for a later
// version than the calls before.
func (f *follower) find(b *spanBatch, i int) (*life.Revision, error) {
	if f.many.next == nil || f.key != b.Key[i] {
		f.open(b, i)
	}
	for {
		ref, rev, err := f.step()
		if errors.Is(err, errUnkept) {
			f.unkept++
			f.again()
			continue
		}
		if err != nil || ref == b.Ref[i] {
			return rev, err
		}
		if !f.begun && f.from != record.MinTime {
			// The archive has no body of the version before, so an earlier one is needed.
			f.again()
		}
	}
}

// again begins to read the current URL from its first version on. If the scan of many URLs does not
// have its first captures, again starts a scan of this URL only.
func (f *follower) again() {
	f.history, f.from = life.History{}, record.MinTime
	if !f.many.back(f.key) {
		f.alone.close()
		f.alone = f.scan(record.Scan{Ranges: []urlkey.Range{keyRange(f.key)}, From: record.MinTime})
	}
}

// errUnkept is returned by step if it needs the stored history of a version's
// blocks, and that is missing or not valid. The caller then reads the URL from
// its first version on.
var errUnkept = errors.New("the lives of blocks are not kept")

// If at least one in unkeptShare URLs must be read from its first version on, the scan of many URLs
// reads all captures of its URLs. It then has the first versions of these URLs, too.
//
// Of 600,000 captures of 24 months that came in any order, the rows of changes of three months take
// 2.2 s of CPU time. They took 11.7 with a scan of its own for each such URL.
const unkeptShare = 8

// aheadMax is the most URLs that one scan of a follower reads, unless it reads all URLs.
const aheadMax = 1024

// open starts reading the versions of the URL of row i of b, from the version before that row on. A
// scan reads at least a chunk of each segment, even for one URL. So it also reads the next URLs of
// b, in case the caller asks for them: twice as many as the last time, or fewer if the caller asked
// for less than half of the URLs of the last time. A scan of several URLs then goes on with the URLs
// that follow, and reads no chunk again. If the caller asks for all URLs that follow, the scan in the
// end reads all of them.
//
// Of 600,000 captures of 24 months that came in any order, a query for the changes of three months
// takes 2.0 s of CPU time. It took 3.5 with a new scan for each 1,024 URLs.
func (f *follower) open(b *spanBatch, i int) {
	key, from := b.Key[i], versionBefore(b, i)
	further := f.many.next != nil && key > f.key
	f.reset(key, from)
	if further && (key <= f.until || f.until == "") && from >= f.many.from {
		f.used++
		return
	}
	if f.ahead == aheadMax && f.among != nil && 2*f.used >= f.reads {
		f.start(urlkey.Common(f.among, []urlkey.Range{{From: key}}), "", record.MinTime)
		return
	}
	if f.ahead = min(max(1, 2*f.ahead), aheadMax); 2*f.used < f.reads {
		f.ahead = max(1, f.ahead/4)
	}
	ranges, until, least := []urlkey.Range{keyRange(key)}, key, from
	for j := i + 1; j < b.N && len(ranges) < f.ahead; j++ {
		if b.Key[j] != until {
			until = b.Key[j]
			ranges = append(ranges, keyRange(until))
			least = min(least, versionBefore(b, j))
		}
	}
	if unkeptShare*f.unkept > f.resumed {
		least = record.MinTime
	}
	if f.fed && further && least >= f.many.from {
		f.feed, f.until, f.reads, f.used = ranges, until, len(ranges), 1
	} else {
		f.start(ranges, until, least)
	}
}

// versionBefore returns when the version before the one in row i of b began, or MinTime if there is
// no earlier version.
func versionBefore(b *spanBatch, i int) record.Time {
	if t := b.PreviousVersion[i]; t != record.NoTime {
		return t
	}
	return record.MinTime
}

// keyRange returns the range that contains only this key.
func keyRange(key string) urlkey.Range { return urlkey.Range{From: key, To: key + "\x00"} }

// start makes many a scan of ranges, from the given time on, and ends the scan before. The parameter
// until is as in follower.
func (f *follower) start(ranges []urlkey.Range, until string, from record.Time) {
	f.many.close()
	f.until, f.feed, f.reads, f.used = until, nil, len(ranges), 1
	s := record.Scan{Ranges: ranges, From: from}
	if f.fed = len(ranges) > 1 && until != ""; f.fed {
		s.More = func() []urlkey.Range {
			next := f.feed
			f.feed = nil
			return next
		}
	}
	f.many = f.scan(s)
}

// scan starts the scan s, of which it sets the columns and the end.
func (f *follower) scan(s record.Scan) captures {
	s.To, s.Columns = f.to, record.ColChange|record.ColKind|f.also
	c := captures{from: s.From}
	c.next, c.stop = iter.Pull2(f.r.Snapshot.Scan(f.ctx, s))
	return c
}

// reset forgets the versions of the last URL. The next versions are those of the URL with this key,
// from the given time on.
func (f *follower) reset(key string, from record.Time) {
	f.alone.close()
	f.key, f.from = key, from
	f.history, f.begun, f.last, f.old, f.unread = life.History{}, false, record.Ref{}, record.Ref{}, ""
	f.asked, f.given = record.Ref{}, nil
	if f.whole && from != record.MinTime {
		if f.resumed++; f.resumed == 1<<10 { // older ones count less
			f.resumed, f.unkept = f.resumed/2, f.unkept/2
		}
	}
}

// close ends the scans that f reads.
func (f *follower) close() {
	f.many.close()
	f.alone.close()
}

// step reads the next version of the URL and adds it to the history. It returns
// the ref of the version's first capture, and its blocks compared with those of
// the version before. The blocks are nil if the archive does not have the body.
// After the last version, step returns errUnfound.
func (f *follower) step() (record.Ref, *life.Revision, error) {
	c := &f.many
	if f.alone.next != nil {
		c = &f.alone
	}
	for {
		if err := c.more(); err != nil {
			return record.Ref{}, nil, err
		}
		b, i := c.batch, c.row
		if b.Key[i] > f.key {
			return record.Ref{}, nil, errUnfound
		}
		c.row++
		if b.Key[i] == f.key && b.Time[i] >= f.from && b.Change[i] != record.ChangeSame {
			rev, err := f.add(b, i)
			return b.Ref[i], rev, err
		}
	}
}

// add adds the version at row i of b to the history, and returns its blocks
// compared with those of the version before. It returns nil if the archive does
// not have the body.
//
// If f must know the history of blocks, and begins in the middle of the URL's
// versions, the first version comes from its stored fold: add then returns nil,
// or errUnkept if there is no valid fold.
func (f *follower) add(b *record.Batch, i int) (*life.Revision, error) {
	var fold *life.Fold
	if !f.begun && f.whole && f.from != record.MinTime {
		var err error
		if fold, err = f.fold(b, i); fold == nil {
			return nil, cmp.Or(err, errUnkept)
		}
	}
	res, err := f.r.response(f.ctx, b.Ref[i], f.options)
	if err != nil || res.NoBody != "" {
		return nil, err
	}
	f.unread = ""
	if d := res.document(); d != nil {
		f.unread = d.Reason
	}
	v := res.version(b.Time[i], b.Kind[i], res.Digest)
	if fold != nil {
		if f.begun = f.history.Resume(v, fold) != nil; !f.begun {
			return nil, errUnkept
		}
		f.last = b.Ref[i]
		return nil, nil
	}
	rev := f.history.Add(v)
	f.begun, f.old, f.last = true, f.last, b.Ref[i]
	return rev, nil
}

// fold returns the stored fold of the version at row i of b: which blocks of
// earlier versions its blocks continue. It returns nil if the fold is missing
// or not valid.
func (f *follower) fold(b *record.Batch, i int) (*life.Fold, error) {
	if f.options != (divide.Options{}) {
		return nil, nil
	}
	holds, err := f.r.Snapshot.Knew(f.ctx, b.Ref[i], b.Key[i], b.Time[i])
	if !holds {
		return nil, err
	}
	kept, err := f.r.kept(f.ctx, b.Ref[i], b.Time[i])
	if err != nil || kept.document {
		return nil, err
	}
	return kept.Fold, nil
}
