package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"infomall/store/body"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// nearby finds stored pages of other URLs whose blocks new pages of an import may share. A new
// page of a site often has the same frame as the pages next to it in the order of URLs, or is a
// copy of one, such as a page of the manual for the next release. nearby also limits how much
// is read for the search: the more bytes turned out to be new, the more may be read.
type nearby struct {
	until uint32          // number of the last segment that this import did not write
	room  int64           // how many more bytes of runs may be read
	done  map[uint64]bool // runs that were read, by segment and number

	// Of the current batch:
	v      *snapshot.Snapshot
	known  *body.Known     // takes the blocks
	byPool []*segment.Info // result of the method newest
}

const (
	nearbyLeast    = 4 << 20   // bytes that the smallest import may read
	nearbyAsked    = 32 << 10  // cost of finding the place of one URL, in bytes
	nearbyRun      = 256 << 10 // about the size of a run; with less room nothing is read
	nearbySegments = 16        // how many segments are searched, those of the newest pools first
	nearbyReach    = 8         // how many runs are read on either side of the place of a URL
)

// neighbour is a segment that has pages of the same host as a new page.
type neighbour struct {
	info       *segment.Info
	first, own int // runs: the one in which the host begins, and the one with the place
}

// newNearby returns a nearby for an import that begins at the state of the snapshot.
func newNearby(v *snapshot.Snapshot) *nearby {
	n := &nearby{room: nearbyLeast, done: make(map[uint64]bool)}
	for _, s := range v.Pin.Segments {
		n.until = max(n.until, s.ID)
	}
	return n
}

// begin prepares n for a batch that is compared with snapshot v. Blocks that n finds are added
// to known.
func (n *nearby) begin(v *snapshot.Snapshot, known *body.Known) {
	n.v, n.known, n.byPool = v, known, nil
}

// near adds to n.known the blocks of those stored pages that are nearest, in the order of URLs,
// to a URL that has no captures yet. key is the key of the URL, and pool is the pool of its new
// capture. Pools later than that are not searched.
func (n *nearby) near(ctx context.Context, key, pool string) error {
	if n.room < nearbyRun {
		return nil
	}
	n.room -= nearbyAsked
	places, err := n.neighbours(key, pool)
	if err != nil {
		return err
	}
	for far := range nearbyReach {
		for _, p := range places {
			for _, run := range []int{p.own - far, p.own + far} {
				at := uint64(p.info.ID)<<32 | uint64(run)
				if run < p.first || run >= p.info.Runs || n.done[at] {
					continue
				}
				if n.room < nearbyRun {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				n.done[at] = true
				r, err := n.known.Run(p.info.ID, uint32(run))
				if err != nil {
					return err
				}
				n.known.Remember(r, segment.Span{BlockRef: segment.BlockRef{Segment: p.info.ID, Run: uint32(run)}, Count: uint32(len(r.IDs))})
				n.room -= r.All()
			}
		}
	}
	return nil
}

// neighbours returns segments that have pages of the URL's host, each with the position next to
// the URL in it. It returns at most nearbySegments segments, those of the newest pools first.
// It leaves out pools later than the given pool.
func (n *nearby) neighbours(key, pool string) ([]neighbour, error) {
	host := key[:urlkey.HostPrefix(key)]
	var out []neighbour
	for _, s := range n.newest() {
		if len(out) == nearbySegments {
			break
		}
		if s.ID > n.until || s.Pool > pool || s.LastKey < host || s.FirstKey > key && !strings.HasPrefix(s.FirstKey, host) {
			continue
		}
		p, ok, err := n.place(s, host, key)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, p)
		}
	}
	return out, nil
}

// place returns the position in segment s of the URL with this key: the run where it is or
// would be. The bool is false if the segment has no pages of the host.
func (n *nearby) place(s *segment.Info, host, key string) (neighbour, bool, error) {
	c := snapshot.NewCursor(n.v.Runs.Reader(s), 0, n.v)
	defer c.Close()
	if err := c.Seek(host); err != nil || c.End || !strings.HasPrefix(c.Key(), host) {
		return neighbour{}, false, err
	}
	p := neighbour{info: s, first: int(c.Place().Run), own: s.Runs - 1}
	if err := c.Seek(key); err != nil {
		return p, false, err
	}
	if !c.End {
		p.own = int(c.Place().Run)
	}
	return p, true, nil
}

// newest returns the segments in force; segments of newer pools come first.
func (n *nearby) newest() []*segment.Info {
	if n.byPool == nil {
		n.byPool = slices.SortedFunc(slices.Values(n.v.Pin.Segments), func(a, b *segment.Info) int {
			return cmp.Or(strings.Compare(b.Pool, a.Pool), cmp.Compare(b.ID, a.ID))
		})
	}
	return n.byPool
}
