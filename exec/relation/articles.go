package relation

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/exec/firstseen"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/packed"
	"infomall/store/page/article"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// errStopped is the error that ends the reading of articles when the caller wants no more rows.
var errStopped = errors.New("stopped")

// articleRow is one row of the relation articles: a text that is new on its host.
type articleRow struct {
	key         string // of the URL
	url         string
	time, added record.Time
	ref         record.Ref
	headline    bool
	document    bool
	title       string
	text        string // of an article
	lang        string

	published      article.Date
	author, source string
}

// dated reports whether the page says on which day the text was published.
func (a *articleRow) dated() bool { return a.published.Precision >= article.Day }

// publishedAt returns the value of the column published: the date that the page gives, or NoTime.
func (a *articleRow) publishedAt() record.Time {
	if a.published.Precision == article.NoDate {
		return record.NoTime
	}
	return a.published.Time
}

// at returns the value of the column at: the date of publication if the page names the day,
// otherwise the time of the capture.
func (a *articleRow) at() record.Time {
	if a.dated() {
		return a.published.Time
	}
	return a.time
}

// Articles declares the relation articles, which has one row for each text that is new on its
// host.
var Articles = listWithRefs(Relation{
	Name: "articles", Doc: "one new text: the article of a page, or a headline of a list page, that no page of the host had before", Scoped: true,
	Ranged: true, OfStored: true, History: true, RefColumns: refColumns, Order: []string{"url", "time"},
	Columns: []Column{
		URLOf("url", "canonical URL of the page", func(a *articleRow) string { return a.url }),
		TimeOf("time", "when the text was first seen on any page of the host", func(a *articleRow) record.Time { return a.time }),
		TimeOf("published", "when the article was published, as the page says; NULL for a headline", (*articleRow).publishedAt),
		TextOf("published_precision", "how exact published is: year, month, day or minute", func(a *articleRow) string { return a.published.Precision.String() }),
		TextOf("published_from", "where the page says it: meta, json-ld, time, url, text or header", func(a *articleRow) string { return string(a.published.From) }),
		BoolOf("dated", "whether published names a day", func(a *articleRow) bool { return a.dated() }),
		TimeOf("at", "published, if that names a day; otherwise time", (*articleRow).at),
		TextOf("kind", "article or headline", (*articleRow).kind),
		TextOf("title", "title of the article, or the headline", func(a *articleRow) string { return a.title }),
		TextOf("author", "author of the article", func(a *articleRow) string { return a.author }),
		TextOf("source", "who wrote the article, if the page says that it took it from elsewhere", func(a *articleRow) string { return a.source }),
		TextOf("lang", "language of the page", func(a *articleRow) string { return a.lang }),
		TextOf("host", "host of the URL", func(a *articleRow) string { return urlkey.Host(a.url) }),
		TextOf("text", "what is new of the main text of the page; NULL for a headline", func(a *articleRow) string { return a.text }).OnRequest(),
		TimeOf("added", "when the capture was added to this archive", func(a *articleRow) record.Time { return a.added }).OnRequest(),
	},
}, (*articleRow).refs, (*Reader).articles)

// kind returns the value of the column kind: "headline" or "article".
func (a *articleRow) kind() string {
	if a.headline {
		return "headline"
	}
	return "article"
}

// refs writes the ref of the capture that has the text of a into row i of hidden, the columns that
// no query shows.
func (a *articleRow) refs(hidden []*value.Vector, i int) { packRef(hidden, i, a.ref) }

// articles yields the rows of the relation articles in batches.
func (r *Reader) articles(ctx context.Context, n *Request) iter.Seq2[[]articleRow, error] {
	return Paged(func(yield func(*articleRow, error) bool) {
		s := r.newArticleStream(ctx, n)
		defer s.close()
		err := s.read()
		if err == nil {
			err = s.solve()
		}
		if err == nil {
			err = s.yield(yield)
		}
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	})
}

// articleStream finds the rows of the relation articles. It reads the pages of the hosts from the
// beginning, because all earlier pages of a host decide what is new on a page. Texts that may be
// new go to a temporary file until it is known which of them are.
type articleStream struct {
	r    *Reader
	ctx  context.Context
	n    *Request
	from record.Time // rows have this time or a later one
	text bool        // the texts of articles are wanted
	says bool        // what articles say of themselves is wanted, such as their date
	seen *firstseen.Finder
	may  *spill.Spool // the articles and headlines that may be new, see append

	key       string      // of the current URL
	since     record.Time // since when the URL has its main text
	added     record.Time // when the last capture that was read was added
	headlines []about.Headline
	row       []byte
}

func (r *Reader) newArticleStream(ctx context.Context, n *Request) *articleStream {
	return &articleStream{
		r: r, ctx: ctx, n: n, added: record.NoTime, from: max(n.Window.From, n.During), text: n.Asks("text"),
		says: n.Asks("published", "published_precision", "published_from", "dated", "at", "title", "author", "source"),
		seen: firstseen.New(ctx, &r.Memory, 4, r.FirstSeen), may: r.Spool(32),
	}
}

func (s *articleStream) close() {
	s.seen.Close()
	s.may.Close()
}

// read reads the pages of all hosts in the scope, from their first capture to the end of the
// requested time, and notes their texts. If FirstSeen has the texts of earlier captures, read reads
// only the URLs that have new captures, unless there are too many.
func (s *articleStream) read() error {
	all := *s.n
	all.Relation, all.Refs, all.Match, all.Ranges, all.InScope = Versions, false, nil, wholeHosts(s.n.Ranges), nil
	all.Window.From, all.During = record.MinTime, record.MinTime
	all.Fields = []*Column{Versions.Column("kind"), Versions.Column("title"), Versions.Column("lang")}
	if s.n.Asks("added") || s.r.FirstSeen != nil {
		all.Fields = append(all.Fields, Captures.Column("added"))
	}
	if s.r.FirstSeen != nil && s.r.FirstSeen.Len() > 0 {
		changed, err := s.changedURLs(&all)
		if err != nil {
			return err
		}
		if changed != nil {
			all.Ranges = changed
		}
	}
	scan := s.r.Snapshot.Scan(s.ctx, all.Scan(record.ColChange|record.ColSense))
	for b, err := range s.r.spans(s.ctx, scan, &all, false) {
		if err != nil {
			return err
		}
		for i := range b.N {
			if b.Kind[i] != record.KindPage {
				continue
			}
			if err := s.version(b, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// changedURLsMax is the most URLs that changedURLs returns. Each takes about 150 bytes of memory.
const changedURLsMax = 1 << 16

// changedURLs returns the ranges of the keys of all URLs with captures that were not read before,
// sorted and disjoint. It returns nil if there are more than changedURLsMax. The parameter all is
// the request for all pages. Keys and times are much faster to read than the columns of all, so for
// a new day in an archive of years it pays to find the URLs first.
func (s *articleStream) changedURLs(all *Request) ([]urlkey.Range, error) {
	times := *all
	times.Fields = []*Column{Captures.Column("added")}
	ranges := []urlkey.Range{} // not nil, which means everything
	last := ""
	for b, err := range s.r.Snapshot.Scan(s.ctx, times.Scan(0)) {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			if b.Added[i] <= s.r.FirstSeen.Added || b.Key[i] == last {
				continue
			}
			if len(ranges) == changedURLsMax {
				return nil, nil
			}
			last = strings.Clone(b.Key[i])
			ranges = append(ranges, urlkey.Range{From: last, To: last + "\x00"})
		}
	}
	return ranges, nil
}

// solve finds out which of the noted texts are new. The method yield needs the answers.
func (s *articleStream) solve() error {
	err := s.seen.Solve()
	if known := s.r.FirstSeen; known != nil && err == nil {
		known.Added = max(known.Added, s.added)
	}
	return err
}

// wholeHosts returns the ranges of keys of all hosts that have a key in ranges, sorted and
// disjoint. Nil, as an argument and as a result, means all keys.
func wholeHosts(ranges []urlkey.Range) []urlkey.Range {
	if ranges == nil {
		return nil
	}
	whole := make([]urlkey.Range, len(ranges))
	for i, r := range ranges {
		if whole[i].From = r.From[:hostPart(r.From)]; hostPart(r.To) < len(r.To) {
			r.To = r.To[:hostPart(r.To)] + "\xff"
		}
		whole[i].To = r.To
	}
	return urlkey.Merge(whole)
}

// inRanges reports whether key is in one of the ranges, which are sorted and disjoint.
func inRanges(ranges []urlkey.Range, key string) bool {
	i, _ := slices.BinarySearchFunc(ranges, key, func(r urlkey.Range, key string) int {
		if r.To != "" && r.To <= key {
			return -1
		}
		return 1
	})
	return i < len(ranges) && ranges[i].Contains(key)
}

// hostPart returns the length of the part of a SURT key that names the host, with the parenthesis
// after it: 9 for "com,site)/x". Without a parenthesis it returns the length of key.
func hostPart(key string) int {
	if n := strings.IndexByte(key, ')'); n >= 0 {
		return n + 1
	}
	return len(key)
}

// version reads the page of the version at row i of b, and notes its texts in s.
func (s *articleStream) version(b *spanBatch, i int) error {
	if newURL := b.Key[i] != s.key; newURL || b.Change[i] != record.ChangeLayout && b.Sense[i] != record.SenseNoise {
		s.since = b.Time[i]
	}
	s.key = b.Key[i]
	if known := s.r.FirstSeen; known != nil {
		if b.Added[i] <= known.Added {
			return nil
		}
		s.added = max(s.added, b.Added[i])
	}
	if err := s.seen.Page(b.Key[i][:hostPart(b.Key[i])], b.Key[i], b.Time[i]); err != nil {
		return fmt.Errorf("%s at %s: %w", b.URLs()[i], value.AppendTime(nil, b.Time[i], s.n.zone()), err)
	}
	p, err := s.r.Snapshot.Payload(s.ctx, b.Ref[i])
	if err != nil {
		return err
	}
	res := &response{Payload: p, ref: b.Ref[i], options: options(s.n)}
	page := res.blocks()
	if page == nil {
		return nil
	}
	defer page.Free()
	s.headlines = about.Headlines(s.headlines[:0], page)
	if s.wants(b, i) {
		a := articleRow{key: b.Key[i], url: b.URLs()[i], time: b.Time[i], added: record.NoTime, ref: b.Ref[i], title: b.Title[i], lang: b.Lang[i], document: page.Document != nil}
		if b.Added != nil {
			a.added = b.Added[i]
		}
		if err := s.ask(&a, res); err != nil {
			return err
		}
	}
	for _, h := range s.headlines {
		if err := s.add(h.Text); err != nil {
			return err
		}
	}
	for line := range strings.SplitSeq(page.Page.Text(page.Charset), "\n") {
		if err := s.add(line); err != nil {
			return err
		}
	}
	return nil
}

// wants reports whether the version at row i of b is in the scope and the time range of the
// request.
func (s *articleStream) wants(b *spanBatch, i int) bool {
	return b.Time[i] >= s.from && (s.n.Ranges == nil || inRanges(s.n.Ranges, b.Key[i])) && (s.n.Match == nil || s.n.Match(b.Key[i]))
}

// add notes that the current page has this text, so that the text is not new on later pages.
func (s *articleStream) add(text string) error {
	if h, ok := firstseen.Hash(text); ok {
		return s.seen.Add(h)
	}
	return nil
}

// ask asks whether the article on a page is new. If the page is no article, ask asks the same for
// each of its headlines.
func (s *articleStream) ask(a *articleRow, res *response) error {
	page := res.blocks()
	if page.Document != nil {
		return s.put(a, page.Page.Text(page.Charset))
	}
	if kind, main := about.Outline(page); kind == about.DetailPage {
		if s.says && !page.Plain {
			says, err := s.r.readArticle(s.ctx, res, articleAt{a.url, a.key, a.time, s.since}, main)
			if err != nil {
				return err
			}
			a.published, a.author, a.source, a.title = says.Published, says.Author, says.Source, cmp.Or(says.Title, a.title)
		}
		return s.put(a, about.TextOf(page, main))
	}
	a.headline = true
	for _, h := range s.headlines {
		if !h.Main {
			continue
		}
		a.title = h.Text
		if err := s.put(a, h.Text); err != nil {
			return err
		}
	}
	return nil
}

// put asks s.seen whether the lines of a text are new, and keeps the text until the answers are
// known. a is the article or the headline that has the text.
func (s *articleStream) put(a *articleRow, text string) error {
	s.row = a.append(s.row[:0])
	for line := range strings.SplitSeq(text, "\n") {
		h, ok := firstseen.Hash(line)
		if !ok {
			continue
		}
		question, err := s.seen.Ask(h)
		if err != nil {
			return err
		}
		s.row = binary.AppendUvarint(s.row, uint64(question))
		s.row = binary.AppendUvarint(s.row, uint64(words.Count(line)))
		if !s.text || a.headline {
			line = ""
		}
		s.row = packed.AppendSized(s.row, line)
	}
	return s.may.Add(s.row)
}

// append appends the encoded fields of a, except its text, to dst. parse decodes them.
func (a *articleRow) append(dst []byte) []byte {
	dst = packed.AppendSized(dst, a.key)
	dst = packed.AppendSized(dst, a.url)
	dst = packed.AppendSized(dst, a.title)
	dst = packed.AppendSized(dst, a.lang)
	dst = binary.AppendVarint(dst, int64(a.time))
	dst = binary.AppendVarint(dst, int64(a.added))
	for _, n := range [...]uint32{a.ref.Segment, a.ref.Run, a.ref.N} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = binary.AppendVarint(dst, int64(a.published.Time))
	dst = append(dst, byte(a.published.Precision))
	dst = packed.AppendSized(dst, a.published.From)
	dst = packed.AppendSized(dst, a.author)
	dst = packed.AppendSized(dst, a.source)
	form := byte(0)
	if a.headline {
		form |= 1
	}
	if a.document {
		form |= 2
	}
	return append(dst, form)
}

// parse sets the fields of a to those that articleRow.append encoded.
func (a *articleRow) parse(p *packed.Reader) {
	a.key, a.url, a.title, a.lang = p.Text(), p.Text(), p.Text(), p.Text()
	a.time, a.added = record.Time(p.Varint()), record.Time(p.Varint())
	a.ref = record.Ref{Segment: uint32(p.Uvarint()), Run: uint32(p.Uvarint()), N: uint32(p.Uvarint())}
	a.published = article.Date{Time: record.Time(p.Varint()), Precision: article.Precision(p.Byte()), From: article.From(p.Text())}
	a.author, a.source = p.Text(), p.Text()
	form := p.Byte()
	a.headline, a.document = form&1 != 0, form&2 != 0
}

// yield passes the new texts to the function yield, as rows. It returns errStopped after that
// function has returned false.
func (s *articleStream) yield(yield func(*articleRow, error) bool) error {
	for row, err := range s.may.All() {
		if err != nil {
			return err
		}
		var a articleRow
		p := packed.Reader{B: row}
		a.parse(&p)
		if s.isNew(&a, &p) && !yield(&a, nil) {
			return errStopped
		}
	}
	return nil
}

// newWords is the least number of words, in lines that no page had before, that makes an article
// new.
const newWords = 10

// isNew reports whether the text of a is new, and sets a.text. p has the lines of the text. A
// headline is new if no page had it before. An article loses the lines that other URLs had before,
// such as those of a template. It is new if at least half of the words that are left were not on
// its own URL before: an edited article is not new, but another article at the same URL is.
func (s *articleStream) isNew(a *articleRow, p *packed.Reader) bool {
	var text []byte
	left, fresh := 0, 0
	for len(p.B) > 0 && !p.Bad {
		answer := s.seen.Answer(p.Number())
		words, line := p.Number(), p.Sized()
		if answer == firstseen.OnOtherURL {
			continue
		}
		if left += words; answer == firstseen.IsNew {
			fresh += words
		}
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, line...)
	}
	if a.headline {
		return fresh > 0
	}
	a.text = string(text)
	least := newWords
	if a.document {
		least = 1
	}
	return fresh >= least && 2*fresh >= left
}
