// Package order says which of the URLs that a crawl knows is fetched first. It
// turns what is known of a URL into a key; the frontier takes the lowest key
// first, and of equal keys the one that came first. It is arithmetic only.
package order

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"infomall/store/urlkey"
)

// Terms are what the priority of a URL is made of.
type Terms struct {
	Domain     float64 // weight of the domain, as told
	Popularity float64 // of the links to it: distinct linking hosts, or PageRank
	Parent     float64 // priority of the page that led here; counted up to ParentMax
	Depth      float64 // folders above it
	Other      float64 // further ones, summed: own change rate, priority in a sitemap, Location
}

// ParentMax bounds what a URL inherits. Else each page of a chain would stand
// above the one before, and a trap above all.
const ParentMax = 10

// Weights are the coefficients of the terms.
type Weights struct{ Domain, Popularity, Parent, Depth, Other float64 }

// DefaultWeights are those that a crawl has unless others are set.
var DefaultWeights = Weights{1, 1, 1, -1, 1}

// Priority is the sum of the terms, each times its weight.
func (w Weights) Priority(t Terms) float64 {
	sum := 0.0
	for _, p := range w.parts(t) {
		sum += p.weight * p.value
	}
	return sum
}

// Explain shows how a priority comes about:
// "1·domain 10 + 1·popularity 3 + 1·parent 4 - 1·depth 2 = 15".
func (w Weights) Explain(t Terms) string {
	var b strings.Builder
	for i, p := range w.parts(t) {
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
	fmt.Fprintf(&b, " = %.4g", w.Priority(t))
	return b.String()
}

type part struct {
	name          string
	weight, value float64
}

func (w Weights) parts(t Terms) []part {
	parts := []part{
		{"domain", w.Domain, t.Domain},
		{"popularity", w.Popularity, t.Popularity},
		{"parent", w.Parent, min(t.Parent, ParentMax)},
		{"depth", w.Depth, t.Depth},
	}
	if t.Other != 0 {
		parts = append(parts, part{"other", w.Other, t.Other})
	}
	return parts
}

// Location is the importance of a canonical URL by where it lies, from 0 to 2:
// one point for a domain of institutions, and one for a page that leads to
// others by its name.
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

// institutions are the labels, at the end of a host or before its country's,
// that only institutions get; leading are words of paths that lead on.
var (
	institutions = map[string]bool{"edu": true, "gov": true, "org": true, "ac": true, "int": true, "mil": true}
	leading      = map[string]bool{"home": true, "index": true, "map": true, "sitemap": true, "main": true, "default": true}
)

// Patience is how many URLs that come later a point of priority is worth. So a
// URL of low priority waits, but not for ever: one that is p points lower is
// passed by at most Patience·p later ones.
const Patience = 1000

// keyZero is the key of priority 0 at arrival 0; keyUnit is one arrival.
const (
	keyZero     = 1 << 62
	keyUnit     = 1 << 10
	priorityMax = 1e9 // beyond it, all are equal
)

// Best is the key of a URL in the order BEST. Arrival counts the URLs that came
// to the crawl before; whoever changes the priority of a URL keeps its arrival.
func Best(priority float64, arrival uint64) uint64 {
	if math.IsNaN(priority) {
		priority = 0
	}
	priority = max(-priorityMax, min(priority, priorityMax))
	return keyZero + arrival*keyUnit - uint64(int64(math.Round(priority*Patience*keyUnit)))
}

// First is a key that comes before those of the order BFS, and of nearly all URLs
// in any other order.
const First = 0

// BFS is the key of a URL in the order BFS, by its distance from the seeds.
func BFS(layer int) uint64 { return uint64(layer) + 1 }

// Random is the key of a URL in the order RANDOM: the same for the same seed,
// so that a crawl that goes on later has the same order.
func Random(seed uint64, url string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, url)
	return h.Sum64()
}

// Raised is the key of a URL in the order BEST whose priority has risen by so many
// points since it had that key.
func Raised(key uint64, points float64) uint64 {
	points = max(0, min(points, priorityMax))
	return key - uint64(math.Round(points*Patience*keyUnit))
}

// What it is worth that the page which led to a URL is about what is looked for,
// and that the link says so.
const (
	topicPage = 5
	topicLink = 10
)

// Topic is what a URL gains in a crawl for words: by the similarity of the page
// that led to it, and by what its link promises, each from 0 to 1.
func Topic(similarity, promise float64) float64 { return topicPage*similarity + topicLink*promise }
