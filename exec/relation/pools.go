package relation

import (
	"context"
	"iter"
	"strings"

	"infomall/store/record"
)

// Pools is the relation pools.
var Pools = list(Relation{
	Name: "pools", Doc: "one pool of the archive: the captures of one month", Shown: true,
	Columns: []Column{
		textOf("name", "name, such as 200806", func(p *record.Pool) string { return p.Name }),
		textOf("kind", "dynamic or static", func(p *record.Pool) string { return record.PoolKind(p.Static) }),
		timeOf("first_time", "first capture", func(p *record.Pool) record.Time { return p.First }),
		timeOf("last_time", "last capture", func(p *record.Pool) record.Time { return p.Last }),
		intOf("urls", "URLs", func(p *record.Pool) int64 { return p.URLs }),
		intOf("captures", "captures", func(p *record.Pool) int64 { return p.Captures }),
		intOf("versions", "versions", func(p *record.Pool) int64 { return p.Versions }),
		intOf("blocks", "blocks stored, those of layouts too", func(p *record.Pool) int64 { return p.Blocks }),
		intOf("bytes", "bodies before compression", func(p *record.Pool) int64 { return p.Bytes }),
		intOf("stored_bytes", "on disk", func(p *record.Pool) int64 { return p.StoredBytes }),
		urlOf("first_url", "first URL in SURT order", func(p *record.Pool) string { return p.FirstURL }),
		urlOf("last_url", "last URL in SURT order", func(p *record.Pool) string { return p.LastURL }),
		textOf("depends", "pools whose bodies it uses", func(p *record.Pool) string { return strings.Join(p.Depends, " ") }),
		textOf("dependents", "pools that use its bodies: DROP POOL refuses while there are any", func(p *record.Pool) string { return strings.Join(p.Dependents, " ") }),
	},
}, (*Reader).pools)

func (r *Reader) pools(ctx context.Context, _ *Request) iter.Seq2[[]record.Pool, error] {
	return listed(ctx, r.Snapshot.Pools)
}
