package relation

import (
	"context"
	"encoding/binary"
	"iter"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// hostRow is one row of the relation hosts: sums over the visits to one host
// that the query selects.
type hostRow struct {
	name                                    string
	pages, versions, changes, bytes, errors int64
	stored                                  int64
	first, last, asOf                       record.Time
	standing                                Standing
}

// Hosts declares the relation hosts, which has one row per host.
var Hosts = List(Relation{
	Name: "hosts", Doc: "one host over the period", Scoped: true,
	Columns: []Column{
		TextOf("host", "host name, without a port", func(h *hostRow) string { return h.name }),
		TextOf("domain", "registered domain of the host", func(h *hostRow) string { return domainOf(h.name) }),
		IntOf("page_count", "number of URLs", func(h *hostRow) int64 { return h.pages }),
		IntOf("version_count", "number of versions captured", func(h *hostRow) int64 { return h.versions }),
		IntOf("change_count", "captures that found a change", func(h *hostRow) int64 { return h.changes }),
		IntOf("bytes", "size of the bodies of these versions", func(h *hostRow) int64 { return h.bytes }).needs(record.ColBytes),
		TimeOf("first_seen", "first capture of the period", func(h *hostRow) record.Time { return h.first }),
		TimeOf("last_seen", "last capture of the period", func(h *hostRow) record.Time { return h.last }),
		FloatOrNull("rank", "PageRank from the last PAGERANK BY host without a name, up to the end of the period", func(h *hostRow) (float64, bool) { return h.standing.Rank, h.standing.Ranked }),
		IntOf("error_count", "captures of kind error", func(h *hostRow) int64 { return h.errors }).needs(record.ColKind),
		IntOf("stored_bytes", "sum of the stored_bytes of the versions that began in the period", func(h *hostRow) int64 { return h.stored }).OnRequest().needs(record.ColPrevious),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(h *hostRow) record.Time { return h.asOf }).OnRequest(),
	},
}, (*Reader).hosts)

// hosts yields the rows of the relation hosts in batches: one row per host,
// sorted by SURT key (the host name with its labels in reverse). With EACH,
// there is one row per host and period.
//
// Pages are read in the order of their keys. In this order, the pages of a host
// need not all follow each other, because a host may have several ports, and
// pages of subdomains may come in between. hosts therefore computes one sum for
// each unbroken series of pages of a host. Then it sorts these sums, which are
// few, and adds up those of the same host.
func (r *Reader) hosts(ctx context.Context, n *Request) iter.Seq2[[]hostRow, error] {
	return Paged(r.rankedHosts(ctx, n, r.eachHost(ctx, n)))
}

// hostURL returns the URL whose key stands for the host name in stored rankings
// and in sorting: http://NAME/.
func hostURL(name string) string { return "http://" + name + "/" }

// rankedHosts yields the hosts that in yields, each with its rank from the
// stored ranking of hosts. If n does not read the column rank, it returns in
// unchanged.
func (r *Reader) rankedHosts(ctx context.Context, n *Request, in iter.Seq2[*hostRow, error]) iter.Seq2[*hostRow, error] {
	if !n.Asks("rank") {
		return in
	}
	return func(yield func(*hostRow, error) bool) {
		find, done, err := r.standings(ctx, n, HostRanking, nil)
		if err != nil {
			yield(nil, err)
			return
		}
		defer done()
		for h, err := range in {
			if err == nil {
				h.standing, err = find(urlkey.Key(hostURL(h.name)), h.asOf)
			}
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// eachHost yields one row per host that n selects, and per period with EACH,
// one at a time, sorted by SURT key. The ranks are not filled in. A row is
// valid until the iteration moves on.
func (r *Reader) eachHost(ctx context.Context, n *Request) iter.Seq2[*hostRow, error] {
	return func(yield func(*hostRow, error) bool) {
		s := r.Sorter(ctx, 1)
		defer s.Close()
		if err := sumHosts(s, eachPage(n, r.pageSpans(ctx, n))); err != nil {
			yield(nil, err)
			return
		}
		var h hostRow
		for rec, err := range s.Sorted() {
			if err != nil {
				yield(nil, err)
				return
			}
			part := decodeHost(rec.Val)
			if h.pages > 0 && (h.name != part.name || h.asOf != part.asOf) {
				if !yield(&h, nil) {
					return
				}
				h = hostRow{}
			}
			h.add(&part)
		}
		if h.pages > 0 {
			yield(&h, nil)
		}
	}
}

// sumHosts adds up each unbroken series of pages of one host that in yields,
// and adds the encoded sums to s. It leaves out URLs without a host. Several
// sums may be of the same host.
func sumHosts(s *spill.Sorter, in iter.Seq2[*pageRow, error]) error {
	var h hostRow
	var buf []byte
	put := func() error {
		if h.pages == 0 || h.name == "" {
			return nil
		}
		buf = h.encode(buf[:0])
		key := append([]byte(urlkey.Key(hostURL(h.name))), 0)
		return s.Add(binary.BigEndian.AppendUint64(key, uint64(h.asOf)), buf)
	}
	for p, err := range in {
		if err != nil {
			return err
		}
		if name := urlkey.Host(p.url); h.pages == 0 || name != h.name || p.asOf != h.asOf {
			if err := put(); err != nil {
				return err
			}
			h = hostRow{}
			h.name, h.asOf = name, p.asOf
		}
		h.add(&hostRow{name: h.name, asOf: h.asOf, pages: 1, versions: p.versions, changes: p.changes,
			bytes: p.bytes, errors: p.errors, stored: p.stored, first: p.first, last: p.last})
	}
	return put()
}

// add adds the counts of part, which is of the same host and period, to those
// of h. If h is empty, it becomes a copy of part.
func (h *hostRow) add(part *hostRow) {
	if h.pages == 0 {
		*h = *part
		return
	}
	h.pages += part.pages
	h.versions += part.versions
	h.changes += part.changes
	h.bytes += part.bytes
	h.errors += part.errors
	h.stored += part.stored
	h.first = min(h.first, part.first)
	h.last = max(h.last, part.last)
}

// encode appends to dst the fields of h, except its rank, in the form that
// decodeHost reads.
func (h *hostRow) encode(dst []byte) []byte {
	for _, n := range []int64{h.pages, h.versions, h.changes, h.bytes, h.errors, h.stored, int64(h.first), int64(h.last), int64(h.asOf)} {
		dst = binary.AppendVarint(dst, n)
	}
	return append(dst, h.name...)
}

// decodeHost returns the host row that hostRow.encode wrote as src.
func decodeHost(src []byte) hostRow {
	var n [9]int64
	for i := range n {
		var width int
		n[i], width = binary.Varint(src)
		src = src[width:]
	}
	return hostRow{name: string(src), pages: n[0], versions: n[1], changes: n[2], bytes: n[3], errors: n[4],
		stored: n[5], first: record.Time(n[6]), last: record.Time(n[7]), asOf: record.Time(n[8])}
}
