package segment

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Count makes the cursor count in w each chunk that it moves to, even if PassOver then skips
// the chunk. w may be nil.
func (c *ChunkCursor) Count(w *record.Work) { c.work = w }

// Size returns the size in bytes of the chunk that was decoded last, as the index
// stores it. It is 0 for a chunk made from the db-file.
func (c *ChunkCursor) Size() int { return c.size }

// ToRead adds to sum what a scan reads of the segment, if the scan wants the captures with a
// key in ranges, which are sorted and disjoint, and a time t with from <= t < to. part says
// which part of the db-file the scan reads. If one of ranges contains the whole segment, ToRead
// needs no file to find this out. Otherwise it reads the keys of the chunks in ranges, and
// decodes no chunk.
func (s *Reader) ToRead(ranges []urlkey.Range, from, to record.Time, part record.FilePart, sum *record.Reading) error {
	chunks, size, inside := int64(s.Info.Runs), s.Info.IndexBytes, float64(s.Info.Runs)
	all := hasAll(ranges, s.Info)
	if !all {
		chunks, size, inside = s.chunksIn(ranges)
	}
	if chunks == 0 {
		return nil
	}
	sum.Segments++
	sum.Chunks += chunks
	sum.IndexBytes += size
	share := func(n int64) int64 { return (n*chunks + int64(s.Info.Runs) - 1) / int64(s.Info.Runs) }
	sum.Captures += share(s.Info.Captures)
	switch {
	case part == record.FileWhole || part == record.FileEntries && !s.Info.Follows:
		// If a body of the segment was not known when it was written, columns of its
		// captures may come from whole runs.
		sum.FileBytes += share(s.Info.Bytes)
	case part == record.FileEntries:
		n, err := s.entryBytes()
		if err != nil {
			return err
		}
		sum.FileBytes += share(n)
	}
	if part == record.FileWhole {
		n, err := s.entryBytes()
		if err != nil {
			return err
		}
		sum.Expected.EntryBytes += share(n)
	}
	ofKeys, hosts := 1., 1.
	if !all {
		ofKeys = max(inside/float64(s.Info.Runs), 1/float64(max(s.Info.URLs, 1)))
		if sum.Segments <= censusesMax || oneKey(ranges) {
			ofKeys, hosts = s.shareOf(ranges, ofKeys)
		}
	} else if sum.Segments <= censusesMax {
		if c := s.Census(); c != nil {
			hosts = float64(max(len(c.Hosts), 1))
		}
	}
	s.expect(ofKeys, ofKeys*s.Info.shareOfTime(from, to), hosts, &sum.Expected)
	if sum.Segments <= censusesMax {
		s.addTraits(&sum.Expected)
	}
	return nil
}

// censusesMax is how many segments at most ToRead estimates from their census, if ranges are
// more than one key. The censuses of further segments would change the estimate little, but
// take time to read.
const censusesMax = 16

// expect adds to e estimates of what a query finds in the segment. keys is the share of the
// segment's URLs that the query names, from 0 to 1. some is the share of the segment's captures
// that the query reads, from 0 to 1, and hosts is the number of hosts of these captures.
func (s *Reader) expect(keys, some, hosts float64, e *record.Expected) {
	i := s.Info
	if e.Captures == 0 {
		e.First, e.Last = i.First, i.Last
	}
	e.First, e.Last = min(e.First, i.First), max(e.Last, i.Last)
	urls := min(float64(i.URLs)*keys, float64(i.Captures)*some)
	e.Captures += float64(i.Captures) * some
	e.Versions += float64(i.Versions) * some
	e.URLs += urls
	e.URLsMost = max(e.URLsMost, urls)
	e.Hosts = max(e.Hosts, hosts)
	e.BodyBytes += float64(i.BodyBytes) * some
	e.FileBytes += float64(i.Bytes) * some
}

// addTraits adds the captures of each trait of the segment's census to e.Traits.
func (s *Reader) addTraits(e *record.Expected) {
	c := s.Census()
	if c == nil {
		return
	}
	for k := range c.Traits {
		t := &c.Traits[k]
		at := slices.IndexFunc(e.Traits, func(x record.TraitCount) bool {
			return x.Status == t.Status && x.Kind == t.Flags.Kind && x.Mime == t.Mime
		})
		switch {
		case at >= 0:
			e.Traits[at].Captures += t.Captures
		case len(e.Traits) < traitsMax:
			e.Traits = append(e.Traits, record.TraitCount{Status: t.Status, Kind: t.Flags.Kind, Mime: t.Mime, Captures: t.Captures})
		}
	}
}

// traitsMax is how many traits an Expected has at most.
const traitsMax = 200

// shareOfTime returns which share of the captures of i likely has a time t with
// from <= t < to, from 0 to 1.
func (i *Info) shareOfTime(from, to record.Time) float64 {
	all := float64(i.Last-i.First) + 1
	some := float64(min(i.Last, to-1)-max(i.First, from)) + 1
	return max(0, min(1, some/all))
}

// shareOf returns which share of the captures of the segment likely has a key in ranges, from 0
// to 1, and on how many hosts these captures are. byChunks is the share of the segment's chunks
// that overlap ranges.
func (s *Reader) shareOf(ranges []urlkey.Range, byChunks float64) (share, hosts float64) {
	c := s.Census()
	for _, r := range ranges {
		some, of := byChunks/float64(len(ranges)), 1.
		if oneKey([]urlkey.Range{r}) {
			some = min(some, 1/float64(max(s.Info.URLs, 1)))
		} else if c != nil && c.Hosts != nil {
			n := sort.Search(len(c.Hosts), func(k int) bool { return c.Hosts[k].key() >= r.From })
			part := n > 0 && strings.HasPrefix(r.From, c.Hosts[n-1].key()) // the range begins in a host
			if part {
				n--
			}
			from, captures := n, int64(0)
			for ; n < len(c.Hosts) && (r.To == "" || c.Hosts[n].key() < r.To); n++ {
				captures += c.Hosts[n].Captures
			}
			some = float64(captures) / float64(max(s.Info.Captures, 1))
			if part {
				some = min(some, byChunks)
			}
			of = float64(n - from)
		}
		share, hosts = share+some, hosts+of
	}
	return min(share, 1), hosts
}

// key returns the bytes with which the keys of all URLs of the host begin.
func (h *HostCensus) key() string {
	key := urlkey.Key("http://" + h.Host + "/")
	return key[:urlkey.HostPrefix(key)]
}

// oneKey reports whether ranges contain one key only.
func oneKey(ranges []urlkey.Range) bool {
	return len(ranges) == 1 && ranges[0].To == ranges[0].From+"\x00"
}

// hasAll reports whether one of ranges contains all keys of the segment i.
func hasAll(ranges []urlkey.Range, i *Info) bool {
	for _, r := range ranges {
		if r.From <= i.FirstKey && (r.To == "" || i.LastKey < r.To) {
			return true
		}
	}
	return false
}

// chunksIn returns the number of chunks that a cursor must read to find all keys in ranges, and
// their total size in bytes. inside is an estimate of how many chunks are in the ranges: a chunk
// that is partly in a range counts as a fraction. If the index is damaged, chunksIn counts all
// chunks of the segment.
func (s *Reader) chunksIn(ranges []urlkey.Range) (chunks, size int64, inside float64) {
	s.mu.Lock()
	bad := s.badIndex
	s.mu.Unlock()
	if !bad {
		err := s.index.Guard(func() (err error) {
			chunks, size, inside, err = s.countChunks(ranges)
			return err
		})
		if err == nil {
			return chunks, size, inside
		}
		s.lostIndex(err)
	}
	return int64(s.Info.Runs), s.Info.IndexBytes, float64(s.Info.Runs)
}

func (s *Reader) countChunks(ranges []urlkey.Range) (chunks, size int64, inside float64, err error) {
	c, err := s.index.Cursor(s.Info.Bucket())
	if err != nil {
		return 0, 0, 0, err
	}
	defer c.Close()
	var last []byte // the key of the chunk that was counted last
	for _, r := range ranges {
		k, v, err := c.Seek([]byte(max(r.From, "\x01")))
		before := r.From // the last key of the chunk before, if that is in the range
		for ; k != nil && err == nil; k, v, err = c.Next() {
			if !bytes.Equal(k, last) {
				chunks, size = chunks+1, size+int64(len(v))
				last = append(last[:0], k...)
			}
			key := string(lastKeyOf(k))
			if before == r.From {
				p, err := c.Before(k)
				if err != nil {
					return 0, 0, 0, err
				}
				if before = s.Info.FirstKey; string(p) > "\x01" {
					before = string(lastKeyOf(p))
				}
			}
			inside += reach(before, key, r)
			before = key
			if r.To != "" && key >= r.To {
				break // the chunk also has keys after the range
			}
		}
		if err != nil {
			return 0, 0, 0, err
		}
	}
	return chunks, size, inside, nil
}

// reach estimates which share of the keys from first to last lies in r, from 0 to 1. It assumes
// that keys are spread evenly, and compares the bytes after the common prefix of first and
// last.
func reach(first, last string, r urlkey.Range) float64 {
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	common := first[:n]
	at := func(key string, side float64) float64 {
		if !strings.HasPrefix(key, common) {
			return side
		}
		x, unit := 0., 1.
		for _, c := range []byte(key[n:min(len(key), n+reachBytes)]) {
			unit /= reachBase
			x += unit * max(0, min(float64(c)-' ', reachBase-1))
		}
		return x
	}
	low, high := at(first, 0), at(last, 1)
	from, to := at(r.From, 0), 1.
	if r.To != "" {
		to = at(r.To, 1)
	}
	if r.From <= first {
		from = low
	}
	if r.To == "" || r.To > last {
		to = high
	}
	if high <= low {
		return 1
	}
	return max(0, min(1, (to-from)/(high-low)))
}

// reachBytes is how many bytes of keys reach compares, and reachBase how many values a
// byte of a key has: keys are printable ASCII.
const (
	reachBytes = 8
	reachBase  = 96
)

// entryBytes returns how many bytes of the db-file hold the entries of its runs, without bodies
// and facts. It does not open the db-file if the index has the table of runs.
func (s *Reader) entryBytes() (n int64, err error) {
	table, err := s.table()
	if err != nil {
		return 0, err
	}
	for i, metaEnd := range table.metaEnds {
		from, _, err := span(table.ends, uint32(i))
		if err != nil {
			return 0, err
		}
		n += metaEnd - from
	}
	return n, nil
}
