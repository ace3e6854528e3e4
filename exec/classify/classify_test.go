package classify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"infomall/store/record/task"
)

// smallTexts has four texts each of business, sport and weather.
var smallTexts = map[string][]string{
	"business": {"the bank raised the rate", "the rate fell and the bank lost", "shares of the bank rose", "a rate of two per cent"},
	"sport":    {"the ball flew into the goal", "the keeper held the ball", "a goal in the last minute", "the match ended without a goal"},
	"weather":  {"rain and wind in the north", "the wind fell in the evening", "snow fell on the hills", "a minute of rain"},
}

// corpusOf returns a corpus of texts by class. The classes come in alphabetical order.
func corpusOf(t *testing.T, byClass map[string][]string) *Corpus {
	t.Helper()
	c := NewCorpus(1 << 30)
	for _, class := range []string{"business", "sport", "weather"} {
		for _, text := range byClass[class] {
			if ok, err := c.Add(text, class, ""); !ok || err != nil {
				t.Fatalf("%q is not added: %v", text, err)
			}
		}
	}
	return c
}

// trained returns a classifier of the corpus, and its report.
func trained(t *testing.T, c *Corpus, o Options) (*Model, *Report) {
	t.Helper()
	o.Memory = 1 << 30
	if o.Folds == 0 {
		o.Folds = 2
	}
	m, r, err := c.Train(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m, r
}

// TestScores compares the scores of four texts with the scores that scikit-learn 1.2 gives them
// after learning from smallTexts: LinearSVC(tol=1e-8) and ComplementNB, on the matrix of
// TfidfVectorizer(sublinear_tf=True, token_pattern=r'\w+'), for ComplementNB with min_df=2.
func TestScores(t *testing.T) {
	texts := []string{"the keeper and the wind", "a bank in the north", "the last rate", "goal"}
	for method, want := range map[Method][][]float64{
		SVM:   {{-0.549906, -0.274403, -0.134408}, {-0.272052, -0.443631, -0.261933}, {0.105747, -0.080259, -0.948119}, {-0.662885, 0.601531, -0.81921}},
		Bayes: {{4.345062, 4.25389, 4.762211}, {5.090368, 4.835022, 4.761857}, {3.841521, 3.066069, 2.963727}, {2.30773, 3.32802, 2.30232}},
	} {
		m, _ := trained(t, corpusOf(t, smallTexts), Options{Method: method})
		r := reader{}
		r.Dictionary, r.Fixed = &m.words, true
		for i, text := range texts {
			v := r.features(text, "")
			m.idf.Weigh(v)
			scores := make([]float64, 3)
			m.linear.scores(v, scores)
			for k, x := range scores {
				if math.Abs(x-want[i][k]) > 2e-4 {
					t.Errorf("%v, %q: scores %.5f, want %.5f", method, text, scores, want[i])
					break
				}
			}
		}
	}
}

// TestMeasures compares χ² and information gain of a word with values worked out by hand: 3
// of 4 texts of one class have the word, and 1 of 6 of the other.
func TestMeasures(t *testing.T) {
	w := &tally{with: []int{3, 1}, of: []int{4, 6}, allWith: 4, n: 10}
	// χ² = n (ad − cb)² / ((a+c)(b+d)(a+b)(c+d)), with a = 3, b = 1, c = 1, d = 5.
	if x, positive := w.chi(0); math.Abs(x-10*14*14/(4.*6*4*6)) > 1e-9 || !positive {
		t.Errorf("χ² is %v, %v", x, positive)
	}
	if x, positive := w.chi(1); math.Abs(x-3.402778) > 1e-6 || positive {
		t.Errorf("χ² of the other class is %v, %v", x, positive)
	}
	h := func(p float64) float64 { return -p*math.Log2(p) - (1-p)*math.Log2(1-p) }
	if got, want := w.gain(), h(.4)-.4*h(.75)-.6*h(1/6.); math.Abs(got-want) > 1e-9 {
		t.Errorf("the gain is %v, want %v", got, want)
	}
}

// TestSelection trains with few features: they are the words that tell the classes apart.
func TestSelection(t *testing.T) {
	for _, by := range []Measure{Chi, Gain} {
		m, r := trained(t, corpusOf(t, smallTexts), Options{Features: 3, By: by})
		var words []string
		for f := range m.words.Len() {
			words = append(words, m.words.Word(uint32(f)))
		}
		slices.Sort(words)
		if !slices.Contains(words, "bank") || !slices.Contains(words, "goal") || !slices.Contains(words, "rate") || r.Features != 3 {
			t.Errorf("measure %d: the features are %q, want bank, goal and rate", by, words)
		}
	}
}

// TestReport compares a report with values worked out by hand.
func TestReport(t *testing.T) {
	c := make(confusions)
	for _, x := range [][3]int{{0, 0, 3}, {0, 1, 1}, {1, 1, 2}, {1, 2, 2}, {2, 1, 2}} {
		for range x[2] {
			c.add(x[0], x[1])
		}
	}
	r := c.report([]string{"a", "b", "c"})
	want := []Quality{{1, .75, 2 * .75 / 1.75}, {.4, .5, 2 * .4 * .5 / .9}, {0, 0, 0}}
	for k, q := range want {
		if got := r.Classes[k].Quality; math.Abs(got.Precision-q.Precision)+math.Abs(got.Recall-q.Recall)+math.Abs(got.F1-q.F1) > 1e-9 {
			t.Errorf("class %d has %v, want %v", k, got, q)
		}
	}
	if got := r.Macro.F1; math.Abs(got-(want[0].F1+want[1].F1)/3) > 1e-9 || r.Micro.F1 != .5 || r.Texts != 10 {
		t.Errorf("macro F1 %v, micro %v, %d texts", got, r.Micro.F1, r.Texts)
	}
	if got := fmt.Sprint(r.Confused); got != "[{b c 2} {c b 2} {a b 1}]" {
		t.Errorf("confused are %v", got)
	}
}

// TestManyClasses shows that the memory of a report grows with the texts and classes, and not with the
// number of pairs of classes.
func TestManyClasses(t *testing.T) {
	const classes = 3000
	names := make([]string, classes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := make(confusions)
	for k := range classes {
		c.add(k, (k+1)%classes)
	}
	c.report(names)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > classes*1000 {
		t.Errorf("the report on %d texts of as many classes takes %d bytes", classes, took)
	}
}

// TestFolds parts 600 texts with many near-copies into folds. Near-copies are in the same
// fold, and each fold has about as many texts of a class.
func TestFolds(t *testing.T) {
	const seed = 7
	chance := rand.New(rand.NewPCG(seed, 0))
	c := NewCorpus(1 << 30)
	var families []int
	for family := 0; len(families) < 600; family++ {
		words := make([]string, 80)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", chance.IntN(5000))
		}
		for range 1 + chance.IntN(4) {
			words[0] = fmt.Sprintf("x%d", chance.IntN(5000)) // changes one shingle of 76
			if _, err := c.Add(strings.Join(words, " "), []string{"a", "b", "c"}[family%3], ""); err != nil {
				t.Fatal(err)
			}
			families = append(families, family)
		}
	}
	rows := c.rows()
	fold, sets, err := c.folds(t.Context(), rows, c.class, 5)
	if err != nil {
		t.Fatal(err)
	}
	if want := families[len(families)-1] + 1; sets != want {
		t.Errorf("%d sets of near-copies, want %d", sets, want)
	}
	of := make(map[int]int)
	counts := make(map[[2]int]int)
	for i, f := range fold {
		if before, ok := of[families[i]]; ok && before != f {
			t.Fatalf("seed %d: near-copies are in the folds %d and %d", seed, before, f)
		}
		of[families[i]] = f
		counts[[2]int{f, int(c.class[i])}]++
	}
	for f := range 5 {
		for k := range 3 {
			if n := counts[[2]int{f, k}]; n < 35 || n > 45 {
				t.Errorf("seed %d: fold %d has %d texts of class %d, want about 40", seed, f, n, k)
			}
		}
	}
}

// TestSimilarity compares the estimate from sketches with the similarity of whole sets.
func TestSimilarity(t *testing.T) {
	if got := similarity([]uint32{1, 2, 3, 4}, []uint32{3, 4, 5}); got != .4 {
		t.Errorf("two short sets have %v in common, want .4", got)
	}
	chance := rand.New(rand.NewPCG(3, 0))
	var a, b []uint32
	for range 4000 {
		x := chance.Uint32()
		a, b = append(a, x), append(b, x)
	}
	for range 1000 {
		a, b = append(a, chance.Uint32()), append(b, chance.Uint32())
	}
	slices.Sort(a)
	slices.Sort(b)
	if got := similarity(a[:sketchLength], b[:sketchLength]); math.Abs(got-4./6) > .1 {
		t.Errorf("the estimate is %v, want about .67", got)
	}
}

// TestURLs shows that of several texts with one URL the last counts, and that words of URLs
// are features.
func TestURLs(t *testing.T) {
	c := NewCorpus(1 << 30)
	for i := range 8 {
		for _, class := range []string{"old", "news", "shop"} {
			u := fmt.Sprintf("http://a.example/%s/%d", class, i)
			if class == "old" {
				u = fmt.Sprintf("http://a.example/news/%d", i) // the next row is of the same URL
			}
			if _, err := c.Add(fmt.Sprintf("page %d", i), class, u); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := strings.Join(c.Classes(), " "); got != "news shop" || c.used != 16 || c.Replaced() != 8 {
		t.Errorf("the classes are %q of %d texts, %d replaced", got, c.used, c.Replaced())
	}
	m, r := trained(t, c, Options{})
	if r.Micro.F1 != 1 || !slices.Contains(r.Classes[1].Telling, "url:shop") || !m.URLs || m.Unnamed != 0 {
		t.Errorf("micro F1 %v, words %q", r.Micro.F1, r.Classes[1].Telling)
	}
	if class, _, ok := m.Classify("page 20", "http://b.example/shop/1"); class != "shop" || !ok {
		t.Errorf("a page of a shop is %q", class)
	}
}

// TestSure shows that texts of which nine in ten are right at a great margin, and half at a
// small one, give such probabilities, and that no margin makes less sure.
func TestSure(t *testing.T) {
	var list []held
	for i := range 1000 {
		list = append(list, held{2, i%10 > 0}, held{.1, i%2 > 0})
	}
	s := fitSure(list)
	if a, b := s.of(2), s.of(.1); math.Abs(a-.9) > .01 || math.Abs(b-.5) > .01 {
		t.Errorf("sure of %.3f and %.3f, want .9 and .5", a, b)
	}
	for i := range list {
		list[i].right = !list[i].right
	}
	if s := fitSure(list); s.of(5) != s.of(0) || math.Abs(s.of(0)-.3) > .01 {
		t.Errorf("if small margins are right more often, sure is %v at 0 and %v at 5, want .3", s.of(0), s.of(5))
	}
	if s := fitSure([]held{{1, true}, {3, true}}); !(s.of(1) > .5 && s.of(1) < 1) {
		t.Errorf("if all are right, sure is %v", s.of(1))
	}
}

// TestStored stores models as rows, reads them back, and compares all their answers. A
// damaged row, and a model made by another version, are errors.
func TestStored(t *testing.T) {
	for _, method := range []Method{SVM, Bayes} {
		m, _ := trained(t, corpusOf(t, smallTexts), Options{Method: method})
		var rows []task.ResultRow
		for row, err := range m.Rows(nil) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, task.ResultRow{Key: slices.Clone(row.Key), Value: slices.Clone(row.Value)})
			if n := len(rows); n > 1 && string(rows[n-2].Key) >= string(row.Key) {
				t.Fatalf("the row %q follows %q", row.Key, rows[n-2].Key)
			}
		}
		r := &task.Result{Name: "small", Properties: m.Properties(7)}
		back, err := Parse(r, rows, Origin(7))
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, list := range smallTexts {
					for _, text := range list {
						class, sure, ok := m.Classify(text, "")
						class2, sure2, ok2 := back.Classify(text, "")
						if class != class2 || sure != sure2 || !ok || !ok2 {
							t.Errorf("%v: %q is %s (%v), and %s (%v) after storing", method, text, class, sure, class2, sure2)
						}
					}
				}
			})
		}
		wg.Wait()
		if _, _, ok := back.Classify("xyzzy", ""); ok {
			t.Errorf("%v: a text of unknown words has a class", method)
		}
		if _, err := Parse(r, rows, Origin(8)); err == nil || !strings.Contains(err.Error(), "TRAIN it again") {
			t.Errorf("a model of another extractor: %v", err)
		}
		for i := range rows {
			for _, cut := range []func(task.ResultRow) task.ResultRow{
				func(r task.ResultRow) task.ResultRow { r.Value = r.Value[:len(r.Value)-1]; return r },
				func(r task.ResultRow) task.ResultRow { r.Key = nil; return r },
			} {
				damaged := slices.Clone(rows)
				damaged[i] = cut(damaged[i])
				if _, err := Parse(r, damaged, Origin(7)); err == nil {
					t.Errorf("%v: row %d is damaged, and no error", method, i)
				}
			}
		}
		if _, err := Parse(&task.Result{Properties: map[string]string{PropertyMade: Origin(7)}}, rows, Origin(7)); err == nil {
			t.Error("a model without properties is read")
		}
	}
}

// TestTooFewAndTooLarge shows the errors for examples from which nothing can be learned.
func TestTooFewAndTooLarge(t *testing.T) {
	var few *FewError
	var large *TooLargeError
	train := func(c *Corpus, folds int, memory int64) error {
		_, _, err := c.Train(t.Context(), Options{Folds: folds, Memory: memory})
		return err
	}
	one := NewCorpus(1 << 30)
	if err := train(one, 2, 1<<30); !errors.As(err, &few) {
		t.Errorf("no texts: %v", err)
	}
	if ok, err := one.Add(" … ", "a", ""); ok || err != nil {
		t.Errorf("a text without words is added: %v", err)
	}
	one.Add("some text", "a", "")
	if err := train(one, 2, 1<<30); !errors.As(err, &few) || !strings.Contains(err.Error(), "class 'a'") {
		t.Errorf("one class: %v", err)
	}
	one.Add("some text", "b", "")
	if err := train(one, 2, 1<<30); !errors.As(err, &few) || few.Sets != 1 {
		t.Errorf("copies only: %v", err)
	}
	if err := train(corpusOf(t, smallTexts), 2, 100); !errors.As(err, &large) {
		t.Errorf("little memory: %v", err)
	}
	if _, err := NewCorpus(100).Add(strings.Repeat("many different words of one text ", 100), "a", ""); !errors.As(err, &large) {
		t.Errorf("a corpus that is too large: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := corpusOf(t, smallTexts).Train(ctx, Options{Folds: 2, Memory: 1 << 30}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
