package order

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/crawl/report"
)

// queued is a URL in the queue of a test.
type queued struct {
	name    string
	key     uint64
	arrival uint64
}

// queue takes the lowest key first, as the frontier does.
type queue []queued

func (q *queue) add(u queued) {
	at, _ := slices.BinarySearchFunc(*q, u, func(a, b queued) int {
		if a.key > b.key {
			return 1
		}
		return -1 // of equals the new one is last
	})
	*q = slices.Insert(*q, at, u)
}

func (q *queue) take() queued {
	u := (*q)[0]
	*q = (*q)[1:]
	return u
}

// TestWorkedExample crawls the graph of the book from A, in both its orders, and
// shows the queue after each step.
func TestWorkedExample(t *testing.T) {
	graph := map[string]string{"A": "BCDEF", "E": "H", "F": "G", "H": "I"}
	// Of D > B > C > A > E > F > I > G > H each is a point above the next.
	const rank = "HGIFEACBD"
	for _, c := range []struct {
		name         string
		key          func(name string, layer int, arrival uint64) uint64
		order, queue string
	}{
		{"BFS", func(_ string, layer int, _ uint64) uint64 { return BFS(layer) }, "ABCDEFHGI", "A BCDEF CDEF DEF EF FH HG GI I "},
		{"BEST", func(name string, _ int, arrival uint64) uint64 {
			return Best(float64(strings.Index(rank, name)), arrival)
		}, "ADBCEFGHI", "A DBCEF BCEF CEF EF FH GH H I "},
	} {
		var q queue
		layers := map[string]int{"A": 0}
		q.add(queued{name: "A", key: c.key("A", 0, 0)})
		order, states := "", []string{"A"}
		for len(q) > 0 {
			u := q.take()
			order += u.name
			for _, to := range strings.Split(graph[u.name], "") {
				if _, seen := layers[to]; seen {
					continue
				}
				layers[to] = layers[u.name] + 1
				arrival := uint64(len(layers) - 1)
				q.add(queued{to, c.key(to, layers[to], arrival), arrival})
			}
			state := ""
			for _, u := range q {
				state += u.name
			}
			states = append(states, state)
		}
		if got := strings.Join(states, " "); order != c.order || got != c.queue {
			t.Errorf("%s: %s, queue %q; want %s, %q", c.name, order, got, c.order, c.queue)
		}
	}
}

// TestPriority shows the sums that the book works out, and their bound.
func TestPriority(t *testing.T) {
	for _, c := range []struct {
		w    report.Weights
		t    report.Terms
		want float64
		text string
	}{
		{DefaultWeights, report.Terms{Domain: 10, Popularity: 3, Parent: 4, Depth: 2, Other: 0}, 15, "1·domain 10 + 1·popularity 3 + 1·parent 4 - 1·depth 2 = 15"},
		{DefaultWeights, report.Terms{Domain: 10, Popularity: 3, Parent: 4, Depth: 2, Other: .5}, 15.5, "1·domain 10 + 1·popularity 3 + 1·parent 4 - 1·depth 2 + 1·other 0.5 = 15.5"},
		{report.Weights{Popularity: 2}, report.Terms{Domain: 10, Popularity: 3, Parent: 4, Depth: 2, Other: 1}, 6, "0·domain 10 + 2·popularity 3 + 0·parent 4 + 0·depth 2 + 0·other 1 = 6"},
		{DefaultWeights, report.Terms{Parent: 1000}, parentMax, "1·domain 0 + 1·popularity 0 + 1·parent 10 - 1·depth 0 = 10"},
	} {
		if got := Priority(&c.w, &c.t); got != c.want {
			t.Errorf("priority of %+v is %v, want %v", c.t, got, c.want)
		}
		if got := Explain(&c.w, &c.t); got != c.text {
			t.Errorf("%+v is explained as %q, want %q", c.t, got, c.text)
		}
	}
}

// TestChain shows that the pages of a chain, each found on the one before, do
// not rise above all others.
func TestChain(t *testing.T) {
	priority := 0.0
	for depth := range 1000 {
		priority = Priority(&DefaultWeights, &report.Terms{Domain: 10, Popularity: 1, Parent: priority, Depth: float64(depth)})
		if priority > 21 {
			t.Fatalf("priority %v at depth %d", priority, depth)
		}
	}
}

func TestLocation(t *testing.T) {
	for url, want := range map[string]float64{
		"http://www.pku.edu.cn/home/map.html": 2, "http://www.pku.edu.cn/": 2, "https://w3.org/a": 1, "http://x.com/": 1,
		"http://x.com/a/SiteMap.xml": 1, "http://x.com/a": 0, "http://edu.x.com/homes/a": 0, "http://x.com/mapping": 0, "http://162.105.1.1/a": 0, "dns:x": 0,
	} {
		if got := Location(url); got != want {
			t.Errorf("Location(%s) = %v, want %v", url, got, want)
		}
	}
}

// TestBestKeys shows that keys in the order BEST have the order that their
// documentation promises.
func TestBestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := rapid.Float64Range(-1e6, 1e6).Draw(t, "p"), rapid.Float64Range(-1e6, 1e6).Draw(t, "q")
		a, b := rapid.Uint64Range(0, 1<<40).Draw(t, "a"), rapid.Uint64Range(0, 1<<40).Draw(t, "b")
		if p > q+.001 && Best(p, a) >= Best(q, a) {
			t.Errorf("of two that came together, priority %v is behind %v", p, q)
		}
		if a < b && Best(p, a) >= Best(p, b) {
			t.Errorf("of two that are equal, arrival %d is behind %d", a, b)
		}
		if passes := float64(b) - float64(a); passes > patience*(q-p)+1 && Best(p, a) >= Best(q, b) {
			t.Errorf("priority %v is passed by %v, which comes %v later", p, q, passes)
		}
	})
	for _, p := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64} {
		if k := Best(p, 1<<40); k < 1<<60 || k > 1<<63 {
			t.Errorf("key %d of priority %v", k, p)
		}
	}
}

// TestNoStarving serves one URL for two that come, all of high priority. One of
// low priority must be served all the same.
func TestNoStarving(t *testing.T) {
	var q queue
	q.add(queued{name: "low", key: Best(0, 0)})
	for arrival := uint64(1); ; arrival += 2 {
		q.add(queued{"high", Best(3, arrival), arrival})
		q.add(queued{"high", Best(3, arrival+1), arrival + 1})
		if q.take().name == "low" {
			return
		}
		if arrival > 8*patience {
			t.Fatalf("still waiting after %d others came", arrival)
		}
	}
}

// TestPopularityRises shows that new links to a URL take it forward.
func TestPopularityRises(t *testing.T) {
	before := Best(Priority(&DefaultWeights, &report.Terms{Popularity: 1}), 7)
	rival := Best(Priority(&DefaultWeights, &report.Terms{Popularity: 2}), 8)
	after := Best(Priority(&DefaultWeights, &report.Terms{Popularity: 3}), 7)
	if !(after < rival && rival < before) {
		t.Errorf("keys %d before, %d of its rival, %d after", before, rival, after)
	}
}

// TestRandom shows that the order is the same for a seed and another for
// another.
func TestRandom(t *testing.T) {
	order := func(seed uint64) []string {
		urls := strings.Split("abcdefghijklmnopqrst", "")
		slices.SortFunc(urls, func(a, b string) int {
			if Random(seed, a) < Random(seed, b) {
				return -1
			}
			return 1
		})
		return urls
	}
	if a, b, c := order(1), order(1), order(2); !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Errorf("orders %v, %v, %v", a, b, c)
	}
}
