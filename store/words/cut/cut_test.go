package cut

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"infomall/store/words"
	"infomall/store/words/cut/list"
)

// fold makes the traditional letters of these tests simplified.
func fold(r rune) rune {
	if i := slices.Index(traditional, r); i >= 0 {
		return simplified[i]
	}
	return r
}

var (
	traditional = []rune("屆畢業禮舉學網絡實驗廣東話後開發說國電腦軟體聲報導記點鐘灣臺們對選乾淨")
	simplified  = []rune("届毕业礼举学网络实验广东话后开发说国电脑软体声报导记点钟湾台们对选干净")
)

func textsOf(s iter.Seq2[int, string]) string {
	var out []string
	for _, w := range s {
		out = append(out, w)
	}
	return strings.Join(out, "|")
}

func TestOf(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"，。！", ""},
		{"学", "学"},
		{"第十二届毕业典礼隆重举行", "第十二届|毕业|典礼|隆重|举行"},
		{"第十二屆畢業典禮隆重舉行", "第十二屆|畢業|典禮|隆重|舉行"},
		{"北京大学的网络实验室在收集网页", "北京大学|的|网络|实验室|在|收集|网页"},
		{"北京大學的網絡實驗室在收集網頁", "北京大學|的|網絡|實驗室|在|收集|網|頁"}, // 頁 is not folded here
		{"研究生命起源", "研究|生命|起源"},
		{"结婚的和尚未结婚的", "结婚|的|和|尚未|结婚|的"},
		{"乒乓球拍卖完了", "乒乓球|拍卖|完|了"},
		{"把房間打掃乾淨", "把|房|間|打|掃|乾淨"},
		{"中华人民共和国外交部发言人", "中华人民共和国外交部|发言人"},
		{"2008年北京奥运会8月8日开幕", "2008|年|北京|奥运会|8|月|8|日|开幕"},
		{"用Linux内核和kafka3集群", "用|Linux|内核|和|kafka3|集群"},
		{"卡拉OK和T恤", "卡拉|OK|和|T|恤"},
		{"北京、上海；广州", "北京|上海|广州"},
		{"北京 大学\n生活", "北京|大学|生活"},
		{"隆 重举行", "隆|重|举行"},
		{"㐀㐁丂龘", "㐀|㐁|丂|龘"},
		{"东京とコーヒー", "东京|と|コ|ー|ヒ|ー"},
		{"𠀀大学𠀁", "𠀀|大学|𠀁"},
		{"大学\xff生活", "大学|生活"},
	} {
		if got := textsOf((&Cutter{Fold: fold}).Of(tt.text)); got != tt.want {
			t.Errorf("%q is cut into %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestBothScripts cuts the same text in traditional and in simplified letters. The words
// must be at the same places.
func TestBothScripts(t *testing.T) {
	text := "國學網絡實驗對廣東話的報導說後來開發的電腦軟體聲音點鐘臺灣選舉學們畢業典禮乾淨"
	simple := strings.Map(fold, text)
	if len(text) != len(simple) || text == simple {
		t.Fatal("the two texts are no pair")
	}
	c := &Cutter{Fold: fold}
	next, stop := iter.Pull2(c.Of(simple))
	defer stop()
	for at, w := range c.Of(text) {
		if other, s, _ := next(); other != at || s != strings.Map(fold, w) {
			t.Fatalf("traditional: %q at %d; simplified: %q at %d", w, at, s, other)
		}
	}
	if _, w, ok := next(); ok {
		t.Errorf("the simplified text has one more word, %q", w)
	}
}

// TestMore cuts names that the list lacks, without and with a list of these names.
func TestMore(t *testing.T) {
	text := "燕穹和阑珊网的燕穹"
	if got, want := textsOf((&Cutter{}).Of(text)), "燕|穹|和|阑珊|网|的|燕|穹"; got != want {
		t.Errorf("without the names %s, want %s", got, want)
	}
	packed, err := list.Pack(map[string]uint8{"燕穹": 200, "阑珊网": 200})
	if err != nil {
		t.Fatal(err)
	}
	more, err := list.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := textsOf((&Cutter{More: more}).Of(text)), "燕穹|和|阑珊网|的|燕穹"; got != want {
		t.Errorf("with the names %s, want %s", got, want)
	}
}

// TestLongRun cuts a run that is many times longer than what is cut at once. Each part of
// it must be cut like the part alone.
func TestLongRun(t *testing.T) {
	c := &Cutter{}
	for _, part := range []string{"研究生命起源", "㐀", "结婚的和尚未结婚的"} {
		alone := textsOf(c.Of(part))
		const times = 5000
		want := strings.Repeat("|"+alone, times)[1:]
		if got := textsOf(c.Of(strings.Repeat(part, times))); got != want {
			t.Errorf("%d times %s is not cut into %d times %s", times, part, times, alone)
		}
	}
}

// TestStop stops after each word.
func TestStop(t *testing.T) {
	text := "2008年北京奥运会 opens，" + strings.Repeat("一", 2*lettersMax) + "end"
	all := 0
	for range (&Cutter{}).Of(text) {
		all++
	}
	for n := 1; n <= all; n++ {
		got := 0
		for range (&Cutter{}).Of(text) {
			if got++; got == n {
				break
			}
		}
		if got != n {
			t.Fatalf("%d words before the stop, want %d", got, n)
		}
	}
}

// TestWordsBin checks what must be true of the list of words whatever its source.
func TestWordsBin(t *testing.T) {
	if len(packed) > 1<<20 {
		t.Errorf("the packed list has %d bytes, want at most a megabyte", len(packed))
	}
	costs := map[string]uint8{}
	for w, cost := range chinese.All() {
		costs[w] = cost
	}
	if len(costs) != 148510 {
		t.Errorf("the list has %d words, want 148510", len(costs))
	}
	again, err := list.Pack(costs)
	if err != nil || again != packed {
		t.Errorf("the words of the list, packed again, give other bytes (error %v)", err)
	}
	if costs["的"] >= costs["大学"] || costs["大学"] >= costs["北京大学"] || costs["大學"] != 0 {
		t.Errorf("的 costs %d, 大学 %d, 北京大学 %d; want rising costs. 大學 costs %d, want 0",
			costs["的"], costs["大学"], costs["北京大学"], costs["大學"])
	}
}

// FuzzOf checks that each word of words.Of is in exactly one word of Of, in order, and
// that Of puts only words together that directly follow each other.
func FuzzOf(f *testing.F) {
	f.Add("2008年北京奥运会，kafka集群\xff大学𠀀とコ")
	f.Add(strings.Repeat("结婚的和尚未结婚的", 60))
	f.Fuzz(func(t *testing.T, text string) {
		next, stop := iter.Pull2(words.Of(text))
		defer stop()
		for at, w := range (&Cutter{Fold: fold}).Of(text) {
			if len(w) == 0 || text[at:at+len(w)] != w {
				t.Fatalf("word %q is not at offset %d", w, at)
			}
			for from := at; from < at+len(w); {
				small, s, ok := next()
				if !ok || small != from {
					t.Fatalf("word %q at %d: a part %q is at %d, want %d", w, at, s, small, from)
				}
				if first, _ := utf8.DecodeRuneInString(s); len(s) < len(w) && !words.Ideograph(first) {
					t.Fatalf("word %q has the part %q", w, s)
				}
				if from += len(s); from > at+len(w) {
					t.Fatalf("word %q at %d ends within the part %q", w, at, s)
				}
			}
		}
		if at, s, ok := next(); ok {
			t.Fatalf("no word has %q at %d", s, at)
		}
	})
}

// BenchmarkOf reports how many bytes of Chinese text are cut in a second.
func BenchmarkOf(b *testing.B) {
	text := strings.Repeat("第十二届毕业典礼隆重举行，研究生院院长和各系主任出席。北京大学的网络实验室在收集网页，"+
		"十年来保存了数十亿个网页；用户可以按网址和时间查看历史上的页面，也可以研究一个事件的始末。", 200)
	c := &Cutter{}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range c.Of(text) {
		}
	}
}

// BenchmarkStart reports what the list of words adds to the start of the program.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		l, err := list.Open(packed)
		if err != nil || l.Root('大') < 0 {
			b.Fatal(err)
		}
	}
}
