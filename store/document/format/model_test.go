package format

import (
	"encoding/hex"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"infomall/store/document/format/pronom"
)

// mutations is how many damaged samples TestModel and TestMutations read.
var mutations = flag.Int("mutations", 200, "how many damaged bodies the tests read")

// xmlFiles returns the files of signatures that the table is made from. The test is
// skipped if they are not there.
func xmlFiles(t testing.TB) (signatures, containers []byte) {
	root := os.Getenv("INFOMALL_SHARED")
	if root == "" {
		root = "../../../../shared"
	}
	read := func(name string) []byte {
		f, err := os.Open(filepath.Join(root, "data", "pronom", name))
		if err != nil {
			t.Skipf("no shared data: %v", err)
		}
		defer f.Close()
		z, err := zstd.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		b, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return read("DROID_SignatureFile_V122.xml.zst"), read("container-signature-20260119.xml.zst")
}

// extract returns the extract of these files that is in testdata.
func extract(t testing.TB) (signatures, containers []byte) {
	var files [2][]byte
	for i, name := range []string{"signatures.xml", "containers.xml"} {
		var err error
		if files[i], err = os.ReadFile(filepath.Join("testdata", name)); err != nil {
			t.Fatal(err)
		}
	}
	return files[0], files[1]
}

// TestTable shows that formats.table is the one that PRONOM's files give.
func TestTable(t *testing.T) {
	table, err := pronom.Make(xmlFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	if string(table) != string(packedTable) {
		t.Errorf("formats.table is not what PRONOM's files give: run go generate")
	}
}

// TestModel compares the matcher with a model that interprets the signatures in XML
// directly, on damaged samples: once with an extract of PRONOM, and once with all of it.
func TestModel(t *testing.T) {
	t.Run("extract", func(t *testing.T) {
		signatures, containers := extract(t)
		compare(t, signatures, containers, *mutations)
	})
	t.Run("all", func(t *testing.T) {
		signatures, containers := xmlFiles(t)
		compare(t, signatures, containers, *mutations/8)
	})
}

func compare(t *testing.T, signatures, containers []byte, n int) {
	packed, err := pronom.Make(signatures, containers)
	if err != nil {
		t.Fatal(err)
	}
	tab := open(packed)
	mod := newModel(t, signatures)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	matched := map[ID]bool{}
	for range n {
		body := mutate(r)
		body = body[:min(len(body), 1500)]
		m := newMatcher(tab, span{first: body, size: int64(len(body))})
		var list []int
		for _, h := range m.hits() {
			list = append(list, h.format)
		}
		var got []ID
		for _, i := range tab.best(list) {
			got = append(got, tab.id(i))
			matched[tab.id(i)] = true
		}
		want := mod.identify(body)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: got %v, the model has %v, for\n%s", seed, got, want, hex.Dump(body))
		}
	}
	t.Logf("%d bodies, %d formats", n, len(matched))
	if n >= 100 && len(matched) < 10 {
		t.Errorf("only %d formats matched", len(matched))
	}
}

// mutate returns a damaged sample.
func mutate(r *rand.Rand) []byte {
	b := []byte(samples[r.IntN(len(samples))].body)
	for range r.IntN(5) {
		at := r.IntN(len(b) + 1)
		n := min(len(b)-at, 1+r.IntN(40))
		switch o := samples[r.IntN(len(samples))].body; r.IntN(6) {
		case 0:
			if n > 0 {
				b[at] ^= 1 << r.IntN(8)
			}
		case 1:
			b = slices.Delete(b, at, at+n)
		case 2:
			b = slices.Insert(b, at, slices.Clone(b[at:at+n])...)
		case 3:
			from := r.IntN(len(o) + 1)
			b = slices.Insert(b, at, []byte(o[from:min(len(o), from+64)])...)
		case 4:
			b = append([]byte(o[:min(len(o), 200)]), b...)
		case 5:
			b = b[:len(b)-r.IntN(min(len(b), 8)+1)]
		}
	}
	return b
}

// TestMutations identifies damaged bodies of all kinds, by all of their bytes and by their
// ends. It must not panic.
func TestMutations(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("seed %d: %v", seed, p)
		}
	}()
	for i := range *mutations {
		body := mutate(r)
		if i%2 == 0 {
			body = containerFiles[r.IntN(len(containerFiles))].make()
			for range 1 + r.IntN(6) {
				body[r.IntN(len(body))] = byte(r.IntN(256))
			}
			if r.IntN(3) == 0 {
				body = body[:r.IntN(len(body))]
			}
		}
		Identify(body)
		half := len(body) / 3
		IdentifyEnds(body[:half], body[len(body)-half:], int64(len(body)))
	}
}

// model interprets signatures as they are in XML, slowly.
type model struct {
	formats []modelFormat
	byID    map[string]ID
	sigs    map[string]modelSignature
}

type modelFormat struct {
	ID         string   `xml:"ID,attr"`
	PUID       ID       `xml:"PUID,attr"`
	Signatures []string `xml:"InternalSignatureID"`
	Over       []string `xml:"HasPriorityOverFileFormatID"`
}

type modelSignature struct {
	ID        string `xml:"ID,attr"`
	Sequences []struct {
		Reference string `xml:"Reference,attr"`
		Subs      []struct {
			Min   int             `xml:"SubSeqMinOffset,attr"`
			Max   string          `xml:"SubSeqMaxOffset,attr"`
			Main  string          `xml:"Sequence"`
			Left  []modelFragment `xml:"LeftFragment"`
			Right []modelFragment `xml:"RightFragment"`
		} `xml:"SubSequence"`
	} `xml:"ByteSequence"`
}

type modelFragment struct {
	Position int    `xml:"Position,attr"`
	Min      int    `xml:"MinOffset,attr"`
	Max      int    `xml:"MaxOffset,attr"`
	Text     string `xml:",chardata"`
}

func newModel(t *testing.T, file []byte) *model {
	var f struct {
		Signatures []modelSignature `xml:"InternalSignatureCollection>InternalSignature"`
		Formats    []modelFormat    `xml:"FileFormatCollection>FileFormat"`
	}
	if err := xml.Unmarshal(file, &f); err != nil {
		t.Fatal(err)
	}
	m := &model{formats: f.Formats, byID: map[string]ID{}, sigs: map[string]modelSignature{}}
	for _, x := range f.Formats {
		m.byID[x.ID] = x.PUID
	}
	for _, s := range f.Signatures {
		m.sigs[s.ID] = s
	}
	return m
}

// identify returns the formats of body, without those over which another has priority.
func (m *model) identify(body []byte) (list []ID) {
	lower := map[ID]bool{}
	for _, f := range m.formats {
		if slices.ContainsFunc(f.Signatures, func(id string) bool { return m.matches(m.sigs[id], body) }) {
			list = append(list, f.PUID)
			for _, id := range f.Over {
				lower[m.byID[id]] = true
			}
		}
	}
	return slices.DeleteFunc(list, func(id ID) bool { return lower[id] })
}

func (m *model) matches(s modelSignature, body []byte) bool {
	for i := range s.Sequences {
		q := &s.Sequences[i]
		// from says whether the pieces from the index i on match from a place on.
		var from func(i, at int) bool
		from = func(i, at int) bool {
			if i == len(q.Subs) {
				return true
			}
			sub := &q.Subs[i]
			last := len(body)
			if sub.Max != "" && !(i == 0 && q.Reference == "") {
				n, _ := strconv.Atoi(sub.Max)
				last = at + max(n, sub.Min)
			}
			parts := partsOf(sub.Left, sub.Main, sub.Right)
			for start := at + sub.Min; start <= min(last, len(body)); start++ {
				for _, end := range partEnds(body, parts, start) {
					if from(i+1, end) {
						return true
					}
				}
			}
			return false
		}
		ok := false
		switch q.Reference {
		case "EOFoffset":
			sub := &q.Subs[0]
			n, _ := strconv.Atoi(sub.Max)
			parts := partsOf(sub.Left, sub.Main, sub.Right)
			for start := 0; start <= len(body) && !ok; start++ {
				ok = slices.ContainsFunc(partEnds(body, parts, start), func(end int) bool {
					return len(body)-end >= sub.Min && len(body)-end <= max(n, sub.Min)
				})
			}
		default:
			ok = from(0, 0)
		}
		if !ok {
			return false
		}
	}
	return len(s.Sequences) > 0
}

// part is a list of alternatives. before and after are the bytes between an alternative and
// its neighbours.
type part []struct {
	before, after [2]int
	text          string
}

func partsOf(left []modelFragment, main string, right []modelFragment) (parts []part) {
	side := func(list []modelFragment, leftwards bool) (out []part) {
		for _, f := range list {
			for len(out) < f.Position {
				out = append(out, nil)
			}
			var p struct {
				before, after [2]int
				text          string
			}
			p.text = f.Text
			if leftwards {
				p.after = [2]int{f.Min, f.Max}
			} else {
				p.before = [2]int{f.Min, f.Max}
			}
			out[f.Position-1] = append(out[f.Position-1], p)
		}
		return out
	}
	parts = side(left, true)
	slices.Reverse(parts)
	parts = append(parts, part{{text: main}})
	return append(parts, side(right, false)...)
}

// partEnds returns where the parts end that begin at start.
func partEnds(body []byte, parts []part, start int) (ends []int) {
	at := map[int]bool{start: true}
	for _, p := range parts {
		next := map[int]bool{}
		for a := range at {
			for _, alternative := range p {
				for gap := alternative.before[0]; gap <= alternative.before[1]; gap++ {
					if a+gap > len(body) {
						break
					}
					n, ok := textMatches(body[a+gap:], alternative.text)
					if !ok {
						continue
					}
					for after := alternative.after[0]; after <= alternative.after[1]; after++ {
						next[a+gap+n+after] = true
					}
				}
			}
		}
		if at = next; len(at) == 0 {
			return nil
		}
	}
	for a := range at {
		if a <= len(body) {
			ends = append(ends, a)
		}
	}
	slices.Sort(ends)
	return ends
}

// textMatches reports whether b begins with what a pattern in hexadecimal digits and
// brackets says, and returns its length.
func textMatches(b []byte, text string) (n int, ok bool) {
	unhex := func(s string) string {
		out, err := hex.DecodeString(s)
		if err != nil {
			panic(fmt.Sprintf("%q: %v", s, err))
		}
		return string(out)
	}
	for text != "" {
		if text[0] != '[' {
			if n >= len(b) || b[n] != unhex(text[:2])[0] {
				return 0, false
			}
			n, text = n+1, text[2:]
			continue
		}
		inside, rest, _ := strings.Cut(text[1:], "]")
		text = rest
		inside, not := strings.CutPrefix(inside, "!")
		inside, bits := strings.CutPrefix(inside, "&")
		low, high, isRange := strings.Cut(inside, ":")
		if !isRange {
			high = low
		}
		size := len(low) / 2
		if n+size > len(b) {
			return 0, false
		}
		got := string(b[n : n+size])
		in := got >= unhex(low) && got <= unhex(high)
		if bits {
			in = got[0]&unhex(low)[0] == unhex(low)[0]
		}
		if in == not {
			return 0, false
		}
		n += size
	}
	return n, true
}
