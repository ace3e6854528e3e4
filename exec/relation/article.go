package relation

import (
	"context"

	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/page"
	"infomall/store/page/article"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// articleColumns are the columns of the relation versions that hold what a page says about itself
// as an article, such as its author.
var articleColumns = []Column{
	payload("article", value.Float, "how much the page is one article, from 0 to 1: running text, a title, a date, few links", ofArticle(func(a *article.Article) value.Value { return value.OfFloat(a.Score) })).on(OnEarlier),
	payload("headline", value.Text, "title of the article, without the name of the site", ofArticle(func(a *article.Article) value.Value { return value.TextOrNull(a.Title) })),
	payload("published", value.Time, "when the article was published, as the page says: the start of the period that published_precision names", articleTime(published)).on(OnEarlier),
	payload("published_precision", value.Text, "how exact published is: year, month, day or minute", ofArticle(func(a *article.Article) value.Value { return value.TextOrNull(a.Published.Precision.String()) })).on(OnEarlier),
	payload("published_from", value.Text, "where the page says published: meta, json-ld, time, url or text", ofArticle(func(a *article.Article) value.Value { return value.TextOrNull(string(a.Published.From)) })).on(OnEarlier),
	payload("modified", value.Time, "when the article or the document was last changed, as it says; of a page also the header Last-Modified", modifiedTime).on(OnEarlier),
	payload("author", value.Text, "author named in the page or the document", authorName),
	payload("source", value.Text, "who wrote the text, if the page says that it took it from elsewhere", ofArticle(func(a *article.Article) value.Value { return value.TextOrNull(a.Source) })),
}

// ofArticle returns the code of a late column, one that needs the stored page. f computes the value
// from what the page says about itself as an article. The value is NULL if the body is not a page.
func ofArticle(f func(*article.Article) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		a, err := l.article()
		if err != nil || a == nil {
			return value.Value{}, err
		}
		return f(a), nil
	}
}

// articleTime returns the code of a late column (one that needs the stored page) of type Time. f
// picks a date of the article. The value is NULL if the article has no such date.
func articleTime(f func(*article.Article) article.Date) lateCode {
	return ofArticle(func(a *article.Article) value.Value {
		if d := f(a); d.Precision != article.NoDate {
			return value.OfTime(d.Time)
		}
		return value.Value{}
	})
}

func published(a *article.Article) article.Date { return a.Published }

func modified(a *article.Article) article.Date { return a.Modified }

// modifiedTime computes the column modified of the relation versions.
func modifiedTime(l *LateRow) (value.Value, error) {
	if d, err := l.document(); err != nil || d != nil {
		if err != nil || d.Modified == record.NoTime {
			return value.Value{}, err
		}
		return value.OfTime(d.Modified), nil
	}
	return articleTime(modified)(l)
}

// authorName computes the column author of the relation versions.
func authorName(l *LateRow) (value.Value, error) {
	a, err := l.article()
	if err != nil {
		return value.Value{}, err
	}
	if a != nil {
		return value.TextOrNull(a.Author), nil
	}
	res, err := l.response()
	if err != nil {
		return value.Value{}, err
	}
	return value.TextOrNull(res.about().Author), nil
}

// article returns what the page of the current row says about itself as an article, or nil if the
// body is not a page.
func (l *LateRow) article() (*article.Article, error) {
	res, err := l.response()
	if err != nil {
		return nil, err
	}
	return l.reader.article(l.ctx, res)
}

// article returns the article of a page, such as its title, author and date, or nil if the
// body is not a page. It stores the result in res for later calls.
func (r *Reader) article(ctx context.Context, res *response) (*article.Article, error) {
	if res.articled {
		return res.article, nil
	}
	b := res.blocks()
	if b == nil || b.Document != nil || b.Plain {
		res.articled = true
		return nil, nil
	}
	stored, err := r.Snapshot.Stored(ctx, res.ref)
	if err != nil {
		return nil, err
	}
	key := urlkey.Key(stored.URL)
	seen, err := r.textSeen(ctx, key, stored.Time)
	if err != nil {
		return nil, err
	}
	a, err := r.readArticle(ctx, res, articleAt{stored.URL, key, stored.Time, seen}, about.MainRanges(b))
	if err != nil {
		return nil, err
	}
	res.article, res.articled = &a, true
	return res.article, nil
}

// articleAt is the URL of a page and the time at which it was captured.
type articleAt struct {
	url, key string
	time     record.Time
	seen     record.Time // when the archive first saw the main text at this URL
}

// readArticle returns what the page in res says about itself as an article. main has the ranges of
// the main text of the page. The body of res must be a page.
func (r *Reader) readArticle(ctx context.Context, res *response, at articleAt, main []about.Range) (article.Article, error) {
	b := res.blocks()
	in := &article.Input{
		Page: b.Page, Charset: b.Charset, URL: at.url, Captured: at.time, Seen: at.seen,
		LastModified: message.Header(res.Head, "Last-Modified"), Lang: res.about().Lang,
	}
	for _, m := range main {
		in.Main = append(in.Main, article.Range(m))
	}
	var err error
	if in.Site, err = r.articleSite(ctx, at.key, at.time, res.options); err != nil {
		return article.Article{}, err
	}
	return article.Read(in), nil
}

// textTimes is a cache for one URL. It holds the times of the versions that changed the text: not
// only dates, counters and the like.
type textTimes struct {
	key   string
	times []record.Time // ascending
	known bool
}

// textSeen returns when the archive first saw the text that a URL had at the time at. That is the
// time of the last version up to then that changed more than markup, dates, counters and the like.
// textSeen reads the index, not the bodies.
func (r *Reader) textSeen(ctx context.Context, key string, at record.Time) (record.Time, error) {
	if !r.texts.known || r.texts.key != key {
		t := textTimes{key: key}
		scan := record.Scan{Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.MinTime, To: record.MaxTime, Columns: record.ColChange | record.ColSense}
		for b, err := range r.Snapshot.Scan(ctx, scan) {
			if err != nil {
				return 0, err
			}
			for i := range b.N {
				if b.Change[i] != record.ChangeSame && b.Change[i] != record.ChangeLayout && (b.Sense == nil || b.Sense[i] != record.SenseNoise) {
					t.times = append(t.times, b.Time[i])
				}
			}
		}
		t.known = true
		r.texts = t
	}
	seen := at
	for _, t := range r.texts.times {
		if t > at {
			break
		}
		seen = t
	}
	return seen, nil
}

// articleSite returns what the pages of a host have taught about the host's articles. It reads
// pages of the month, in UTC, that contains the time at. key is the key of any URL of the host.
// articleSite caches the results for all months of the last host.
func (r *Reader) articleSite(ctx context.Context, key string, at record.Time, o divide.Options) (*article.Site, error) {
	of, to := monthOf(key, at, o)
	if site := r.sites[of]; site != nil {
		return site, nil
	}
	sample, err := r.stylePages(ctx, of, to)
	if err != nil {
		return nil, err
	}
	site := article.NewSite()
	for i := range sample {
		p, err := r.Snapshot.Payload(ctx, sample[i].ref)
		if err != nil {
			return nil, err
		}
		teach(site, &response{Payload: p, options: o})
	}
	r.keepSite(of, site)
	return site, nil
}

// keepSite caches what articleSite learned from the pages of a host and month, and drops what it
// cached for other hosts.
func (r *Reader) keepSite(of hostMonth, site *article.Site) {
	for other := range r.sites {
		if other.host != of.host {
			clear(r.sites)
		}
		break
	}
	if r.sites == nil {
		r.sites = map[hostMonth]*article.Site{}
	}
	r.sites[of] = site
}

// teach lets site learn from a response whose body is a page; it ignores other bodies. It does not
// divide the page into blocks.
func teach(site *article.Site, res *response) {
	if res.Payload.Document != nil || !page.IsMarkup(res.Mime) || !res.text() {
		return
	}
	body, cs := res.body, res.charset
	if !charset.ASCIISafe(cs) {
		body, cs = charset.ToUTF8(body, cs), charset.UTF8
	}
	t := markup.NewTree(body)
	defer t.Free()
	site.Learn(&article.Input{Page: t, Charset: cs})
}
