package relation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// readFirst is how many pages are read to answer a search query in an archive without an index of
// words. Then the query is put to all stored leaves at once. This takes as long as reading some
// dozen pages, and afterwards few pages need to be read.
const readFirst = 32

// askedWords holds what a Reader knows so far about the answers to one search query.
type askedWords struct {
	reads   int           // pages that had to be read so far
	made    bool          // words is set
	words   *search.Words // nil if pages must be read
	indexed bool          // the archive has indexes of words
}

// lastAsked is the last request and search query that a Reader had, with the askedWords that belong
// to them. The next request is mostly the same, and then needs no look-up in a map.
type lastAsked struct {
	request  *Request
	question *match.Query
	ranked   bool
	of       *askedWords
}

// askedKey identifies a search query together with the captures that it is put to.
type askedKey struct {
	question string
	ranges   *urlkey.Range // the first; nil means all, or none
	none     bool          // there are no captures, because the list of ranges is empty
	to       record.Time
	ranked   bool
}

// answerOf returns whether the text of a capture's page matches the search query q, without reading
// the page, and if ranked is set, how well. The answer is Maybe if the page has to be read. n says
// to which captures the caller will put q.
func (r *Reader) answerOf(ctx context.Context, n *Request, q *match.Query, ref record.Ref, ranked bool) (match.Answer, search.Best, error) {
	words, err := r.wordsFor(ctx, n, q, ranked)
	if words == nil {
		return match.Maybe, search.Best{}, err
	}
	if !ranked {
		return words.Answer(ref), search.Best{}, nil
	}
	answer, best := words.Of(ref)
	return answer, best, nil
}

// wordsFor returns which words of the search query q the pages have, as the indexes of words list
// them. It returns nil if the caller must read the next page to search it. n says to which captures
// the caller will put q.
func (r *Reader) wordsFor(ctx context.Context, n *Request, q *match.Query, ranked bool) (*search.Words, error) {
	if r.Plain {
		return nil, nil
	}
	a := r.lastAsked.of
	if l := &r.lastAsked; l.request != n || l.question != q || l.ranked != ranked {
		a = r.askedOf(n, q, ranked)
		*l = lastAsked{n, q, ranked, a}
	}
	if a.reads++; a.reads <= readFirst && !a.indexed {
		return nil, nil
	}
	if !a.made {
		asked := search.Question{Query: q, Memory: r.Memory.Bytes / 2}
		if ranked {
			asked.Rank = func(p *search.Page) search.Best { return search.Rank(q, p) }
		}
		var err error
		if a.words, err = r.Snapshot.Words(ctx, asked, n.Ranges, record.MinTime, n.Window.To); err != nil {
			return nil, err
		}
		a.made = true
	}
	return a.words, nil
}

// askedOf returns what r knows so far about the answers to the search query q for the captures that
// n selects. It creates an empty entry for a new query.
func (r *Reader) askedOf(n *Request, q *match.Query, ranked bool) *askedWords {
	key := askedKey{question: q.String(), none: n.Ranges != nil && len(n.Ranges) == 0, to: n.Window.To, ranked: ranked}
	if len(n.Ranges) > 0 {
		key.ranges = &n.Ranges[0]
	}
	a := r.asked[key]
	if a == nil {
		if r.asked == nil {
			r.asked = make(map[askedKey]*askedWords)
		}
		indexed, _, _ := r.Snapshot.WordsIndexed(record.MinTime, n.Window.To)
		a = &askedWords{indexed: indexed > 0}
		r.asked[key] = a
	}
	return a
}

// seekWords returns a copy of n whose ranges have only the URLs of captures that may match. fields
// are indexes in n.Fields, of columns that say whether a page matches a search query. A capture may
// match if one of these columns is or may be true. seekWords returns n itself if the archive has no
// indexes of words or too many captures may match.
func (r *Reader) seekWords(ctx context.Context, n *Request, fields []int) (*Request, error) {
	for _, f := range fields {
		q := n.Fields[f].asks
		if q == nil {
			continue
		}
		less, err := r.seekAnswers(ctx, n, q, false)
		if err != nil {
			return nil, err
		}
		if less != nil {
			return less, nil
		}
	}
	return n, nil
}

// seekAnswers returns a copy of n whose ranges have only the URLs of captures that match the search
// query q, or may match it. It returns nil if the archive has no indexes of words or too many
// captures may match.
func (r *Reader) seekAnswers(ctx context.Context, n *Request, q *match.Query, ranked bool) (*Request, error) {
	a := r.askedOf(n, q, ranked)
	if !a.indexed {
		return nil, nil
	}
	words, err := r.wordsFor(ctx, n, q, ranked)
	if words == nil {
		return nil, err
	}
	refs, ok := words.Few(soughtWords, soughtWordsPart)
	if !ok {
		return nil, nil
	}
	keys, err := r.Snapshot.KeysOf(ctx, refs)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil // the scan meets the same damage, and says so
	}
	less := n.within(keys)
	*r.askedOf(less, q, ranked) = *a
	return less, nil
}

// collectionKey identifies a search.Collection: the search query, and the pages that were counted.
type collectionKey struct {
	question string
	scope    string
	window   Window
	during   record.Time
	choice   Choice
}

// collected is what a Reader has counted among the pages of a scope for one search query.
type collected struct {
	search.Counts
	asked    *askedNotes    // the notes on all versions, without the count found; nil if pages were read for it
	versions []askedVersion // all, in order; nil if they are not kept
	titled   bool           // versions have titles
}

// askedVersion is a version of a page to which the relation findings puts the search query, with
// the fields that findings need.
type askedVersion struct {
	url, title  string
	kind        record.Kind
	leads       bool // it is a redirect to another form of its URL
	ordinal     int  // see spanBatch
	ref         record.Ref
	first, last record.Time // its first and last visit
	previous    record.Time // the capture before it, or NoTime
	next, asOf  record.Time // see spanBatch
}

// askedColumns returns the columns of the relation versions from which askedVersion.set takes the
// fields.
func askedColumns() []*Column {
	return []*Column{Versions.Column("kind"), Versions.Column("not_before"), Versions.Column("location")}
}

// set sets v to the version at row i of b. Title and location are empty if they were not read.
func (v *askedVersion) set(b *spanBatch, i int) {
	*v = askedVersion{
		url: b.URLs()[i], kind: b.Kind[i], leads: leadsToForm(b, i), ordinal: b.Ordinal[i], ref: b.Ref[i],
		first: b.Time[i], last: b.Last[i], previous: b.Previous[i], next: b.Next[i], asOf: b.AsOf[i],
	}
	if b.Title != nil {
		v.title = b.Title[i]
	}
}

// keptKey is the key under which Snapshot.Memo, a cache, holds an askedOnce. ranges is a checksum
// of the ranges of the scope.
type keptKey struct {
	state        string
	ranges       [sha256.Size]byte
	window       Window
	during       record.Time
	choice       Choice
	zone, ofEach string // names of the time zones
}

// askedOnce is what the first search query in a scope computes that later queries in this scope can
// use, whatever words they have.
type askedOnce struct {
	asked    *askedNotes
	pages    []sampledPage // the pages that a search.Collection remembers, one of each body
	shift    uint          // see search.Collection.Sample
	versions []askedVersion
	titled   bool // versions have titles, because the indexes of words do not have all of them
}

// sampledPage is one of the pages that an askedOnce counted.
type sampledPage struct {
	ref    record.Ref
	digest record.Digest
}

// bytes returns an estimate of the memory that o takes, in bytes.
func (o *askedOnce) bytes() int64 {
	n := int64(len(o.pages))*int64(unsafe.Sizeof(sampledPage{})) + versionsBytes(o.versions)
	return n + int64(len(o.asked.months.have))*16
}

// versionsBytes returns an estimate of the memory that a list of versions takes, in bytes.
func versionsBytes(list []askedVersion) int64 {
	n := int64(cap(list)) * int64(unsafe.Sizeof(askedVersion{}))
	for i := range list {
		if i == 0 || list[i].url != list[i-1].url {
			n += int64(len(list[i].url))
		}
		if i == 0 || list[i].title != list[i-1].title {
			n += int64(len(list[i].title))
		}
	}
	return n
}

// askedVersionBytes is an estimate of the memory that an askedVersion takes with its texts, in
// bytes.
const askedVersionBytes = 250

// onceKey returns the key of the askedOnce for the scope of n. ok is false if none must be kept for
// this request.
func (r *Reader) onceKey(n *Request) (key keptKey, ok bool) {
	if r.Plain || n.Match != nil || n.Sampled > 0 || r.Snapshot.Memo() == nil {
		return key, false
	}
	h := sha256.New()
	for _, s := range n.InScope {
		fmt.Fprintf(h, "%d %s%d %s", len(s.From), s.From, len(s.To), s.To)
	}
	key = keptKey{state: r.Snapshot.State(), window: n.Window, during: n.During, choice: n.Choice, zone: n.zone().String()}
	if n.InScope != nil {
		h.Sum(key.ranges[:0])
	}
	if n.Choice.Zone != nil {
		key.ofEach = n.Choice.Zone.String()
	}
	key.choice.Text, key.choice.Zone = "", nil
	return key, true
}

// collection counts all pages in the scope of n, whatever its WHERE says: how many there are, and
// how many have each word of the search query. It counts only versions that n chooses.
func (r *Reader) collection(ctx context.Context, n *Request) (*collected, error) {
	key := collectionKey{n.Question.String(), n.Scope, n.Window, n.During, n.Choice}
	if c := r.collections[key]; c != nil {
		return c, nil
	}
	n = n.whole()
	once, keep := r.onceKey(n)
	kept, known := memo.Get[*askedOnce](r.Snapshot.Memo(), once)
	var c *collected
	var err error
	if keep && known {
		c, err = r.collectAgain(ctx, n, kept)
	} else {
		c, kept, err = r.collect(ctx, n, keep)
		if err == nil && keep && kept != nil {
			r.Snapshot.Memo().PutDear(once, kept, kept.bytes())
		}
	}
	if err != nil {
		return nil, err
	}
	if r.collections == nil {
		r.collections = make(map[collectionKey]*collected)
	}
	r.collections[key] = c
	return c, nil
}

// collectAgain returns what collection returns, for a scope in which an earlier search query has
// left kept.
func (r *Reader) collectAgain(ctx context.Context, n *Request, kept *askedOnce) (*collected, error) {
	words, err := r.wordsFor(ctx, n, n.Question, keptTree(n))
	if err != nil {
		return nil, err
	}
	asked := *kept.asked
	c := &collected{search.NewCounts(len(n.Question.Atoms())), &asked, kept.versions, kept.titled}
	for i := range kept.pages {
		p := &kept.pages[i]
		if words != nil {
			if atoms, ok := words.Has(p.ref); ok {
				c.Add(func(atom int) bool { return atoms>>atom&1 != 0 })
				continue
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, ok, err := r.textOf(ctx, n, p.ref)
		if err != nil {
			return nil, err
		}
		if ok {
			c.Add(atomsIn(n.Question, text))
		}
	}
	c.Scale(kept.shift)
	return c, nil
}

// collect reads the pages that collection counts, and counts them. If keep is set and the indexes
// of words have the answers, it also returns an askedOnce for later search queries in this scope.
func (r *Reader) collect(ctx context.Context, n *Request, keep bool) (*collected, *askedOnce, error) {
	columns := []*Column{Versions.Column("kind"), Versions.Column("digest")}
	room := r.Snapshot.Memo().Room() / 2
	indexed, segments, captures := r.Snapshot.WordsIndexed(record.MinTime, n.Window.To)
	listed := keep && captures*askedVersionBytes <= room
	once := &askedOnce{asked: newAskedNotes(n)}
	if listed {
		once.versions = make([]askedVersion, 0, min(captures, 8<<10))
		columns = append(columns, askedColumns()...)
		if once.titled = indexed < segments; once.titled {
			columns = append(columns, Versions.Column("title"))
		}
	}
	all := n.asVersions(columns...)
	counted := search.NewCollection(n.Question)
	reads := all.Scan(record.ColChange)
	reads.OfRedirects = true // as in versionsAsked
	reads.All = true
	scan := once.asked.watch(r.Snapshot.Scan(ctx, reads))
	answers := true // the indexes answer
	var words *search.Words
	var failed error
	var searching sync.WaitGroup
	if r.askedOf(n, n.Question, keptTree(n)).indexed {
		// The indexes are searched while the scan reads. On two cores, the first search of a process
		// takes an eighth less time by that.
		searching.Go(func() { words, failed = r.wordsFor(ctx, n, n.Question, keptTree(n)) })
		defer searching.Wait()
	}
	for b, err := range r.spans(ctx, scan, all, false) {
		if searching.Wait(); err == nil {
			err = failed
		}
		if err != nil {
			return nil, nil, err
		}
		for i := range b.N {
			if listed {
				once.versions = append(once.versions, askedVersion{})
				once.versions[len(once.versions)-1].set(b, i)
			}
			if b.Kind[i] != record.KindPage {
				once.asked.version(false, false)
				continue
			}
			if words == nil {
				if words, err = r.wordsFor(ctx, n, n.Question, keptTree(n)); err != nil {
					return nil, nil, err
				}
			}
			answer, text := match.Maybe, true
			if words == nil {
				answers = false
			} else {
				answer, text = words.AnswerAndText(b.Ref[i])
			}
			once.asked.version(false, text)
			if answer == match.Null || !counted.Wants(b.Digest[i]) {
				continue
			}
			if err := r.addTo(ctx, counted, n, words, b.Ref[i], b.Digest[i]); err != nil {
				return nil, nil, err
			}
			if keep && counted.Has(b.Digest[i]) {
				once.pages = append(once.pages, sampledPage{b.Ref[i], b.Digest[i]})
			}
		}
	}
	c := &collected{Counts: counted.Counts()}
	if !answers {
		return c, nil, nil
	}
	asked := *once.asked
	c.asked = &asked
	once.pages = slices.DeleteFunc(once.pages, func(p sampledPage) bool { return !counted.Has(p.digest) })
	once.pages = slices.Clip(once.pages)
	once.shift = counted.Sample()
	once.compact()
	c.versions, c.titled = once.versions, once.titled
	return c, once, nil
}

// compact copies the texts of o, because they may share memory with large buffers, and gives back
// unused memory of the list of versions.
func (o *askedOnce) compact() {
	o.versions = slices.Clip(o.versions)
	var before *askedVersion
	for i := range o.versions {
		v := &o.versions[i]
		if before != nil && v.url == before.url {
			v.url = before.url
		} else {
			v.url = strings.Clone(v.url)
		}
		if before != nil && v.title == before.title {
			v.title = before.title
		} else {
			v.title = strings.Clone(v.title)
		}
		before = v
	}
}

// addTo adds to c the page of the capture ref, whose body has this digest. It adds nothing if the
// page has no text. words has, for some pages, the words that the indexes of words list for the
// page. If words is nil or does not have the page, addTo reads the page itself.
func (r *Reader) addTo(ctx context.Context, c *search.Collection, n *Request, words *search.Words, ref record.Ref, digest record.Digest) error {
	if words != nil {
		if atoms, ok := words.Has(ref); ok {
			c.Add(digest, func(atom int) bool { return atoms>>atom&1 != 0 })
			return nil
		}
	}
	text, ok, err := r.textOf(ctx, n, ref)
	if ok {
		c.Add(digest, atomsIn(n.Question, text))
	}
	return err
}

// atomsIn returns a function that reports whether the text has an atom of the search query. It reads
// the text once, however many words the query has.
func atomsIn(q *match.Query, text string) func(atom int) bool {
	counts := make([]int, len(q.Atoms()))
	q.Count(text, counts)
	return func(atom int) bool { return counts[atom] > 0 }
}

// textOf returns the text of the page of a capture. ok is false if the page has no text.
func (r *Reader) textOf(ctx context.Context, n *Request, ref record.Ref) (text string, ok bool, err error) {
	res, err := r.response(ctx, ref, options(n))
	if err != nil || res.blocks() == nil {
		return "", false, err
	}
	return res.page.Page.Text(res.page.Charset), true, nil
}

// ScoreOf holds the parts from which the score of a finding was computed.
type ScoreOf struct {
	Last    record.Time // last_seen
	Pages   int         // how many distinct pages were asked
	With    []int       // for each atom of the question, how many of them have it
	Rarity  []float64   // for each atom
	Page    *search.Page
	Title   search.Block // the title as a block
	Factors search.Factors
	Score   float64
}

// ScoreOf returns the parts of the score of the best finding of one URL. n reads the relation
// findings and asks for the score. key is the key of the URL. The result is nil if the URL has no
// finding.
func (r *Reader) ScoreOf(ctx context.Context, n *Request, key string) (*ScoreOf, error) {
	r = r.knownAt(n)
	var best finding
	for rows, err := range r.findings(ctx, n.Within([]urlkey.Range{{From: key, To: key + "\x00"}})) {
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if best.versions == 0 || rows[i].score > best.score {
				best = rows[i]
			}
		}
	}
	if best.versions == 0 {
		return nil, nil
	}
	c, err := r.collection(ctx, n)
	if err != nil {
		return nil, err
	}
	res, err := r.response(ctx, best.ref, options(n))
	if err != nil || res.blocks() == nil {
		return nil, err
	}
	q := n.Question
	s := &ScoreOf{Last: best.last, Rarity: c.Rarity(), Page: res.wordsOf(q), Score: best.score}
	s.Pages, s.With = c.Pages, c.With
	s.Factors = search.Explain(q, s.Page)
	s.Title.Counts = make([]int, len(q.Atoms()))
	s.Title.Terms = q.Count(s.Page.Title, s.Title.Counts)
	return s, nil
}

// ofText says how the texts of a column relate to the text of a page, so that a search of the page
// says something about the column.
type ofText struct {
	part part
	ref  int // which hidden columns hold the ref of the page, as LateRow.ref counts
}

// part says which part of the text of a page a column has.
type part uint8

const (
	notOfPage part = iota
	wholeText      // all of it
	inOnePart      // a piece of it: phrases that it has, the page has
	inParts        // several pieces: words that it has, the page has
)

// textOfPage returns a copy of c whose texts are marked as the text of a page, or a part of that
// text, as p says. ref is the index of the first of the hidden columns with the ref of the page.
func (c Column) textOfPage(p part, ref int) Column {
	c.ofText = ofText{p, ref}
	return c
}

// Matching returns a late column that says whether the text in column c matches the search query q.
// If the indexes know the answer, the column does not read the page. Matching returns nil if the
// texts of c are no part of the text of a page.
func (c *Column) Matching(q *match.Query) *Column {
	if c.ofText.part == notOfPage {
		return nil
	}
	name := c.Name + " MATCH " + value.OfText(q.String()).String() + expr.Added(q)
	// What a page does not have, its parts do not have.
	denies := q.Positive() && (c.ofText.part != inParts || q.SingleWords())
	var asks *match.Query
	if denies || c.ofText.part == wholeText {
		asks = q
	}
	decides := func(a match.Answer) (v value.Value, known bool) {
		switch {
		case a == match.Null:
			return value.Value{}, true
		case c.ofText.part == wholeText && a != match.Maybe, a == match.No && denies:
			return value.OfBool(a == match.Yes), true
		}
		return value.Value{}, false
	}
	return &Column{Name: name, Type: value.Bool, Payload: true, AsksWords: true, asks: asks, decides: decides, late: func(l *LateRow) (value.Value, error) {
		answer, _, err := l.reader.answerOf(l.ctx, l.request, q, l.ref(c.ofText.ref), false)
		if err != nil {
			return value.Value{}, err
		}
		if v, known := decides(answer); known {
			return v, nil
		}
		text, err := c.late(l)
		if err != nil || text.IsNull() {
			return value.Value{}, err
		}
		return value.OfBool(q.Matches(text.Text)), nil
	}}
}

// counted yields the rows of the tally t for n, whose Tally has Words: only captures whose pages
// have the words count. The indexes of words have the answers for most pages; counted reads the
// other pages.
//
// A scan in the order of URLs would merge the keys of all segments, which a tally need not do.
func (r *Reader) counted(ctx context.Context, n *Request, t record.Tally) iter.Seq2[*spanBatch, error] {
	return func(yield func(*spanBatch, error) bool) {
		tests := make([]wordTest, len(n.Tally.Words))
		for i, c := range n.Tally.Words {
			tests[i].column = c
			if c.asks == nil {
				continue
			}
			var err error
			if tests[i].words, err = r.wordsFor(ctx, n, c.asks, false); err != nil {
				yield(nil, err)
				return
			}
		}
		w := &wordTests{list: tests, row: r.LateRow(ctx, n, []*value.Vector{new(value.Vector), new(value.Vector)})}
		t.Keep = w.keep
		firsts(r.Snapshot.Tally(ctx, t))(yield)
	}
}

// wordTest is one of the columns in Tally.Words.
type wordTest struct {
	column *Column
	words  *search.Words // the answers to column.asks; nil if each page must be read
}

// wordTests tests for captures whether all columns in Tally.Words are true.
type wordTests struct {
	list []wordTest
	mu   sync.Mutex // guards row, because several goroutines share the work of a tally
	row  *LateRow
}

// keep does what record.Tally.Keep does.
func (w *wordTests) keep(id, run uint32) *record.Kept {
	var least record.Numbers // of the columns: the smallest set of captures that may count
	for _, t := range w.list {
		if t.words == nil {
			continue
		}
		some, sure, asked := t.words.OfRun(id, run)
		if asked && some.Len() == 0 {
			return nil
		}
		if asked && (least == nil || some.Len() < least.Len()) {
			least = some
		}
		if len(w.list) == 1 && sure {
			if v, known := t.column.decides(match.Yes); known && v.Bool {
				return &record.Kept{Some: least}
			}
		}
	}
	has := func(n uint32) (bool, error) { return w.has(record.Ref{Segment: id, Run: run, N: n}) }
	return &record.Kept{Any: least == nil, Some: least, Has: has}
}

// has reports whether all columns are true for the page of a capture.
func (w *wordTests) has(ref record.Ref) (bool, error) {
	for _, t := range w.list {
		answer := match.Maybe
		if t.words != nil {
			answer = t.words.Answer(ref)
		}
		v, known := t.column.decides(answer)
		if !known {
			var err error
			if v, err = w.read(t.column, ref); err != nil {
				return false, err
			}
		}
		if v.IsNull() || !v.Bool {
			return false, nil
		}
	}
	return true, nil
}

// read returns the value of a column for the page of a capture.
func (w *wordTests) read(c *Column, ref record.Ref) (value.Value, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	packRefs(w.row.hidden, []record.Ref{ref})
	return w.row.Value(c, 0)
}
