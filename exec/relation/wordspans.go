package relation

import (
	"context"
	"iter"

	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// WordSpan is a time in which a page had words.
type WordSpan struct {
	URL         string
	First, Last record.Time // the first and the last visit that found the words
	Next        record.Time // the first visit after Last, which did not find them, or NoTime
}

// Spans yields when the pages with a key in among had the words that q asks for, sorted
// by URL and time: the spans that lie in the window, at least in part. Visits after the
// window do not exist.
func (r *Reader) Spans(ctx context.Context, q *match.Query, among urlkey.Range, w Window) iter.Seq2[WordSpan, error] {
	ranges := []urlkey.Range{among}
	n := &Request{
		Relation: Findings, Question: q, Ranges: ranges, InScope: ranges, Window: w, During: record.MinTime,
		Choice: Choice{AsOf: record.NoTime},
	}
	return func(yield func(WordSpan, error) bool) {
		less, err := r.seekAnswers(ctx, n, q, false)
		if err != nil {
			yield(WordSpan{}, err)
			return
		}
		if less != nil {
			n = less
		}
		if len(n.Ranges) == 0 {
			return
		}
		for f, err := range r.eachFinding(ctx, n) {
			if err != nil {
				yield(WordSpan{}, err)
				return
			}
			if !yield(WordSpan{f.url, f.first, f.last, f.next}, nil) {
				return
			}
		}
	}
}
