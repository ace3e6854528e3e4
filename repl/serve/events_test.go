package serve

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"infomall/exec/event/kept"
	"infomall/store/record"
	"infomall/store/record/task"
)

// TestEventsPages shows the pages of events: the rankings, the events of one with bars and
// cards, and the reports of an event, which lead to the pages as they were. Texts are
// escaped.
func TestEventsPages(t *testing.T) {
	s, m := testServer(t, nil, shot("http://a.example/1", "20080714000000"))
	text := func(n uint64, url, time, title string, event int) task.ResultRow {
		x := kept.Text{URL: url, Time: at(time), ID: n, Event: event, Report: n, First: at(time), Published: record.NoTime, Title: title, Lang: "zh", Named: n == 2, Keywords: []kept.Keyword{{Word: "洪水", Share: 1}}}
		return task.ResultRow{Key: x.AppendKey(nil), Value: x.AppendValue(nil)}
	}
	found := func(number int, start, peak, end string) task.ResultRow {
		e := kept.Event{Number: number, Start: at(start), Peak: at(peak), End: at(end), Dated: true}
		return e.Row()
	}
	save := func(name string, rows ...task.ResultRow) {
		t.Helper()
		slices.SortFunc(rows, func(a, b task.ResultRow) int { return cmp.Compare(string(a.Key), string(b.Key)) })
		_, err := m.SaveResult(t.Context(), task.Result{Kind: task.ResultEvents, Name: name, Computed: at("20200101000000")}, func(yield func(task.ResultRow, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	save("news",
		text(1, "http://a.example/1", "20080714080000", "大堤 <script>alert(1)</script>", 1), text(2, "http://b.example/2", "20080715090000", "澜江洪水", 1),
		text(3, "http://a.example/3", "20080808200000", "开幕式", 2), found(1, "20080714000000", "20080715000000", "20080715000000"), found(2, "20080808000000", "20080808000000", "20080808000000"))
	save("sport", text(4, "http://a.example/3", "20080808200000", "开幕式", 1), found(1, "20080808000000", "20080808000000", "20080808000000"))
	for _, c := range []struct {
		target    string
		want, not []string
	}{
		{"/events", []string{`href="/events?ranking=news"`, `href="/events?ranking=sport"`, `id="event-news-1"`, `<a href="#event-news-2"><rect`, `href="/events?event=news%2F1"`,
			"<title>2008-07-15: 1 report, 澜江洪水</title>", `href="/20080714080000/http://a.example/1"`, "大堤 &lt;script&gt;", "2008-07-14 – 2008-07-15, 2 reports of 2 sources"}, []string{"event-sport-1"}},
		{"/events?ranking=sport&order=recency", []string{`id="event-sport-1"`, "<b>the newest first</b>"}, []string{"event-news-1"}},
		{"/events?event=news%2F1", []string{"<h1>news/1: 澜江洪水</h1>", `href="/20080715090000/http://b.example/2"`, `href="/events?ranking=news"`}, []string{"开幕式"}},
		{"/events?lang=zh", []string{"事件", "按规模", `href="/events?order=time&amp;ranking=news&amp;lang=zh"`}, nil},
	} {
		r := get(t, s.interfaceHandler(), c.target)
		body := bodyOf(t, r)
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: status %d, no %q in %s", c.target, r.StatusCode, want, body)
			}
		}
		for _, not := range append(c.not, "<script>alert", "style=", `class="fault"`) {
			if strings.Contains(body, not) {
				t.Errorf("%s has %q: %s", c.target, not, body)
			}
		}
	}
}
