package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
)

// periodRow is one row of the relation periods: one calendar period of the time
// range that a request names.
type periodRow struct {
	value.Period
	of *Request
}

// Periods declares the relation periods, which has one row per calendar period,
// such as a month, of a time range.
var Periods = List(Relation{
	Name: "periods", Doc: "one year, month, week or day of the time asked for, written periods(month)", ByUnit: true, OfSession: true, OfNoArchive: true,
	Columns: []Column{
		TextOf("period", "name of the period, such as 2008-06", func(p *periodRow) string { return value.PeriodName(p.of.Unit, p.Period, p.of.Choice.Zone) }),
		TimeOf("time", "start of the period, equal to date_trunc(unit, t) for every time t in it", func(p *periodRow) record.Time { return p.From }),
		TimeOf("next", "start of the next period", func(p *periodRow) record.Time { return p.To }),
	},
}, (*Reader).periods)

// periods yields in one batch the calendar periods of unit n.Unit that overlap
// the time window of n.
func (r *Reader) periods(ctx context.Context, n *Request) iter.Seq2[[]periodRow, error] {
	return Listed(ctx, func(ctx context.Context) (list []periodRow, err error) {
		for p := value.PeriodAt(n.Unit, n.Window.From, n.Choice.Zone); p.From < n.Window.To; p = value.PeriodAt(n.Unit, p.To, n.Choice.Zone) {
			list = append(list, periodRow{p, n})
		}
		return list, ctx.Err()
	})
}
