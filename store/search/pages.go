package search

import (
	"iter"

	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// runPages is what an index of words has of the pages of a run.
type runPages struct {
	run segment.RunRef
	of  *index.Pages // nil if no index has them
	n   int          // number of the run in of
}

// pagesOf returns what an index of words has of the pages of a run. The result of is nil if no index has them.
func (w *Words) pagesOf(run segment.RunRef) (of *index.Pages, n int) {
	if w.pages == nil || w.read[run] {
		return nil, 0
	}
	if l := &w.last; l.of == nil || l.run != run {
		l.run = run
		l.of, l.n = w.pages(run)
	}
	return w.last.of, w.last.n
}

// page returns the number that the page of a capture that matches the query has in the result of. of is nil if no
// index has the page.
func (w *Words) page(ref record.Ref) (of *index.Pages, at int) {
	if w.Answer(ref) != match.Yes {
		return nil, 0
	}
	of, n := w.pagesOf(segment.RunRef{Segment: ref.Segment, Run: ref.Run})
	if of == nil {
		return nil, 0
	}
	at, ok := of.At(n, int(ref.N))
	if !ok {
		return nil, 0
	}
	return of, at
}

// Title returns the title of the page of a capture that matches the query. ok is false if no index
// has the page.
func (w *Words) Title(ref record.Ref) (title string, ok bool) {
	of, at := w.page(ref)
	if of == nil {
		return "", false
	}
	return of.Title(at), true
}

// Print returns the fingerprint of the page of a capture that matches the query. The field
// Known of the result is false if no index has the page, or if w is nil.
func (w *Words) Print(ref record.Ref) Print {
	if w == nil {
		return Print{}
	}
	return printOf(w.page(ref))
}

func printOf(of *index.Pages, at int) Print {
	if of == nil {
		return Print{}
	}
	bits, has := of.Print(at)
	return Print{bits, has, true}
}

// Prints yields the captures that match the query or may match it, in the order of matching, each with the
// fingerprint that Print returns.
func (w *Words) Prints() iter.Seq2[record.Ref, Print] {
	return func(yield func(record.Ref, Print) bool) {
		w.eachPage(func(ref record.Ref, _ uint32, of *index.Pages, at int) bool { return yield(ref, printOf(of, at)) })
	}
}

// eachPage calls each for all captures that matching yields, until each returns false. of and at are the results that
// the method page has for the capture.
//
// eachPage looks up a run only once. To call the method page for each of 500,000 captures took 40 ms more.
func (w *Words) eachPage(each func(ref record.Ref, said uint32, of *index.Pages, at int) bool) {
	var run segment.RunRef // pages and n are of this run, if known is set
	var pages *index.Pages
	n, known := 0, false
	for ref, said := range w.matching() {
		if in := (segment.RunRef{Segment: ref.Segment, Run: ref.Run}); !known || in != run {
			run, known = in, true
			pages, n = w.pagesOf(run)
		}
		var of *index.Pages
		at := 0
		if pages != nil && w.said[said].answer == match.Yes {
			var ok bool
			if at, ok = pages.At(n, int(ref.N)); ok {
				of = pages
			}
		}
		if !each(ref, said, of, at) {
			return
		}
	}
}
