package work

import (
	"context"
	"iter"
	"strings"

	"infomall/exec/relation"
	"infomall/store/record"
)

// Pools declares the relation pools, which has one row per pool: the captures
// of one month.
var Pools = relation.List(relation.Relation{
	Name: "pools", Doc: "one pool of the archive: the captures of one month", Shown: true,
	Columns: []relation.Column{
		relation.TextOf("name", "name, such as 200806", func(p *record.Pool) string { return p.Name }),
		relation.TextOf("kind", "dynamic or static", func(p *record.Pool) string { return record.PoolKind(p.Static) }),
		relation.TimeOf("first_time", "time of the first capture", func(p *record.Pool) record.Time { return p.First }),
		relation.TimeOf("last_time", "time of the last capture", func(p *record.Pool) record.Time { return p.Last }),
		relation.IntOf("urls", "number of URLs", func(p *record.Pool) int64 { return p.URLs }),
		relation.IntOf("captures", "number of captures", func(p *record.Pool) int64 { return p.Captures }),
		relation.IntOf("versions", "number of versions", func(p *record.Pool) int64 { return p.Versions }),
		relation.IntOf("blocks", "number of stored blocks, including blocks of layouts", func(p *record.Pool) int64 { return p.Blocks }),
		relation.IntOf("bytes", "size of the bodies, before compression", func(p *record.Pool) int64 { return p.Bytes }),
		relation.IntOf("stored_bytes", "size on disk", func(p *record.Pool) int64 { return p.StoredBytes }),
		relation.URLOf("first_url", "first URL in SURT order", func(p *record.Pool) string { return p.FirstURL }),
		relation.URLOf("last_url", "last URL in SURT order", func(p *record.Pool) string { return p.LastURL }),
		relation.TextOf("depends", "pools that this pool depends on for bodies", func(p *record.Pool) string { return strings.Join(p.Depends, " ") }),
		relation.TextOf("dependents", "pools that depend on this pool for bodies; DROP POOL refuses while there are any", func(p *record.Pool) string { return strings.Join(p.Dependents, " ") }),
	},
}, pools)

func pools(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]record.Pool, error] {
	return relation.Listed(ctx, r.Snapshot.Pools)
}
