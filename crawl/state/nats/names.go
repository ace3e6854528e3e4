package nats

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"slices"
	"strings"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/store/packed"
	"infomall/store/urlkey"
)

// token returns name in a form that may be a part of the name of a stream or subject.
// Different names have different tokens.
func token(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	return b.String()
}

// partitionOf returns the partition, from 0 to n-1, of a host, which may have a port. All
// ports of a host are in the same partition.
func partitionOf(host string, n int) int {
	if name, _, err := net.SplitHostPort(host); err == nil && name != "" {
		host = name
	}
	h := fnv.New64a()
	h.Write([]byte(strings.Trim(host, "[]")))
	return int(h.Sum64() % uint64(n))
}

// chosen returns which of the fetchers must own partition p; "" if there are no fetchers. If a
// fetcher is added or removed, the result changes only for the partitions that this fetcher gets
// or had.
func chosen(fetchers []string, p int) string {
	best, at := "", uint64(0)
	for _, f := range fetchers {
		h := sha256.Sum256(binary.BigEndian.AppendUint32([]byte(f), uint32(p)))
		if v := binary.BigEndian.Uint64(h[:]); best == "" || v > at || v == at && f > best {
			best, at = f, v
		}
	}
	return best
}

// urlID identifies a URL in the log of the URLs that are done. A URL that is fetched again,
// because a user or a new cookie asks for that, gets a different urlID the second time. So does
// a sitemap's URL that the crawl guessed.
type urlID [16]byte

func idOf(u *report.Queued) (id urlID) {
	kind := "u"
	switch {
	case u.Forced:
		kind = "f"
	case u.Guessed:
		kind = "g"
	}
	h := sha256.Sum256([]byte(kind + urlkey.Key(u.URL)))
	copy(id[:], h[:])
	return id
}

// Bounds of the messages in the logs, in bytes and URLs.
const (
	addBytes = 256 << 10 // a message with URLs is not made longer than this, but for its last URL
	doneMany = 8 << 10   // most URLs in one message of the log of what is done
)

// addMessage is a message with URLs that the crawl has met.
type addMessage struct {
	session string // that published it
	given   bool   // a user has added the URLs
	old     bool   // it was there when the session that reads it began
	urls    []report.Queued
}

// appendAdd appends the head of a message with URLs to b. After it, appendURL appends each URL.
func appendAdd(b []byte, session string, given bool) []byte {
	b = packed.AppendSized(b, session)
	if given {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendURL(b []byte, u *report.Queued) []byte {
	copied := *u
	copied.Terms, copied.Priority, copied.Seq = nil, 0, 0 // the owner computes them
	return packed.AppendSized(b, state.AppendQueued(nil, &copied))
}

// decodeAdd reads a message with URLs.
func decodeAdd(b []byte) (m addMessage, err error) {
	d := packed.Reader{B: b}
	m.session, m.given = d.Text(), d.Byte() == 1
	for len(d.B) > 0 {
		text := d.Sized()
		if d.Bad {
			break
		}
		u, err := state.DecodeQueued(text)
		if err != nil {
			return m, err
		}
		m.urls = append(m.urls, u)
	}
	if d.Bad {
		return m, errMessage
	}
	return m, nil
}

// errMessage is returned if a message of a stream of the crawl cannot be decoded.
var errMessage = errors.New("a message of the crawl's stream can't be read")

// doneSet is the set of URLs that are done, sorted. A URL may be in it several times.
type doneSet []urlID

// add adds the URLs in b, a message of the log of the URLs that are done, to the set.
func (s *doneSet) add(b []byte) error {
	if len(b)%len(urlID{}) != 0 {
		return errMessage
	}
	for ; len(b) > 0; b = b[len(urlID{}):] {
		*s = append(*s, urlID(b))
	}
	return nil
}

func compareIDs(a, b urlID) int { return strings.Compare(string(a[:]), string(b[:])) }

func (s doneSet) sort() { slices.SortFunc(s, compareIDs) }

// count returns how often id is in the set.
func (s doneSet) count(id urlID) (n int) {
	i, _ := slices.BinarySearchFunc(s, id, compareIDs)
	for ; i < len(s) && s[i] == id; i++ {
		n++
	}
	return n
}
