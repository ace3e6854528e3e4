// Package order computes the place of a URL in the order of a crawl: a number
// called key. The frontier fetches the URL with the lowest key first, and among
// equal keys the one that arrived first. There is one function per order:
// [BFS], [Random] and [Best].
//
// # Priority
//
// The order BEST has a priority for each URL: the sum of its [report.Terms], each
// multiplied by its weight. A higher priority gives a lower key.
//
// The package only computes; it holds no state.
package order

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"infomall/crawl/report"
	"infomall/store/urlkey"
)

// parentMax bounds the priority that a URL inherits from the page that links
// to it. Without the bound, each page in a chain of links would have a
// higher priority than the previous one, and pages deep in a trap the
// highest of all.
const parentMax = 10

// DefaultWeights are the weights of a crawl whose statement sets none.
var DefaultWeights = report.Weights{Domain: 1, Popularity: 1, Parent: 1, Depth: -1, Other: 1}

// Priority returns the sum of the terms t, each multiplied by its weight.
func Priority(w *report.Weights, t *report.Terms) float64 {
	sum := 0.0
	for _, p := range partsOf(w, t) {
		sum += p.weight * p.value
	}
	return sum
}

// Explain returns the sum that Priority computes as text, such as "1·domain
// 10 + 1·popularity 3 + 1·parent 4 - 1·depth 2 = 15".
func Explain(w *report.Weights, t *report.Terms) string {
	var b strings.Builder
	for i, p := range partsOf(w, t) {
		weight := p.weight
		switch {
		case i > 0 && weight < 0:
			b.WriteString(" - ")
			weight = -weight
		case i > 0:
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "%g·%s %.4g", weight, p.name, p.value)
	}
	fmt.Fprintf(&b, " = %.4g", Priority(w, t))
	return b.String()
}

// part is one term with its weight.
type part struct {
	name          string
	weight, value float64
}

// partsOf returns the parts of a priority. It leaves out the term Other if it is 0.
func partsOf(w *report.Weights, t *report.Terms) []part {
	parts := []part{
		{"domain", w.Domain, t.Domain},
		{"popularity", w.Popularity, t.Popularity},
		{"parent", w.Parent, min(t.Parent, parentMax)},
		{"depth", w.Depth, t.Depth},
	}
	if t.Other != 0 {
		parts = append(parts, part{"other", w.Other, t.Other})
	}
	return parts
}

// Location returns how promising the host and path of a canonical URL are:
// 0, 1 or 2 points. A host of an institution, such as under edu, gives one
// point. A path whose name promises links, such as / or /index.htm, gives
// another.
func Location(url string) float64 {
	points := 0.0
	labels := strings.Split(urlkey.Host(url), ".")
	for _, label := range labels[max(0, len(labels)-2):] {
		if institutions[label] {
			points++
			break
		}
	}
	path := strings.ToLower(urlkey.RawPath(url))
	if path == "/" {
		return points + 1
	}
	for word := range strings.FieldsFuncSeq(path, func(r rune) bool { return (r < 'a' || r > 'z') && r < 0x80 }) {
		if leading[word] {
			return points + 1
		}
	}
	return points
}

// institutions holds the labels of domains that only institutions get, such as edu in .edu or
// .edu.cn. leading holds words in the paths of pages that mostly consist of links to other
// pages.
var (
	institutions = map[string]bool{"edu": true, "gov": true, "org": true, "ac": true, "int": true, "mil": true}
	leading      = map[string]bool{"home": true, "index": true, "map": true, "sitemap": true, "main": true, "default": true}
)

// patience is how many later URLs one point of priority is worth. So a URL
// with a low priority waits, but not for ever: if its priority is p points
// lower, at most patience·p URLs that arrived later are fetched before it.
const patience = 1000

// The constants of the keys in the order BEST. A key is keyZero, plus keyUnit for each earlier
// arrival, minus patience*keyUnit for each point of priority.
const (
	keyZero     = 1 << 62
	keyUnit     = 1 << 10
	priorityMax = 1e9 // higher priorities all count as this one
)

// Best returns the key of a URL with the given priority in the order BEST.
// arrival is how many URLs came to the crawl before this one. When the
// priority changes, call Best with the same arrival again, or use Raised.
func Best(priority float64, arrival uint64) uint64 {
	if math.IsNaN(priority) {
		priority = 0
	}
	priority = max(-priorityMax, min(priority, priorityMax))
	return keyZero + arrival*keyUnit - uint64(int64(math.Round(priority*patience*keyUnit)))
}

// First is a key that comes before every key that BFS returns and nearly
// every other key. Targets of redirects get it.
const First = 0

// BFS returns the key of a URL in the order BFS (breadth first). layer is
// the number of links from a seed.
func BFS(layer int) uint64 { return uint64(layer) + 1 }

// Random returns the key of a URL in the order RANDOM: a hash of seed and
// URL. The same seed gives the same key, so a crawl that is resumed keeps
// its order.
func Random(seed uint64, url string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, url)
	return h.Sum64()
}

// Raised returns the new key of a URL in the order BEST whose priority has
// risen by points. key is its old key. Negative points count as 0.
func Raised(key uint64, points float64) uint64 {
	points = max(0, min(points, priorityMax))
	return key - uint64(math.Round(points*patience*keyUnit))
}

// The most points that Topic gives a URL: topicPage if the page that links to
// it is about the topic of the crawl, and topicLink if the link itself is.
const (
	topicPage = 5
	topicLink = 10
)

// Topic returns the points that a URL gets in a crawl with a topic. similarity
// says how much the linking page is about the topic, promise how much the link
// is; both are from 0 to 1.
func Topic(similarity, promise float64) float64 { return topicPage*similarity + topicLink*promise }
