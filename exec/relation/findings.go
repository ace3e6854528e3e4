package relation

import (
	"context"
	"iter"
	"slices"

	"infomall/exec/value"
	"infomall/store/block/facts"
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
	untitled  bool   // title is not set yet, see the method titled
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
	at     int         // a number that is higher for a finding that comes later: they come by URL, moment and time
	// rivals are joined findings that the row may show in place of this one, see choose.
	rivals []*finding
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
		URLOf("url", "canonical URL; of joined findings, the one that answers best", func(f *finding) string { return f.url }),
		TimeOf("first_seen", "first capture with the words; the start of its version, if that began before the time asked for", func(f *finding) record.Time { return f.first }),
		TimeOf("last_seen", "last capture with the words", func(f *finding) record.Time { return f.last }),
		costly("snippet", value.Text, "excerpt of the text around the words", ofFound((*foundBlock).snippetValue, func(r *response, q *match.Query) value.Value { return r.snippet(q) })).marked(),
		costly("section", value.Text, "page, slide, sheet, chapter, item or member of the document that answers best, such as page 12; NULL for pages of the web", ofFound((*foundBlock).section, func(r *response, q *match.Query) value.Value {
			b := r.blocks()
			if b.Document == nil {
				return value.Value{}
			}
			return value.TextOrNull(b.SectionOf(r.inCut(facts.KeptLevel, r.answer(q).Place)))
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
	return Paged(r.titled(ctx, n, func(yield func(*finding, error) bool) {
		best, err := r.bestFirst(ctx, n)
		all := inList(ctx, best)
		switch {
		case err != nil:
			yield(nil, err)
			return
		case best != nil:
		case n.Joins():
			all = r.collapsed(ctx, n, r.eachFinding(ctx, n, !r.Quiet))
		default:
			all = r.ranked(ctx, n, r.eachFinding(ctx, n, !r.Quiet))
		}
		all(yield)
	}))
}

// eachFinding yields the findings of each URL, sorted by URL and time, before findings of several
// URLs are joined. It sets the score of a finding only if it had to read the page, and the title
// only if the indexes of words do not have it. If noted is set, it adds notes for the user at the
// end, such as how many versions it searched.
func (r *Reader) eachFinding(ctx context.Context, n *Request, noted bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var rarity []float64
		from, among := n, n
		asked := newAskedNotes(n)
		var counted *askedNotes // of all versions that n asks for, if the collection has it
		var kept []askedVersion // all versions that n asks for, if they are kept
		titled := false         // kept has titles
		if n.Ranks() {
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
				kept, asked.months, titled = c.versions, c.asked.months, c.titled
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
		if kept == nil && n.Asks("title") {
			indexed, err := r.indexedTitles(ctx, from)
			if err != nil {
				yield(nil, err)
				return
			}
			titled = !indexed
		}
		var open finding     // versions is 0 if there is none
		ended := 0           // how many findings have ended
		end := func() bool { // ends open
			f := open
			open.versions = 0
			f.at = ended
			ended++
			f.untitled = !titled && n.Asks("title")
			return yield(&f, nil)
		}
		var last askedVersion
		for v, err := range r.versionsAsked(ctx, among, kept, asked, titled) {
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
		if err := r.noteAsked(ctx, n, asked); err != nil {
			yield(nil, err)
		}
	}
}

// indexedTitles reports whether the indexes of words have the titles of all pages that the search
// query of n is put to.
func (r *Reader) indexedTitles(ctx context.Context, n *Request) (bool, error) {
	words, err := r.wordsFor(ctx, n, n.Question, n.Ranks() && keptTree(n))
	return words != nil && words.Titles(), err
}

// titled yields the given findings. It sets the titles that are not set yet.
func (r *Reader) titled(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	if !n.Asks("title") {
		return in
	}
	return func(yield func(*finding, error) bool) {
		from := n
		if n.Ranks() {
			from = n.whole() // as in eachFinding
		}
		for f, err := range in {
			if err == nil && f.untitled {
				f.title, err = r.titleOf(ctx, from, f)
				f.untitled = false
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// titleOf returns the title of the last version of f. If the indexes of words do not have its page,
// because it is a document for example, titleOf reads the versions of its URL. The parameter n is
// the request whose captures the search query was put to.
func (r *Reader) titleOf(ctx context.Context, n *Request, f *finding) (string, error) {
	words, err := r.wordsFor(ctx, n, n.Question, n.Ranks() && keptTree(n))
	if err != nil {
		return "", err
	}
	if words != nil {
		if title, ok := words.Title(f.ref); ok {
			return title, nil
		}
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
	words, err := r.wordsFor(ctx, from, n.Question, n.Ranks() && keptTree(n))
	if err != nil {
		return false, false, nil, err
	}
	if words != nil {
		if answer, text := words.AnswerAndText(v.ref); answer != match.Maybe {
			return answer == match.Yes, text, nil, nil
		}
	}
	res, err := r.response(ctx, v.ref, options(n))
	if err != nil || !res.hasText() {
		return false, false, nil, err
	}
	if !n.Question.Matches(res.page.Page.Text(res.page.Charset)) {
		return false, true, nil, nil
	}
	if n.Ranks() {
		b := res.answer(n.Question)
		best = &b
	}
	return true, true, best, nil
}

// printed yields the given findings. It sets their fingerprints first, if the indexes of words have
// them.
func (r *Reader) printed(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return together(ctx, in, false, func(list []*finding) error {
		words, err := r.wordsFor(ctx, n.whole(), n.Question, n.Ranks() && keptTree(n))
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
			slices.SortFunc(stored, func(a, b *finding) int { return compareRefs(a.ref, b.ref) })
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

// add adds the version v at the end of f. If f is empty, v becomes its first version.
func (f *finding) add(v *askedVersion) {
	if f.versions == 0 {
		*f = finding{url: v.url, first: v.first, notBefore: v.previous, missed: v.previous, asOf: v.asOf}
	}
	f.versions++
	f.lost = v.next
	f.title, f.last, f.next, f.ref = v.title, v.last, v.next, v.ref
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
