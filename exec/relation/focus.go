package relation

import (
	"strings"

	"infomall/crawl/report"
	"infomall/exec/eval"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Focus judges the pages that a crawl has fetched, and their links, by words
// and a condition. Several goroutines may use it.
type Focus struct {
	words []string // folded, as CONTAINS compares them
	asked *FocusCondition
}

// textShare is the weight of a word that occurs in a page, but neither in its
// title nor in its main content. A word in these has the weight 1.
const textShare = .5

// NewFocus returns a Focus on words, which may be empty, with the condition
// asked. If asked is nil, all links are followed.
func NewFocus(words []string, asked *FocusCondition) *Focus {
	f := &Focus{asked: asked}
	for _, w := range words {
		f.words = append(f.words, value.Folded(w))
	}
	return f
}

// Judge implements report.Focus. An error is an *ast.Error of the condition.
func (f *Focus) Judge(p *report.FocusedPage) (v report.FocusVerdict, err error) {
	c := &candidate{FocusedPage: p}
	c.res.Payload = record.Payload{Head: p.Head, Body: p.Body, Size: int64(len(p.Body)), Mime: p.Mime}
	if len(f.words) > 0 {
		title, main, text := value.Folded(c.res.about().Title), value.Folded(c.field("main").Text), value.Folded(c.field("text").Text)
		v.Similarity = f.mean(func(w string) float64 {
			switch {
			case strings.Contains(title, w), strings.Contains(main, w):
				return 1
			case strings.Contains(text, w):
				return textShare
			}
			return 0
		})
	}
	v.Promise = make([]float64, len(p.Links))
	for i, l := range p.Links {
		said := value.Folded(l.Anchor + "\n" + urlkey.Path(l.URL))
		v.Promise[i] = f.mean(func(w string) float64 {
			if strings.Contains(said, w) {
				return 1
			}
			return 0
		})
	}
	if f.asked == nil || len(p.Links) == 0 {
		return v, nil
	}
	v.Follow, err = f.follow(c, &v)
	return v, err
}

// mean returns the mean of of over the words, or 0 without words.
func (f *Focus) mean(of func(word string) float64) float64 {
	if len(f.words) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range f.words {
		sum += of(w)
	}
	return sum / float64(len(f.words))
}

// follow returns for each link of c whether the condition holds. If the
// condition reads only columns of the page, follow evaluates it once.
func (f *Focus) follow(c *candidate, v *report.FocusVerdict) ([]bool, error) {
	rows := len(c.Links)
	if !f.asked.OfLink {
		rows = 1
	}
	b := &value.Batch{N: rows}
	for _, col := range f.asked.Columns {
		vector := &value.Vector{Type: col.Type}
		var same value.Value
		each := c.ofLink(col.Name, v)
		if each == nil {
			same = c.ofPage(col.Name, v)
		}
		for i := range rows {
			if each != nil {
				same = each(i)
			}
			vector.AppendValue(same)
		}
		b.Cols = append(b.Cols, vector)
	}
	eval, err := eval.Compile(f.asked.Where)
	if err != nil {
		return nil, err
	}
	holds, err := eval(b)
	if err != nil {
		return nil, err
	}
	list := make([]bool, len(c.Links))
	for i := range list {
		row := min(i, rows-1)
		list[i] = !holds.IsNull(row) && holds.Bools[row]
	}
	return list, nil
}

// candidate is a page whose links are judged.
type candidate struct {
	*report.FocusedPage
	res    response
	labels map[string]value.Value // by target: the label of the block that contains the link
}

// field returns a column of the page that the relation versions has too.
func (c *candidate) field(name string) value.Value {
	v, _ := Versions.Column(name).late(&LateRow{opened: &c.res}) // an opened response has no error
	return v
}

// ofPage returns a column of the page.
func (c *candidate) ofPage(name string, v *report.FocusVerdict) value.Value {
	switch name {
	case "url":
		return value.OfURL(c.URL)
	case "layer":
		return value.OfInt(int64(c.Layer))
	case "status":
		if c.Status == 0 {
			return value.Value{}
		}
		return value.OfInt(int64(c.Status))
	case "mime":
		return textOrNull(c.Mime)
	case "bytes":
		return value.OfInt(c.Size)
	case "similarity":
		return value.OfFloat(v.Similarity)
	case "title":
		return textOrNull(c.res.about().Title)
	case "lang":
		lang := c.res.about().Lang
		if lang == "" {
			lang = page.LangOf(c.field("text").Text)
		}
		return textOrNull(lang)
	}
	return c.field(name)
}

// ofLink returns a function that takes the index of a link and returns its
// column with this name. It returns nil if the column describes the page and
// not a link.
func (c *candidate) ofLink(name string, v *report.FocusVerdict) func(i int) value.Value {
	switch name {
	case "target":
		return func(i int) value.Value { return value.OfURL(c.Links[i].URL) }
	case "anchor":
		return func(i int) value.Value { return value.OfText(c.Links[i].Anchor) }
	case "promise":
		return func(i int) value.Value { return value.OfFloat(v.Promise[i]) }
	case "label":
		c.findLabels()
		return func(i int) value.Value { return c.labels[c.Links[i].URL] }
	}
	return nil
}

// findLabels finds the labels of the blocks that contain the links. For a URL
// that several links lead to, it is that of the first.
func (c *candidate) findLabels() {
	c.labels = make(map[string]value.Value)
	base := urlkey.Base(c.URL, c.res.about().Base)
	links := c.res.allLinks()
	for i := range links {
		u, err := urlkey.Resolve(base, links[i].Target)
		if _, known := c.labels[u]; known || err != nil {
			continue
		}
		label := value.Value{}
		if p := partAt(c.res.blocks(), block.KeptLevel, links[i].Offset); p > 0 {
			label = value.OfText(c.res.label(p).String())
		}
		c.labels[u] = label
	}
}
