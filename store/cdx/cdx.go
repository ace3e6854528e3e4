// Package cdx writes lines of CDXJ, the index of web archive files that
// replaying programs search: a folded URL, a moment, and a JSON object that says
// where the record is. Fields and their order are those that pywb writes. An
// index is such lines sorted by their bytes; sorting them is for others.
package cdx

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Entry is one record of a web archive file.
type Entry struct {
	URL      string // canonical
	AskedURL string // as the record has it; "" where that is the canonical
	Time     record.Time
	Mime     string // "" if unknown
	Status   int    // 0 if there is none
	Revisit  bool   // it is a revisit record
	Digest   string // of the payload, such as "sha1:BASE32"; "" if unknown
	Length   int64  // of the record in bytes, compressed if the file is; 0 if unknown
	Offset   int64
	File     string // name of the file
}

// mimeRevisit stands in place of the type of a revisit record.
const mimeRevisit = "warc/revisit"

// Append appends the entry's line with its line feed.
func (e *Entry) Append(dst []byte) []byte {
	dst = append(dst, urlkey.CDX(e.URL)...)
	dst = append(dst, ' ')
	dst = e.Time.Std().AppendFormat(dst, "20060102150405")
	asked := e.AskedURL
	if asked == "" || !utf8.ValidString(asked) {
		asked = e.URL
	}
	dst = append(dst, ` {"url": `...)
	dst = appendText(dst, asked)
	mime, status := e.Mime, e.Status
	switch {
	case e.Revisit:
		mime, status = mimeRevisit, 0
	case mime == "":
		mime = "unk"
	}
	dst = field(dst, "mime", mime)
	if status != 0 {
		dst = field(dst, "status", strconv.Itoa(status))
	}
	if _, digits, ok := strings.Cut(e.Digest, ":"); ok {
		dst = field(dst, "digest", digits)
	} else if e.Digest != "" {
		dst = field(dst, "digest", e.Digest)
	}
	if e.Length != 0 {
		dst = field(dst, "length", strconv.FormatInt(e.Length, 10))
	}
	dst = field(dst, "offset", strconv.FormatInt(e.Offset, 10))
	dst = field(dst, "filename", e.File)
	return append(dst, "}\n"...)
}

func field(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, `, "`...), name...), `": `...)
	return appendText(dst, value)
}

// appendText appends a JSON string.
func appendText(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string can be encoded, and a bytes.Buffer does not fail
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
