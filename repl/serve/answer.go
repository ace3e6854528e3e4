package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/gzip"
)

// answerKey has everything that decides which answer replay sends, except the state of the
// archive and, for an address without a time, the clock.
type answerKey struct {
	uri, host, dest, lang string
	gzip                  bool // a body of text is sent compressed
}

// answerKeyOf returns the key of the answer to r. A part of a body is never compressed.
func answerKeyOf(r *http.Request) answerKey {
	lang, _ := languageOf(r)
	zip := acceptsGzip(r) && r.Header.Get("Range") == ""
	return answerKey{r.RequestURI, r.Host, r.Header.Get("Sec-Fetch-Dest"), lang, zip}
}

// acceptsGzip reports whether the client that sent r accepts an answer that is compressed with gzip.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			n, ok := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			return !ok || strings.Trim(n, "0.") != ""
		}
	}
	return false
}

// bytes returns roughly how much memory k takes, in bytes.
func (k *answerKey) bytes() int64 {
	return int64(unsafe.Sizeof(*k)) + int64(len(k.uri)+len(k.host)+len(k.dest))
}

// answer is an answer of replay as it is sent. It does not change after it was put into
// the answers of a snapshot.
type answer struct {
	status int
	header http.Header // as it is sent; nil once the answer is kept
	fields []field     // the header of an answer that is kept, the values of a name one after the other
	body   []byte
	text   bool // the body is rewritten text, which may be compressed
}

// field is a field of the header of an answer.
type field struct{ name, value string }

// keep prepares a to be kept in memory, and returns roughly how much memory a takes, in bytes.
// Most header fields are the same in all answers; a then uses the copies of their texts in t.
func (a *answer) keep(t *texts) int64 {
	a.body = bytes.Clone(a.body) // without the room behind it, or what it is a part of
	a.fields = make([]field, 0, len(a.header))
	n := int64(unsafe.Sizeof(*a)) + int64(len(a.body))
	for name, values := range a.header {
		name, added := t.one(name)
		n += added
		for _, v := range values {
			v, added := t.one(v)
			a.fields = append(a.fields, field{name, v})
			n += added
		}
	}
	a.header = nil // package http changes the one that is sent
	return n + int64(len(a.fields))*int64(unsafe.Sizeof(field{}))
}

// setHeader puts the header fields of a, an answer that was kept, into h.
func (a *answer) setHeader(h http.Header) {
	values := make([]string, len(a.fields))
	for i, f := range a.fields {
		values[i] = f.value
	}
	for i := 0; i < len(values); {
		end := i + 1
		for end < len(values) && a.fields[end].name == a.fields[i].name {
			end++
		}
		h[a.fields[i].name] = values[i:end:end]
		i = end
	}
}

// textsMax is the maximum number of strings in a texts.
const textsMax = 1000

// texts holds one copy of each string that occurred often lately, so that many answers share it.
// With it, the header of a page takes 2 KB of memory instead of 4.
type texts struct {
	mu  sync.Mutex
	all map[string]string
}

// one returns the shared copy of s. bytes is the memory that the copy adds: 0 if another answer
// already has it.
func (t *texts) one(s string) (text string, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text, ok := t.all[s]; ok {
		return text, 0
	}
	if len(t.all) >= textsMax || t.all == nil {
		t.all = make(map[string]string)
	}
	s = strings.Clone(s) // it may be a small part of a long text
	t.all[s] = s
	return s, int64(len(s))
}

// zipMin is the size in bytes of a body that is worth compressing.
const zipMin = 1 << 10

// zippers is a pool of gzip writers to use again: a new one clears its tables, which takes
// longer than to compress a page.
var zippers = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(fmt.Sprintf("serve: a level of gzip: %v", err))
	}
	return z
}}

// zippedTag returns the ETag of a compressed body. tag is that of the same body as it is.
func zippedTag(tag string) string { return strings.TrimSuffix(tag, `"`) + `-gzip"` }

// zip compresses the body if it is text, and changes the ETag to the zippedTag.
func (a *answer) zip() error {
	if !a.text || len(a.body) < zipMin {
		return nil
	}
	var out bytes.Buffer
	z := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	z.Reset(&out)
	if _, err := z.Write(a.body); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	a.body = out.Bytes()
	a.header.Set("Content-Encoding", "gzip")
	a.header.Set("ETag", zippedTag(a.header.Get("ETag")))
	return nil
}
