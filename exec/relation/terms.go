package relation

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infomall/exec/terms"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/term"
)

// Terms declares the relation terms, which has one row for each term (folded word) that pages have.
// If a query wants only certain terms, only these are read.
var Terms = List(Relation{
	Name: "terms", Doc: "one word of the pages of the scope and time", Scoped: true, OfStored: true,
	Columns: []Column{
		TextOf("term", "the word, folded: lower case, without accents, in simplified Chinese letters", func(t *terms.Row) string { return t.Term }),
		TextOf("lang", "language that most of the versions with the word have; else that of its script", func(t *terms.Row) string { return t.Lang }),
		IntOf("df", "number of versions that have the word", func(t *terms.Row) int64 { return t.Versions }),
		IntOf("blocks", "number of different texts of blocks at the finest level that have the word", func(t *terms.Row) int64 { return t.Leaves }),
		TimeOf("first_seen", "first capture of a version with the word", func(t *terms.Row) record.Time { return t.First }),
		TimeOf("last_seen", "last capture of a version with the word", func(t *terms.Row) record.Time { return t.Last }),
		BoolOf("new", "the word is in no list of Chinese words: it was found by how the pages use its letters", func(t *terms.Row) bool { return t.New }),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(t *terms.Row) record.Time { return t.AsOf }).OnRequest(),
	},
}, (*Reader).terms)

// terms yields the rows of the relation terms, sorted by period and then by term.
func (r *Reader) terms(ctx context.Context, n *Request) iter.Seq2[[]terms.Row, error] {
	c := terms.Counter{
		Pages: termPages{r, n}, Memory: r.Memory, Only: n.Terms, Leaves: n.Asks("blocks"), Langs: n.Asks("lang"),
	}
	rows := Paged(c.Rows(ctx, r.termVersions(ctx, n)))
	return func(yield func([]terms.Row, error) bool) {
		for list, err := range rows {
			if !yield(list, err) || err != nil {
				return
			}
		}
		r.note(noTerms(n.Terms)...)
	}
}

// termVersions yields those versions that n selects whose kind is page.
func (r *Reader) termVersions(ctx context.Context, n *Request) iter.Seq2[*terms.Version, error] {
	all := *n
	all.Relation, all.Fields, all.Refs = Versions, []*Column{Versions.Column("kind")}, false
	if n.Asks("lang") {
		all.Fields = append(all.Fields, Versions.Column("lang"))
	}
	return func(yield func(*terms.Version, error) bool) {
		var v terms.Version
		for b, err := range r.versions(ctx, &all) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				if b.Kind[i] != record.KindPage {
					continue
				}
				v = terms.Version{Ref: b.Ref[i], First: b.Time[i], Last: b.Last[i], AsOf: b.AsOf[i]}
				if b.Lang != nil {
					v.Lang = b.Lang[i]
				}
				if !yield(&v, nil) {
					return
				}
			}
		}
	}
}

// noTerms returns a note for each text in asked that cannot be a term, because it is not folded (as
// in lower case) or has several words.
func noTerms(asked *term.Set) (notes []string) {
	if asked == nil {
		return nil
	}
	var reader term.Reader
	for _, text := range asked.Equal {
		var has []string
		folded := ""
		for t := range reader.Of(text) {
			has = append(has, "'"+string(t)+"'")
			folded += string(t)
		}
		switch {
		case folded == text && (len(has) == 1 || term.MayBeNew(text)):
		case len(has) == 1:
			notes = append(notes, fmt.Sprintf("'%s' is no term: terms are folded. Write %s", text, has[0]))
		case len(has) > 1:
			notes = append(notes, fmt.Sprintf("'%s' is no term, but several: %s. SEARCH finds them together", text, strings.Join(has, ", ")))
		}
	}
	return notes
}

// termPages lets a terms.Counter read the pages of a Reader.
type termPages struct {
	r *Reader
	n *Request
}

// Leaves returns the stored leaves of the page of a version. It implements terms.Pages.
func (p termPages) Leaves(ctx context.Context, dst []search.LeafRef, ref record.Ref) ([]search.LeafRef, search.Reading, bool, error) {
	if p.r.Plain {
		return dst, search.Reading{}, false, nil
	}
	return p.r.Snapshot.Leaves(ctx, dst, ref)
}

// LeafText returns the text of a stored leaf. It implements terms.Pages.
func (p termPages) LeafText(l search.LeafRef, as search.Reading) (string, error) {
	return p.r.Snapshot.LeafText(l, as)
}

// Texts calls f with the text of each leaf of the page of a version. It implements
// terms.Pages.
func (p termPages) Texts(ctx context.Context, ref record.Ref, f func(string) error) error {
	res, err := p.r.response(ctx, ref, options(p.n))
	if err != nil {
		return err
	}
	b := res.blocks()
	if b == nil {
		return nil
	}
	if len(b.Blocks) <= 1 {
		return f(b.Text(0, len(b.Page.Body)))
	}
	for _, leaf := range b.Cut(0) {
		if err := f(b.Text(b.Blocks[leaf].Start, b.Blocks[leaf].End)); err != nil {
			return err
		}
	}
	return nil
}
