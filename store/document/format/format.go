package format

import (
	"bytes"
	"slices"
	"sync"

	"infomall/store/packed"
)

// endBytes is how many bytes at the start, and at the end, of a body are
// searched. Other programs that use PRONOM's signatures search the same number.
const endBytes = 64 << 10

// plainText is the identifier of plain text, and html that of HTML of any version.
const (
	plainText ID = "x-fmt/111"
	html      ID = "fmt/96"
)

// Basis says how a format was found.
type Basis string

// The values of Basis.
const (
	BySignature Basis = "signature" // the bytes of the body match a signature of PRONOM
	ByContainer Basis = "container" // the files inside the zip or OLE2 file match a signature of PRONOM
	ByText      Basis = "text"      // no signature matches, but the body is text
)

// Found is the format that a body was found to have. The zero value means that its format is unknown.
type Found struct {
	ID    ID
	Basis Basis
	// Others are further formats that match and over which ID has no priority.
	// ID is the format whose signature was found at a fixed place of the body,
	// or whose signature compares the most bytes.
	Others []ID
}

// Identify finds the format of a body, which must be decoded from its content
// coding. Its time depends on the first and last 64 KB only, with an exception:
// if the first bytes leave no doubt, it may search the whole body for what else
// a PDF or a film must have, and for the files in a zip or OLE2 file.
func Identify(body []byte) Found {
	return identify(registry(), span{first: body, size: int64(len(body))})
}

// IdentifyEnds does what Identify does, for a body of size bytes of which only
// the first and the last bytes are known. last must not be longer than first.
func IdentifyEnds(first, last []byte, size int64) Found {
	if size <= int64(len(first)) {
		return Identify(first[:size])
	}
	return identify(registry(), span{first, last, size})
}

// hit is a format with a signature that matches the body. strength is the
// number of bytes that the signature compares. fixed says that the signature
// was found at a fixed place of the body.
type hit struct {
	format, strength int
	weak, fixed      bool
}

// rank returns a number that is higher for a more convincing hit. It decides between formats over
// which PRONOM states no priority. A hit at a fixed place wins, because a signature that may be
// anywhere also matches something inside of a file, such as a mail in a mail folder.
func (h hit) rank() int {
	if h.fixed {
		return 1<<20 + h.strength
	}
	return h.strength
}

func identify(t *table, s span) Found {
	if s.size == 0 {
		return Found{}
	}
	m := newMatcher(t, s)
	hits := m.hits()
	isText := sync.OnceValue(s.isText)
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.weak && isText() })
	var list []int
	for _, h := range hits {
		list = append(list, h.format)
	}
	if inner := m.inContainer(list); len(inner) > 0 {
		return t.found(inner, nil, ByContainer)
	}
	list = t.best(list)
	switch {
	case len(list) > 0:
		return t.found(list, hits, BySignature)
	case !isText():
		return Found{}
	case s.isHTML():
		return Found{ID: html, Basis: ByText}
	}
	return Found{ID: plainText, Basis: ByText}
}

// found returns the Found for the formats in list, which are indexes in the
// table: ID is the format of the hit with the highest rank, and Others are the
// rest. The parameter by is the Basis of the result.
func (t *table) found(list []int, hits []hit, by Basis) Found {
	strongest := func(format int) (n int) {
		for _, h := range hits {
			if h.format == format {
				n = max(n, h.rank())
			}
		}
		return n
	}
	best := list[0]
	for _, i := range list[1:] {
		if strongest(i) > strongest(best) {
			best = i
		}
	}
	f := Found{ID: t.id(best), Basis: by}
	for _, i := range list {
		if i != best {
			f.Others = append(f.Others, t.id(i))
		}
	}
	return f
}

// span is a body of which only the first and the last bytes may be known.
type span struct {
	first []byte // the first bytes, or the whole body
	last  []byte // the last bytes; empty if first is the whole body
	size  int64
}

// head returns those first bytes of the body that are searched.
func (s span) head() []byte { return s.first[:min(len(s.first), endBytes)] }

// tail returns those last bytes of the body that are searched. They may overlap
// with head.
func (s span) tail() []byte {
	b := s.last
	if s.size == int64(len(s.first)) {
		b = s.first
	}
	return b[max(0, len(b)-endBytes):]
}

// at returns up to n bytes of the body from offset off on, or nil if these are
// not known.
func (s span) at(off int64, n int) []byte {
	if off < 0 || off >= s.size || n <= 0 {
		return nil
	}
	if off < int64(len(s.first)) {
		return s.first[off:min(int64(len(s.first)), off+int64(n))]
	}
	if start := s.size - int64(len(s.last)); off >= start {
		return s.last[off-start : min(int64(len(s.last)), off-start+int64(n))]
	}
	return nil
}

// inContainer returns the formats whose container signatures the files in the
// body match, if the body is a container (a zip or OLE2 file). list has all
// formats whose signatures the bytes of the body match. A zip file that is cut
// off at the end matches none, but is recognised by its first bytes.
func (m *matcher) inContainer(list []int) []int {
	is := func(ids ...ID) bool {
		return slices.ContainsFunc(list, func(i int) bool { return slices.Contains(ids, m.id(i)) })
	}
	var out []int
	if is("fmt/111") {
		out = m.matchContainers(inOLE2, openOLE2(m.body))
	}
	if is("x-fmt/263", "fmt/189") || bytes.HasPrefix(m.head, []byte("PK\x03\x04")) {
		out = append(out, m.matchContainers(inZip, openZip(m.body, m.zipPaths()))...)
	}
	return m.best(out)
}

// matchContainers returns the formats whose signatures match the files of a
// container. kind is inOLE2 or inZip. The function read returns the first bytes
// of a file of the container; ok is false if the container does not have the
// file.
func (m *matcher) matchContainers(kind int, read func(path string) (file []byte, ok bool)) (list []int) {
	if read == nil {
		return nil
	}
	type known struct {
		file []byte
		ok   bool
	}
	files := map[string]known{}
	for _, c := range m.containers() {
		if c.kind != kind {
			continue
		}
		matches := true
		for _, f := range c.files {
			k, seen := files[f.path]
			if !seen {
				k.file, k.ok = read(f.path)
				files[f.path] = k
			}
			if matches = k.ok && m.inFile(f.sequences, k.file); !matches {
				break
			}
		}
		if matches {
			list = append(list, c.format)
		}
	}
	return list
}

// inFile reports whether file, the first bytes of a file in a container,
// matches all of the encoded sequences.
func (m *matcher) inFile(sequences, file []byte) bool {
	in := matcher{table: m.table, head: file, tail: file, all: file, steps: m.steps}
	r := packed.Reader{B: sequences}
	ok := in.sequences(&r)
	m.steps = in.steps
	return ok
}
