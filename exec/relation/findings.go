package relation

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unsafe"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// finding is one row of the relation findings: consecutive versions of one URL that all match the
// search query.
type finding struct {
	url       string
	title     string // of the last version; empty if it is not asked for
	first     record.Time
	last      record.Time
	notBefore record.Time // time of the last capture before first, or NoTime
	next      record.Time // time of the first capture after last, or NoTime
	versions  int
	ref       record.Ref // the last version
	score     float64    // of the last version; 0 if it is not asked for
	ranked    bool       // score is set
	print     search.Print

	// copies is how many further URLs have the same finding. It and the next fields are for joining
	// the findings of several URLs, see collapse.go.
	copies int
	asOf   record.Time // the moment that EACH or another choice names, or NoTime
	missed record.Time // as notBefore, but NoTime if that visit led to another form of the URL; used only to join
	lost   record.Time // as next, with the same exception
	group  uint64      // the number of the group of near-copies; 0 if it is not known
}

// Findings declares the relation findings, which has one row for each URL and each unbroken span of
// time in which its page matched a search query. A version that is no page, such as an error
// message, ends a span. If the request asks for it, the forms of a URL and near-copies make one
// row.
//
// With a range of times, Findings reads the versions that were in force at the start of the range
// and those that began in it. With a choice such as LATEST, each chosen version that matches is a
// row of its own.
var Findings = listWithRefs(Relation{
	Name: "findings", Doc: "a span of time in which a page had the words of findings('words')", Scoped: true, OfStored: true, Asked: true,
	Order: []string{"url", "first_seen"}, RefColumns: refColumns, stands: OnURL,
	Columns: []Column{
		URLOf("url", "canonical URL; of joined findings, the one that had the words last", func(f *finding) string { return f.url }),
		TimeOf("first_seen", "first capture with the words; the start of its version, if that began before the time asked for", func(f *finding) record.Time { return f.first }),
		TimeOf("last_seen", "last capture with the words", func(f *finding) record.Time { return f.last }),
		costly("snippet", value.Text, "excerpt of the text around the words", ofFound((*foundBlock).snippet, func(r *response, q *match.Query) value.Value { return r.snippet(q) })).marked(),
		costly("section", value.Text, "page, slide, sheet, chapter, item or member of the document that answers best, such as page 12; NULL for pages of the web", ofFound((*foundBlock).section, func(r *response, q *match.Query) value.Value {
			b := r.blocks()
			if b.Document == nil {
				return value.Value{}
			}
			return textOrNull(b.SectionOf(r.inCut(facts.KeptLevel, r.answer(q).Place)))
		})),
		TextOf("title", "title of the last version in the span", func(f *finding) string { return f.title }),
		IntOf("versions", "number of versions in the span, of all URLs that were joined", func(f *finding) int64 { return int64(f.versions) }),
		IntOf("copies", "number of further URLs whose findings were joined to this one: other forms of the URL, and near-copies", func(f *finding) int64 { return int64(f.copies) }),
		costly("label", value.Text, "label of the block that answers best: main, nav, header, footer, aside, ad, form, list, media or other", ofFound((*foundBlock).labelName, func(r *response, q *match.Query) value.Value {
			return value.OfText(r.label(r.inCut(facts.KeptLevel, r.answer(q).Place)).String())
		})),
		costly("topic", value.Text, "topic of the block that answers best", ofFound((*foundBlock).topic, func(r *response, q *match.Query) value.Value {
			return r.partTopic(r.inCut(facts.KeptLevel, r.answer(q).Place))
		})),
		FloatOf("score", "how well the last version in the span answers, from its best block, its whole text and its title; rare words count more", func(f *finding) float64 { return f.score }),
		TimeOf("not_before", "last capture before first_seen: the words came after it", func(f *finding) record.Time { return f.notBefore }),
		TimeOf("next", "first capture after last_seen: the words were gone", func(f *finding) record.Time { return f.next }),
		TextOf("host", "host of the URL", func(f *finding) string { return urlkey.Host(f.url) }),
	},
}, func(f *finding, hidden []*value.Vector, i int) { packRef(hidden, i, f.ref) }, (*Reader).findings)

// findings yields the rows of the relation findings in batches.
func (r *Reader) findings(ctx context.Context, n *Request) iter.Seq2[[]finding, error] {
	all := r.eachFinding(ctx, n, !r.Quiet)
	if n.Joins() {
		all = r.collapsed(ctx, r.printed(ctx, n, all))
	}
	return Paged(r.ranked(ctx, n, all))
}

// eachFinding yields the findings of each URL, sorted by URL and time, before findings of several
// URLs are joined. It sets the score of a finding only if it had to read the page. If noted is set,
// it adds notes for the user at the end, such as how many versions it searched.
func (r *Reader) eachFinding(ctx context.Context, n *Request, noted bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var rarity []float64
		from, among := n, n
		asked := newAskedNotes(n)
		var counted *askedNotes // of all versions that n asks for, if the collection has it
		var kept []askedVersion // all versions that n asks for, if they are kept
		if n.Asks("score") {
			from = n.whole() // as for the collection
			c, err := r.collection(ctx, n)
			if err != nil {
				yield(nil, err)
				return
			}
			rarity = c.Rarity()
			switch {
			case c.asked == nil || !slices.Equal(n.Ranges, n.InScope):
			case c.versions != nil:
				kept, asked.months = c.versions, c.asked.months
			default:
				// The collection has looked at all versions: those of a few URLs remain.
				less, err := r.seekAnswers(ctx, from, n.Question, keptTree(n))
				if err != nil {
					yield(nil, err)
					return
				}
				if less != nil {
					among, counted = less, c.asked
				}
			}
		}
		titled, err := r.indexedTitles(ctx, n, from)
		if err != nil {
			yield(nil, err)
			return
		}
		var open finding     // versions is 0 if there is none
		end := func() bool { // ends open
			f := open
			open.versions = 0
			if titled != nil && kept == nil {
				if f.title, err = r.titleOf(ctx, n, titled, &f); err != nil {
					yield(nil, err)
					return false
				}
			}
			return yield(&f, nil)
		}
		var last askedVersion
		for v, err := range r.versionsAsked(ctx, among, kept, asked, titled == nil) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			has, text, best, err := r.has(ctx, n, from, v)
			if err != nil {
				yield(nil, err)
				return
			}
			asked.version(has, text)
			follows := last.url == v.url && last.ordinal+1 == v.ordinal
			if goesOn := has && n.Choice.Kind == ChooseAll && follows; open.versions > 0 && !goesOn {
				if follows && v.leads {
					open.lost = record.NoTime
				}
				if !end() {
					return
				}
			}
			if has {
				open.add(v)
				if open.ranked = best != nil; open.ranked {
					open.score, open.print = best.Score(rarity), best.Print
				}
				if open.versions == 1 && follows && last.leads {
					open.missed = record.NoTime
				}
			}
			last = *v
		}
		if open.versions > 0 && !end() || !noted {
			return
		}
		if counted != nil {
			found := asked.found
			asked = counted
			asked.found = found
		}
		notes, err := asked.notes(ctx, r, n)
		if err != nil {
			yield(nil, err)
			return
		}
		r.note(notes...)
	}
}

// indexedTitles returns the answers to the search query of n if the indexes of words have the
// titles of all pages, and n asks for titles. It then returns the answers, and otherwise nil. The
// parameter from is the request whose captures the query is put to.
func (r *Reader) indexedTitles(ctx context.Context, n, from *Request) (*search.Words, error) {
	if !n.Asks("title") {
		return nil, nil
	}
	words, err := r.wordsFor(ctx, from, n.Question, n.Asks("score") && keptTree(n))
	if words == nil || !words.Titles() {
		return nil, err
	}
	return words, nil
}

// titleOf returns the title of the last version of f. If the indexes of words do not have its page,
// because it is a document for example, titleOf reads the versions of its URL.
func (r *Reader) titleOf(ctx context.Context, n *Request, words *search.Words, f *finding) (string, error) {
	if title, ok := words.Title(f.ref); ok {
		return title, nil
	}
	key := urlkey.Key(f.url)
	s := record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: n.Window.To, Columns: record.ColTitle}
	for b, err := range r.Snapshot.Scan(ctx, s) {
		if err != nil {
			return "", err
		}
		if i := slices.Index(b.Ref[:b.N], f.ref); i >= 0 {
			return b.Title[i], nil
		}
	}
	return "", nil
}

// ofVersions returns the columns of the relation versions that a request for findings needs. Title
// and location are left out if nothing needs them, because reading them takes a second read of the
// db-files.
func (n *Request) ofVersions(titles bool) []*Column {
	list := []*Column{Versions.Column("kind"), Versions.Column("not_before")}
	if titles && n.Asks("title") {
		list = append(list, Versions.Column("title"))
	}
	if n.Joins() {
		list = append(list, Versions.Column("location"))
	}
	return list
}

// versionsAsked yields the versions that n searches. If kept is not nil, it yields the versions in
// kept. Otherwise it reads them from the archive, and notes the months of their captures in asked.
// It leaves out titles unless titles is set. A version is valid until the iteration moves on.
func (r *Reader) versionsAsked(ctx context.Context, n *Request, kept []askedVersion, asked *askedNotes, titles bool) iter.Seq2[*askedVersion, error] {
	return func(yield func(*askedVersion, error) bool) {
		for i := range kept {
			if !yield(&kept[i], nil) {
				return
			}
		}
		if kept != nil {
			return
		}
		all := n.asVersions(n.ofVersions(titles)...)
		scan := all.Scan(record.ColChange)
		scan.OfRedirects = true // no other location is looked at
		var v askedVersion
		for b, err := range r.spans(ctx, asked.watch(r.Snapshot.Scan(ctx, scan)), all, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				if v.set(b, i); !yield(&v, nil) {
					return
				}
			}
		}
	}
}

// asVersions returns a request for the versions that n, a request for findings, searches. fields
// are the columns to read.
func (n *Request) asVersions(fields ...*Column) *Request {
	all := *n
	all.Relation, all.Fields = Versions, fields
	if all.During == record.MinTime {
		all.During, all.Window.From = n.Window.From, record.MinTime
	}
	return &all
}

// has reports whether v is a page that matches the search query of n. The parameter from is the
// request whose captures the query was put to: n, or n with its whole scope. text is false if the
// version is no page or has no text. If the page matches and had to be read, best says how well;
// otherwise best is nil.
func (r *Reader) has(ctx context.Context, n, from *Request, v *askedVersion) (has, text bool, best *search.Best, err error) {
	if v.kind != record.KindPage {
		return false, false, nil, nil
	}
	words, err := r.wordsFor(ctx, from, n.Question, n.Asks("score") && keptTree(n))
	if err != nil {
		return false, false, nil, err
	}
	if words != nil {
		if answer := words.Answer(v.ref); answer != match.Maybe {
			return answer == match.Yes, answer != match.Null, nil, nil
		}
	}
	res, err := r.response(ctx, v.ref, options(n))
	if err != nil || !res.hasText() {
		return false, false, nil, err
	}
	if !n.Question.Matches(res.page.Page.Text(res.page.Charset)) {
		return false, true, nil, nil
	}
	if n.Asks("score") {
		b := res.answer(n.Question)
		best = &b
	}
	return true, true, best, nil
}

// ranked yields the findings that the sequence in yields. If n asks for scores, it first sets the
// score of each finding that has none yet.
func (r *Reader) ranked(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	if !n.Asks("score") {
		return in
	}
	return together(ctx, in, !n.Joins(), func(list []*finding) error {
		c, err := r.collection(ctx, n)
		if err != nil {
			return err
		}
		from, rarity := n.whole(), c.Rarity() // from is the scope of the collection
		for _, f := range list {
			if f.ranked {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			best, err := r.bestOf(ctx, n, from, f.ref)
			if err != nil {
				return err
			}
			f.score, f.ranked = best.Score(rarity), true
		}
		return nil
	})
}

// printed yields the given findings. It sets their fingerprints first, if the indexes of words have
// them.
func (r *Reader) printed(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return together(ctx, in, false, func(list []*finding) error {
		words, err := r.wordsFor(ctx, n.whole(), n.Question, n.Asks("score") && keptTree(n))
		if err != nil {
			return err
		}
		for _, f := range list {
			if !f.print.Known {
				f.print = words.Print(f.ref)
			}
		}
		return nil
	})
}

// findingsTogether is how many findings the function together passes to complete at most.
const findingsTogether = 1 << 14

// together yields the given findings, in their order, after complete has filled in their fields.
// complete gets many findings in one call, in the order in which their pages are stored, because
// neighbouring pages share stored data. If soon is set, the first calls have few findings, so that
// the first finding comes soon.
func together(ctx context.Context, in iter.Seq2[*finding, error], soon bool, complete func([]*finding) error) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var list []*finding
		wanted := findingsTogether
		if soon {
			wanted = 1
		}
		flush := func() bool {
			stored := slices.Clone(list)
			slices.SortFunc(stored, func(a, b *finding) int {
				x, y := a.ref, b.ref
				return cmp.Or(cmp.Compare(x.Segment, y.Segment), cmp.Compare(x.Run, y.Run), cmp.Compare(x.N, y.N))
			})
			err := ctx.Err()
			if err == nil {
				err = complete(stored)
			}
			if err != nil {
				yield(nil, err)
				return false
			}
			for _, f := range list {
				if !yield(f, nil) {
					return false
				}
			}
			list, wanted = list[:0], min(2*wanted, findingsTogether)
			return true
		}
		for f, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if list = append(list, f); len(list) >= wanted && !flush() {
				return
			}
		}
		if len(list) > 0 {
			flush()
		}
	}
}

// bestOf returns how well a capture's page, which matches, answers the search query of n. The
// parameter from is the request whose captures the query was put to: n, or n with its whole
// scope.
func (r *Reader) bestOf(ctx context.Context, n, from *Request, ref record.Ref) (search.Best, error) {
	if keptTree(n) {
		if answer, best, err := r.answerOf(ctx, from, n.Question, ref, true); err != nil || answer == match.Yes && best.Says != nil {
			return best, err
		}
	}
	res, err := r.response(ctx, ref, options(n))
	if err != nil || !res.hasText() {
		return search.Best{}, err
	}
	return res.answer(n.Question), nil
}

// add adds the version v at the end of f. If f is empty, v becomes its first version.
func (f *finding) add(v *askedVersion) {
	if f.versions == 0 {
		*f = finding{url: v.url, first: v.first, notBefore: v.previous, missed: v.previous, asOf: v.asOf}
	}
	f.versions++
	f.lost = v.next
	f.title, f.last, f.next, f.ref = v.title, v.last, v.next, v.ref
}

// foundBlock is the stored block of a page that answers the search query best.
type foundBlock struct {
	ref  record.Ref
	of   *match.Query
	best search.Best
	// block has the text to show. It is nil if the page has to be read for it.
	block *shownBlock
}

// shownBlock is what a finding shows of a block. It is the same for every search query.
type shownBlock struct {
	line   string // its text, as expr.OneLine returns it
	marked bool   // line lacks marks that the text has
	topic  string
}

// shownKey is the key under which Snapshot.Memo, a cache, holds a shownBlock: the state of the
// archive, the version, and the index of the block. The index wholePage stands for the whole page.
type shownKey struct {
	state string
	ref   record.Ref
	place int
}

const wholePage = -1

// found returns the block of the current row that answers the search query best, without reading
// the page. It returns nil if the page has to be read to find the block.
func (l *LateRow) found() (*foundBlock, error) {
	n, r, ref := l.request, l.reader, l.ref(0)
	if r.Plain || !n.Asks("score") || !keptTree(n) {
		return nil, nil
	}
	if b := r.foundLast; b == nil || b.ref != ref || b.of != n.Question {
		answer, best, err := r.answerOf(l.ctx, n.whole(), n.Question, ref, true)
		if err != nil {
			return nil, err
		}
		b = &foundBlock{ref: ref, of: n.Question}
		if answer == match.Yes && best.Says != nil {
			b.best = best
		}
		if b.best.Stored {
			if b.block, err = r.shown(l.ctx, ref, &best, best.Place); err != nil {
				return nil, err
			}
		}
		r.foundLast = b
	}
	return r.foundLast, nil
}

// shown returns what a finding shows of a block of a version, without reading the page. place is
// the index of the block, or wholePage. The result is nil if the page has to be read.
func (r *Reader) shown(ctx context.Context, ref record.Ref, best *search.Best, place int) (*shownBlock, error) {
	if r.state == "" {
		r.state = r.Snapshot.State()
	}
	key := shownKey{r.state, ref, place}
	if b, ok := memo.Get[*shownBlock](r.Snapshot.Memo(), key); ok {
		return b, nil
	}
	var topic, text string
	if place == wholePage {
		leaves, as, ok, err := r.Snapshot.Leaves(ctx, nil, ref)
		if err != nil || !ok {
			return nil, err
		}
		var all strings.Builder
		for _, l := range leaves {
			part, err := r.Snapshot.LeafText(l, as)
			if err != nil {
				return nil, nil // reading the page returns the same error
			}
			all.WriteString(part)
			all.WriteByte('\n')
		}
		text = all.String()
	} else {
		block, err := r.Snapshot.Block(ctx, ref, facts.KeptLevel, place)
		if err != nil || block == nil {
			return nil, err
		}
		topic, text = about.TopicAndTextOf(block, best.Reading.Charset, best.Reading.Plain)
	}
	b := &shownBlock{line: expr.OneLine(text), topic: topic}
	b.marked = strings.Contains(text, value.MarkFrom) || strings.Contains(text, value.MarkTo)
	r.Snapshot.Memo().Put(key, b, int64(len(b.line)+len(topic))+int64(unsafe.Sizeof(*b)))
	return b, nil
}

// snippet returns the snippet of the row: an excerpt of the block if the block alone matches the
// search query, otherwise one of the whole page. ok is false if the page has to be read.
func (b *foundBlock) snippet(l *LateRow) (_ value.Value, ok bool, err error) {
	block := b.block
	if !block.marked && !b.of.Matches(block.line) {
		if block, err = l.reader.shown(l.ctx, b.ref, &b.best, wholePage); err != nil {
			return value.Value{}, false, err
		}
	}
	if block == nil || block.marked {
		return value.Value{}, false, nil
	}
	return value.OfText(expr.SnippetOf(block.line, b.of)), true, nil
}

// section returns NULL, because a page of the web has no sections as a document has.
func (b *foundBlock) section(*LateRow) (_ value.Value, ok bool, err error) {
	return value.Value{}, true, nil
}

func (b *foundBlock) labelName(*LateRow) (_ value.Value, ok bool, err error) {
	return value.OfText(b.best.Label.String()), true, nil
}

func (b *foundBlock) topic(*LateRow) (_ value.Value, ok bool, err error) {
	return textOrNull(b.block.topic), true, nil
}

// ofFound returns the code of a late column of the relation findings. stored computes the value
// from the stored block that answers the search query best. If there is no such block, or stored
// returns false, f computes the value from the response of the row's last version.
func ofFound(stored func(*foundBlock, *LateRow) (v value.Value, ok bool, err error), f func(*response, *match.Query) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		b, err := l.found()
		if err != nil {
			return value.Value{}, err
		}
		if b != nil && b.block != nil {
			if v, ok, err := stored(b, l); ok || err != nil {
				return v, err
			}
		}
		res, err := l.response()
		if err != nil || res.blocks() == nil {
			return value.Value{}, err
		}
		q := l.request.Question
		if res.found.of != q && b != nil && b.best.Says != nil {
			res.found = foundIn{q, b.best} // that spares counting the words of the page
		}
		return f(res, q), nil
	}
}

// snippet returns an excerpt of the text of r around the words of q: of its best block,
// or of the whole text if the block alone does not have all words.
func (r *response) snippet(q *match.Query) value.Value {
	start, end := r.part(r.inCut(facts.KeptLevel, r.answer(q).Place))
	text := r.page.Text(start, end)
	if !q.Matches(text) {
		text = r.page.Page.Text(r.page.Charset)
	}
	return value.OfText(expr.Snippet(text, q))
}

// foundIn is how well a page answers the search query of.
type foundIn struct {
	of   *match.Query
	best search.Best
}

// answer returns how well the page answers the search query q. The body must be a text.
func (r *response) answer(q *match.Query) search.Best {
	if r.found.of != q {
		r.found = foundIn{q, search.Rank(q, r.wordsOf(q))}
	}
	return r.found.best
}

// wordsOf returns the occurrences of the words of q in the page. The body must be a text.
// wordsOf counts leaf by leaf, like Snapshot.Words.
func (r *response) wordsOf(q *match.Query) *search.Page {
	b := r.page
	page := &search.Page{Title: strings.TrimSpace(r.about().Title)}
	add := func(l label.Label) *search.Block {
		page.Blocks = append(page.Blocks, search.Block{Label: l, Counts: make([]int, len(q.Atoms())), Linked: make([]int, len(q.Atoms()))})
		return &page.Blocks[len(page.Blocks)-1]
	}
	counts := make([]int, len(q.Atoms()))
	count := func(to *search.Block, start, end int) {
		clear(counts)
		to.Terms += q.Count(b.Text(start, end), counts)
		if slices.Max(counts) == 0 {
			return
		}
		for i, c := range counts {
			to.Counts[i] += c
		}
		for _, a := range b.Anchors(start, end) {
			q.Count(a, to.Linked)
		}
	}
	if len(b.Blocks) <= 1 {
		count(add(label.Other), 0, len(b.Page.Body))
		return page
	}
	leaves := b.Cut(0)
	for _, n := range b.Cut(facts.KeptLevel) {
		to := add(r.label(n))
		for len(leaves) > 0 && leaves[0] < b.Blocks[n].Next {
			count(to, b.Blocks[leaves[0]].Start, b.Blocks[leaves[0]].End)
			leaves = leaves[1:]
		}
	}
	return page
}

// WordSpan is a time in which the page of a URL matched a search query.
type WordSpan struct {
	URL         string
	First, Last record.Time // the first and the last visit that found the words
	Next        record.Time // the first visit after Last, which did not find them, or NoTime
}

// Spans yields the times in which the pages with a key in among matched the search query q, sorted
// by URL and time. It yields those that lie at least partly in the window w. It ignores visits
// after the window.
func (r *Reader) Spans(ctx context.Context, q *match.Query, among urlkey.Range, w Window) iter.Seq2[WordSpan, error] {
	ranges := []urlkey.Range{among}
	n := &Request{
		Relation: Findings, Question: q, Ranges: ranges, InScope: ranges, Window: w, During: record.MinTime,
		Choice: Choice{AsOf: record.NoTime},
	}
	return func(yield func(WordSpan, error) bool) {
		less, err := r.seekAnswers(ctx, n, q, false)
		if err != nil {
			yield(WordSpan{}, err)
			return
		}
		if less != nil {
			n = less
		}
		if len(n.Ranges) == 0 {
			return
		}
		for f, err := range r.eachFinding(ctx, n, false) {
			if err != nil {
				yield(WordSpan{}, err)
				return
			}
			if !yield(WordSpan{f.url, f.first, f.last, f.next}, nil) {
				return
			}
		}
	}
}
