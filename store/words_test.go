package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/commit"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/search"
	"infomall/store/search/index"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// paragraphs are texts that are blocks of their own in a page. Words and phrases cross
// the borders between them.
var paragraphs = func() (out []string) {
	for i, p := range [][2]string{
		{"Kafka brokers keep a topic", "is removed with tiered"},
		{"storage of a cluster is here", "zookeeper of"},
		{"北京大学的图书馆", "回到北京"},
		{"大学生活动中心在图书馆", "二食堂楼上北"},
		{"京剧团在本周五", "café 北京"},
		{"a cluster without Zookeeper as in v2", "1 café"},
		{"한국어 문장은", "카프카"},
		{"시스템 v2.1", "카"},
		{"caf\xe9 kafka", "\xe9\xe9"},
		{"topic of \xe9t\xe9", "caf\xe9 of a"},
	} {
		var filler strings.Builder
		for n := range 40 {
			fmt.Fprintf(&filler, " word%d", 100*i+n)
		}
		out = append(out, p[0]+filler.String()+" "+p[1])
	}
	return out
}()

// drawPage draws a page of some paragraphs. Bytes that are not UTF-8 have another text in
// each of two charsets. Some pages are UTF-16, empty, binary, documents, or have no words.
func drawPage(t *rapid.T) string {
	switch rapid.IntRange(0, 16).Draw(t, "sort") {
	case 3:
		return docBody("a document of the cluster", rapid.SampledFrom(append(paragraphs[:8:8], "")).Draw(t, "paragraph"))
	case 0:
		wide := "\xff\xfe"
		for _, c := range "<html><title>kafka</title><p>zookeeper of a cluster</p>" {
			wide += string([]byte{byte(c), 0})
		}
		return wide
	case 1:
		return "\x89PNG\r\n\x1a\n kafka"
	case 2:
		return "<!--#include virtual=\"kafka.html\" -->"
	}
	var b strings.Builder
	some, as := paragraphs[:len(paragraphs)-2], "utf-8"
	if rapid.Bool().Draw(t, "old") {
		some, as = paragraphs[len(paragraphs)-2:], rapid.SampledFrom([]string{"windows-1252", "windows-1251"}).Draw(t, "charset")
	}
	for range rapid.IntRange(0, 5).Draw(t, "paragraphs") {
		paragraph := rapid.SampledFrom(some).Draw(t, "paragraph")
		if n := rapid.SampledFrom([]int{0, 0, 20, len(paragraph)}).Draw(t, "linked"); n > 0 {
			for n < len(paragraph) && paragraph[n] != ' ' {
				n++
			}
			paragraph = "<a href=" + rapid.SampledFrom([]string{"/there", "#here"}).Draw(t, "target") + ">" + paragraph[:n] + "</a>" + paragraph[n:]
		}
		fmt.Fprintf(&b, "<div class=x><p>%s</p></div>\n", paragraph)
	}
	return "<html><head><meta charset=" + as + "><title>a page of the cluster</title></head><body>" + b.String() + "<hr><a href=/>home</a></body></html>"
}

var wordQuestions = []string{
	"kafka", "北京", "大学", "京剧", "北京大学", "\"tiered storage\"", "storage -kafka", "学生 OR zookeeper", "v2.1", "카프카", "북경", "home cluster",
	"NEAR(kafka topic, 5)", "=\"Zookeeper\"", "brok*", "~brokers", `~"clustering homes" OR ~de:Städte`, "\"of a cluster\" -北京", "of -the", "café", "й", "été -kafka", "카프카 시스템", "\"카프카 시스템\"", "\"京 大学\"", "(kafka OR 图书馆) -removed",
}

// checkWords compares Words of a snapshot with the text of each page, and with Words that need no
// ranks. It returns how many captures were answered without reading their pages.
func checkWords(t *rapid.T, a *Archive) (known int) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, question := range wordQuestions {
		q, err := match.Parse(question)
		if err != nil {
			t.Fatal(err)
		}
		words, err := v.Words(ctx, search.Question{Query: q, Rank: func(p *search.Page) search.Best { return rankOf(q, p) }}, nil, record.MinTime, record.MaxTime+1)
		if err != nil || words == nil {
			t.Fatal(words, err)
		}
		plain, err := v.Words(ctx, search.Question{Query: q}, nil, record.MinTime, record.MaxTime+1)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime + 1}) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				checkPlain(t, question, words, plain, b.Ref[i])
				answer, best := words.Of(b.Ref[i])
				has, sure := words.Has(b.Ref[i])
				if answer == match.Maybe && !sure {
					continue
				}
				known++
				p, err := v.Payload(ctx, b.Ref[i])
				if err != nil {
					t.Fatal(err)
				}
				page, ok := divide.OpenStored(&p, p.Body, divide.Options{})
				if answer == match.Null {
					if ok {
						t.Fatalf("%s at %d: %s: it is said to have no text", b.URLs()[i], b.Time[i], question)
					}
					continue
				}
				if !ok {
					t.Fatalf("%s at %d: %s is answered %d, and the page has no text", b.URLs()[i], b.Time[i], question, answer)
				}
				text := page.Page.Text(page.Charset)
				counts := make([]int, len(q.Atoms()))
				terms := q.Count(text, counts)
				for a, n := range counts {
					if want := n > 0; sure && want != (has>>a&1 != 0) {
						t.Fatalf("%s at %d: %s: has atom %d: %v, want %v: %q", b.URLs()[i], b.Time[i], question, a, !want, want, text)
					}
				}
				if answer == match.Maybe {
					continue
				}
				if want := q.Matches(text); want != (answer == match.Yes) {
					t.Fatalf("%s at %d: %s is answered %d, want %v: %q", b.URLs()[i], b.Time[i], question, answer, want, text)
				}
				if answer == match.Yes && best.Place != terms {
					t.Fatalf("%s: the ranked page has %d terms, want %d: %q", question, best.Place, terms, text)
				}
				if answer == match.Yes && len(page.Blocks) > 1 && !slices.Equal(best.Says, wordsOf(q, page)) {
					t.Fatalf("%s: the page says %v, want %v: %q", question, best.Says, wordsOf(q, page), text)
				}
			}
		}
	}
	return known
}

// checkPlain compares what words and plain say of a capture. Only words has ranks.
func checkPlain(t *rapid.T, question string, words, plain *search.Words, ref record.Ref) {
	answer, text := words.AnswerAndText(ref)
	has, sure := words.Has(ref)
	want := fmt.Sprint(answer, text, has, sure)
	answer, text = plain.AnswerAndText(ref)
	has, sure = plain.Has(ref)
	if got := fmt.Sprint(answer, text, has, sure); got != want {
		t.Fatalf("%s is answered %s for %v without ranks, want %s", question, got, ref, want)
	}
	some, all, asked := plain.OfRun(ref.Segment, ref.Run)
	found := slices.Collect(some.All())
	_, listed := slices.BinarySearch(found, ref.N)
	may := asked && (answer == match.Yes || answer == match.Maybe)
	if listed != may || some.Has(ref.N) != may && asked || len(found) != some.Len() || all && answer == match.Maybe {
		t.Fatalf("%s is answered %d for %v, and the run has %d captures that match or may match, %v; it has this one: %v; all match: %v", question, answer, ref, some.Len(), found, some.Has(ref.N), all)
	}
}

// rankOf ranks a page by its number of terms, and says of each word how often the page has
// it, in links only half.
func rankOf(q *match.Query, p *search.Page) search.Best {
	best := search.Best{Says: make([]float64, len(q.Atoms()))}
	for _, b := range p.Blocks {
		best.Place += b.Terms
		for a := range best.Says {
			best.Says[a] += float64(b.Counts[a]) - float64(min(b.Counts[a], b.Linked[a]))/2
		}
	}
	return best
}

// wordsOf returns what rankOf says of each word, found in the whole page leaf by leaf.
func wordsOf(q *match.Query, b *divide.Body) []float64 {
	says := make([]float64, len(q.Atoms()))
	for _, n := range b.Cut(2) {
		counts, linked := make([]int, len(says)), make([]int, len(says))
		for _, l := range b.Cut(0) {
			p := &b.Blocks[l]
			if p.Start < b.Blocks[n].Start || p.End > b.Blocks[n].End {
				continue
			}
			in := make([]int, len(says))
			q.Count(b.Text(p.Start, p.End), in)
			for a, c := range in {
				counts[a] += c
			}
			if slices.Max(in) > 0 {
				for _, anchor := range b.Anchors(p.Start, p.End) {
					q.Count(anchor, linked)
				}
			}
		}
		for a := range says {
			says[a] += float64(counts[a]) - float64(min(counts[a], linked[a]))/2
		}
	}
	return says
}

// TestWords draws histories of pages and puts questions to their leaves, after imports in
// any order, merges and deletions: what is answered without reading a page is what the
// page says.
func TestWords(t *testing.T) {
	if testing.Short() {
		t.Skip("asks a hundred archives thousands of questions; not with -short")
	}
	known, indexed := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		a := openAt(t.TempDir(), Options{Documents: &testReader{}})
		defer a.Close()
		visits := drawHistory(rt)
		pages := make(map[string]string)
		for _, v := range visits {
			if pages[v.body] == "" {
				pages[v.body] = drawPage(rt)
			}
			v.body = pages[v.body]
		}
		for rest := rapid.Permutation(visits).Draw(rt, "order"); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			put(t, a, rest[:n])
			rest = rest[n:]
			switch rapid.IntRange(0, 5).Draw(rt, "then") {
			case 3:
				readDocuments(t, a)
			case 2:
				indexWords(rt, a)
			case 0:
				mergeAny(rt, a)
			case 1:
				if _, err := deleteWhere(a, func(url string, at record.Time) bool { return at/1000%3 == 0 }); err != nil {
					rt.Fatal(err)
				}
			}
		}
		known += checkWords(rt, a)
		if rapid.Bool().Draw(rt, "documents") {
			readDocuments(t, a)
			known += checkWords(rt, a)
		}
		indexWords(rt, a)
		indexed += checkWords(rt, a)
		checkNearWords(rt, a)
	})
	if known == 0 || indexed == 0 {
		t.Errorf("%d captures were answered by leaves, and %d by the index", known, indexed)
	}
}

// indexWords carries out REINDEX SEARCH.
func indexWords(t rapid.TB, a *Archive) {
	if _, err := a.Reindex(context.Background(), task.ReindexOptions{Words: true}); err != nil {
		t.Fatal(err)
	}
}

// TestWordsOfManyPages ranks more pages than the cache has room for. Their leaves must not push
// everything else out of the cache, and the ranks must be the ones without a cache.
func TestWordsOfManyPages(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	const pages = 1000
	var visits []*visit
	for n := range pages {
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%d", n), time: day0, status: 200, body: fmt.Sprintf("<html><title>page</title><p>%d%s river</p></html>", n, strings.Repeat(" river", n%7))})
	}
	put(t, a, visits)
	ctx := t.Context()
	if _, err := a.Reindex(ctx, task.ReindexOptions{Words: true}); err != nil {
		t.Fatal(err)
	}
	q, err := match.Parse("river")
	if err != nil {
		t.Fatal(err)
	}
	type other struct{}
	says := func(cache int64) (out []float64) {
		v, err := a.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		v.SetCache(cache)
		v.Memo().Put(other{}, true, 100)
		words, err := v.Words(ctx, search.Question{Query: q, Rank: func(p *search.Page) search.Best { return rankOf(q, p) }}, nil, record.MinTime, record.MaxTime)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime}) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.N {
				answer, best := words.Of(b.Ref[i])
				if answer != match.Yes {
					t.Fatalf("%s is answered %d", b.URLs()[i], answer)
				}
				out = append(out, best.Says[0], float64(best.Place))
			}
		}
		if _, ok := memo.Get[bool](v.Memo(), other{}); !ok && cache > 0 {
			t.Errorf("a cache of %d bytes has lost its value", cache)
		}
		return out
	}
	want := says(0)
	if len(want) != 2*pages || want[2] == want[4] {
		t.Fatalf("%d numbers, of which some are %v", len(want), want[:6])
	}
	for _, cache := range []int64{500_000, 100_000_000, 100_000_000, 500_000} {
		if got := says(cache); !slices.Equal(got, want) {
			t.Errorf("with a cache of %d bytes the ranks differ from those without one", cache)
		}
	}
}

// checkNearWords compares NearWords of a snapshot with the words of its pages.
func checkNearWords(t *rapid.T, a *Archive) {
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	words := rapid.SampledFrom([][]string{{"zookeper", "brokr", "kafka", "tierde", "remove", "xyzzy"}, {"xyzzy"}}).Draw(t, "words")
	from := record.Time(rapid.IntRange(0, 10).Draw(t, "from")) * 1000
	var ranges []urlkey.Range
	if rapid.Bool().Draw(t, "from one URL on") {
		ranges = []urlkey.Range{{From: urlkey.Key("http://www.example.com/2")}}
	}
	want := search.NewNearer(words)
	read := make(map[record.Digest]bool)
	for b, err := range v.Scan(ctx, record.Scan{Ranges: ranges, From: from, To: record.MaxTime + 1, Columns: record.ColDigest | record.ColKind}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			if read[b.Digest[i]] || b.Kind[i] != record.KindPage {
				continue
			}
			read[b.Digest[i]] = true
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				t.Fatal(err)
			}
			if page, ok := divide.OpenStored(&p, p.Body, divide.Options{}); ok {
				want.Next()
				want.Add(want.Part(page.Page.Text(page.Charset)))
			}
		}
	}
	got, err := v.NearWords(ctx, words, ranges, from, record.MaxTime+1)
	if err != nil || !reflect.DeepEqual(got, want.Words()) {
		t.Fatalf("near words: %v (%v), want %v", got, err, want.Words())
	}
}

// TestNearWordsOfFew asks for a word that few pages of an archive with an index of words have, in all
// of the archive and in a part of it.
func TestNearWordsOfFew(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	var visits []*visit
	for n := range 60 {
		word := "kafka"
		if n%20 == 7 {
			word = "zookeeper"
		}
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%02d", n), time: day0, status: 200, body: fmt.Sprintf("<title>%d</title><p>%s", n, word)})
	}
	put(t, a, visits)
	indexWords(t, a)
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	from := []urlkey.Range{{From: urlkey.Key("http://www.example.com/20")}}
	for texts, ranges := range map[int][]urlkey.Range{3: nil, 2: from} {
		near, err := v.NearWords(context.Background(), []string{"zookeper"}, ranges, record.MinTime, record.MaxTime)
		if want := [][]search.NearWord{{{Word: "zookeeper", Texts: texts}}}; err != nil || !reflect.DeepEqual(near, want) {
			t.Errorf("near words in %v: %v (%v), want %v", ranges, near, err, want)
		}
	}
}

// TestNearWordsBounded shows that NearWords does not read all texts of an archive without an
// index of words: the words of the first texts are found, and most texts are not read.
func TestNearWordsBounded(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	random := rand.New(rand.NewPCG(1, 2))
	const pages, words = 60, 80_000
	var visits []*visit
	for n := range pages {
		var b strings.Builder
		fmt.Fprintf(&b, "<title>%d</title><p>zookeeper", n)
		for range words {
			fmt.Fprintf(&b, " w%010d", random.Uint32())
		}
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%d", n), time: day0, status: 200, body: b.String()})
	}
	put(t, a, visits)
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	near, err := v.NearWords(context.Background(), []string{"zookeper"}, nil, record.MinTime, record.MaxTime)
	if err != nil {
		t.Fatal(err)
	}
	if len(near[0]) != 1 || near[0][0].Word != "zookeeper" {
		t.Errorf("near words %v, want zookeeper", near[0])
	}
	if texts := near[0][0].Texts; texts < 10 || texts > pages/2 {
		t.Errorf("%d of %d texts were read, want those of the first 16 MB", texts, pages)
	}
}

// TestWordsOfManyIndexes asks an archive with so many pools that their indexes of words are in
// several files, and in which pages have leaves that the segments of other files store. Each page must
// get its own answer.
func TestWordsOfManyIndexes(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	var visits []*visit
	for n := range 2*commit.DerivedMost + 1 {
		body := fmt.Sprintf("<html><title>page</title><p>page %d of the archive</p><p>%s</p></html>", n, []string{"river", "mountain"}[n%2]+strings.Repeat(" of a long paragraph, which is stored once", 8))
		visits = append(visits, &visit{url: fmt.Sprintf("http://www.example.com/%d", n), time: day0 + record.Time(n)*32*dayMillis, status: 200, body: body})
	}
	put(t, a, visits)
	indexWords(t, a)
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if usable, _, all := v.WordsUsable(record.MinTime, record.MaxTime); usable != len(visits) || all != len(visits) {
		t.Fatalf("%d of %d segments have an index, want %d", usable, all, len(visits))
	}
	for n := range 4 {
		i, ranked := n%2, n < 2
		q, err := match.Parse([]string{"river", "mountain"}[i])
		if err != nil {
			t.Fatal(err)
		}
		question := search.Question{Query: q}
		if ranked {
			question.Rank = func(p *search.Page) search.Best { return rankOf(q, p) }
		}
		words, err := v.Words(t.Context(), question, nil, record.MinTime, record.MaxTime)
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
			if err != nil {
				t.Fatal(err)
			}
			for k := range b.N {
				has, sure := words.Has(b.Ref[k])
				n := int((b.Time[k] - day0) / (32 * dayMillis))
				if !sure || (has == 1) != (n%2 == i) {
					t.Errorf("page %d has %q: %v, sure %v, with ranks: %v", n, q, has, sure, ranked)
				}
			}
		}
	}
}

// TestWordsOfLayout shows that the index has the words of the leaves of a page, but not those of its
// layout, which nobody sees.
func TestWordsOfLayout(t *testing.T) {
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	body := "<html><title>page</title><body class=layout><p>" + paragraphs[0] + "</p><p>" + paragraphs[1] + "</p></body></html>"
	put(t, a, []*visit{{url: "http://www.example.com/", time: day0, status: 200, body: body}})
	indexWords(t, a)
	files := a.folder.Files()
	names, err := a.folder.DerivedNames(commit.Words)
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	f, err := index.Open(files, names[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	indexed, skipped := 0, 0
	for n := range f.Runs {
		blocks, err := f.Skipped(uint32(n))
		if err != nil {
			t.Fatal(err)
		}
		for _, is := range blocks {
			if is {
				skipped++
			} else {
				indexed++
			}
		}
	}
	if indexed != 2 || skipped != 1 {
		t.Errorf("%d blocks are in the index and %d are skipped, want the two paragraphs and the layout", indexed, skipped)
	}
}
