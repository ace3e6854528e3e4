package term

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
)

// termsOf returns the terms of a text, separated by bars. A new word has a plus before it.
func termsOf(r *Reader, text string) string {
	var out []string
	for t, isNew := range r.Of(text) {
		if isNew {
			out = append(out, "+"+string(t))
		} else {
			out = append(out, string(t))
		}
	}
	return strings.Join(out, "|")
}

func TestOf(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{" -- ， ", ""},
		{"Kafka can't: v2.1, Log.Retention", "kafka|cant|v2|1|log|retention"},
		{"Müller ＭÜＬＬＥＲ İstanbul ёлка", "muller|muller|istanbul|елка"},
		{"第十二屆畢業典禮隆重舉行", "第十二届|毕业|典礼|隆重|举行"},
		{"北京大学的图书馆，图书馆", "北京大学|的|图书馆|图书馆"},
		{"隆 重举行", "隆|重|举行"},
		{"2008年Kafka集群", "2008|年|kafka|集群"},
		{"コーヒー、らーめんを飲む", "コーヒー|らーめんを|饮|む"},
		{"㌀ 한국어 문장", "アパート|한국어|문장"},
		{"ภาษาไทย อังกฤษ", "ภาษาไทย|อังกฤษ"},
		{strings.Repeat("x", bytesMax) + " " + strings.Repeat("y", bytesMax+1) + " z", strings.Repeat("x", bytesMax) + "|z"},
		{strings.Repeat("カ", 1000) + "・ト", "ト"},
		{"大学\xff生活", "大学|生活"},
	} {
		if got := termsOf(&Reader{}, tt.text); got != tt.want {
			t.Errorf("%q has the terms %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestMarkOfOtherText shows that the mark ー takes its script only from the letter directly before it,
// and not from another text or from before a gap.
func TestMarkOfOtherText(t *testing.T) {
	for _, text := range []string{"ーです", "すし abc ーメン", "すしー ラーメン"} {
		var r Reader
		want := termsOf(new(Reader), text)
		termsOf(&r, "すし")
		if got := termsOf(&r, text); got != want {
			t.Errorf("%s after another text: %s, want %s", text, got, want)
		}
	}
	if got, want := termsOf(new(Reader), "すし abc ーメン"), "すし|abc|ーメン"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLongRun reads a Chinese run that is longer than what is held of a run.
func TestLongRun(t *testing.T) {
	const times = runBytes/6 + 1000
	n := 0
	for w := range (&Reader{}).Of(strings.Repeat("大学", times)) {
		if string(w) != "大学" {
			// The border of what is held may part one word.
			n--
		}
		n++
	}
	if n < times-1 || n > times {
		t.Errorf("%d words, want %d", n, times)
	}
}

func TestAppendRuns(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"no Chinese", ""},
		{"毕業典禮，学 a 网絡x", "毕业典礼\n网络\n"},
		{"学", ""},
		{"学カ学한", ""},
		{"café 学校", "学校\n"},
	} {
		if got := string((&Reader{}).AppendRuns([]byte("> "), tt.text)); got != "> "+tt.want {
			t.Errorf("%q has the runs %q, want %q", tt.text, got, tt.want)
		}
	}
}

// texts returns one text of each string, as FindNew wants them.
func texts(list ...string) iter.Seq2[string, error] {
	var r Reader
	return func(yield func(string, error) bool) {
		for _, text := range list {
			if !yield(string(r.AppendRuns(nil, text)), nil) {
				return
			}
		}
	}
}

// madeText has sentences about things that the list of words does not know. Each stands
// between many different words.
var madeText = func() (list []string) {
	subjects := []string{"学校", "北京", "老师", "电脑", "公司", "农民", "记者", "工人"}
	verbs := []string{"喜欢", "介绍", "购买", "研究", "学习", "支持"}
	ends := []string{"比赛", "天气", "历史", "报纸", "电影", "市场", "火车"}
	for i := range 56 {
		s, v, e := subjects[i%len(subjects)], verbs[i%len(verbs)], ends[i%len(ends)]
		list = append(list,
			s+v+"囧博"+e,      // two letters
			s+v+"非典型鹏"+e,    // a name of a word and a letter
			s+v+"燕穹阑"+e,     // three letters; 燕穹 alone is not free on the right
			s+v+"大学"+e,      // a word of the list
			s+v+"很好"+e,      // a stop word
			s+v+"微虎"+"奔跑"+e, // always before the same word: 微虎 is not free
			s+v+[]string{"猫", "狗", "鸡", "鸭"}[i%4]+[]string{"吃", "睡", "叫", "走", "飞"}[i%5]+e, // by chance
		)
	}
	return list
}()

func TestFindNew(t *testing.T) {
	found, err := FindNew(texts(madeText...), 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	got := found.All()
	for _, tt := range []struct {
		word string
		want bool
	}{
		{"囧博", true}, {"燕穹阑", true},
		{"燕穹", false}, {"穹阑", false}, // parts of a word
		{"大学", false}, {"很好", false}, // known
		{"微虎", false},                // its neighbour is always the same
		{"猫吃", false}, {"狗睡", false}, // by chance
	} {
		if slices.Contains(got, tt.word) != tt.want {
			t.Errorf("%s is new: %v, want %v; all new words: %v", tt.word, !tt.want, tt.want, got)
		}
	}
	again, _ := FindNew(texts(madeText...), 8<<20)
	if !slices.Equal(again.All(), got) {
		t.Errorf("the same texts have the new words %v, and then %v", got, again.All())
	}

	r := &Reader{New: found}
	if got, want := termsOf(r, "她在囧博看見燕穹阑"), "她|在|囧|博|看见|燕|穹|阑|+囧博|+燕穹阑"; got != want {
		t.Errorf("the terms with new words are %s, want %s", got, want)
	}
	for _, w := range got {
		if !MayBeNew(w) || !beginsNew(w) {
			t.Errorf("MayBeNew or beginsNew says that %s, which is new, cannot be", w)
		}
	}
}

// TestMayBeNew asks for terms that can never be new words.
func TestMayBeNew(t *testing.T) {
	for _, w := range []string{"", "学", "大学", "kafka", "囧博x", "的囧", "囧囧囧囧囧囧囧", "中华人民共和国囧", "カ囧"} {
		if MayBeNew(w) {
			t.Errorf("%q may be a new word", w)
		}
	}
	if !MayBeNew("囧博") || beginsNew("x") || !beginsNew("囧") || !beginsNew("") {
		t.Error("囧博 cannot be a new word, or nothing can begin with 囧, or something can with x")
	}
}

// TestForget counts more sequences than fit into the memory. The frequent ones stay, and
// the result is the same each time.
func TestForget(t *testing.T) {
	var list []string
	for i := range 40_000 {
		// Rare names, each of three letters that no word has.
		list = append(list, fmt.Sprintf("%c%c%c", rune(0x3400+i%3000), rune(0x3400+i/13%3000), rune(0x4000+i%2000)))
		if i%700 == 0 {
			list = append(list, madeText...)
		}
	}
	c := counter{counts: make(map[string]uint32), most: 1000}
	for text := range texts(list...) {
		for run := range strings.Lines(text) {
			c.count(strings.TrimSuffix(run, "\n"))
			if len(c.counts) > 1000 {
				t.Fatalf("%d sequences are counted, want 1000 at most", len(c.counts))
			}
		}
	}
	found, err := FindNew(texts(list...), 1000*countBytes)
	if err != nil || !slices.Contains(found.All(), "囧博") {
		t.Errorf("with little memory, the new words are %v (error %v), without 囧博", found.All(), err)
	}
	again, _ := FindNew(texts(list...), 1000*countBytes)
	if !slices.Equal(again.All(), found.All()) {
		t.Errorf("the same texts have the new words %v, and then %v", found.All(), again.All())
	}
}

// TestFault ends a search with the error of the texts, in the first and in the second
// round.
func TestFault(t *testing.T) {
	fault := errors.New("no disk")
	for round := range 2 {
		n := -1
		_, err := FindNew(func(yield func(string, error) bool) {
			n++
			for text := range texts(madeText...) {
				if !yield(text, nil) {
					return
				}
			}
			if n == round {
				yield("", fault)
			}
		}, 1<<20)
		if err != fault {
			t.Errorf("round %d: error %v, want %v", round, err, fault)
		}
	}
}

func TestSet(t *testing.T) {
	var all *Set
	s := &Set{Equal: []string{"kafka", "大学"}, Begins: []string{"stream"}}
	for _, tt := range []struct {
		term string
		want bool
	}{{"kafka", true}, {"大学", true}, {"streams", true}, {"stream", true}, {"strea", false}, {"kafkas", false}, {"", false}} {
		if got := s.Has([]byte(tt.term)); got != tt.want || !all.Has([]byte(tt.term)) {
			t.Errorf("%s has %q: %v, want %v", s, tt.term, got, tt.want)
		}
	}
	if s.MayHaveNew() || !all.MayHaveNew() || !(&Set{Begins: []string{"囧"}}).MayHaveNew() || !(&Set{Equal: []string{"囧博"}}).MayHaveNew() {
		t.Error("MayHaveNew is wrong")
	}
	if got, want := s.String(), "'kafka' or '大学' or 'stream'…"; got != want {
		t.Errorf("String gives %s, want %s", got, want)
	}
}

// FuzzOf checks that terms are valid, not too long, and the same in a second reading.
func FuzzOf(f *testing.F) {
	f.Add("2008年Kafka can't 𠀀학 コーヒー ㌀\xff")
	f.Add(strings.Repeat("囧", 300))
	r := &Reader{New: &NewWords{words: map[string]bool{"囧囧": true}}}
	f.Fuzz(func(t *testing.T, text string) {
		first := termsOf(r, text)
		for w := range r.Of(text) {
			if len(w) == 0 || len(w) > bytesMax {
				t.Fatalf("%q has the term %q", text, w)
			}
		}
		if again := termsOf(r, text); again != first {
			t.Fatalf("%q has the terms %s, and then %s", text, first, again)
		}
		r.AppendRuns(nil, text)
	})
}

// BenchmarkOf reports how many bytes of text are read in a second.
func BenchmarkOf(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat("The Kafka cluster keeps a log of records, which brokers copy to each other. ", 500),
		"chinese": strings.Repeat("第十二届毕业典礼隆重举行，研究生院院长和各系主任出席。北京大学的网络实验室在收集网页。", 300),
	} {
		b.Run(name, func(b *testing.B) {
			var r Reader
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range r.Of(text) {
				}
			}
		})
	}
}
