package relation

import (
	"context"
	"iter"

	"infomall/store/record"
)

// Rule is one row of the relation rules: an access rule.
type Rule struct {
	Name, Scope, Action, Reason, Age string
	Window                           Window
	Created                          record.Time
}

// Rules declares the relation rules, which has one row per access rule.
var Rules = list(Relation{
	Name: "rules", Doc: "one access rule: which captures --serve and --mcp do not show", Shown: true, OfSession: true,
	Columns: []Column{
		textOf("name", "name", func(r *Rule) string { return r.Name }),
		textOf("scope", "URLs that the rule is about", func(r *Rule) string { return r.Scope }),
		timeOf("since", "start of the time of the captures that it is about; NULL for no start", func(r *Rule) record.Time {
			return r.Window.start()
		}),
		timeOf("before", "end of that time, which it does not include; NULL for no end", func(r *Rule) record.Time {
			return r.Window.end()
		}),
		textOf("action", "block, exclude or embargo", func(r *Rule) string { return r.Action }),
		textOf("reason", "text of BLOCK in the statement", func(r *Rule) string { return r.Reason }),
		textOf("age", "of an embargo: the age below which captures are not shown, as it was written", func(r *Rule) string { return r.Age }),
		timeOf("created", "when the rule was made", func(r *Rule) record.Time { return r.Created }),
	},
}, (*Reader).rules)

func (r *Reader) rules(ctx context.Context, _ *Request) iter.Seq2[[]Rule, error] {
	return listed(ctx, r.Rules)
}
