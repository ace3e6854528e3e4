package work

import (
	"context"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record"
)

// Rules declares the relation rules, which has one row per access rule.
var Rules = relation.List(relation.Relation{
	Name: "rules", Doc: "one access rule: which captures --serve and --mcp do not show", Shown: true, OfSession: true,
	Columns: []relation.Column{
		relation.TextOf("name", "name", func(r *relation.Rule) string { return r.Name }),
		relation.TextOf("scope", "URLs that the rule is about", func(r *relation.Rule) string { return r.Scope }),
		relation.TimeOf("since", "start of the time of the captures that it is about; NULL for no start", func(r *relation.Rule) record.Time {
			return r.Window.Start()
		}),
		relation.TimeOf("before", "end of that time, which it does not include; NULL for no end", func(r *relation.Rule) record.Time {
			return r.Window.End()
		}),
		relation.TextOf("action", "block, exclude or embargo", func(r *relation.Rule) string { return r.Action }),
		relation.TextOf("reason", "text of BLOCK in the statement", func(r *relation.Rule) string { return r.Reason }),
		relation.TextOf("age", "of an embargo: the age below which captures are not shown, as it was written", func(r *relation.Rule) string { return r.Age }),
		relation.TimeOf("created", "when the rule was made", func(r *relation.Rule) record.Time { return r.Created }),
	},
}, rules)

func rules(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]relation.Rule, error] {
	return relation.Listed(ctx, r.Rules)
}
