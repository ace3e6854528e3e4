package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
)

// periodRow is one period of a request for periods(unit).
type periodRow struct {
	value.Period
	of *Request
}

// Periods is the relation periods.
var Periods = list(Relation{
	Name: "periods", Doc: "one year, month, week or day of the time asked for, written periods(month)", ByUnit: true, OfSession: true, OfNoArchive: true,
	Columns: []Column{
		textOf("period", "name of the period, such as 2008-06", func(p *periodRow) string { return value.PeriodName(p.of.Unit, p.Period, p.of.Choice.Zone) }),
		timeOf("time", "start of the period, equal to date_trunc(unit, t) for every time t in it", func(p *periodRow) record.Time { return p.From }),
		timeOf("next", "start of the next period", func(p *periodRow) record.Time { return p.To }),
	},
}, (*Reader).periods)

// periods yields the periods of n in one batch.
func (r *Reader) periods(ctx context.Context, n *Request) iter.Seq2[[]periodRow, error] {
	return listed(ctx, func(ctx context.Context) (list []periodRow, err error) {
		for p := value.PeriodAt(n.Unit, n.Window.From, n.Choice.Zone); p.From < n.Window.To; p = value.PeriodAt(n.Unit, p.To, n.Choice.Zone) {
			list = append(list, periodRow{p, n})
		}
		return list, ctx.Err()
	})
}
