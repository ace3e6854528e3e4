package article

import (
	"bytes"
	"encoding/json"
	"strings"

	"infomall/store/page/markup"
)

// thing is an object of JSON-LD, or a list in an object, whose end has not been
// read yet.
type thing struct {
	object bool
	in     string // key under which the thing is in the object around it; "" at the top
	key    string // key of the next value
	value  bool   // in an object: the next string is a value, and not a key

	kind, published, modified, headline, name, author []byte
}

// thingsMax is how deep objects and lists of JSON-LD may be nested. Deeper ones are not read.
const thingsMax = 24

// readScript reads script element i if it contains JSON-LD. Otherwise it
// appends i to r.scripts.
func (r *reader) readScript(i int) {
	n := &r.t.Nodes[i]
	if int(n.Next) <= i+1 {
		return
	}
	if r.t.May(i, markup.AttrType) {
		if kind, _ := r.t.Attr(i, "type"); bytes.Contains(kind, []byte("ld+json")) {
			r.readThings(r.t.Body[n.Inner:n.Outer])
			return
		}
	}
	r.scripts = append(r.scripts, i)
}

// programKeys are names of variables in which the scripts of pages keep the day
// of publication, in lower case and without hyphens and underscores.
var programKeys = map[string]bool{"publishedat": true, "publishdate": true, "publisheddate": true, "datepublished": true, "firstpublished": true,
	"publishedtime": true, "publishtime": true, "publisheddatetime": true, "publishdatetime": true, "firstpublisheddate": true, "publishedon": true}

// The limits of readProgram.
const (
	programKeysMax = 64  // largest number of such names that are read in all programs of a page
	programTrust   = .45 // weight of such a date
)

// readProgram appends to r.programs the days of publication in the script b,
// which are written like "published_at":"2008-08-08". It appends none if the
// script has several days, because it then also lists other articles.
func (r *reader) readProgram(b []byte) {
	for at := 0; r.programDates < programKeysMax; {
		k := bytes.Index(b[at:], []byte("blish"))
		if k < 0 {
			return
		}
		k += at
		from, to := k, k
		for from > 0 && keyByte(b[from-1]) {
			from--
		}
		for to < len(b) && keyByte(b[to]) {
			to++
		}
		at = to
		var key [24]byte
		n := 0
		for _, c := range b[from:to] {
			if c != '_' && c != '-' && n < len(key) {
				key[n] = c | 0x20
				n++
			}
		}
		if !programKeys[string(key[:n])] {
			continue
		}
		i := to
		for i < len(b) && i < to+6 && (b[i] == '"' || b[i] == '\'' || b[i] == '\\' || b[i] == ' ' || b[i] == ':' || b[i] == '=') {
			i++
		}
		if i == to || i == len(b) || b[i]-'0' >= 10 || b[i-1] != '"' && b[i-1] != '\'' {
			continue
		}
		end := i
		for end < len(b) && end < i+32 && b[end] != '"' && b[end] != '\'' && b[end] != '\\' {
			end++
		}
		r.programDates++
		if e, ok := r.exact(string(b[i:end])); ok && e.day != 0 {
			r.programs = append(r.programs, candidate{expression: e, from: FromJSONLD, weight: programTrust, line: -1})
		}
	}
}

// keyByte reports whether c may be in the name of a variable.
func keyByte(c byte) bool { return letter(c) || c-'0' < 10 || c == '_' || c == '-' }

// readPrograms reads the days of publication in the scripts of the page. If all
// are the same day, it adds that day to r.dates.
func (r *reader) readPrograms() {
	for _, i := range r.scripts {
		r.readProgram(r.t.Body[r.t.Nodes[i].Inner:r.t.Nodes[i].Outer])
	}
	for i := range r.programs {
		if c, first := &r.programs[i], &r.programs[0]; c.year != first.year || c.month != first.month || c.day != first.day {
			return
		}
	}
	if len(r.programs) > 0 {
		r.add(r.programs[0])
	}
}

// readThings takes the dates, the author and the headline from b, which is JSON-LD. It interprets
// only strings, brackets, colons and commas, so that other errors in the JSON do no harm.
func (r *reader) readThings(b []byte) {
	stack := make([]thing, 1, thingsMax)
	deep := 0 // brackets beyond thingsMax
	for i := 0; i < len(b); i++ {
		top := &stack[len(stack)-1]
		switch c := b[i]; c {
		case '"':
			end := stringEnd(b, i+1)
			text := b[i+1 : end]
			i = end
			switch {
			case deep > 0:
			case top.object && !top.value:
				top.key = string(text[:min(len(text), 40)])
			default:
				r.say(stack, text)
			}
		case ':':
			top.value = true
		case ',':
			top.value = false
		case '{', '[':
			if len(stack) == thingsMax {
				deep++
				break
			}
			in := top.key
			if !top.object {
				in = top.in
			}
			stack = append(stack, thing{object: c == '{', in: in})
		case '}', ']':
			if deep > 0 {
				deep--
				break
			}
			if len(stack) > 1 {
				r.end(stack)
				stack = stack[:len(stack)-1]
				stack[len(stack)-1].value = false
			}
		}
	}
	for ; len(stack) > 1; stack = stack[:len(stack)-1] { // brackets that are never closed
		r.end(stack)
	}
}

// stringEnd returns the offset of the quotation mark that ends the string at i, or len(b).
func stringEnd(b []byte, i int) int {
	for i < len(b) && b[i] != '"' {
		if b[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(b))
}

// say stores text, the value of a string, in that field of the innermost open
// object that the key of the string names. It does nothing if there is no such
// field.
func (r *reader) say(stack []thing, text []byte) {
	at := len(stack) - 1
	key := stack[at].key
	for at > 0 && !stack[at].object { // a list of values
		key = stack[at].in
		at--
	}
	t := &stack[at]
	var field *[]byte
	switch key {
	case "@type":
		if t.kind == nil || bytes.Contains(text, []byte("Article")) {
			t.kind = text
		}
		return
	case "datePublished":
		field = &t.published
	case "dateCreated", "uploadDate":
		field = &t.published
	case "dateModified":
		field = &t.modified
	case "headline":
		field = &t.headline
	case "name":
		field = &t.name
	case "author", "creator":
		field = &t.author
	default:
		return
	}
	if *field == nil || key == "datePublished" {
		*field = text
	}
}

// end handles the end of the last thing of the stack. If it is an object, end
// adds its dates to r.dates. If the object is an article, end also takes its
// author and headline.
func (r *reader) end(stack []thing) {
	t := &stack[len(stack)-1]
	if !t.object {
		return
	}
	if (t.in == "author" || t.in == "creator") && t.name != nil {
		for at := len(stack) - 2; at > 0; at-- {
			if stack[at].object {
				if stack[at].author == nil {
					stack[at].author = t.name
				}
				break
			}
		}
		return
	}
	weight := thingWeight(t)
	if t.published != nil {
		r.dated(unquote(t.published), FromJSONLD, weight, false)
	}
	if t.modified != nil {
		r.dated(unquote(t.modified), FromJSONLD, weight, true)
	}
	if weight < .9 {
		return
	}
	r.heads.declaresArticle = true
	if r.heads.author == "" && t.author != nil {
		r.heads.author = unquote(t.author)
	}
	if r.heads.title == "" && t.headline != nil && len(t.headline) <= headlineMax {
		r.heads.title = unquote(t.headline)
	}
}

// headlineMax is the length in bytes of the longest headline that counts. Longer ones are no headlines,
// and one of a megabyte, made for that, would take half an hour.
const headlineMax = 1000

// thingWeight returns the weight, from 0 to 1, of the dates of t, a JSON-LD
// object. It depends on the object's type, and on the key under which the
// object is.
func thingWeight(t *thing) float64 {
	switch t.in {
	case "comment", "review", "hasPart", "video", "image", "itemListElement", "relatedLink", "logo", "thumbnail", "associatedMedia", "suggestedAnswer", "acceptedAnswer":
		return .15
	}
	kind := string(t.kind)
	switch {
	case strings.HasSuffix(kind, "Article"), strings.HasSuffix(kind, "Posting"), strings.HasSuffix(kind, "Report"), kind == "Recipe", kind == "Blog", kind == "Question":
		return .9
	case kind == "WebPage", kind == "CreativeWork", kind == "ItemPage":
		return .75
	case kind == "":
		return .5
	case kind == "VideoObject", kind == "AudioObject", kind == "PodcastEpisode":
		return .4
	}
	return .2
}

// unquote returns a string of JSON with its escapes resolved, and with references such as
// &amp; resolved.
func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') >= 0 {
		var s string
		if json.Unmarshal([]byte(`"`+string(text)+`"`), &s) == nil {
			return markup.Unescape(s)
		}
	}
	return markup.Unescape(string(text))
}
