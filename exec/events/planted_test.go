package events

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// planted has texts with known events.
type planted struct {
	docs     []text
	periods  int
	coverage []float64
	cycle    int
	truth    []truth
}

// text is a Document with its words.
type text struct {
	Document
	Words []uint32
	Title int // how many of Words are those of the title
}

// truth is one event that was planted.
type truth struct {
	kind       string // "big", "small" or "slow"
	start, end int    // periods
	docs       map[uint64]bool
}

// index returns the index of the documents.
func (p *planted) index() *Index {
	in := &Index{}
	var uses [][]Use
	for i := range p.docs {
		d := &p.docs[i]
		in.Documents = append(in.Documents, d.Document)
		for at, w := range d.Words {
			for int(w) >= len(uses) {
				uses = append(uses, nil)
			}
			if n := len(uses[w]); n == 0 || uses[w][n-1].Doc() != i {
				uses[w] = append(uses[w], NewUse(i, at < d.Title))
			}
		}
	}
	in.Words = len(uses)
	in.Uses = func(dst []Use, w int) []Use { return append(dst, uses[w]...) }
	in.Count = func(w int) (least, most int) { return len(uses[w]), len(uses[w]) }
	return in
}

// recipe says how a stream with planted events is made.
type recipe struct {
	seed       uint64
	docs       int
	periods    int
	cycle      int // weekends are the last two sevenths of a cycle
	length     int // words of a document, on average
	events     map[string]int
	words      [2]int     // least and most words of an event
	ranks      [2]float64 // the words are from this part of the vocabulary, from 0 to 1
	share      float64    // the chance that a document has a word of its event
	pairs      bool       // each second event is at the time of the one before, and has a third of its words
	factors    bool       // Coverage has the factors by which coverage differs, not counts of documents
	background background
}

// background makes the words of documents without events.
type background interface {
	// size is how many words there are. Words with small numbers are frequent.
	size() int
	// document appends the words of a document of a period, with about n words.
	document(r *rand.Rand, words []uint32, n, period int) []uint32
}

// zipf is a background of independent words with the frequencies of natural language.
type zipf struct {
	sums []float64
}

func newZipf(n int) *zipf {
	z := &zipf{sums: make([]float64, n)}
	sum := 0.0
	for i := range z.sums {
		sum += 1 / (float64(i) + 2.7)
		z.sums[i] = sum
	}
	return z
}

func (z *zipf) size() int { return len(z.sums) }

func (z *zipf) word(r *rand.Rand) uint32 {
	i, _ := slices.BinarySearch(z.sums, r.Float64()*z.sums[len(z.sums)-1])
	return uint32(min(i, len(z.sums)-1))
}

func (z *zipf) document(r *rand.Rand, words []uint32, n, period int) []uint32 {
	for range n {
		words = append(words, z.word(r))
	}
	return words
}

// topics is a background of documents about topics. Words of one topic come together, and
// topics come and go slowly with the season.
type topics struct {
	*zipf
	n int
}

func (z *topics) document(r *rand.Rand, words []uint32, n, period int) []uint32 {
	// The interest in topic k is a slow wave with its own phase.
	topic := 0
	for {
		topic = r.IntN(z.n)
		wave := 1 + 0.5*math.Sin(float64(period)/58+float64(topic))
		if r.Float64()*1.5 < wave {
			break
		}
	}
	for range n {
		w := z.word(r)
		if r.Float64() < 0.5 {
			// The same rank, but among the words of the topic.
			w = uint32((int(w)*z.n + topic) % z.size())
		}
		words = append(words, w)
	}
	return words
}

// leaves is a background of texts that come again, with a part of their words changed, as
// templates and standing texts do.
type leaves struct {
	texts [][]uint32
	words int
}

func newLeaves(r *rand.Rand, z *zipf, n int) *leaves {
	l := &leaves{words: z.size()}
	for range n {
		l.texts = append(l.texts, z.document(r, nil, 10+r.IntN(80), 0))
	}
	return l
}

func (l *leaves) size() int { return l.words }

func (l *leaves) document(r *rand.Rand, words []uint32, n, period int) []uint32 {
	for end := len(words) + n; len(words) < end; {
		words = append(words, l.texts[r.IntN(len(l.texts))]...)
	}
	return words
}

// realLeaves returns a background of real texts: the paragraphs, headings and items of all
// pages of two sites, each text once. If the sites are not there, ok is false.
func realLeaves(t *testing.T) (l *leaves, ok bool) {
	number := map[string]uint32{}
	seen := map[string]bool{}
	l = &leaves{}
	tag := regexp.MustCompile(`(?s)<(?:script|style).*?</(?:script|style)>|<!--.*?-->|<[^>]+>`)
	block := regexp.MustCompile(`(?i)</?(?:p|h[1-6]|li|td|th|div|tr|dt|dd|pre)\b[^>]*>`)
	shared := os.Getenv("INFOMALL_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	for _, site := range []string{"kafka", "httpd"} {
		bundle, err := filepath.Abs(filepath.Join(shared, "data", "sites", site+".bundle"))
		if err == nil {
			_, err = os.Stat(bundle)
		}
		if err != nil {
			return nil, false
		}
		dir := t.TempDir()
		if out, err := exec.Command("git", "clone", "-q", "-b", "main", bundle, dir).CombinedOutput(); err != nil {
			t.Fatalf("unpack %s: %v: %s", bundle, err, out)
		}
		err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
				return err
			}
			page, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, text := range block.Split(string(page), -1) {
				text = strings.ToLower(tag.ReplaceAllString(text, " "))
				words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
				if key := strings.Join(words, " "); len(words) < 5 || seen[key] {
					continue
				} else {
					seen[key] = true
				}
				var leaf []uint32
				for _, w := range words {
					n, ok := number[w]
					if !ok {
						n = uint32(len(number))
						number[w] = n
					}
					leaf = append(leaf, n)
				}
				l.texts = append(l.texts, leaf)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	l.words = len(number)
	t.Logf("real background: %d texts, %d words", len(l.texts), l.words)
	return l, true
}

// make makes the stream. Coverage is halved and doubled by month, weekends are weaker, and
// there are gaps.
func (m recipe) make() *planted {
	r := rand.New(rand.NewPCG(m.seed, 7))
	p := &planted{periods: m.periods, cycle: m.cycle, coverage: make([]float64, m.periods)}
	month := max(m.periods/12, 2)
	sum := 0.0
	for t := range p.coverage {
		p.coverage[t] = []float64{1, 0.5, 2}[t/month%3]
		if m.cycle > 0 && t%m.cycle*7/m.cycle >= 5 {
			p.coverage[t] *= 0.6
		}
	}
	for range 3 {
		if m.periods < 50 {
			break
		}
		at := r.IntN(m.periods - 5)
		for t := at; t < at+2+r.IntN(3); t++ {
			p.coverage[t] = 0
		}
	}
	for _, v := range p.coverage {
		sum += v
	}
	day := float64(m.periods) / 365
	if m.periods >= 90 && m.periods < 365 {
		day = 1
	}
	plan := make([][]int, m.periods) // events of the documents by period; -1 for none
	total := 0
	for _, kind := range []string{"big", "small", "slow"} {
		for range m.events[kind] {
			n, days := 0, 0.0
			switch kind {
			case "big":
				n, days = 30+int(r.ExpFloat64()*30), 2+r.Float64()*8
			case "small":
				n, days = 8+r.IntN(22), 2+r.Float64()*8
			case "slow":
				n, days = 8+r.IntN(13), 30
			}
			length := max(int(days*day), 1)
			start := r.IntN(m.periods - length)
			for p.coverage[start] == 0 {
				start = r.IntN(m.periods - length)
			}
			if last := len(p.truth) - 1; m.pairs && last >= 0 && len(p.truth)%2 == 1 && p.truth[last].kind == kind {
				start, length = p.truth[last].start, p.truth[last].end-p.truth[last].start+1
			}
			for range n {
				t := start + r.IntN(length)
				for p.coverage[t] == 0 {
					t = start + r.IntN(length)
				}
				plan[t] = append(plan[t], len(p.truth))
				total++
			}
			p.truth = append(p.truth, truth{kind: kind, start: start, end: start + length - 1, docs: map[uint64]bool{}})
		}
	}
	for total < m.docs {
		t := r.IntN(m.periods)
		if r.Float64()*2 < p.coverage[t] {
			plan[t] = append(plan[t], -1)
			total++
		}
	}
	var vocabularies [][]uint32
	for range p.truth {
		k := m.words[0] + r.IntN(m.words[1]-m.words[0]+1)
		var own []uint32
		if last := len(vocabularies) - 1; m.pairs && last >= 0 && len(vocabularies)%2 == 1 {
			own = append(own, vocabularies[last][:len(vocabularies[last])/3]...)
		}
		for range k {
			at := m.ranks[0] + r.Float64()*(m.ranks[1]-m.ranks[0])
			own = append(own, uint32(at*float64(m.background.size())))
		}
		vocabularies = append(vocabularies, own)
	}
	for t, events := range plan {
		if !m.factors {
			p.coverage[t] = float64(len(events))
		}
		for _, e := range events {
			n := max(3, int(float64(m.length)*(0.5+r.Float64())))
			words := m.background.document(r, nil, n, t)
			d := text{Document: Document{Key: r.Uint64(), Period: int32(t), Dated: true, Source: uint32(r.IntN(20))}}
			if e >= 0 {
				for _, w := range vocabularies[e] {
					if r.Float64() < m.share {
						for range 1 + r.IntN(2) {
							words[r.IntN(len(words))] = w
						}
					}
				}
				p.truth[e].docs[d.Key] = true
			}
			d.Words = words
			d.Title = min(6, len(words))
			p.docs = append(p.docs, d)
		}
	}
	r.Shuffle(len(p.docs), func(i, j int) { p.docs[i], p.docs[j] = p.docs[j], p.docs[i] })
	return p
}

// figures say how well planted events were found.
type figures struct {
	planted, found, timely, peaks map[string]int
	false, twice                  int
}

// judge compares events with the planted ones. An event stands for a planted one if half of
// its documents are from it and it has three tenths of that event's documents. An event is
// false if less than three tenths of its documents are from any one planted event.
func (p *planted) judge(found []Event) figures {
	f := figures{planted: map[string]int{}, found: map[string]int{}, timely: map[string]int{}, peaks: map[string]int{}}
	slack := map[string]int{"big": 1, "small": 2, "slow": 10}
	best := make([]*Event, len(p.truth))
	for i := range found {
		e := &found[i]
		overlap := make([]int, len(p.truth))
		for _, d := range e.Documents {
			for j := range p.truth {
				if p.truth[j].docs[p.docs[d].Key] {
					overlap[j]++
				}
			}
		}
		real := false
		for j, n := range overlap {
			real = real || float64(n) >= 0.3*float64(len(e.Documents))
			if 2*n >= len(e.Documents) && float64(n) >= 0.3*float64(len(p.truth[j].docs)) {
				if best[j] != nil {
					f.twice++
				} else {
					best[j] = e
				}
			}
		}
		if !real {
			f.false++
		}
	}
	for j, t := range p.truth {
		f.planted[t.kind]++
		if best[j] == nil {
			continue
		}
		f.found[t.kind]++
		delta := best[j].Start - t.start
		if delta >= -slack[t.kind] && delta <= slack[t.kind] {
			f.timely[t.kind]++
		}
		if best[j].Peak >= t.start && best[j].Peak <= t.end {
			f.peaks[t.kind]++
		}
	}
	return f
}

func (f figures) String() string {
	s := ""
	for _, k := range []string{"big", "small", "slow"} {
		if n := f.planted[k]; n > 0 {
			s += fmt.Sprintf("%s %d: found %d, start right %d, peak inside %d; ", k, n, f.found[k], f.timely[k], f.peaks[k])
		}
	}
	return s + fmt.Sprintf("false %d, twice %d", f.false, f.twice)
}

// add adds the figures of another stream.
func (f *figures) add(g figures) {
	for _, m := range []struct {
		to   *map[string]int
		from map[string]int
	}{{&f.planted, g.planted}, {&f.found, g.found}, {&f.timely, g.timely}, {&f.peaks, g.peaks}} {
		if *m.to == nil {
			*m.to = map[string]int{}
		}
		for k, n := range m.from {
			(*m.to)[k] += n
		}
	}
	f.false += g.false
	f.twice += g.twice
}
