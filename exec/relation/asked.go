package relation

import (
	"context"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// readFirst is how many pages are read for a question before it is put to all stored
// leaves at once, if the archive has no index of words: that takes as long as reading some
// dozen pages, and afterwards few need to be read.
const readFirst = 32

// askedWords has the results of a Reader for one question.
type askedWords struct {
	reads   int           // pages that had to be read so far
	made    bool          // words is set
	words   *search.Words // nil if pages must be read
	indexed bool          // the archive has indexes of words
}

// lastAsked is the last request to a Reader. The next request mostly asks for the same.
type lastAsked struct {
	request  *Request
	question *match.Query
	ranked   bool
	of       *askedWords
}

// askedKey says which question was asked of which captures.
type askedKey struct {
	question string
	ranges   *urlkey.Range // the first; nil means all
	to       record.Time
	ranked   bool
}

// answerOf returns whether the text of a capture's page matches q, without reading the page,
// and how well it matches if ranked is set. The answer may be Maybe. n says which captures
// will be asked for.
func (r *Reader) answerOf(ctx context.Context, n *Request, q *match.Query, ref record.Ref, ranked bool) (match.Answer, search.Best, error) {
	words, err := r.wordsFor(ctx, n, q, ranked)
	if words == nil {
		return match.Maybe, search.Best{}, err
	}
	answer, best := words.Of(ref)
	return answer, best, nil
}

// wordsFor returns the words of q in pages, as the indexes list them, or nil if the next page
// must be read to search it for q. n says which captures will be asked for.
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

// askedOf returns the results so far for a question about the captures that n asks for.
func (r *Reader) askedOf(n *Request, q *match.Query, ranked bool) *askedWords {
	key := askedKey{question: q.String(), to: n.Window.To, ranked: ranked}
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

// seekWords returns n with its ranges reduced to the URLs of the captures for which one of
// the columns with these indexes in n.Fields is true or may be true, if the archive has
// indexes of words and these captures are few. Otherwise it returns n.
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

// seekAnswers returns n with its ranges reduced to the URLs of the captures that match q or
// may match it, or nil if the archive has no indexes of words or these captures are not
// few.
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

// collectionKey says of which pages a search.Collection is.
type collectionKey struct {
	question string
	scope    string
	window   Window
	during   record.Time
	choice   Choice
}

// collected is what a Reader knows of the pages of a scope for a question.
type collected struct {
	*search.Collection
	asked *askedNotes // of all versions, but for asked.found; nil if pages were read for it
}

// collection counts the pages of the versions that n chooses in all of its scope,
// whatever WHERE says: how many there are, and how many have each word of its question.
func (r *Reader) collection(ctx context.Context, n *Request) (*collected, error) {
	key := collectionKey{n.Question.String(), n.Scope, n.Window, n.During, n.Choice}
	if c := r.collections[key]; c != nil {
		return c, nil
	}
	n = n.whole()
	all := n.asVersions(Versions.Column("kind"), Versions.Column("digest"))
	c := &collected{search.NewCollection(n.Question), newAskedNotes(n)}
	scan := c.asked.watch(r.Snapshot.Scan(ctx, all.Scan(record.ColChange)))
	asked := c.asked
	var words *search.Words
	for b, err := range r.spans(ctx, scan, all, false) {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			if b.Kind[i] != record.KindPage {
				asked.version(false, false)
				continue
			}
			if words == nil {
				if words, err = r.wordsFor(ctx, n, n.Question, keptTree(n)); err != nil {
					return nil, err
				}
			}
			answer := match.Maybe
			if words == nil {
				c.asked = nil
			} else {
				answer, _ = words.Of(b.Ref[i])
			}
			asked.version(false, answer != match.Null)
			if answer == match.Null || !c.Wants(b.Digest[i]) {
				continue
			}
			if err := r.addTo(ctx, c.Collection, n, words, b.Ref[i], b.Digest[i]); err != nil {
				return nil, err
			}
		}
	}
	if r.collections == nil {
		r.collections = make(map[collectionKey]*collected)
	}
	r.collections[key] = c
	return c, nil
}

// addTo adds the page of a capture to c, unless it has no text. words has the words of
// pages that the indexes list; it may be nil.
func (r *Reader) addTo(ctx context.Context, c *search.Collection, n *Request, words *search.Words, ref record.Ref, digest record.Digest) error {
	if words != nil {
		if atoms, ok := words.Has(ref); ok {
			c.Add(digest, func(atom int) bool { return atoms>>atom&1 != 0 })
			return nil
		}
	}
	res, err := r.response(ctx, ref, options(n))
	if err != nil || res.blocks() == nil {
		return err
	}
	text := res.page.Page.Text(res.page.Charset)
	c.Add(digest, func(atom int) bool { return n.Question.Has(atom, text) })
	return nil
}

// ScoreOf is how the score of a finding came about.
type ScoreOf struct {
	First   record.Time // first_seen of the finding
	Last    record.Time // last_seen
	Pages   int         // how many distinct pages were asked
	With    []int       // for each atom of the question, how many of them have it
	Rarity  []float64   // for each atom
	Page    *search.Page
	Title   search.Block // the title as a block
	Factors search.Factors
	Score   float64
}

// ScoreOf returns how the score came about of the finding with the best score of one URL.
// n reads findings and asks for the score; key is the key of the URL. It returns nil if
// there is no finding of this URL.
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
	s := &ScoreOf{First: best.first, Last: best.last, Rarity: c.Rarity(), Page: res.wordsOf(q), Score: best.score}
	s.Pages, s.With = c.Pages()
	s.Factors = search.Explain(q, s.Page)
	s.Title.Counts = make([]int, len(q.Atoms()))
	s.Title.Terms = q.Count(s.Page.Title, s.Title.Counts)
	return s, nil
}

// ofText says how a column of texts relates to the text of a page, so that the answer of
// the page to a question says something of the column.
type ofText struct {
	part part
	ref  int // which hidden columns hold the ref of the page, as LateRow.ref counts
}

// part is how much of the text of a page a column has.
type part uint8

const (
	notOfPage part = iota
	wholeText      // all of it
	inOnePart      // a piece of it: phrases that it has, the page has
	inParts        // several pieces: words that it has, the page has
)

// textOfPage returns a copy of c that is marked as the text of a page, or a part of it.
// ref is the index of the hidden columns with the ref of the page.
func (c Column) textOfPage(p part, ref int) Column {
	c.ofText = ofText{p, ref}
	return c
}

// Matching returns a late column that says whether the text in column c of a relation
// matches a question, without reading the page where that can be known. It returns nil if
// c is no such column.
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
	return &Column{Name: name, Type: value.Bool, Payload: true, AsksWords: true, asks: asks, late: func(l *LateRow) (value.Value, error) {
		answer, _, err := l.reader.answerOf(l.ctx, l.request, q, l.ref(c.ofText.ref), false)
		switch {
		case err != nil:
			return value.Value{}, err
		case answer == match.Null:
			return value.Value{}, nil
		case c.ofText.part == wholeText && answer != match.Maybe:
			return value.OfBool(answer == match.Yes), nil
		case answer == match.No && denies:
			return value.OfBool(false), nil
		}
		text, err := c.late(l)
		if err != nil || text.IsNull() {
			return value.Value{}, err
		}
		return value.OfBool(q.Matches(text.Text)), nil
	}}
}
