// Package cdx writes lines of CDXJ, the index of WARC files that replay
// programs such as pywb search. A line has the folded key of a URL, a time, and
// a JSON object with the place of the record:
//
//	cn,edu,pku)/news 20080602011717 {"url": "http://pku.edu.cn/news", "mime": "text/html", …}
//
// The fields and their order are those of pywb. If the request was not a GET, two more
// fields with its method and body come last. The key then has the method and the body too,
// as urlkey.WithMethod writes them, and the field url does not. An index consists of such
// lines, sorted by their bytes; the caller sorts them.
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

// Entry describes one record of a web archive file, such as a WARC file, and says
// where it is.
type Entry struct {
	URL      string // canonical
	AskedURL string // the URL as the record spells it; "" if that is the canonical URL
	Time     record.Time
	Mime     string // media type of the payload; "" if unknown
	Status   int    // HTTP status; 0 if there is none
	Revisit  bool   // whether it is a revisit record
	Digest   string // digest of the payload, such as "sha1:BASE32"; "" if unknown
	Length   int64  // size of the record in the file, in bytes (compressed if the file is compressed); 0 if unknown
	Offset   int64  // of the record in the file, in bytes
	File     string // name of the file
}

// mimeRevisit is written as the media type of every revisit record.
const mimeRevisit = "warc/revisit"

// Append appends the CDXJ line of e, with a line feed, to dst.
func (e *Entry) Append(dst []byte) []byte {
	dst = append(dst, urlkey.CDX(e.URL)...)
	dst = append(dst, ' ')
	dst = e.Time.Std().AppendFormat(dst, "20060102150405")
	asked := e.AskedURL
	if asked == "" || !utf8.ValidString(asked) {
		asked = e.URL
	}
	dst = append(dst, ` {"url": `...)
	page, method, query, posted := urlkey.Method(asked)
	if posted {
		asked = page
	}
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
	if query != "" {
		dst = field(dst, "requestBody", query)
	}
	if posted {
		dst = field(dst, "method", method)
	}
	return append(dst, "}\n"...)
}

func field(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, `, "`...), name...), `": `...)
	return appendText(dst, value)
}

// appendText appends s as a JSON string in quotes.
func appendText(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // cannot fail: s is a string and b a bytes.Buffer
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
