package about

import (
	"testing"

	"infomall/store/block/divide"
)

func TestTopic(t *testing.T) {
	long := "<p>kafka stores streams of records. kafka clusters keep records on brokers; brokers serve records. a broker can fail, and kafka goes on. " +
		"other systems lose what they have not written. nothing of that kind happens here, it is said, as long as two or more of them live, " +
		"which is most of the time, in most of the places that anyone has seen or heard of until this very day.</p>"
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
