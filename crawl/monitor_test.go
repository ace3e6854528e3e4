package crawl

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/report"
)

// clocked is a web whose hosts answer with ok, and that notes the time of each
// request for a page, by host.
type clocked struct {
	mu    sync.Mutex
	times map[string][]time.Time
	paths map[string][]string
	on    func(host string, n int) // called at the n-th page that a host is asked for; may be nil
	page  func(w http.ResponseWriter, r *http.Request)
}

func (v *clocked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/sitemap.xml" {
		if v.page == nil || r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		v.page(w, r)
		return
	}
	v.mu.Lock()
	if v.times == nil {
		v.times, v.paths = make(map[string][]time.Time), make(map[string][]string)
	}
	v.times[r.Host] = append(v.times[r.Host], time.Now())
	v.paths[r.Host] = append(v.paths[r.Host], r.URL.Path)
	n := len(v.times[r.Host])
	v.mu.Unlock()
	if v.on != nil {
		v.on(r.Host, n)
	}
	if v.page != nil {
		v.page(w, r)
		return
	}
	fmt.Fprintf(w, "<p>%s", r.URL)
}

// asked returns how many pages of a host were asked for.
func (v *clocked) asked(host string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.times[host])
}

// seedsOf returns the URLs of pages pages on each of hosts hosts.
func seedsOf(hosts, pages int) (list []string) {
	for h := range hosts {
		for p := range pages {
			list = append(list, fmt.Sprintf("http://h%d.example/%d", h, p))
		}
	}
	return list
}

// order gives the simulated crawl an order.
func (s *simulated) order(t *testing.T, change func(*report.CrawlOrders)) {
	if err := s.a.OrderCrawl(context.Background(), "simulated", change); err != nil {
		t.Error(err)
	}
}

// alerts are the alerts of the simulated crawl, as kind and host.
func (s *simulated) alerts(t *testing.T) (list []string) {
	for part, err := range s.a.Alerts(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range part {
			list = append(list, strings.TrimSpace(a.Kind.String()+" "+a.Host))
		}
	}
	return list
}

// TestExclude shows that an order excludes a host from a running crawl, that its
// URLs are logged with the reason, and that all of them are fetched once the order
// has ended.
func TestExclude(t *testing.T) {
	for _, x := range []report.Exclusion{{From: "h1.example"}, {From: "h1.example", To: "h2.example"}, {Match: "//h1[.]"}} {
		synctest.Test(t, func(t *testing.T) {
			const pages = 30
			s, v := &simulated{}, &clocked{}
			s.handler = v
			var excluded, included time.Time
			v.on = func(host string, n int) {
				switch {
				case host == "h1.example" && n == 5:
					s.order(t, func(o *report.CrawlOrders) { o.Excluded = []report.Exclusion{x} })
					excluded = time.Now()
				case host == "h0.example" && n == 20:
					s.order(t, func(o *report.CrawlOrders) { o.Excluded = nil })
					included = time.Now()
				}
			}
			res := s.crawl(t, report.CrawlOptions{Seeds: seedsOf(2, pages), Workers: 4, Delay: time.Second})
			if res.Fetched != 2*pages || res.Excluded != 0 || res.Waiting != 0 {
				t.Errorf("%v: fetched %d, excluded %d, waiting %d; want %d, 0, 0", x, res.Fetched, res.Excluded, res.Waiting, 2*pages)
			}
			for _, at := range v.times["h1.example"] {
				// A task that was laid out, and one that runs, may still come.
				if at.After(excluded.Add(4*time.Second)) && at.Before(included) {
					t.Errorf("%v: asked %v after it was excluded", x, at.Sub(excluded))
				}
			}
			slices.Sort(v.paths["h1.example"])
			if n := len(slices.Compact(v.paths["h1.example"])); n != pages {
				t.Errorf("%v: %d different pages of the host were asked for, want %d", x, n, pages)
			}
			why := "EXCLUDE " + x.String() + " FROM CRAWL simulated excludes it"
			rows := 0
			for list, err := range s.a.Fetches(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range list {
					if f.Outcome == report.OutcomeFiltered && f.Reason == why && strings.HasPrefix(f.URL, "http://h1.") {
						rows++
					}
				}
			}
			if rows < pages-10 || res.Outcomes[report.OutcomeFiltered] != int64(rows) {
				t.Errorf("%v: %d rows say why, and %d are counted", x, rows, res.Outcomes[report.OutcomeFiltered])
			}
		})
	}
}

// TestOrdersOfKilledCrawl kills a crawl and continues it. The crawl obeys the orders from
// before the kill. It also obeys the orders that were given while no process ran it.
func TestOrdersOfKilledCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := &simulated{}, &clocked{}
		s.handler = v
		ctx, kill := context.WithCancel(t.Context())
		s.ctx = ctx
		v.on = func(host string, n int) {
			switch {
			case host == "h1.example" && n == 3:
				s.order(t, func(o *report.CrawlOrders) {
					o.Excluded = []report.Exclusion{{From: "h1.example"}, {From: "h2.example"}}
				})
			case host == "h0.example" && n == 10:
				kill()
			}
		}
		o := report.CrawlOptions{Seeds: seedsOf(3, 20), Workers: 4, Delay: time.Second, IgnoreRobots: true}
		s.crawl(t, o)
		s.ctx, v.on = nil, nil
		s.order(t, func(o *report.CrawlOrders) { o.Excluded = o.Excluded[:1] })
		asked := len(v.times["h1.example"])
		res := s.crawl(t, o)
		if n := len(v.times["h1.example"]); n != asked {
			t.Errorf("the crawl that goes on asked for %d pages of the excluded host", n-asked)
		}
		slices.Sort(v.paths["h2.example"])
		if n := len(slices.Compact(v.paths["h2.example"])); n != 20 {
			t.Errorf("%d pages of the host that is included again were asked for, want 20", n)
		}
		if want := int64(20 - asked); res.Excluded != want || res.State != report.CrawlFinished {
			t.Errorf("excluded %d, want %d; state %v", res.Excluded, want, res.State)
		}
	})
}

// TestSetDelay shows that an order changes the pause of one host or of all, and
// ends a longer pause that has begun.
func TestSetDelay(t *testing.T) {
	for _, c := range []struct {
		delays []report.HostDelay
		want   [2]time.Duration // for h0 and h1
	}{
		{[]report.HostDelay{{Delay: 2 * time.Second}}, [2]time.Duration{2 * time.Second, 2 * time.Second}},
		{[]report.HostDelay{{Scope: "h1.example", Delay: 4 * time.Second}, {Delay: 2 * time.Second}}, [2]time.Duration{2 * time.Second, 4 * time.Second}},
		{[]report.HostDelay{{Delay: 2 * time.Second}, {Scope: "h1.example", Delay: 9 * time.Second}, {Scope: "h1.example", Delay: 3 * time.Second}}, [2]time.Duration{2 * time.Second, 3 * time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, v := &simulated{}, &clocked{}
			s.handler = v
			v.on = func(host string, n int) {
				if host == "h0.example" && n == 1 {
					s.order(t, func(o *report.CrawlOrders) { o.Delays = c.delays })
				}
			}
			s.crawl(t, report.CrawlOptions{Seeds: seedsOf(2, 10), Workers: 2, Delay: time.Hour, IgnoreRobots: true})
			for h, want := range c.want {
				at := v.times[fmt.Sprintf("h%d.example", h)]
				if len(at) != 10 {
					t.Fatalf("h%d has %d requests", h, len(at))
				}
				for i := 3; i < len(at); i++ {
					if d := at[i].Sub(at[i-1]); d < want || d > want*3/2+pollEvery {
						t.Errorf("%v: h%d is asked after %v, want %v", c.delays, h, d, want)
					}
				}
			}
		})
	}
}

// TestSilentHost shows that there is one alert if a host stops to answer while
// others do, one when it answers again, and none for a host that never answered.
func TestSilentHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := &simulated{}, &clocked{}
		s.handler = v
		v.page = func(w http.ResponseWriter, r *http.Request) {
			if n := v.asked(r.Host); r.Host == "h1.example" && n > 8 && n <= 8+silentFails+1 || r.Host == "h2.example" {
				panic(http.ErrAbortHandler)
			}
			fmt.Fprintf(w, "<p>%s", r.URL)
		}
		seeds := append(seedsOf(2, 20), "http://h2.example/0", "http://h2.example/1")
		for p := range 60 {
			seeds = append(seeds, fmt.Sprintf("http://h0.example/more/%d", p))
		}
		res := s.crawl(t, report.CrawlOptions{Seeds: seeds, Workers: 3, Delay: time.Second, IgnoreRobots: true})
		if got, want := s.alerts(t), []string{"silent h1.example", "answers h1.example"}; !slices.Equal(got, want) {
			t.Errorf("alerts %q, want %q", got, want)
		}
		if res.Alerts != 2 || len(res.Raised) != 2 || !strings.Contains(res.Raised[0].Text, "unreachable") {
			t.Errorf("the result has %d alerts: %v", res.Alerts, res.Raised)
		}
		for list, err := range s.a.Tallies(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range list {
				if x.Waiting != 0 || x.State() != "done" || x.Host == "h0.example" && (x.Fetched != 80 || x.Failed != 0) || x.Host == "h2.example" && (x.Fetched != 0 || x.Failed != 6 || x.ErrorURL == "") {
					t.Errorf("tally %+v", x)
				}
			}
		}
	})
}

// TestOffline shows that there is one alert, not one for each host, if no host
// answers any more.
func TestOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := &simulated{}, &clocked{}
		s.handler = v
		const hosts = 4
		v.page = func(w http.ResponseWriter, r *http.Request) {
			all := 0
			for h := range hosts {
				all += v.asked(fmt.Sprintf("h%d.example", h))
			}
			if all > 5*hosts && all <= 5*hosts+(silentFails+1)*hosts {
				panic(http.ErrAbortHandler)
			}
			fmt.Fprintf(w, "<p>%s", r.URL)
		}
		s.crawl(t, report.CrawlOptions{Seeds: seedsOf(hosts, 20), Workers: hosts, Delay: 200 * time.Millisecond, IgnoreRobots: true})
		got := s.alerts(t)
		if len(got) != 2 || got[0] != "offline" || !strings.HasPrefix(got[1], "online h") {
			t.Errorf("alerts %q, want offline and online", got)
		}
	})
}

// TestSoft404 shows the alert about hosts whose pages have the same text, or the
// text of a page that does not exist, and none for pages with other texts.
func TestSoft404(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := &simulated{}, &clocked{}
		s.handler = v
		v.page = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			name := strings.Trim(r.URL.Path, "/")
			switch {
			case r.URL.Path == "/list":
				for p := range 40 {
					fmt.Fprintf(w, "<a href=/%d>%d</a>", p, p)
				}
			case r.Host == "h0.example" && r.URL.Path != "/sitemap.xml":
				fmt.Fprintf(w, "<p>The page %s tells a story of %s sailors and %s ships.", name, words(name, 3), words(name, 5))
			case r.Host == "h1.example" && r.URL.Path != "/sitemap.xml" && len(name) < 2:
				fmt.Fprintf(w, "<p>Good page with %s", words(name, 9))
			case r.Host == "h1.example" && r.URL.Path != "/sitemap.xml":
				fmt.Fprint(w, "<p>Sorry, we could not find this.")
			case r.Host == "h2.example":
				fmt.Fprintf(w, "<p>Sorry, we could not find the page. Ticket %d.", time.Now().UnixNano())
			default:
				http.NotFound(w, r)
			}
		}
		s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/list", "http://h1.example/list", "http://h2.example/list"}, Workers: 3, Delay: 200 * time.Millisecond})
		got := s.alerts(t)
		slices.Sort(got)
		if want := []string{"soft_404 h1.example", "soft_404 h2.example"}; !slices.Equal(got, want) {
			t.Errorf("alerts %q, want %q", got, want)
		}
	})
}

// words returns n words that depend on seed.
func words(seed string, n int) string {
	var b strings.Builder
	h := uint32(2166136261)
	for i := range n {
		for _, c := range seed + string(rune('a'+i)) {
			h = (h ^ uint32(c)) * 16777619
		}
		b.WriteByte(' ')
		for x := h; x > 0; x /= 26 {
			b.WriteByte(byte('a' + x%26))
		}
	}
	return b.String()
}

// TestDiskLow shows that a crawl waits while the disk has too little room, says
// why, and goes on by itself.
func TestDiskLow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := &simulated{}, &clocked{}
		s.handler = v
		start := time.Now()
		s.free = func() (int64, error) {
			if since := time.Since(start); since > 20*time.Second && since < time.Minute {
				return 999, nil
			}
			return 1000, nil
		}
		var reason string
		o := report.CrawlOptions{Seeds: seedsOf(1, 40), Workers: 3, Delay: time.Second, IgnoreRobots: true, DiskMin: 1000}
		o.Progress = func(c report.Crawl) {
			if c.State == report.CrawlPaused {
				reason = c.Error
			}
		}
		res := s.crawl(t, o)
		if res.Fetched != 40 || res.Error != "" {
			t.Errorf("fetched %d pages, error %q", res.Fetched, res.Error)
		}
		if !strings.Contains(reason, "999 bytes left, less than disk_min, which is 1000 bytes") {
			t.Errorf("the paused crawl says %q", reason)
		}
		for _, at := range v.times["h0.example"] {
			if since := at.Sub(start); since > 20*time.Second+diskEvery+2*time.Second && since < time.Minute {
				t.Errorf("a page is asked for after %v, when the disk is full", since)
			}
		}
		if got, want := s.alerts(t), []string{"disk_low", "disk_ok"}; !slices.Equal(got, want) {
			t.Errorf("alerts %q, want %q", got, want)
		}
	})
}

// TestMeter shows the rate over a time that has not passed yet, over the whole
// time, and after a time without pages.
func TestMeter(t *testing.T) {
	begun := time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC)
	m := newMeter(begun, time.Minute)
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	rate := func(seconds int, want float64) {
		t.Helper()
		got := m.rate(at(seconds))
		if got.Pages < want*.97 || got.Pages > want*1.03 || got.Bytes != got.Pages*10 {
			t.Errorf("after %d s: %+v, want %v pages", seconds, got, want)
		}
	}
	rate(0, 0)
	for i := range 20 {
		m.add(at(i), 10)
	}
	rate(20, 1)
	for i := range 100 {
		m.add(at(20+i), 10)
		m.add(at(20+i), 10)
	}
	rate(120, 2)
	rate(149, 1)
	rate(500, 0)
	m.add(at(10_000), 10)
	rate(10_000, 1.0/60)
}
