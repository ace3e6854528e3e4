package relation

import (
	"slices"
	"strings"

	"infomall/crawl/report"
	"infomall/exec/eval"
	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/facts"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// FocusCondition is the condition of EXPAND WHERE in a CRAWL statement. The
// crawl follows a link only if the condition is true for the link and the page
// that contains it.
type FocusCondition struct {
	Where expr.Expr // its columns are indexes in Columns
	// Columns are the columns that Where reads.
	Columns []*FocusColumn
	// OfLink reports that some of these columns differ from link to link of a
	// page.
	OfLink bool
}

// FocusColumn declares a column that the condition of EXPAND WHERE may name.
// Its value is known once a page was fetched, before the crawl follows the
// links of the page.
type FocusColumn struct {
	Name string
	Type value.Type
	// OfWords reports that the column is computed from the words of FOR.
	OfWords bool

	// Exactly one of page and link is set. page computes the value for a page,
	// and link computes it for link i of the page.
	page func(c *candidate) value.Value
	link func(c *candidate, i int) value.Value
}

// focusColumns lists the columns that the condition of EXPAND WHERE may name:
// first those of a page, then those of a link.
var focusColumns = []FocusColumn{
	{Name: "url", Type: value.URL, page: func(c *candidate) value.Value { return value.OfURL(c.URL) }},
	{Name: "layer", Type: value.Int, page: func(c *candidate) value.Value { return value.OfInt(int64(c.Layer)) }},
	{Name: "status", Type: value.Int, page: (*candidate).status},
	{Name: "ip", Type: value.Text, page: func(c *candidate) value.Value { return value.TextOrNull(c.IP) }},
	{Name: "mime", Type: value.Text, page: func(c *candidate) value.Value { return value.TextOrNull(c.Mime) }},
	{Name: "bytes", Type: value.Int, page: func(c *candidate) value.Value { return value.OfInt(c.Size) }},
	{Name: "similarity", Type: value.Float, OfWords: true, page: func(c *candidate) value.Value { return value.OfFloat(c.verdict.Similarity) }},
	{Name: "title", Type: value.Text, page: func(c *candidate) value.Value { return value.TextOrNull(c.res.about().Title) }},
	{Name: "lang", Type: value.Text, page: (*candidate).lang},
	asInVersions("text"),
	asInVersions("main"),
	asInVersions("description"),
	asInVersions("keywords"),
	asInVersions("page_type"),
	asInVersions("headers"),
	{Name: "target", Type: value.URL, link: func(c *candidate, i int) value.Value { return value.OfURL(c.Links[i].URL) }},
	{Name: "anchor", Type: value.Text, link: func(c *candidate, i int) value.Value { return value.OfText(c.Links[i].Anchor) }},
	{Name: "label", Type: value.Text, link: (*candidate).label},
	{Name: "promise", Type: value.Float, OfWords: true, link: func(c *candidate, i int) value.Value { return value.OfFloat(c.verdict.Promise[i]) }},
}

// asInVersions returns a FocusColumn that has the name, type and value of a
// late column (one that needs the stored page) of the relation versions. name
// is the name of that column.
func asInVersions(name string) FocusColumn {
	col := Versions.Column(name)
	return FocusColumn{Name: name, Type: col.Type, page: func(c *candidate) value.Value { return c.field(col) }}
}

// namesOf returns the names of columns that a condition may name, for error messages.
func namesOf(columns []FocusColumn) []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return names
}

// BindFocus returns the condition e of an EXPAND WHERE with its names resolved
// and its types checked. The error, an *ast.Error, says which name or type is
// wrong.
func BindFocus(e ast.Expr, env *expr.Env) (*FocusCondition, error) {
	return bindCondition(e, "EXPAND WHERE", focusColumns, env)
}

// bindCondition returns the condition e with its names resolved and its types checked. where is the
// name of its clause, for errors, and columns are those that it may name. The error, an *ast.Error,
// says which name or type is wrong.
func bindCondition(e ast.Expr, where string, columns []FocusColumn, env *expr.Env) (*FocusCondition, error) {
	f := new(FocusCondition)
	bind := &expr.Binder{Where: where, Env: env, Column: func(c *ast.Column, _ value.Type) (expr.Expr, error) {
		if c.Qualifier != nil {
			err := ast.Errorf(c.Qualifier, "the columns of %s are of no relation", where)
			err.Hint = "write " + c.Name.String()
			return nil, err
		}
		i := slices.IndexFunc(columns, func(k FocusColumn) bool { return strings.EqualFold(k.Name, c.Name.Text) })
		if i < 0 {
			err := expr.UnknownName(&c.Name, "column", c.Name.Text, " in "+where, namesOf(columns))
			if err.Hint == "" {
				err.Hint = "there are " + strings.Join(namesOf(columns), ", ")
			}
			return nil, err
		}
		return f.column(&columns[i]), nil
	}}
	var err error
	f.Where, err = bind.BindBool(e)
	return f, err
}

// column returns the bound expression that reads the column c in the condition
// f. It adds c to f.Columns if c is not there yet.
func (f *FocusCondition) column(c *FocusColumn) *expr.Col {
	i := slices.Index(f.Columns, c)
	if i < 0 {
		i = len(f.Columns)
		f.Columns = append(f.Columns, c)
		f.OfLink = f.OfLink || c.link != nil
	}
	return &expr.Col{Index: i, Name: c.Name, T: c.Type}
}

// Focus judges the pages that a crawl has fetched, and their links: how well
// they match given words, and whether a condition lets the crawl follow them.
// Several goroutines may use a Focus.
type Focus struct {
	words []string        // folded, as CONTAINS compares them
	asked *FocusCondition // nil follows all links
}

// textShare is how much a word counts that occurs in the text of a page, but
// neither in its title nor in its main content. A word in the title or the main
// content counts 1.
const textShare = .5

// NewFocus returns a Focus that looks for words, if there are any, and tests the condition asked.
// If asked is nil, the crawl follows all links.
func NewFocus(words []string, asked *FocusCondition) *Focus {
	f := &Focus{asked: asked}
	for _, w := range words {
		f.words = append(f.words, value.Folded(w))
	}
	return f
}

// Judge returns how well the page p and each of its links match the words of f,
// and which links the crawl follows. It implements report.Focus. The error, an
// *ast.Error, says that the condition cannot be computed for this page.
func (f *Focus) Judge(p *report.FocusedPage) (v report.FocusVerdict, err error) {
	c := &candidate{FocusedPage: p, verdict: &v}
	c.res.Payload = record.Payload{Head: p.Head, Body: p.Body, Size: int64(len(p.Body)), Mime: p.Mime}
	if len(f.words) > 0 {
		title, main, text := value.Folded(c.res.about().Title), value.Folded(c.field(mainColumn).Text), value.Folded(c.field(textColumn).Text)
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
	v.Follow, err = f.follow(c)
	return v, err
}

// mean calls the function of for each word of f and returns the mean of the
// results. Without words it returns 0.
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

// follow returns, for each link of the page c, whether the condition of f is
// true. If the condition reads no column of a link, follow evaluates it once
// for all links.
func (f *Focus) follow(c *candidate) ([]bool, error) {
	rows := len(c.Links)
	if !f.asked.OfLink {
		rows = 1
	}
	holds, err := f.asked.evaluate(c, rows)
	if err != nil {
		return nil, err
	}
	list := make([]bool, len(c.Links))
	for i := range list {
		list[i] = holds[min(i, rows-1)]
	}
	return list, nil
}

// evaluate returns, for the first rows links of the page c, whether the condition is true for each.
// If the condition has no column of a link, rows may be 1 even if the page has no links.
func (f *FocusCondition) evaluate(c *candidate, rows int) ([]bool, error) {
	b := &value.Batch{N: rows}
	for _, col := range f.Columns {
		vector := &value.Vector{Type: col.Type}
		var same value.Value
		if col.page != nil {
			same = col.page(c)
		}
		for i := range rows {
			if col.link != nil {
				same = col.link(c, i)
			}
			vector.AppendValue(same)
		}
		b.Cols = append(b.Cols, vector)
	}
	eval, err := eval.Compile(f.Where)
	if err != nil {
		return nil, err
	}
	holds, err := eval(b)
	if err != nil {
		return nil, err
	}
	list := make([]bool, rows)
	for i := range list {
		list[i] = !holds.IsNull(i) && holds.Bools[i]
	}
	return list, nil
}

// candidate is a fetched page that a Focus judges, together with what was
// computed for it so far.
type candidate struct {
	*report.FocusedPage
	res     response
	verdict *report.FocusVerdict   // the parts that Judge has filled in so far
	labels  map[string]value.Value // by target: the label of the block that contains the link; nil before they are needed
}

// textColumn and mainColumn are the columns of the relation versions in which a
// Focus seeks words.
var (
	textColumn = Versions.Column("text")
	mainColumn = Versions.Column("main")
)

// field returns the value, for the page c, of a late column of the relation
// versions: one that needs the page itself, such as its text.
func (c *candidate) field(col *Column) value.Value {
	v, _ := col.late(&LateRow{opened: &c.res}) // an opened response has no error
	return v
}

// status returns the HTTP status of the page, or NULL if it is not known.
func (c *candidate) status() value.Value {
	if c.Status == 0 {
		return value.Value{}
	}
	return value.OfInt(int64(c.Status))
}

// lang returns the language that the page declares. If it declares none, lang
// returns the language that the script of its text gives away, or NULL.
func (c *candidate) lang() value.Value {
	lang := c.res.about().Lang
	if lang == "" {
		lang = page.LangOf(c.field(textColumn).Text)
	}
	return value.TextOrNull(lang)
}

// label returns the label of the block that contains link i, such as "nav", or
// NULL if no block contains the link.
func (c *candidate) label(i int) value.Value {
	if c.labels == nil {
		c.findLabels()
	}
	return c.labels[c.Links[i].URL]
}

// findLabels fills c.labels, which maps the target of each link to the label of
// the block that contains the link. If several links lead to one URL, the first
// counts.
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
		if p := c.res.partAt(facts.KeptLevel, links[i].Offset); p > 0 {
			label = value.OfText(c.res.label(p).String())
		}
		c.labels[u] = label
	}
}

// responseColumns lists the columns that the condition of RENDER WHEN may name: those of
// focusColumns that are columns of a page and do not depend on the words of FOR.
var responseColumns = slices.DeleteFunc(slices.Clone(focusColumns), func(c FocusColumn) bool { return c.page == nil || c.OfWords })

// ShowCondition is the condition of RENDER WHEN in a CRAWL statement. It decides by the
// response of a page whether a browser shows the page. It implements report.Condition.
type ShowCondition struct{ asked *FocusCondition }

// BindShowCondition returns the condition e of a RENDER WHEN with its names resolved and
// its types checked. The error, an *ast.Error, says which name or type is wrong.
func BindShowCondition(e ast.Expr, env *expr.Env) (*ShowCondition, error) {
	f, err := bindCondition(e, "RENDER WHEN", responseColumns, env)
	return &ShowCondition{f}, err
}

// Holds reports whether the condition is true for the page p. The error, an *ast.Error, says that
// the condition cannot be computed for this page.
func (s *ShowCondition) Holds(p *report.FocusedPage) (bool, error) {
	c := &candidate{FocusedPage: p, verdict: new(report.FocusVerdict)}
	c.res.Payload = record.Payload{Head: p.Head, Body: p.Body, Size: int64(len(p.Body)), Mime: p.Mime}
	holds, err := s.asked.evaluate(c, 1)
	return err == nil && holds[0], err
}
