package about

import (
	"strings"
	"testing"
	"unicode/utf8"

	"infomall/store/block/divide"
)

func TestTopic(t *testing.T) {
	long := "<p>kafka stores streams of records. kafka clusters keep records on brokers; brokers serve records. a broker can fail, and kafka goes on. " +
		"other systems lose what they have not written. nothing of that kind happens here, it is said, as long as two or more of them live, " +
		"which is most of the time, in most of the places that anyone has seen or heard of until this very day.</p>"
	frequent := "<p>" + strings.Repeat("学校里有网络，写着历史。", 30) + "</p>"
	once := "<p>学校举行开学典礼，学校图书馆延长开放时间，学校公布招生计划，物理系举办学术报告" + strings.Repeat("，在2008年6月28日", 30) + "</p>"
	tests := []struct{ name, in, modern, classic string }{
		{"nothing", "<div><img src=x></div>", "", ""},
		{"heading", "<div><p>some text before</p><h2>The <i>heading</i></h2><p>and after</p></div>", "The heading", "The heading"},
		{"largest type", `<b>bold</b> text <font size="+2">larger</font> text`, "larger", "larger"},
		{"style", `<div><span style="font-size: 24px">Big words</span> and small ones</div>`, "Big words", "Big words"},
		{"first line", "Weather<br>It will rain in the whole country on all days of this week", "Weather", "Weather"},
		{"colour", `some words then <font color=red>red words</font> follow`, "red words", "red words"},
		{"trim", "<p>The Linux kernel and the Linux shell</p>", "Linux kernel shell", "Linux kernel shell"},
		{"frequent words", long, "kafka records brokers", "kafka records brokers"},
		{"script says nothing", "<script>var heading</script><p>Words here</p>", "Words", "Words"},
		{"stop words alone", "<p>this is it</p>", "this is it", "this is it"},
		{"Chinese", "<p>北京大学的网络实验室在收集网页</p>", "北京大学 网络实验室 收集网页", "北京大学 网络实验室 收集网页"},
		{"letters that make words", "<p>新闻中心，招生就业；在线服务和网络中心的使用说明</p>", "新闻中心 招生就业 在线服务 网络中心 使用说明", "新闻中心 招生就业 在线服务 网络中心 使用说明"},
		{"a run that is longer than a phrase", "<p>全校师生深切哀悼四川汶川地震遇难同胞</p>", "全校师生深切哀悼 四川汶川地震遇难同胞", "全校师生深切哀悼 四川汶川地震遇难同胞"},
		{"words are whole", "<p>关于2008届毕业典礼隆重举行</p>", "2008届毕业典礼隆重举行", "2008届毕业典礼隆重举行"},
		{"traditional letters", "<p>關於2008屆畢業典禮隆重舉行</p>", "2008屆畢業典禮隆重舉行", "2008屆畢業典禮隆重舉行"},
		{"both scripts have the same stop words", "<p>對國際學校的報導</p>", "國際學校 報導", "國際學校 報導"},
		{"numbers", "<p>增长3.5亿元，10:30分开始，5000，2007-2008学年</p>", "增长3.5亿元 10:30分开始 2007-2008学年", "增长3.5亿元 10:30分开始 2007-2008学年"},
		{"dates and single letters say nothing", "<p>校办公室 6月28日 （三）</p>", "校办公室", "校办公室"},
		{"dates alone", "<p>6月28日</p>", "6月28日", "6月28日"},
		{"Latin words in Chinese text", "<p>用Linux内核和 kafka 集群</p>", "用Linux内核 kafka 集群", "用Linux内核 kafka 集群"},
		{"Japanese", "<p>ネットワークの実験</p>", "ネットワークの実験", "ネットワークの実験"},
		{"Thai", "<p>ภาษาไทย ข่าว</p>", "ภาษาไทย ข่าว", "ภาษาไทย ข่าว"},
		{"frequent Chinese words", frequent, "学校 网络 历史", "学校 网络 历史"},
		{"one frequent Chinese word", once, "学校举行开学典礼 学校图书馆延长开放时间 学校公布招生计划 物理系举办学术报告", "学校"},
		{"a word that the list lacks, at the end", "<p>银川一大学教师入职要找35名领导签字</p>", "银川一大学教师 入职要找35名领导签字", "银川一大学教师 入职要找35名领导签字"},
		{"a word that the list lacks, in the middle", "<p>papi旗下美妆博主自曝遭家暴半年</p>", "papi旗下 美妆博主自曝遭家暴半年", "papi旗下 美妆博主自曝遭家暴半年"},
		{"a word that begins with a stop word", "<p>外媒称一涉案在逃人员是红通五号</p>", "外媒称一涉案在逃 人员是红通五号", "外媒称一涉案在逃 人员是红通五号"},
		{"a name", "<p>本赛季的最佳新人加索尔来自西班牙</p>", "本赛季 最佳新人加索尔来自西班牙", "本赛季 最佳新人加索尔来自西班牙"},
		{"numbers and their units", "<p>假期值班表于7月10日前报校办公室</p>", "假期值班表于7月 10日前报校办公室", "假期值班表于7月 10日前报校办公室"},
		{"Chinese heading", "<h3>今日要闻</h3><p>北京大学的网络实验室在收集网页</p>", "今日要闻", "今日要闻"},
	}
	for _, tt := range tests {
		if got := Topic([]byte(tt.in), "utf-8", divide.Modern, TopicOptions{}); got != tt.modern {
			t.Errorf("%s: modern topic %q, want %q", tt.name, got, tt.modern)
		}
		if got := Topic([]byte(tt.in), "utf-8", divide.Classic, TopicOptions{}); got != tt.classic {
			t.Errorf("%s: classic topic %q, want %q", tt.name, got, tt.classic)
		}
	}
}

// TestTopicBounded shows that the topic of a block with one very long word is cut.
func TestTopicBounded(t *testing.T) {
	for _, letter := range []string{"q", "д"} {
		topic := Topic([]byte("<p>"+strings.Repeat(letter, 100_000)), "utf-8", divide.Modern, TopicOptions{})
		if want := strings.Repeat(letter, topicMax) + "…"; topic != want {
			t.Errorf("the topic has %d bytes, want %d", len(topic), len(want))
		}
	}
}

func TestTopicOptions(t *testing.T) {
	in := "<h2>one heading of many words which are more than four</h2>"
	if got, want := Topic([]byte(in), "utf-8", divide.Modern, TopicOptions{Theta: 2}), "one heading"; got != want {
		t.Errorf("topic of at most two words %q, want %q", got, want)
	}
}

func FuzzTopic(f *testing.F) {
	f.Add([]byte("<h1>a b</h1><font size=+7 color=x style='font-size:12pt;color:red'>c</font>北京的大学"), "utf-8")
	f.Fuzz(func(t *testing.T, b []byte, charset string) {
		for _, p := range []divide.Profile{divide.Modern, divide.Classic} {
			first := Topic(b, charset, p, TopicOptions{})
			if again := Topic(b, charset, p, TopicOptions{}); again != first {
				t.Fatalf("one block has two topics, %q and %q", first, again)
			}
		}
	})
}

// TestPhraseBorders cuts a text at every letter and asks for the topic of the rest. Each
// phrase of a topic must begin and end where words of the rest do, and be no longer than
// phraseLetters.
func TestPhraseBorders(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("全校师生为四川地震灾区捐款逾八十万元第十五届校园文化节闭幕数学建模竞赛校内选拔结果公布", 2),
		"北京大學的網絡實驗室在收集網頁，十年來保存了數十億個網頁；用戶可以研究一個事件的始末2008年6月28日上午",
	} {
		for from, letter := range text {
			rest := text[from:]
			borders := map[int]bool{}
			for at, w := range cutter.Of(rest) {
				borders[at], borders[at+len(w)] = true, true
			}
			for phrase := range strings.FieldsSeq(Topic([]byte(rest), "utf-8", divide.Modern, TopicOptions{})) {
				found := false
				for at := strings.Index(rest, phrase); at >= 0 && !found; {
					found = borders[at] && borders[at+len(phrase)]
					next := strings.Index(rest[at+1:], phrase)
					if next < 0 {
						break
					}
					at += 1 + next
				}
				if !found {
					t.Errorf("from %c: phrase %q does not begin and end where words of %q do", letter, phrase, rest)
				}
				if n := utf8.RuneCountInString(phrase); n > phraseLetters+4 {
					t.Errorf("from %c: phrase %q has %d letters", letter, phrase, n)
				}
			}
		}
	}
}
