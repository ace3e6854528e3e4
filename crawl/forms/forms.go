// Package forms reads the forms of HTML pages, and makes the requests with which a
// browser sends them. It consists of pure functions over bytes, which may be hostile.
//
// # Words
//
//	field       a name with a value, which a form sends
//	given       the values that the user of a crawl gives for the fields of a name
//	submission  a form with one value for each field, as a request
package forms

import (
	"bytes"
	"slices"
	"strings"

	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/urlkey"
)

// Bounds of what is read from one page.
const (
	formsMax  = 100 // forms that are returned
	fieldsMax = 500 // fields of a form; a form with more is not returned
)

// Form is a form of a page.
type Form struct {
	Action  string // canonical URL to which the form is sent
	Post    bool   // the form is sent by POST, otherwise by GET
	Coding  string // how a POST is written: one of the values of enctype
	Charset string // in which the fields are sent
	Fields  []Field
}

// Field is one field of a form.
type Field struct {
	Name, Value string // Value is what the form sends if nobody fills it in
	// Off says that the form sends the field only if a value is given for it. A box that
	// is not ticked is such a field.
	Off bool
}

// The values of enctype.
const (
	codingForm      = "application/x-www-form-urlencoded"
	codingMultipart = "multipart/form-data"
	codingPlain     = "text/plain"
)

// Page is a page with forms.
type Page struct {
	Tree    *markup.Tree
	URL     string // canonical
	Base    string // the URL to which links of the page are relative
	Charset string // of the page, and of the body of Tree
}

// Find returns the forms of a page that have a field with one of the names, in
// order. It leaves out a form that asks for a password or a file, one that a script
// sends (method dialog), and one that asks robots not to follow it.
func Find(p Page, names []string) (list []*Form) {
	r := reader{p: p, ids: make(map[string]*found), first: true}
	r.read()
	r.first, r.all = false, r.all[:0:len(r.all)]
	r.read()
	for _, f := range r.all {
		named := func(x Field) bool { return slices.Contains(names, x.Name) }
		if !f.refused && len(f.Fields) <= fieldsMax && slices.ContainsFunc(f.Fields, named) && len(list) < formsMax {
			list = append(list, &f.Form)
		}
	}
	return list
}

// found is a form that is being read.
type found struct {
	Form
	refused bool
	button  bool // a button that sends the form has been read
}

// reader reads the forms of a page. It reads the page twice, because a field may name a form that comes
// after it: first the forms only, and then the fields too.
type reader struct {
	p       Page
	first   bool // the page is read for the first time
	all     []*found
	current *found            // the form that is open; nil if none is
	end     int32             // offset at which current ends; the end of the page if it has no end tag
	ends    bool              // current has an end tag
	ids     map[string]*found // forms by their id
	list    *choice           // the select element that is open; nil if none is
	listEnd int32
}

// choice is a select element.
type choice struct {
	form     *found
	name     string
	multiple bool
	first    int // index in form.Fields of the first option; -1 if there is none yet
	chosen   bool
}

// read reads the page once.
func (r *reader) read() {
	r.current = nil
	for i := 1; i < len(r.p.Tree.Nodes); i++ {
		r.node(i)
	}
	r.endList()
}

// node reads the node i of the page.
func (r *reader) node(i int) {
	t := r.p.Tree
	n := &t.Nodes[i]
	if n.Start >= r.listEnd {
		r.endList()
	}
	if r.current != nil && n.Start >= r.end {
		r.current = nil
	}
	if n.Kind == markup.Markup && markup.EqualFold(t.Body[n.Start:min(n.End, n.Start+6)], "</form") {
		r.current = nil
	}
	if n.Kind != markup.Element || r.first && n.Tag != markup.TagForm {
		return
	}
	switch n.Tag {
	case markup.TagForm:
		r.begin(i)
	case markup.TagInput:
		r.input(i)
	case markup.TagButton:
		if kind := r.attr(i, "type"); kind == "" || strings.EqualFold(kind, "submit") {
			r.press(i, "")
		}
	case markup.TagTextarea:
		if f, name, ok := r.field(i); ok {
			text := markup.Unescape(string(charset.ToUTF8(t.Body[n.Inner:n.Outer], r.p.Charset)))
			f.add(Field{Name: name, Value: strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")})
		}
	case markup.TagSelect:
		if f, name, ok := r.field(i); ok {
			_, multiple := t.Attr(i, "multiple")
			r.list, r.listEnd = &choice{form: f, name: name, multiple: multiple, first: -1}, n.End
		}
	case markup.TagOption:
		if r.list != nil {
			r.option(i)
		}
	}
}

// attr returns the value of an attribute of the node i, in UTF-8 and without
// character references; "" if it has none.
func (r *reader) attr(i int, name string) string {
	b, _ := r.p.Tree.Attr(i, name)
	return markup.Unescape(string(charset.ToUTF8(b, r.p.Charset)))
}

// begin begins the form whose start tag is the node i. Within another form it does nothing, if
// that form has an end tag.
func (r *reader) begin(i int) {
	n := &r.p.Tree.Nodes[i]
	if r.current != nil && r.ends {
		return // browsers ignore a form within a form
	}
	r.end, r.ends = n.End, n.Outer < n.End
	if !r.ends {
		r.end = int32(len(r.p.Tree.Body)) // until an end tag that ends nothing, or the next form
	}
	if !r.first {
		r.all = r.all[:len(r.all)+1]
		r.current = r.all[len(r.all)-1]
		return
	}
	f := &found{Form: Form{Coding: coding(r.attr(i, "enctype")), Charset: r.charset(r.attr(i, "accept-charset"))}}
	r.address(f, r.attr(i, "action"))
	switch strings.ToLower(r.attr(i, "method")) {
	case "post":
		f.Post = true
	case "dialog":
		f.refused = true
	}
	for rel := range strings.FieldsSeq(strings.ToLower(r.attr(i, "rel"))) {
		f.refused = f.refused || rel == "nofollow"
	}
	r.all = append(r.all, f)
	if id := r.attr(i, "id"); id != "" && r.ids[id] == nil {
		r.ids[id] = f
	}
	r.current = f
}

// address sets the URL to which f is sent, from action, the value of its attribute. If action is
// empty, the form is sent to the URL of the page.
func (r *reader) address(f *found, action string) {
	action = strings.TrimSpace(action)
	u, err := r.p.URL, error(nil)
	if action != "" {
		u, err = urlkey.Resolve(r.p.Base, action)
	}
	if err != nil || !urlkey.IsHTTP(u) {
		f.refused = true
		return
	}
	f.Action = u
}

// coding returns the encoding in which a form is sent. enctype is the value of the form's
// attribute of that name.
func coding(enctype string) string {
	switch enctype = strings.ToLower(strings.TrimSpace(enctype)); enctype {
	case codingMultipart, codingPlain:
		return enctype
	}
	return codingForm
}

// charset returns the charset of a form with the attribute accept-charset: the first
// one that is known, or that of the page.
func (r *reader) charset(accepts string) string {
	for label := range strings.FieldsFuncSeq(accepts, func(c rune) bool { return c == ' ' || c == ',' || c == ';' }) {
		if cs := charset.Lookup(label); cs != "" {
			return cs
		}
	}
	return r.p.Charset
}

// owner returns the form to which the node i belongs; nil if it belongs to none.
func (r *reader) owner(i int) *found {
	if id := r.attr(i, "form"); id != "" {
		return r.ids[id]
	}
	return r.current
}

// field returns the form and the name of the field at node i. ok is false if the field
// is not sent: it has no form or no name, or it is disabled.
func (r *reader) field(i int) (f *found, name string, ok bool) {
	f, name = r.owner(i), r.attr(i, "name")
	_, disabled := r.p.Tree.Attr(i, "disabled")
	return f, name, f != nil && name != "" && !disabled
}

// add adds a field to f. It keeps one field more than fieldsMax, so that later steps see that
// the form has too many.
func (f *found) add(x Field) {
	if len(f.Fields) <= fieldsMax {
		f.Fields = append(f.Fields, x)
	}
}

// input reads an input element.
func (r *reader) input(i int) {
	kind := strings.ToLower(strings.TrimSpace(r.attr(i, "type")))
	if f := r.owner(i); f != nil && (kind == "password" || kind == "file") {
		f.refused = true
		return
	}
	switch kind {
	case "submit", "image":
		r.press(i, kind)
		return
	case "button", "reset":
		return
	}
	f, name, ok := r.field(i)
	if !ok {
		return
	}
	x := Field{Name: name, Value: r.attr(i, "value")}
	switch kind {
	case "checkbox", "radio":
		if _, has := r.p.Tree.Attr(i, "value"); !has {
			x.Value = "on"
		}
		_, ticked := r.p.Tree.Attr(i, "checked")
		x.Off = !ticked
	case "hidden":
		if strings.EqualFold(name, "_charset_") && x.Value == "" {
			x.Value = f.Charset
		}
	}
	f.add(x)
}

// press reads a button that sends a form. Of several buttons, the form sends only the name and
// value of the first.
func (r *reader) press(i int, kind string) {
	f := r.owner(i)
	if _, disabled := r.p.Tree.Attr(i, "disabled"); f == nil || f.button || disabled {
		return
	}
	f.button = true
	if action := r.attr(i, "formaction"); action != "" {
		r.address(f, action)
	}
	switch strings.ToLower(r.attr(i, "formmethod")) {
	case "post":
		f.Post = true
	case "get":
		f.Post = false
	case "dialog":
		f.refused = true
	}
	name := r.attr(i, "name")
	switch {
	case kind == "image" && name != "":
		f.add(Field{Name: name + ".x", Value: "0"})
		f.add(Field{Name: name + ".y", Value: "0"})
	case kind == "image":
		f.add(Field{Name: "x", Value: "0"})
		f.add(Field{Name: "y", Value: "0"})
	case name != "":
		f.add(Field{Name: name, Value: r.attr(i, "value")})
	}
}

// option reads an option element of the select element that is being read.
func (r *reader) option(i int) {
	t, l := r.p.Tree, r.list
	n := &t.Nodes[i]
	if _, disabled := t.Attr(i, "disabled"); disabled {
		return
	}
	value := r.attr(i, "value")
	if _, has := t.Attr(i, "value"); !has {
		value = strings.Join(strings.Fields(t.TextRange(int(n.Inner), int(n.Outer), r.p.Charset)), " ")
	}
	_, chosen := t.Attr(i, "selected")
	if chosen && !l.multiple && l.chosen {
		for k := l.first; k < len(l.form.Fields); k++ {
			l.form.Fields[k].Off = true // the last one that is selected counts
		}
	}
	l.chosen = l.chosen || chosen
	if l.first < 0 {
		l.first = len(l.form.Fields)
	} else if !chosen && len(l.form.Fields) >= fieldsMax {
		return // an option that is not selected is not sent
	}
	l.form.add(Field{Name: l.name, Value: value, Off: !chosen})
}

// endList ends the select element that is open. If it allows one choice and no option is
// selected, its first option counts as selected. The options that are not sent are removed, apart
// from one, so that the form still has a field of that name.
func (r *reader) endList() {
	l := r.list
	if l == nil {
		return
	}
	if r.list = nil; l.first < 0 || l.first >= len(l.form.Fields) {
		l.form.add(Field{Name: l.name, Off: true})
		return
	}
	if !l.chosen && !l.multiple {
		l.form.Fields[l.first].Off = false
	}
	options := l.form.Fields[l.first:]
	kept := slices.DeleteFunc(slices.Clone(options), func(x Field) bool { return x.Off })
	if len(kept) == 0 {
		kept = options[:1]
	}
	l.form.Fields = append(l.form.Fields[:l.first], kept...)
}

// looksLikeToken reports whether the value of a field seems to be a token that the server makes
// for each visit, such as 9f86d081884c7d65.
func looksLikeToken(value string) bool {
	if len(value) < 16 {
		return false
	}
	letter, digit := false, false
	for _, c := range []byte(value) {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letter = true
		case '0' <= c && c <= '9':
			digit = true
		case bytes.IndexByte([]byte("+/=-_.:|"), c) < 0:
			return false
		}
	}
	return letter && digit
}
