// Package jsontext reads JSON, JSON-LD and lists of JSON values, one on each
// line. It takes the strings in it that are text.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"infomall/store/document"
	"infomall/store/document/dates"
	"infomall/store/document/pagetext"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// Kind reads bodies in JSON whose media type says so or is not known. It does
// not read programs in JavaScript.
var Kind = document.Kind{Name: "json", Is: is, Read: read}

func is(in *document.Input) bool {
	head := in.Body[:min(len(in.Body), 1000)]
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(head) < 2 || head[0] != '{' && head[0] != '[' {
		return false
	}
	if strings.Contains(in.Mime, "json") || in.Mime == "application/manifest" {
		return true
	}
	switch in.Mime {
	case "", "application/octet-stream", "binary/octet-stream", "application/unknown", "application/x-unknown":
	default:
		return false
	}
	next := bytes.TrimLeft(head[1:], " \t\r\n")
	return len(next) > 0 && (next[0] == '"' || head[0] == '[' && (next[0] == '{' || next[0] == '['))
}

func read(b *document.Builder, in *document.Input) error {
	cs := charset.Find(in.Body, "application/json; charset="+in.Charset, "").Charset
	r := reader{b: b, in: json.NewDecoder(bytes.NewReader(charset.ToUTF8(in.Body, cs))), seen: make(map[string]bool)}
	for {
		err := r.next()
		if errors.Is(err, io.EOF) && len(r.open) == 0 {
			return nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("the JSON is cut off at byte %d", r.in.InputOffset())
		}
		if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
			return fmt.Errorf("the JSON is damaged at byte %d: %v", r.in.InputOffset(), s)
		}
		if err != nil {
			return err
		}
	}
}

// reader reads one body token by token.
type reader struct {
	b     *document.Builder
	in    *json.Decoder
	open  []level
	seen  map[string]bool // set of the targets of links
	ranks [2]int          // how certain the title and the author are, from their keys; 0 if there is none
}

// level is an open object or array.
type level struct {
	array bool
	key   string // in an object: key of the next value, in lower case; "" if a key comes next
	name  string // key of the object or array itself
	main  bool   // the document is about it: it is the outermost value, or an element of the outermost array
}

// errNesting is returned if objects and arrays are nested too deeply.
var errNesting = errors.New("values are nested too deeply: the rest is not read")

// next reads one token. It returns io.EOF after the last token.
func (r *reader) next() error {
	token, err := r.in.Token()
	if err != nil {
		return err
	}
	var top *level
	if len(r.open) > 0 {
		top = &r.open[len(r.open)-1]
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '}' || v == ']' {
			r.open = r.open[:len(r.open)-1]
			return nil
		}
		l := level{array: v == '[', main: top == nil}
		if top != nil {
			l.name, top.key = top.key, ""
			l.main = top.main && (top.array && !l.array || l.name == "@graph")
			if top.array {
				l.name = top.name
			}
		}
		if len(r.open) >= r.b.Limits().Nesting {
			return errNesting
		}
		r.open = append(r.open, l)
	case string:
		if top == nil {
			return r.value("", "", false, v)
		}
		if !top.array && top.key == "" {
			if top.key = strings.ToLower(v); top.key == "" {
				top.key = " " // an empty key is a key
			}
			return nil
		}
		key := top.key
		if top.key = ""; top.array {
			key = top.name
		}
		return r.value(key, top.name, top.main, v)
	default:
		if top != nil {
			top.key = ""
		}
	}
	return nil
}

// value handles v, a string value: it adds v as text or as a link to the
// document, or ignores it. key is the key of v, or of the array that contains
// v. object is the key of the object that contains v. main is the level.main of
// that object.
func (r *reader) value(key, object string, main bool, v string) error {
	if v = strings.TrimSpace(v); v == "" {
		return nil
	}
	r.about(key, object, main, v)
	if address(key, v) {
		if !r.seen[v] && len(r.seen) < r.b.Limits().Links {
			r.seen[v] = true
			r.b.Link(v, "")
		}
		return nil
	}
	switch {
	case !isText(v):
		return nil
	case strings.Contains(v, "</") || strings.Contains(v, "<br") || strings.Contains(v, "<p>"):
		return pagetext.AddHTML(r.b, []byte(v), charset.UTF8, "")
	case main && (key == "headline" || key == "title" || key == "name"):
		return r.b.Add(document.Heading, v)
	}
	return pagetext.AddPlain(r.b, v)
}

// about sets a field of the document, such as its title, if v is the value of a
// key for this field in the main object.
func (r *reader) about(key, object string, main bool, v string) {
	d := r.b.Doc
	best := func(to *string, which, rank int) {
		if r.ranks[which] < rank {
			r.ranks[which], *to = rank, document.Clean(pagetext.TextOf(v))
		}
	}
	if !main {
		if key == "name" && (object == "author" || object == "creator") && len(r.open) <= 4 {
			best(&d.Author, 1, 1)
		}
		return
	}
	switch key {
	case "headline":
		best(&d.Title, 0, 3)
	case "title", "dc:title", "dcterms:title":
		best(&d.Title, 0, 2)
	case "name":
		best(&d.Title, 0, 1)
	case "author", "creator", "dc:creator":
		if !address("@id", v) {
			best(&d.Author, 1, 2)
		}
	case "description":
		if d.Description == "" {
			d.Description = document.Clean(pagetext.TextOf(v))
		}
	case "keywords":
		if d.Keywords == "" {
			d.Keywords = document.Clean(v)
		}
	case "inlanguage", "language", "lang":
		if d.Lang == "" && len(v) <= 35 {
			d.Lang = strings.ToLower(document.Clean(v))
		}
	case "datepublished", "datecreated", "created_at", "created", "published":
		if d.Created == record.NoTime {
			d.Created = dates.Parse(v)
		}
	case "datemodified", "updated_at", "modified", "updated":
		if d.Modified == record.NoTime {
			d.Modified = dates.Parse(v)
		}
	}
}

// address reports whether v is an address: a URL, or a path that is the value
// of a key for addresses.
func address(key, v string) bool {
	if strings.HasPrefix(v, "http://") || strings.HasPrefix(v, "https://") {
		return !strings.ContainsAny(v, " \t\n<>\"") && key != "@context" && key != "$schema" && key != "xmlns"
	}
	switch key {
	case "url", "href", "link", "permalink", "contenturl", "embedurl", "thumbnailurl", "image_url", "src":
		return strings.HasPrefix(v, "/") && !strings.ContainsAny(v, " \t\n<>\"")
	}
	return false
}

// isText reports whether a string is text: it has at least two words, or
// characters of a script without blanks between words.
func isText(v string) bool {
	words, inWord := 0, false
	for _, c := range v {
		switch {
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			return true
		case unicode.IsSpace(c):
			inWord = false
		case !inWord && unicode.IsLetter(c):
			if words++; words > 1 {
				return true
			}
			inWord = true
		}
	}
	return false
}
