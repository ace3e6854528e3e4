package divide_test

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
	"infomall/store/words"
)

// markedPage is a page whose blocks people marked.
type markedPage struct {
	site  string
	body  []byte // as it was sent
	words []markedWord
	// of is, for each grain, how many words of the marked copy are in a block of it.
	of [3]int
}

// markedWord is a word that the page and its marked copy share: where the text
// node begins that shows it, and the marked blocks that it is in.
type markedWord struct {
	at     int
	blocks [3]markedBlock // by grain, 1 and 2; number 0 for none
}

type markedBlock struct {
	number int
	sort   string
}

// markedPages are the pages of the hand-marked set, aligned with their copies
// once for all tests.
var markedPages = sync.OnceValue(func() (pages []markedPage) {
	t := new(testing.T)
	names, bodies := pagetest.Files(t, filepath.Join(pagetest.Root(), "segmentation", "dataset-popular-html.tar.zst"), ".html"+"")
	origNames, origs := pagetest.Files(t, filepath.Join(pagetest.Root(), "segmentation", "dataset-popular-html.tar.zst"), ".html.orig")
	sent := map[string][]byte{}
	for i, name := range names {
		sent[name] = bodies[i]
	}
	for i, name := range origNames {
		sent[strings.TrimSuffix(name, ".orig")] = origs[i]
	}
	for i, name := range names {
		plain, ok := strings.CutSuffix(name, ".blocks.html")
		if !ok {
			continue
		}
		parts := strings.Split(name, "/")
		p := markedPage{site: parts[len(parts)-3], body: sent[plain+".html"]}
		p.align(bodies[i])
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(a, b markedPage) int { return cmp.Compare(a.site, b.site) })
	return pages
})

// placedWords are the words that a page shows, and the places of their text nodes.
func placedWords(t *markup.Tree, cs string) (shown []string, nodes []int) {
	mute := int32(0)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if int32(i) < mute {
			continue
		}
		switch n.Kind {
		case markup.Element:
			if n.Tag.Hidden() || n.Tag == markup.TagNoscript || n.Tag == markup.TagTitle {
				mute = n.Next
			}
		case markup.Text:
			for _, w := range words.Of(strings.ToLower(t.TextRange(int(n.Start), int(n.End), cs))) {
				shown, nodes = append(shown, w), append(nodes, i)
			}
		}
	}
	return shown, nodes
}

// align finds the words of the page that its marked copy has too.
func (p *markedPage) align(marked []byte) {
	copied := markup.NewTree(marked)
	marks := make([][3]markedBlock, len(copied.Nodes))
	for i := 1; i < len(copied.Nodes); i++ {
		marks[i] = marks[copied.Nodes[i].Parent]
		if copied.Nodes[i].Kind != markup.Element {
			continue
		}
		if grains, ok := copied.Attr(i, "data-block"); ok {
			sort, _ := copied.Attr(i, "data-block-type")
			for _, g := range bytes.Fields(grains) {
				if string(g) == "1" || string(g) == "2" {
					marks[i][g[0]-'0'] = markedBlock{i, string(sort)}
				}
			}
		}
	}
	theirs, theirNodes := placedWords(copied, "utf-8")
	for _, n := range theirNodes {
		for g := 1; g <= 2; g++ {
			if marks[n][g].number > 0 {
				p.of[g]++
			}
		}
	}
	cs := charset.Find(p.body, "text/html", "").Charset
	tree := markup.NewTree(p.body)
	ours, ourNodes := placedWords(tree, cs)
	alignWords(theirs, ours, func(a, b int) {
		p.words = append(p.words, markedWord{int(tree.Nodes[ourNodes[b]].Start), marks[theirNodes[a]]})
	})
}

// alignWords calls f with the words that two lists share: the longest run that is
// in both, then those before and after it.
func alignWords(a, b []string, f func(i, j int)) {
	places := map[string][]int{}
	for j, w := range b {
		places[w] = append(places[w], j)
	}
	var align func(fromA, toA, fromB, toB int)
	align = func(fromA, toA, fromB, toB int) {
		bestA, bestB, size := 0, 0, 0
		lengths := map[int]int{}
		for i := fromA; i < toA; i++ {
			next := map[int]int{}
			for _, j := range places[a[i]] {
				if j < fromB || j >= toB {
					continue
				}
				k := lengths[j-1] + 1
				next[j] = k
				if k > size {
					bestA, bestB, size = i-k+1, j-k+1, k
				}
			}
			lengths = next
		}
		if size == 0 {
			return
		}
		align(fromA, bestA, fromB, bestB)
		for k := range size {
			f(bestA+k, bestB+k)
		}
		align(bestA+size, toA, bestB+size, toB)
	}
	align(0, len(a), 0, len(b))
}

// markedLabels are the labels that are right for a marked sort of block.
var markedLabels = map[string][]label.Label{
	"Content": {label.Main}, "Article": {label.Main, label.List}, "Table": {label.Main, label.List}, "Title": {label.Main, label.Header}, "Comments": {label.Main, label.List, label.Other},
	"Menu": {label.Nav}, "LinkList": {label.Nav, label.List}, "Header": {label.Header, label.Nav}, "Footer": {label.Footer}, "Sidebar": {label.Aside, label.Nav, label.List}, "Ad": {label.Ad},
	"Image": {label.Media}, "Video": {label.Media}, "Searchbar": {label.Form}, "Logo": {label.Header, label.Media},
}

// markedScore is how divisions agree with those that people made.
type markedScore struct {
	pages, found         int
	precision            float64
	right, all, labelled map[string]int // words, by marked sort; labelled by sort and label
}

func newMarkedScore() *markedScore {
	return &markedScore{right: map[string]int{}, all: map[string]int{}, labelled: map[string]int{}}
}

// f1 is the mean of the pages' F1.
func (s *markedScore) f1() float64 { return s.precision / float64(max(1, s.pages)) }

// labels is the mean share of words labelled rightly over the sorts of block
// that have many words.
func (s *markedScore) labels(least int) float64 {
	sum, n := 0.0, 0
	for sort, all := range s.all {
		if all >= least {
			sum += float64(s.right[sort]) / float64(all)
			n++
		}
	}
	return sum / float64(max(1, n))
}

// add scores the cut at the level that is the grain's: B-cubed F1 over words.
func (s *markedScore) add(p *markedPage, b *divide.Body, labels []label.Label, grain int) {
	if p.of[grain] < 20 {
		return
	}
	s.pages++
	cut := b.Cut(grain)
	type pair struct{ theirs, ours int }
	both, theirs, ours := map[pair]int{}, map[int]int{}, map[int]int{}
	total := 0
	type counted struct {
		sort  string
		label label.Label
	}
	counts := map[counted]int{}
	for _, w := range p.words {
		m := w.blocks[grain]
		i, ok := slices.BinarySearchFunc(cut, w.at, func(n, at int) int { return cmp.Compare(b.Blocks[n].End-1, at) })
		_ = ok
		if m.number == 0 || i == len(cut) || b.Blocks[cut[i]].Start > w.at {
			continue
		}
		n := cut[i]
		both[pair{m.number, n}]++
		theirs[m.number]++
		ours[n]++
		total++
		counts[counted{m.sort, labels[n]}]++
	}
	for c, n := range counts {
		if right, ok := markedLabels[c.sort]; ok {
			s.all[c.sort] += n
			s.labelled[c.sort+" "+c.label.String()] += n
			if slices.Contains(right, c.label) {
				s.right[c.sort] += n
			}
		}
	}
	if 2*total < p.of[grain] {
		return
	}
	s.found++
	pr, re := 0.0, 0.0
	for k, c := range both {
		pr += float64(c) * float64(c) / float64(ours[k.ours])
		re += float64(c) * float64(c) / float64(theirs[k.theirs])
	}
	pr, re = pr/float64(total), re/float64(total)
	s.precision += 2 * pr * re / (pr + re)
}

// foldOf is the fold of a site in cross-validation.
func foldOf(site string) int { return int(crc32.ChecksumIEEE([]byte(site)) % markedFolds) }

const markedFolds = 5

func TestMarkedScores(t *testing.T) {
	pagetest.Shared(t)
	for grain := 1; grain <= 2; grain++ {
		all := newMarkedScore()
		var folds [markedFolds]*markedScore
		for i := range folds {
			folds[i] = newMarkedScore()
		}
		pages := markedPages()
		for i := range pages {
			p := &pages[i]
			b, _ := divide.Open(p.body, divide.As{Mime: "text/html", ContentType: "text/html"}, divide.Options{})
			labels := about.Labels(b.Tree)
			all.add(p, b, labels, grain)
			folds[foldOf(p.site)].add(p, b, labels, grain)
		}
		t.Logf("grain %d: %d pages F1 %.3f labels %.3f", grain, all.pages, all.f1(), all.labels(200))
		for i, f := range folds {
			t.Logf("  fold %d: %d pages F1 %.3f labels %.3f", i, f.pages, f.f1(), f.labels(100))
		}
		var lines []string
		for sort, n := range all.all {
			line := fmt.Sprintf("  %-10s %6d right %.3f:", sort, n, float64(all.right[sort])/float64(n))
			for l := label.Main; l <= label.Other; l++ {
				if c := all.labelled[sort+" "+l.String()]; c > 0 {
					line += fmt.Sprintf(" %s %.2f", l, float64(c)/float64(n))
				}
			}
			lines = append(lines, line)
		}
		slices.Sort(lines)
		t.Log("\n" + strings.Join(lines, "\n"))
	}
}

// TestMarkedShares chooses shares by cross-validation over sites: those that are
// best on the pages outside a fold are scored on the fold. It tells how the shares
// in use do on the same folds.
func TestMarkedShares(t *testing.T) {
	pagetest.Shared(t)
	if testing.Short() {
		t.Skip("divides each marked page some hundred times")
	}
	pages := markedPages()
	candidates := []divide.Shares{divide.ModernShares}
	for _, open := range []float64{.9, .95, .98} {
		for _, small := range []float64{.05, .1, .15} {
			for _, module := range []float64{.1, .15, .2} {
				for _, text := range []int32{300, 600, 1000} {
					if c := divide.ModernShares.With(open, small, module, text); c != divide.ModernShares {
						candidates = append(candidates, c)
					}
				}
			}
		}
	}
	// f1 is by candidate and page: the sum of both grains.
	f1 := make([][][2]float64, len(candidates))
	for c, by := range candidates {
		f1[c] = make([][2]float64, len(pages))
		for i := range pages {
			b := &divide.Body{Tree: divide.DivideBy(markup.NewTree(pages[i].body), by)}
			for grain := 1; grain <= 2; grain++ {
				s := newMarkedScore()
				s.add(&pages[i], b, make([]label.Label, len(b.Blocks)), grain)
				f1[c][i][grain-1] = s.f1()
			}
			b.Free()
		}
	}
	mean := func(c int, in func(fold int) bool) (both [2]float64) {
		n := [2]float64{}
		for i := range pages {
			for g := range both {
				if in(foldOf(pages[i].site)) && pages[i].of[g+1] >= 20 {
					both[g] += f1[c][i][g]
					n[g]++
				}
			}
		}
		return [2]float64{both[0] / n[0], both[1] / n[1]}
	}
	for fold := range markedFolds {
		best, most := 0, 0.0
		for c := range candidates {
			if m := mean(c, func(f int) bool { return f != fold }); m[0]+m[1] > most {
				best, most = c, m[0]+m[1]
			}
		}
		in := func(f int) bool { return f == fold }
		t.Logf("fold %d: chosen outside it %+v: %.3f; in use: %.3f", fold, candidates[best], mean(best, in), mean(0, in))
	}
}
