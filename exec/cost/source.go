package cost

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/relation/work"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Guesses of the averages of a page.
const (
	leafBytes      = 250        // bytes of the body for each leaf block
	levelBlocks    = 12         // blocks of a page at a level above the leaves
	changesPerTurn = 9          // changed blocks of a version that is not the first
	linkBytes      = 400        // bytes of the body for each link, if these are few
	linksPerPage   = 30         // links of a version
	findingsShare  = .5         // findings for each URL
	termsPerRoot   = 60         // different words, for each square root of a kilobyte of bodies
	layoutsPerHost = 5          // layouts of a host
	shortList      = 20         // rows of a list, such as jobs
	monthMillis    = 2629746000 // milliseconds of a month
)

// source sets p, the part of the source n, from the catalogue.
func (m *maker) source(n *plan.Source, p *Part) error {
	if !n.FromCaptures() {
		rows, err := m.listed(n)
		p.guess.rows = rows
		return err
	}
	said, err := relation.ToRead(m.ctx, m.snap, &n.Request)
	if err != nil {
		return err
	}
	if urls := exactURLs(n.Ranges); urls > 0 {
		said.Expected.URLs, said.Expected.URLsMost = min(said.Expected.URLs, urls), min(said.Expected.URLsMost, urls)
		all := n.Request
		all.Ranges, all.InScope = nil, nil
		every, err := relation.ToRead(m.ctx, m.snap, &all)
		if err != nil {
			return err
		}
		p.filtered = every.Expected.Captures
	}
	p.Reading, p.expected = said, said.Expected
	read := said
	if n.Relation.History && n.Window.From != record.MinTime {
		whole := n.Request
		whole.Window = n.Reads()
		if read, err = relation.ToRead(m.ctx, m.snap, &whole); err != nil {
			return err
		}
		p.Reading = read
		p.expected.FileBytes = read.Expected.FileBytes
	}
	p.guess.rowsIn = read.Expected.Captures
	m.countURLs(n, p)
	p.guess.rows = rowsOf(n, &p.expected)
	p.guess.index = float64(read.IndexBytes)
	switch {
	case n.Relation.OfStored:
		p.guess.file = touched(float64(read.FileBytes), float64(read.Chunks), read.Expected.Versions)
	case read.FileBytes > 0:
		early := n.Request
		early.Fields = slices.DeleteFunc(slices.Clone(n.Fields), (*relation.Column).Late)
		some, err := relation.ToRead(m.ctx, m.snap, &early)
		if err != nil {
			return err
		}
		p.guess.file = float64(some.FileBytes)
	}
	if n.Relation.History && read.Chunks > 0 {
		// The version before each version is read too, by a second scan. With a range of times
		// there is a scan for each batch, which takes a chunk of each segment, and its entries.
		chunks := float64(read.Chunks)
		again := touched(1, chunks, said.Expected.Versions)
		if n.Window.From != record.MinTime {
			again += math.Floor(said.Expected.Versions/record.BatchRows) * float64(read.Segments) / chunks
		}
		p.guess.index += again * float64(read.IndexBytes)
		p.guess.file += again * float64(read.Expected.EntryBytes)
	}
	if n.Relation == relation.Findings && n.Ranks() {
		// All pages are read twice: first to see how rare the words are.
		p.guess.index, p.guess.file = 2*p.guess.index, 2*p.guess.file
	}
	if n.AsksWords() {
		m.addWords(n, p)
	}
	if n.Tally != nil && n.Tally.Words != nil {
		p.guess.file = float64(read.FileBytes) * (1 - p.indexedShare) // the pages that no index of words has
	}
	if n.Relation == relation.Pages && n.Asks("inlinks", "outlinks") {
		return m.addLinks(n, p)
	}
	return nil
}

// exactURLs returns the number of ranges if each range holds exactly one URL, and otherwise
// 0.
func exactURLs(ranges []urlkey.Range) float64 {
	for _, r := range ranges {
		if r.To != r.From+"\x00" {
			return 0
		}
	}
	return float64(len(ranges))
}

// addWords notes in p, the part of a source that looks for words, how many captures are in
// the pools whose indexes of words are read.
func (m *maker) addWords(n *plan.Source, p *Part) {
	w := n.Reads()
	indexed, all, captures := m.snap.WordsIndexed(w.From, w.To)
	if indexed == 0 {
		return
	}
	p.indexedShare, p.indexed = float64(indexed)/float64(all), float64(captures)
	if n.Relation == relation.Findings && !n.Ranks() && !slices.ContainsFunc(n.Fields, (*relation.Column).Late) {
		// The index says which pages have the words, so only entries are read, if at all.
		entries := 0.
		if n.Asks("title") || n.Joins() {
			entries = min(p.guess.file, float64(p.expected.EntryBytes))
		} else if m.snap.HasDocuments() {
			entries = touched(float64(p.expected.EntryBytes), float64(p.Reading.Chunks), otherBodies(&p.expected))
		}
		p.guess.file += p.indexedShare * (entries - p.guess.file)
	}
}

// otherBodies returns how many captures have a body that is not a page of text. The index of
// words does not say whether such a body is a document that contains text.
func otherBodies(e *record.Expected) (n float64) {
	for _, t := range e.Traits {
		if t.Kind != record.KindRedirect && (t.Kind != record.KindPage || !strings.HasPrefix(t.Mime, "text/")) {
			n += float64(t.Captures)
		}
	}
	return n
}

// addLinks adds to p, the part of a source of pages that counts links, the cost of reading
// all links in the time of the query.
func (m *maker) addLinks(n *plan.Source, p *Part) error {
	links := n.Request
	links.Relation, links.Ranges, links.InScope, links.Match, links.Fields = relation.Links, nil, nil, nil, nil
	all, err := relation.ToRead(m.ctx, m.snap, &links)
	if err != nil {
		return err
	}
	p.Reading.Segments += all.Segments
	p.Reading.Chunks += all.Chunks
	p.guess.index += float64(all.IndexBytes)
	p.guess.file += float64(all.FileBytes)
	p.linked = all.Expected
	return nil
}

// touched returns an estimate of how many bytes of db-files are read for the given number of
// rows at random positions. The db-files have this many bytes in this many runs, and a run
// is read whole.
func touched(bytes, runs, rows float64) float64 {
	if runs < 1 {
		return 0
	}
	return bytes * (1 - math.Pow(1-1/runs, rows))
}

// listed returns how many rows the source n yields if its rows, such as those of jobs, are
// not made from captures.
func (m *maker) listed(n *plan.Source) (float64, error) {
	switch {
	case n.Relation == work.Pools && m.snap != nil:
		pools, err := m.snap.Pools(m.ctx)
		return float64(len(pools)), err
	case n.Relation.Results != "" && m.snap != nil:
		list, err := m.snap.Results(m.ctx, n.Relation.Results)
		rows := 0.
		for i := range list {
			rows += float64(list[i].Rows)
		}
		return rows, err
	}
	return shortList, nil
}

// rowsOf returns a guess of how many rows the source n yields if its rows are made from
// captures. e describes these captures.
func rowsOf(n *plan.Source, e *record.Expected) float64 {
	pages := chosen(n, e)
	share := pages / max(e.Versions, 1)
	switch n.Relation {
	case relation.Captures:
		switch {
		case n.Once || n.Choice.Kind != relation.ChooseAll:
			return e.Distinct()
		}
		return e.Captures
	case relation.Versions:
		if n.Once {
			return e.Distinct()
		}
		return pages
	case relation.Pages:
		return e.Distinct()
	case relation.Hosts:
		return e.Hosts
	case relation.Blocks:
		if n.Level == 0 {
			return max(pages, e.BodyBytes*share/leafBytes)
		}
		return pages * levelBlocks
	case relation.Changes:
		return max(0, e.Versions-e.Distinct()) * min(changesPerTurn, max(1, e.BodyBytes/max(e.Versions, 1)/leafBytes))
	case relation.Links:
		return pages * linksOf(e)
	case relation.Findings:
		return e.Distinct() * findingsShare
	case relation.Terms:
		if n.Terms != nil {
			return max(1, periods(&n.Request, e))
		}
		return termsPerRoot * math.Sqrt(e.BodyBytes/1000)
	case relation.Layouts:
		return e.Hosts * layoutsPerHost
	}
	return pages
}

// chosen returns a guess of how many versions the source n yields rows for. e describes the
// captures that n reads.
func chosen(n *plan.Source, e *record.Expected) float64 {
	switch n.Choice.Kind {
	case relation.ChooseAll:
		return e.Versions
	case relation.ChooseEach:
		return e.Distinct() * periods(&n.Request, e) / 2
	}
	return e.Distinct()
}

// linksOf returns how many links a version has, as a guess.
func linksOf(e *record.Expected) float64 {
	return min(linksPerPage, e.BodyBytes/max(e.Versions, 1)/linkBytes)
}

// periods returns how many periods of EACH lie in the time of n. It returns 1 if n has no
// EACH.
func periods(n *relation.Request, e *record.Expected) float64 {
	if n.Choice.Kind != relation.ChooseEach {
		return 1
	}
	span := float64(e.Last - e.First)
	if n.Window.From != record.MinTime {
		span = float64(min(n.Window.To, e.Last) - max(n.Window.From, e.First))
	}
	months := map[string]float64{"year": 12, "month": 1, "week": .23, "day": .033}[n.Choice.Unit]
	return max(1, span/monthMillis/max(months, .033))
}

// shapeSource returns a text that is equal for sources that do similar work.
func shapeSource(n *plan.Source) string {
	wide := "all"
	switch {
	case n.Ranges == nil:
	case len(n.Ranges) == 1 && n.Ranges[0].To == n.Ranges[0].From+"\x00":
		wide = "url"
	default:
		wide = "part"
	}
	text := fmt.Sprintf("%s %s %d %d %t %t", n.Relation.Name, wide, n.Choice.Kind, n.Level, n.Once, n.Seek != nil)
	if n.Tally != nil {
		text += " tally " + n.Tally.Unit
	}
	if n.Question != nil {
		text += " question"
	}
	if n.Terms != nil {
		text += " terms"
	}
	for _, f := range n.Fields {
		if !f.Late() {
			text += " " + f.Name
		}
	}
	return text
}
