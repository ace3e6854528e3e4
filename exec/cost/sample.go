package cost

import (
	"maps"
	"math"
	"slices"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/urlkey"
)

const (
	// sampleMost is how many URLs a sample has at most, about. The share of rows that meet
	// a condition is then known to a few parts in a hundred.
	sampleMost = 512
	// leastURLs is the smallest number of URLs of a sample.
	leastURLs = 32
	// manyURLs is how many URLs the time must suffice for; if it does not, ranges of URLs are
	// drawn before a sample of URLs is taken.
	manyURLs = 128
	// urlsOff is the ratio of the upper bound of the number of URLs of a source to the lower
	// bound from which the URLs are counted.
	urlsOff = 2
	// wholeShare is which share of the time that is left may be spent on reading all rows of
	// a source.
	wholeShare = .6
	// sampledMost is how many samples of segments are read for a sample at most.
	sampledMost = 128
	// leastRanges and mostRanges are how few and how many ranges of URLs a draw has that is
	// taken instead of URLs.
	leastRanges, mostRanges = 2, 16
	// chunksPerRange is how many chunks begin in a range of URLs, on average.
	chunksPerRange = 1.5
)

// drawSource returns a draw of the rows of the source n: all rows if reading them is cheap,
// and otherwise the rows of a random sample of URLs. p is the part of the estimate for n.
// drawSource returns nil if no draw is cheap.
func (m *maker) drawSource(n *plan.Source, p *Part) *draw {
	if !n.FromCaptures() {
		if p.guess.rows > drawRows {
			return nil
		}
		return m.collect(n, n, all)
	}
	whole := units(p, p.guess.rowsIn, p.guess.rows)
	if n.Relation.OfStored { // otherwise units has the bytes
		whole += p.guess.file * perFileByte
	}
	switch {
	case p.Reading.Chunks == 0:
		return m.collect(n, n, all)
	case p.guess.rows < drawRows && whole < m.left*wholeShare:
		m.left -= whole
		return m.collect(n, n, all)
	case !drawnByURL(n):
		return nil
	}
	if fromIndex(n) {
		if level, ok := m.level(n, p, sampleMost); ok && level > 0 {
			c := *n
			c.Sampled, c.Seek = level, nil
			scale := math.Exp2(float64(level))
			return m.collect(&c, n, &draw{scale: scale, size: max(1, int(p.expected.Distinct()/scale)), unit: "URL"})
		}
	}
	most := p.affordableURLs(m.left/2, whole)
	if most < manyURLs && p.expected.Distinct() > 2*manyURLs {
		least := leastRanges
		if n.Relation == relation.Findings && most < leastURLs {
			least = 1 // the guess knows nothing of how many pages have some words
		}
		if d := m.drawRanges(n, p, whole, least); d != nil {
			return d
		}
	}
	if most < leastURLs {
		return nil
	}
	keys, captures, level := m.sample(n, p, most)
	if len(keys) < leastURLs && level > 0 {
		return nil
	}
	m.left -= p.readURLs(float64(len(keys)), whole)
	c := *n
	c.Ranges, c.Seek = make([]urlkey.Range, len(keys)), nil
	for i, k := range keys {
		c.Ranges[i] = urlkey.Range{From: k, To: k + "\x00"}
	}
	if level == 0 {
		return m.collect(&c, n, all)
	}
	scale := math.Exp2(float64(level))
	if n.Relation != relation.Pages && !n.Once {
		// Few URLs may have most captures, so the scale is the ratio of captures, not of URLs.
		scale = p.expected.Captures / float64(captures)
	}
	return m.collect(&c, n, &draw{scale: scale, size: len(keys), unit: "URL"})
}

// drawnByURL reports whether the source n can be read for some URLs alone: the rows of a URL
// are then the same as if all URLs are read, and take no longer.
func drawnByURL(n *plan.Source) bool {
	if n.Relation == relation.Findings {
		return !n.Ranks() && !n.Joins() // scores need the words of all pages
	}
	return n.Relation.OfURL && !n.Asks("inlinks", "outlinks")
}

// drawRanges returns a draw of the source n with the part p: all rows of the URLs in a few
// ranges of keys, which lie at equal distances. Few URLs of one range cost as much as all of
// them, because they are in the same chunks. whole is the work of reading all rows.
// drawRanges returns nil if not even least ranges are cheap.
//
// URLs of a range are alike, so a draw of ranges says less than a draw of the same number of URLs
// from everywhere. It is for sources for which a draw from everywhere would take too long.
func (m *maker) drawRanges(n *plan.Source, p *Part, whole float64, least int) *draw {
	chunks := float64(p.Reading.Chunks)
	// A range touches a chunk of each segment, and the run of it, besides its own rows.
	touch := float64(p.Reading.Segments) * p.perTouch()
	if p.guess.file > 0 {
		touch += float64(p.Reading.Segments) * p.perRun()
	}
	left := m.left * wholeShare
	if left < float64(least)*touch {
		return nil
	}
	borders, err := relation.KnownAt(m.snap, n.Known).Borders(m.drawing, n.Request.Scan(0), int(chunks/chunksPerRange), 0)
	if err != nil {
		return nil
	}
	all := len(borders) + 1
	one := whole/float64(all) + touch
	rows := max(1, p.guess.rows/float64(all))
	most := min(int(left/one), mostRanges, int(drawRows/2/rows))
	if most < least || all < 2*most {
		return nil
	}
	m.left -= float64(most) * one
	within := n.Ranges
	if within == nil {
		within = []urlkey.Range{{}}
	}
	c := *n
	c.Ranges, c.Seek = nil, nil
	for i := range most {
		at := (2*i + 1) * all / (2 * most) // at least 1
		r := urlkey.Range{From: borders[at-1]}
		if at < len(borders) {
			r.To = borders[at]
		}
		c.Ranges = append(c.Ranges, urlkey.Common(within, []urlkey.Range{r})...)
	}
	return m.collect(&c, n, &draw{scale: float64(all) / float64(most), size: most, unit: "URL range"})
}

// fromIndex reports whether the index has all columns of n, so that the samples in the index
// are enough for a draw.
func fromIndex(n *plan.Source) bool {
	if n.Tally != nil || n.Refs || n.Known != 0 {
		return false
	}
	switch n.Relation {
	case relation.Captures, relation.Versions, relation.Pages:
	default:
		return false
	}
	return n.Scan(0).Columns < record.ColDigest && !slices.ContainsFunc(n.Fields, (*relation.Column).Late)
}

// perChunk returns how many seconds it takes to decode one of the index chunks that p reads.
func (p *Part) perChunk() float64 {
	return perChunk + float64(p.Reading.IndexBytes)/max(1, float64(p.Reading.Chunks))*perIndexByte
}

// perTouch returns how many seconds it takes to look for one URL in a chunk of the index
// that p reads. All captures of the URL are decoded.
func (p *Part) perTouch() float64 {
	return p.perChunk() + p.guess.rowsIn/max(1, float64(p.Reading.Chunks))*perCapture
}

// perRun returns how many seconds it takes to read one of the runs of db-files that p reads.
func (p *Part) perRun() float64 {
	return float64(p.Reading.FileBytes) / max(1, float64(p.Reading.Chunks)) * perFileByte
}

// readURLs returns the work, in seconds, of reading the rows of this many URLs of the source
// that p is about. The parameter whole is the work, in seconds, of reading all URLs of the
// source. URLs that are far from each other touch more chunks.
func (p *Part) readURLs(urls, whole float64) float64 {
	all, chunks := max(1, p.expected.Distinct()), float64(p.Reading.Chunks)
	index := touched(chunks*p.perTouch(), chunks, urls*max(1, p.guess.rowsIn/all))
	file := 0.
	if p.guess.file > 0 {
		file = touched(min(p.guess.file, float64(p.Reading.FileBytes))*perFileByte, chunks, urls*max(1, p.expected.Versions/all))
	}
	return index + file + whole*min(1, urls/all)
}

// affordableURLs returns how many URLs of the source that p is about can be read in this many
// seconds, but no more than sampleMost. The parameter whole is the work, in seconds, of
// reading all URLs of the source.
func (p *Part) affordableURLs(seconds, whole float64) int {
	n := sampleMost
	for n >= leastURLs && p.readURLs(float64(n), whole) > seconds {
		n = n * 3 / 4
	}
	return n
}

// level returns a urlkey.Level such that the source n has at most about 1.5*most URLs of this
// level and above. p is the part of the estimate for n. ok is false if it takes long to find
// these URLs.
func (m *maker) level(n *plan.Source, p *Part, most int) (level int, ok bool) {
	for all := p.expected.Distinct(); all > 1.5*float64(most); all /= 2 {
		level++
	}
	index := float64(p.Reading.Chunks)*p.perChunk() + p.guess.rowsIn*perCapture
	if index < m.left/3 {
		m.left -= index
		return level, true
	}
	least, _, err := relation.KnownAt(m.snap, n.Known).SampleLevels(m.drawing, most)
	if err != nil || least == 0 || p.Reading.Segments > sampledMost {
		return 0, false
	}
	level = max(level, least)
	return level, p.expected.Distinct() >= leastURLs*math.Exp2(float64(level))
}

// countURLs corrects the number of different URLs in p, the part of the source n, by a
// sample of the URLs. The catalogue does not know this number if there are several segments,
// because segments may have the same URLs or different ones.
func (m *maker) countURLs(n *plan.Source, p *Part) {
	e := &p.expected
	if m.runner == nil || e.URLs < urlsOff*e.URLsMost {
		return
	}
	keys, _, level := m.sample(n, p, sampleMost)
	if len(keys) >= leastURLs {
		e.URLs = math.Ldexp(float64(len(keys)), level)
		e.URLsMost = e.URLs
	}
}

// sample returns the keys of a random sample of the URLs of the source n, how many captures
// these URLs have, and level: the sample has the URLs whose urlkey.Level is level or more. The
// parameter most says about how many keys are wanted. p is the part of the estimate for n.
func (m *maker) sample(n *plan.Source, p *Part, most int) (keys []string, captures, level int) {
	level, ok := m.level(n, p, most)
	if !ok {
		return nil, 0, 1
	}
	s := n.Request.Scan(0)
	s.Columns, s.Level = 0, level
	of := make(map[string]int)
	for b, err := range relation.KnownAt(m.snap, n.Known).Scan(m.drawing, s) {
		if err != nil {
			return nil, 0, 1
		}
		for _, k := range b.Key {
			if urlkey.Level(k) >= level {
				of[k]++
			}
		}
		for len(of) > most*2 {
			level++
			maps.DeleteFunc(of, func(k string, _ int) bool { return urlkey.Level(k) < level })
		}
	}
	for _, n := range of {
		captures += n
	}
	return slices.Sorted(maps.Keys(of)), captures, level
}
