package relation

import (
	"context"
	"iter"
	"strings"

	"infomall/store/record"
)

// Pools declares the relation pools, which has one row per pool: the captures
// of one month.
var Pools = list(Relation{
	Name: "pools", Doc: "one pool of the archive: the captures of one month", Shown: true,
	Columns: []Column{
		textOf("name", "name, such as 200806", func(p *record.Pool) string { return p.Name }),
		textOf("kind", "dynamic or static", func(p *record.Pool) string { return record.PoolKind(p.Static) }),
		timeOf("first_time", "time of the first capture", func(p *record.Pool) record.Time { return p.First }),
		timeOf("last_time", "time of the last capture", func(p *record.Pool) record.Time { return p.Last }),
		intOf("urls", "number of URLs", func(p *record.Pool) int64 { return p.URLs }),
		intOf("captures", "number of captures", func(p *record.Pool) int64 { return p.Captures }),
		intOf("versions", "number of versions", func(p *record.Pool) int64 { return p.Versions }),
		intOf("blocks", "number of stored blocks, including blocks of layouts", func(p *record.Pool) int64 { return p.Blocks }),
		intOf("bytes", "size of the bodies, before compression", func(p *record.Pool) int64 { return p.Bytes }),
		intOf("stored_bytes", "size on disk", func(p *record.Pool) int64 { return p.StoredBytes }),
		urlOf("first_url", "first URL in SURT order", func(p *record.Pool) string { return p.FirstURL }),
		urlOf("last_url", "last URL in SURT order", func(p *record.Pool) string { return p.LastURL }),
		textOf("depends", "pools that this pool depends on for bodies", func(p *record.Pool) string { return strings.Join(p.Depends, " ") }),
		textOf("dependents", "pools that depend on this pool for bodies; DROP POOL refuses while there are any", func(p *record.Pool) string { return strings.Join(p.Dependents, " ") }),
	},
}, (*Reader).pools)

func (r *Reader) pools(ctx context.Context, _ *Request) iter.Seq2[[]record.Pool, error] {
	return listed(ctx, r.Snapshot.Pools)
}
