package divide

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/page/pagetest"
)

var (
	mutants    = flag.Int("mutants", 20_000, "broken pages to divide and put together again")
	mutantSeed = flag.Uint64("mutants.seed", 0, "seed of the broken pages; 0 for another each time")
)

// TestMutants divides pages that are broken in every way that chance finds, and
// puts them together again: the pages of the parsers' test suites and generated
// ones, cut, spliced, shuffled and flipped. All bodies come back byte for byte.
//
//	go test ./store/block/divide -run TestMutants -mutants 10000000
func TestMutants(t *testing.T) {
	seed := *mutantSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	m := &mutator{r: rand.New(rand.NewPCG(seed, 2)), stock: stockPages(t)}
	if t.Failed() {
		return
	}
	size := 0
	for i := range *mutants {
		body := m.next()
		size += len(body)
		// A panic, too, has to tell which body it was.
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("seed %d, body %d: %v\n%q", seed, i, p, body)
				}
				if t.Failed() {
					t.Logf("seed %d, body %d:\n%q", seed, i, body)
				}
			}()
			divideBoth(t, body)
		}()
	}
	t.Logf("seed %d: %d bodies, %d bytes, from %d pages", seed, *mutants, size, len(m.stock))
}

// stockPages are the pages to begin with.
func stockPages(t *testing.T) [][]byte {
	before, after := pagetest.Paper()
	stock := [][]byte{[]byte(before), []byte(after)}
	root := pagetest.Root()
	if root == "" {
		return stock
	}
	err := filepath.WalkDir(filepath.Join(root, "suites"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".dat":
			stock = append(stock, suitePages(b)...)
		case ".test":
			var suite struct {
				Tests []struct{ Input any }
			}
			if json.Unmarshal(b, &suite) == nil {
				for _, c := range suite.Tests {
					stock = append(stock, []byte(fmt.Sprint(c.Input)))
				}
			}
		case ".html":
			stock = append(stock, b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return stock
}

// suitePages are the inputs of a file of html5lib's tests of tree construction.
func suitePages(b []byte) (pages [][]byte) {
	for _, c := range strings.Split("\n"+string(b), "\n#data\n")[1:] {
		input, _, _ := strings.Cut(c, "\n#")
		pages = append(pages, []byte(input))
	}
	return pages
}

// mutator makes broken pages. It makes the same ones of the same seed.
type mutator struct {
	r     *rand.Rand
	stock [][]byte
	out   []byte
}

// mutantBytes is how long a page may get, about.
const mutantBytes = 1500

// shards are what pages are made of, and what breaks them.
var shards = []string{
	"<div>", "</div>", "<p>", "</p>", "<table>", "<tr>", "<td>", "</td>", "</tr>", "</table>", "<ul>", "<li>", "</ul>", "<br>", "<hr>",
	"<h1>", "</h1>", "<b>", "</b>", "<a href=x>", "</a>", "<form>", "<input>", "</form>", "<pre>", "</pre>", "<script>", "</script>",
	"<style>", "</style>", "<title>", "</title>", "<textarea>", "</textarea>", "<xmp>", "<plaintext>", "<svg>", "</svg>", "<math>", "<template>",
	"<select>", "<option>", "<frameset>", "<frame src=f>", "<iframe>", "<noscript>", "<img src=i alt='two words'>", "<section class=nav>", "<main>",
	"<!--", "-->", "<![CDATA[", "]]>", "<!doctype html>", "<?xml version='1.0'?>", "<", ">", "</", "/>", "'", "\"", "=", "&amp;", "&", "&#0;",
	"\x00", "\x00#", "\x00(", "\x00)", "\x000", "\xff\xfe", "\xef\xbb\xbf", "\xb1\xb1\xbe\xa9", "北京", "\r\n", "\t", "     ", "\n\n\n", "------------------------------",
	"words of a paragraph that is as long as most. ", "Heading in Words", "one ", "2008-06-01",
}

// next makes a page. It is valid until the next.
func (m *mutator) next() []byte {
	m.out = m.out[:0]
	switch m.r.IntN(4) {
	case 0:
		for range m.r.IntN(60) {
			m.out = append(m.out, m.piece()...)
		}
	case 1:
		m.list()
	default:
		m.out = append(m.out, m.stock[m.r.IntN(len(m.stock))]...)
	}
	for range m.r.IntN(6) {
		m.mutate()
	}
	// Bytes that follow the body in memory must not count for it.
	return m.out[:len(m.out):len(m.out)]
}

func (m *mutator) piece() string { return shards[m.r.IntN(len(shards))] }

// list makes a page of items that are alike, as most pages are.
func (m *mutator) list() {
	open, close, between := m.piece(), m.piece(), m.piece()
	for range 1 + m.r.IntN(8) {
		m.out = append(m.out, open...)
		for range m.r.IntN(5) {
			m.out = append(m.out, m.piece()...)
		}
		m.out = append(append(m.out, close...), between...)
	}
}

// mutate changes the page in one place.
func (m *mutator) mutate() {
	at := m.r.IntN(len(m.out) + 1)
	to := min(len(m.out), at+m.r.IntN(1+m.r.IntN(120)))
	switch part := m.out[at:to]; m.r.IntN(7) {
	case 0:
		m.insert(at, []byte(m.piece()))
	case 1:
		m.out = append(m.out[:at], m.out[to:]...)
	case 2:
		m.insert(at, bytes.Clone(part))
	case 3:
		m.insert(m.r.IntN(len(m.out)+1), bytes.Clone(part))
	case 4:
		if at < len(m.out) {
			m.out[at] = byte(m.r.IntN(256))
		}
	case 5:
		if at < len(m.out) {
			m.out[at] ^= 1 << m.r.IntN(8)
		}
	case 6:
		other := m.stock[m.r.IntN(len(m.stock))]
		from := m.r.IntN(len(other) + 1)
		m.insert(at, other[from:min(len(other), from+m.r.IntN(300))])
	}
}

func (m *mutator) insert(at int, b []byte) {
	if len(m.out)+len(b) > mutantBytes && len(m.out) > 0 {
		return
	}
	m.out = append(m.out, b...)
	copy(m.out[at+len(b):], m.out[at:])
	copy(m.out[at:], b)
}
