package crawls

import (
	"context"
	"hash/maphash"
	"math"

	"infomall/crawl/revisit"
	"infomall/exec/session"
	"infomall/exec/watch"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// watchedPace is how many times sooner a page is due if a watch found rows on it.
const watchedPace = 2

// watchedMax is how many pages a watchedPages has at most. Each takes about 20 bytes.
const watchedMax = 1 << 20

// watchedPages has the pages on which watches found rows in the last
// revisit.LongestDefault days. A row is about the page that its column url names.
type watchedPages struct {
	seed  maphash.Seed
	pages map[uint64]struct{} // hashes of the keys of the URLs
}

// watched returns the pages on which watches found rows before the time of the statement. The rows
// of the first run of a watch do not count, unless the watch has FROM START.
func (v Visits) watched(ctx context.Context) (*watchedPages, error) {
	w := &watchedPages{seed: maphash.MakeSeed(), pages: map[uint64]struct{}{}}
	list, err := v.Session.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	list = session.SortDefinitions(list, task.KindWatch)
	if len(list) == 0 {
		return w, nil
	}
	snap := v.Snapshot
	if snap == nil {
		var release func()
		if snap, release, err = v.Session.Snapshot(ctx); err != nil {
			return nil, err
		}
		defer release()
	}
	since := v.Session.Env().Now - record.Time(revisit.LongestDefault*24*60*60*1000)
	for i := range list {
		st, err := session.ParseWatch(&list[i])
		if err != nil {
			return nil, err
		}
		first := int64(2)
		if st.FromStart {
			first = 1
		}
		for row, err := range watch.All(ctx, snap, list[i].Name, list[i].Created, first, math.MaxInt64) {
			if err != nil {
				return nil, err
			}
			if url := row.URL(); url != "" && row.Seen >= since && len(w.pages) < watchedMax {
				w.pages[w.hash(url)] = struct{}{}
			}
		}
	}
	return w, nil
}

func (w *watchedPages) hash(url string) uint64 { return maphash.String(w.seed, urlkey.Key(url)) }

// has reports whether watches found rows on the page.
func (w *watchedPages) has(url string) bool {
	if len(w.pages) == 0 {
		return false
	}
	_, found := w.pages[w.hash(url)]
	return found
}

// interval returns the number of days between two visits of the page: days, which follows from the
// changes of the page, or fewer if watches found rows on it.
func (w *watchedPages) interval(url string, days float64) float64 {
	if !w.has(url) {
		return days
	}
	return max(days/watchedPace, min(days, revisit.ShortestDefault))
}

// age returns the number of days from which the urgency of a page is computed, if its last visit
// was days ago: more than days if watches found rows on it.
func (w *watchedPages) age(url string, days float64) float64 {
	if days < revisit.ShortestDefault || !w.has(url) {
		return days
	}
	return days * watchedPace
}
