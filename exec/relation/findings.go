package relation

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// finding is one row of the relation findings: versions of one URL that follow each
// other and all have the words asked for.
type finding struct {
	url       string
	title     string // of the last version
	first     record.Time
	last      record.Time
	notBefore record.Time // time of the last capture before first, or NoTime
	next      record.Time // time of the first capture after last, or NoTime
	versions  int
	ref       record.Ref // the last version

	ordinal int // of the last version among those of its URL in the scan
}

// Findings declares the relation findings, which has one row for each URL and each
// unbroken span of time in which its page had the words of a question. A version that
// is no page, such as an error message, ends a span.
//
// With a range of times, it reads the versions that were in force at the start of the
// range and those that began in it. With a choice such as LATEST, each chosen version
// that has the words is a row of its own.
var Findings = listWithRefs(Relation{
	Name: "findings", Doc: "a span of time in which a page had the words of findings('words')", Scoped: true, Asked: true,
	Order: []string{"url", "first_seen"}, RefColumns: refColumns,
	Columns: []Column{
		urlOf("url", "canonical URL", func(f *finding) string { return f.url }),
		timeOf("first_seen", "first capture with the words; the start of its version, if that began before the time asked for", func(f *finding) record.Time { return f.first }),
		timeOf("last_seen", "last capture with the words", func(f *finding) record.Time { return f.last }),
		costly("snippet", value.Text, "excerpt of the text around the words", ofFound(func(r *response, q *match.Query) value.Value { return r.snippet(q) })).marked(),
		textOf("title", "title of the last version in the span", func(f *finding) string { return f.title }),
		intOf("versions", "number of versions in the span", func(f *finding) int64 { return int64(f.versions) }),
		costly("label", value.Text, "label of the block that answers best: main, nav, header, footer, aside, ad, form, list, media or other", ofFound(func(r *response, q *match.Query) value.Value {
			return value.OfText(r.label(r.inCut(facts.KeptLevel, r.answer(q).place)).String())
		})),
		costly("topic", value.Text, "topic of the block that answers best", ofFound(func(r *response, q *match.Query) value.Value {
			return r.partTopic(r.inCut(facts.KeptLevel, r.answer(q).place))
		})),
		costly("score", value.Float, "how well the last version in the span answers: BM25 of its best block, by the label of the block, with its whole text and its title", ofFound(func(r *response, q *match.Query) value.Value {
			return value.OfFloat(r.answer(q).score)
		})),
		timeOf("not_before", "last capture before first_seen: the words came after it", func(f *finding) record.Time { return f.notBefore }),
		timeOf("next", "first capture after last_seen: the words were gone", func(f *finding) record.Time { return f.next }),
		textOf("host", "host of the URL", func(f *finding) string { return urlkey.Host(f.url) }),
	},
}, func(f *finding, hidden []*value.Vector, i int) { packRef(hidden, i, f.ref) }, (*Reader).findings)

// findings yields the rows of the relation findings, several at a time.
func (r *Reader) findings(ctx context.Context, n *Request) iter.Seq2[[]finding, error] {
	return paged(func(yield func(*finding, error) bool) {
		all := *n
		all.Relation, all.Fields = Versions, []*Column{Versions.Column("kind"), Versions.Column("title"), Versions.Column("not_before")}
		if all.During == record.MinTime {
			all.During, all.Window.From = n.Window.From, record.MinTime
		}
		var open finding // versions is 0 if there is none
		asked, mute := 0, 0
		for b, err := range r.versions(ctx, &all) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				asked++
				has, text, err := r.has(ctx, n, b, i)
				if err != nil {
					yield(nil, err)
					return
				}
				if !text {
					mute++
				}
				goesOn := has && n.Choice.Kind == ChooseAll && open.versions > 0 && open.url == b.URL[i] && open.ordinal+1 == b.Ordinal[i]
				if open.versions > 0 && !goesOn {
					if !yield(&open, nil) {
						return
					}
					open.versions = 0
				}
				if has {
					open.add(b, i)
				}
			}
		}
		if open.versions > 0 && !yield(&open, nil) {
			return
		}
		r.Notes = append(r.Notes, fmt.Sprintf("asked %s, of which %s no text", value.Counted(asked, "version"), have(mute)))
	})
}

// have returns "1 has" or "2 have", for a note.
func have(n int) string {
	if n == 1 {
		return "1 has"
	}
	return fmt.Sprintf("%d have", n)
}

// has reports whether version i of b is a page with the words that n asks for. text is
// false if the version is no page or has no text.
func (r *Reader) has(ctx context.Context, n *Request, b *spanBatch, i int) (has, text bool, err error) {
	if b.Kind[i] != record.KindPage {
		return false, false, nil
	}
	res, err := r.response(ctx, b.Ref[i], options(n))
	if err != nil || res.blocks() == nil {
		return false, false, err
	}
	return n.Question.Matches(res.page.Page.Text(res.page.Charset)), true, nil
}

// add adds version i of b to f, or begins f with it if f has no version.
func (f *finding) add(b *spanBatch, i int) {
	if f.versions == 0 {
		*f = finding{url: b.URL[i], first: b.Time[i], notBefore: b.Previous[i]}
	}
	f.versions++
	f.title, f.last, f.next, f.ref, f.ordinal = b.Title[i], b.Last[i], b.Next[i], b.Ref[i], b.Ordinal[i]
}

// ofFound returns the code of a late column of the relation findings. f computes the
// value from the response of the row's last version and the question.
func ofFound(f func(*response, *match.Query) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		res, err := l.response()
		if err != nil || res.blocks() == nil {
			return value.Value{}, err
		}
		return f(res, l.request.Question), nil
	}
}

// snippet returns an excerpt of the text of r around the words of q: of its best block,
// or of the whole text if the block alone does not have all words.
func (r *response) snippet(q *match.Query) value.Value {
	text := r.partText(r.inCut(facts.KeptLevel, r.answer(q).place))
	if !q.Matches(text) {
		text = r.page.Page.Text(r.page.Charset)
	}
	return value.OfText(expr.Snippet(text, q))
}

// answer says how well a page answers a question.
type answer struct {
	of    *match.Query
	place int // the best block, an index of the cut
	score float64
}

// answer returns how well the page answers q. The body must be a text.
//
// The score is BM25 of the best block, weighed by its label, and half of BM25 of the
// whole text and of the title. A page whose words stand together in its article comes
// before one that has them here and there in menus.
func (r *response) answer(q *match.Query) answer {
	if r.answered.of == q {
		return r.answered
	}
	a := answer{of: q}
	best := 0.0
	counts, all := make([]int, len(q.Atoms())), make([]int, len(q.Atoms()))
	terms := 0
	for place := range r.cutSize() {
		clear(counts)
		n := r.inCut(facts.KeptLevel, place)
		size := q.Count(r.partText(n), counts)
		for i, c := range counts {
			all[i] += c
		}
		terms += size
		if s := labelWeight[r.label(n)] * q.BM25(counts, size, usualBlock); s > best {
			best, a.place = s, place
		}
	}
	a.score = best + q.BM25(all, terms, usualPage)/2
	clear(counts)
	size := q.Count(strings.TrimSpace(r.about().Title), counts)
	a.score += q.BM25(counts, size, usualTitle) / 2
	r.answered = a
	return a
}

// cutSize returns how many blocks the cut at facts.KeptLevel has; 1 for a body that was
// not divided.
func (r *response) cutSize() int {
	r.inCut(facts.KeptLevel, 0)
	return max(1, len(r.cut))
}

// usualBlock, usualPage and usualTitle are how many words a usual text has.
const (
	usualBlock = 80
	usualPage  = 400
	usualTitle = 8
)

// labelWeight says how much a block counts by its label.
var labelWeight = [...]float64{
	label.Main: 1, label.Nav: .2, label.Header: .4, label.Footer: .1, label.Aside: .4, label.Ad: .1,
	label.Form: .4, label.List: .7, label.Media: .7, label.Other: .7,
}
