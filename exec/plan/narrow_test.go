package plan_test

import (
	"strings"
	"testing"
	"time"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// build plans a query and returns its source.
func build(t *testing.T, src string) *plan.Source {
	t.Helper()
	st, err := lang.ParseOne(src, "")
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	node, err := plan.Build(st.(*ast.Query), &expr.Env{Zone: time.UTC, Params: map[string]string{"h": "a.cn"}})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return plan.Sources(node)[0]
}

// TestNarrowRanges shows which conditions of WHERE become key ranges.
func TestNarrowRanges(t *testing.T) {
	cases := []struct{ from, where, want string }{
		{"captures", "url = 'http://a.cn/x'", "cn,a,)/x http..cn,a,)/x http\x00"},
		{"captures", "'http://a.cn/x' = captures.url", "cn,a,)/x http..cn,a,)/x http\x00"},
		{"captures", "host = $h", "cn,a,)..cn,a,* cn,a,:..cn,a,;"},
		{"captures", "domain = 'a.cn'", "cn,a,..cn,a-"},
		{"captures", "host = 'a.cn' OR url WITHIN 'b.cn/x'", "cn,a,)..cn,a,* cn,a,:..cn,a,; cn,b,)/x..cn,b,)/y"},
		{"captures", "host IN ('a.cn', 'b.cn') AND status = 200", "cn,a,)..cn,a,* cn,a,:..cn,a,; cn,b,)..cn,b,* cn,b,:..cn,b,;"},
		{"versions IN 'a.cn'", "host = 'x.a.cn'", "cn,a,x,)..cn,a,x,* cn,a,x,:..cn,a,x,;"},
		{"versions IN 'a.cn'", "host = 'b.cn'", "nothing"},
		{"hosts", "host = 'a.cn'", "cn,a,)..cn,a,* cn,a,:..cn,a,;"},
		{"versions LATEST", "host = 'a.cn'", "cn,a,)..cn,a,* cn,a,:..cn,a,;"},
		{"captures", "url LIKE 'http://a.cn/x%'", "cn,a,)/x..cn,a,)/y"},
		{"captures", "url LIKE 'https://a.cn:8080/x_y%z'", "cn,a,:8080)/x..cn,a,:8080)/y"},
		{"captures", "url LIKE 'http://a.cn/'", "cn,a,)/..cn,a,)0"},
		{"versions IN 'a.cn/n/'", "url LIKE 'http://a.cn/%'", "cn,a,)/n/..cn,a,)/n0"},

		{"captures", "url LIKE 'http://a.cn%'", "everything"},
		{"captures", "url LIKE '%a.cn/x'", "everything"},
		{"captures", "url LIKE 'http://a_cn/x%'", "everything"},
		{"captures", "url LIKE 'mailto:x%'", "everything"},
		{"captures", "url LIKE 'http://a.cn/北%'", "everything"},
		{"captures", "url ILIKE 'http://a.cn/x%'", "everything"},
		{"captures", "url NOT LIKE 'http://a.cn/x%'", "everything"},
		{"captures", "url LIKE 'http://a.cn/x!%' ESCAPE '!'", "everything"},
		{"captures", "host LIKE 'http://a.cn/x%'", "everything"},
		{"captures", "NOT host = 'a.cn'", "everything"},
		{"captures", "host = 'a.cn' OR status = 200", "everything"},
		{"captures", "host <> 'a.cn'", "everything"},
		{"captures", "url NOT WITHIN 'a.cn'", "everything"},
		{"captures", "host = 'a.cn/x'", "everything"},
		{"captures", "lower(host) = 'a.cn'", "everything"},
		{"captures", "host NOT IN ('a.cn')", "everything"},
	}
	for _, c := range cases {
		src := build(t, "SELECT count(*) FROM "+c.from+" WHERE "+c.where)
		got := "everything"
		if src.Ranges != nil {
			got = "nothing"
			var texts []string
			for _, r := range src.Ranges {
				texts = append(texts, r.From+".."+r.To)
			}
			if texts != nil {
				got = strings.Join(texts, " ")
			}
		}
		if got != c.want {
			t.Errorf("FROM %s WHERE %s: got ranges %q, want %q", c.from, c.where, got, c.want)
		}
	}
}

// TestNarrowTime shows when a comparison of time bounds the scan: only if that
// does not change the rows that pass the comparison.
func TestNarrowTime(t *testing.T) {
	const open = "…"
	cases := []struct{ items, from, where, want string }{
		{"url", "captures", "time >= 2008-06 AND time < 2008-08", "2008-06-01 2008-08-01"},
		{"url", "captures", "time BETWEEN 2008-06 AND 2008-07", "2008-06-01 2008-08-01"},
		{"url", "captures", "time = 2008-06-15", "2008-06-15 2008-06-16"},
		{"url", "captures", "time > 2008-06", "2008-07-01 " + open},
		{"url", "captures SINCE 2008-07", "time >= 2008-06", "2008-07-01 " + open},
		{"url", "versions", "time <= 2008-06", open + " 2008-07-01"},
		{"last_seen", "versions", "time BETWEEN 2008-06 AND 2008-06", "2008-06-01 " + open},
		{"visits", "versions", "time < 2008", open + " " + open},
		{"url", "versions LATEST", "time < 2008", open + " " + open},
		{"url", "captures", "time >= 2008 OR status = 200", open + " " + open},
		{"url", "captures", "time NOT BETWEEN 2008 AND 2009", open + " " + open},
		{"url", "captures", "time <> 2008", open + " " + open},
		{"url", "pages", "first_seen > 2008", open + " " + open},
	}
	for _, c := range cases {
		w := build(t, "SELECT "+c.items+" FROM "+c.from+" WHERE "+c.where).Window
		got := bound(w.From, record.MinTime) + " " + bound(w.To, record.MaxTime+1)
		if got != c.want {
			t.Errorf("SELECT %s FROM %s WHERE %s: got window %s, want %s", c.items, c.from, c.where, got, c.want)
		}
	}
}

func bound(t, none record.Time) string {
	if t == none {
		return "…"
	}
	return t.Std().Format("2006-01-02")
}
