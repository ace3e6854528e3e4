package forms

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/store/page/charset"
	"infomall/store/urlkey"
)

// Bounds of the fields of a submission, in bytes.
const (
	sentMax   = 3000     // of a GET, which has them in its URL
	postedMax = 64 << 10 // of a POST, which the frontier holds until it is sent; some pages have tens of KB in hidden fields
)

// Given has the values that a crawl submits for the fields of one name.
type Given struct {
	Name   string
	Values []string
}

// Submission is a form that is filled in.
type Submission struct {
	URL   string // the URL under which the archive keeps the response; for a POST, what urlkey.WithBody returns
	Media string // the Content-Type of a POST; "" for a GET
	Body  []byte // the body of a POST; nil for a GET
	// Refused says why the submission must not be sent; "" if it may be.
	Refused string
}

// ID returns a text that is the same for forms with the same submissions. Fields for
// which values are given do not count, nor do values that seem to be tokens, which
// servers make for each visit.
func (f *Form) ID(given []Given) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %v %q %q", f.Action, f.Post, f.Coding, f.Charset)
	for _, x := range f.Fields {
		switch {
		case x.Off:
			continue
		case looksLikeToken(x.Value), slices.ContainsFunc(given, func(g Given) bool { return g.Name == x.Name }):
			x.Value = ""
		}
		fmt.Fprintf(h, " %q=%q", x.Name, x.Value)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// Submissions yields the form filled in with each combination of the values of given,
// at most max of them. The values of the last name change first. Names that the form
// does not have are ignored. Fields that given does not name keep their values.
func (f *Form) Submissions(given []Given, max int) iter.Seq[Submission] {
	return func(yield func(Submission) bool) {
		var used []Given
		for _, g := range given {
			if len(g.Values) > 0 && slices.ContainsFunc(f.Fields, func(x Field) bool { return x.Name == g.Name }) {
				used = append(used, g)
			}
		}
		at := make([]int, len(used))
		for n := 0; n < max && len(used) > 0; n++ {
			if !yield(f.fill(used, at)) {
				return
			}
			i := len(at) - 1
			for ; i >= 0; i-- {
				if at[i]++; at[i] < len(used[i].Values) {
					break
				}
				at[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// fill returns the submission of the form in which each field named in used[i] has its value
// number at[i].
func (f *Form) fill(used []Given, at []int) Submission {
	var sent []Field
	done := make([]bool, len(used))
	for _, x := range f.Fields {
		i := slices.IndexFunc(used, func(g Given) bool { return g.Name == x.Name })
		switch {
		case i >= 0 && !done[i]:
			done[i] = true
			x.Value = used[i].Values[at[i]]
		case i >= 0, x.Off:
			continue
		}
		sent = append(sent, Field{Name: f.encode(x.Name), Value: f.encode(lines(x.Value))})
	}
	return f.submission(sent)
}

// encode returns text in the charset of the form.
func (f *Form) encode(text string) string { return string(charset.Encode(text, f.Charset)) }

// lines returns a value with CR LF at the end of each line, as forms send them.
func lines(value string) string {
	value = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value)
	return strings.ReplaceAll(value, "\n", "\r\n")
}

// submission returns the submission of the form with these fields: the method, the URL and the body of
// the request.
func (f *Form) submission(fields []Field) Submission {
	query := query(fields)
	s := Submission{}
	most := sentMax
	if f.Post {
		most = postedMax
	}
	if len(query) > most {
		s.Refused = fmt.Sprintf("the fields of its form are longer than %d bytes", most)
	}
	if !f.Post {
		action, _, _ := strings.Cut(f.Action, "?")
		s.URL = action + "?" + query
	} else {
		s.Media, s.Body = f.Coding, []byte(query)
		switch f.Coding {
		case codingMultipart:
			var boundary string
			s.Body, boundary = multipart(fields)
			s.Media += "; boundary=" + boundary
		case codingPlain:
			s.Body = nil
			for _, x := range fields {
				s.Body = append(s.Body, x.Name+"="+x.Value+"\r\n"...)
			}
		}
		s.URL = urlkey.WithBody(f.Action, "POST", s.Media, s.Body)
	}
	u, err := urlkey.Canonical(s.URL)
	if err != nil && s.Refused == "" {
		s.Refused = err.Error()
	}
	if err == nil {
		s.URL = u
	}
	return s
}

// query returns fields as application/x-www-form-urlencoded.
func query(fields []Field) string {
	var b strings.Builder
	for i, x := range fields {
		if i > 0 {
			b.WriteByte('&')
		}
		escape(&b, x.Name)
		b.WriteByte('=')
		escape(&b, x.Value)
	}
	return b.String()
}

// escape writes s as a name or a value of application/x-www-form-urlencoded.
func escape(b *strings.Builder, s string) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('+')
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '*', c == '-', c == '.', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(b, "%%%02X", c)
		}
	}
}

// multipart returns fields as multipart/form-data, and the boundary between them.
func multipart(fields []Field) (body []byte, boundary string) {
	boundary = "form"
	has := func(x Field) bool { return strings.Contains(x.Value, boundary) || strings.Contains(x.Name, boundary) }
	for n := 0; slices.ContainsFunc(fields, has); n++ {
		boundary = fmt.Sprintf("form-%d", n)
	}
	names := strings.NewReplacer("\"", "%22", "\r", "%0D", "\n", "%0A")
	for _, x := range fields {
		body = fmt.Appendf(body, "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n", boundary, names.Replace(x.Name), x.Value)
	}
	return fmt.Appendf(body, "--%s--\r\n", boundary), boundary
}
