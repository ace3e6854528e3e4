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
// copy of one, such as a page of the manual for the next release. nearby also limits how many
// bytes of stored pages are read for this: the limit grows by the number of new bytes that the
// import stores.
type nearby struct {
	until uint32          // number of the last segment that this import did not write
	room  int64           // how many more bytes of runs may be read
	done  map[uint64]bool // the runs that were read, by number of the segment and of the run

	// Of the current batch:
	v      *snapshot.Snapshot
	known  *body.Known     // gets the blocks that are found
	byPool []*segment.Info // result of the method newest; nil before its first call
}

const (
	nearbyLeast    = 4 << 20   // how many bytes an import may read before it has stored anything
	nearbyAsked    = 32 << 10  // how many bytes a look-up of one URL in the segments counts as
	nearbyRun      = 256 << 10 // about the size of a run in bytes; if fewer bytes may be read, nothing is read
	nearbySegments = 16        // how many segments are searched, those of the newest pools first
	nearbyReach    = 8         // how many runs are read on either side of the place of a URL
)

// neighbour is a segment that has pages of the same host as a new page. first is the number of the
// run in which the pages of the host begin. own is the number of the run in which the URL of the
// new page is, or would be.
type neighbour struct {
	info       *segment.Info
	first, own int
}

// newNearby returns a nearby for a new import. v is a snapshot from before the import has published
// anything.
func newNearby(v *snapshot.Snapshot) *nearby {
	n := &nearby{room: nearbyLeast, done: make(map[uint64]bool)}
	for _, s := range v.Pin.Segments {
		n.until = max(n.until, s.ID)
	}
	return n
}

// begin prepares n for the next batch. n searches the segments of snapshot v, and adds the blocks
// that it finds to known.
func (n *nearby) begin(v *snapshot.Snapshot, known *body.Known) {
	n.v, n.known, n.byPool = v, known, nil
}

// near adds to n.known the blocks of the stored pages that are nearest, in the order of URLs, to a
// URL that has no captures yet. key is the key of the URL. pool is the pool of its new capture;
// near does not search later pools.
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

// neighbours returns segments that have pages of the same host as the URL with this key. It
// returns at most nearbySegments segments, those of the newest pools first. It leaves out pools
// later than the given pool.
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

// place returns where the URL with this key is, or would be, in segment s. host is the beginning
// of the key that all keys of the host have. The bool is false if the segment has no pages of the
// host.
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
