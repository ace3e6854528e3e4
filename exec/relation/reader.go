package relation

import (
	"context"
	"iter"

	"infomall/exec/spill"
)

// Reader reads relations of one snapshot, in one goroutine.
type Reader struct {
	Snapshot Snapshot
	// History returns the entries typed at the prompt, the oldest first.
	History func(context.Context) ([]Entry, error)
	// Crawls and Jobs may be nil: then there are no crawls or jobs.
	Crawls CrawlState
	Jobs   JobLog
	// Schedules returns the schedules, sorted by name.
	Schedules func(context.Context) ([]Schedule, error)
	// Revisits yields how often the pages of a source change, sorted by URL. If
	// due is set, it also computes when each is visited next. It may leave out
	// pages.
	Revisits func(ctx context.Context, n *Request, due bool) iter.Seq2[Revisit, error]
	// Memory is shared by the operators that hold rows.
	spill.Memory
	// Scanned, if not nil, is called after each batch that a source yields,
	// with the number of its rows so far.
	Scanned func(rows int64)

	responses []*response  // opened last, the latest first
	compared  comparison   // the comparison made last
	keptLast  *keptVersion // what is stored of the version read last
	linked    []*pageLinks // the links of the pages read last
	resolved  resolved     // a cache of resolved links
	learned   learned      // of the URL asked for last
	style     *hostStyle   // of the host and month asked for last
}
