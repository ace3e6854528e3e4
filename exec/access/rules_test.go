package access

import (
	"testing"
	"time"

	"infomall/exec/event/kept"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// at returns a time as an archive has it.
func at(text string) record.Time {
	t, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		panic(err)
	}
	return record.At(t)
}

// rulesOf returns the rules that statements define, at noon of 2020-01-01.
func rulesOf(t *testing.T, statements ...string) *Rules {
	t.Helper()
	var list []task.Definition
	for i, s := range statements {
		name := string(rune('a' + i))
		list = append(list, task.Definition{Kind: task.KindRule, Name: name, Text: "RULE " + name + " ON " + s})
	}
	r, err := Read(list, at("2020-01-01T12:00"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOrder shows which of several rules decides about a capture.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		rules []string
		url   string
		at    string
		want  string // the name of the rule that hides it; "" for none
	}{
		{[]string{"'a.example' EXCLUDE"}, "http://a.example/x", "2010-01-01T00:00", "a"},
		{[]string{"'a.example' EXCLUDE"}, "https://www.a.example:8080/", "2010-01-01T00:00", "a"},
		{[]string{"'a.example' EXCLUDE"}, "http://b.example/", "2010-01-01T00:00", ""},
		{[]string{"'a.example' EXCLUDE", "'a.example/x' BLOCK 'no'"}, "http://a.example/x/y", "2010-01-01T00:00", "b"},
		{[]string{"'a.example/x' BLOCK 'no'", "'a.example' EXCLUDE"}, "http://a.example/x/y", "2010-01-01T00:00", "a"},
		{[]string{"'http://a.example/x' EXCLUDE"}, "dom:http://a.example/x", "2010-01-01T00:00", "a"},
		{[]string{"'http://a.example/x' EXCLUDE"}, "screenshot:http://a.example/x", "2010-01-01T00:00", "a"},
		{[]string{"'http://a.example/x' EXCLUDE"}, "dom:http://a.example/xy", "2010-01-01T00:00", ""},
		{[]string{"'*' EXCLUDE", "'a.example' EMBARGO 0d"}, "http://a.example/", "2010-01-01T00:00", ""},
		{[]string{"'*' EXCLUDE", "'a.example' EMBARGO 0d"}, "http://b.example/", "2010-01-01T00:00", "a"},
		{[]string{"'example', 'a.example/x' EXCLUDE", "'a.example' EMBARGO 0d"}, "http://a.example/", "2010-01-01T00:00", ""},
		{[]string{"'example', 'a.example/x' EXCLUDE", "'a.example' EMBARGO 0d"}, "http://a.example/x", "2010-01-01T00:00", "a"},
		{[]string{"'a.example' BLOCK 'no'", "'a.example' EXCLUDE", "'a.example' EMBARGO 1y"}, "http://a.example/", "2019-12-01T00:00", "b"},
		{[]string{"'a.example' EMBARGO 1y", "'a.example' BLOCK 'no'"}, "http://a.example/", "2010-01-01T00:00", "b"},
		{[]string{"'a.example' SINCE 2010 EXCLUDE"}, "http://a.example/", "2009-12-31T23:59", ""},
		{[]string{"'a.example' SINCE 2010 EXCLUDE"}, "http://a.example/", "2010-01-01T00:00", "a"},
		{[]string{"'a.example' EXCLUDE", "'a.example/x' UNTIL 2009 BLOCK 'no'"}, "http://a.example/x", "2009-12-31T23:59", "b"},
		{[]string{"'a.example' EXCLUDE", "'a.example/x' UNTIL 2009 BLOCK 'no'"}, "http://a.example/x", "2010-01-01T00:00", "a"},
		{[]string{"'a.example' EMBARGO 1y"}, "http://a.example/", "2019-01-01T11:59", ""},
		{[]string{"'a.example' EMBARGO 1y"}, "http://a.example/", "2019-01-01T12:00", "a"},
		{[]string{"'a.example' EMBARGO 0d"}, "http://a.example/", "2020-01-01T12:00", ""},
		{[]string{"'a.example' EMBARGO 0d"}, "http://a.example/", "2030-01-01T12:00", ""},
		{[]string{"'a.example' EMBARGO 90m"}, "http://a.example/", "2020-01-01T10:29", ""},
		{[]string{"'a.example' EMBARGO 90m"}, "http://a.example/", "2020-01-01T10:30", "a"},
		{[]string{"'a.example' .. 'c.example' EXCLUDE"}, "http://b.example/", "2010-01-01T00:00", "a"},
		{[]string{"'=a.example:8080' EXCLUDE"}, "http://a.example:8080/", "2010-01-01T00:00", "a"},
		{[]string{"'=a.example:8080' EXCLUDE"}, "http://a.example/", "2010-01-01T00:00", ""},
	} {
		r := rulesOf(t, c.rules...)
		got := ""
		if rule := r.at(urlkey.Key(c.url), at(c.at)); rule != nil && rule.hides(at(c.at)) {
			got = rule.Name
		}
		if hides := r.Hides(urlkey.Key(c.url), at(c.at)); got != c.want || hides != (c.want != "") {
			t.Errorf("%q: rule %q hides %s of %s (%v), want %q", c.rules, got, c.url, c.at, hides, c.want)
		}
		if in, _ := r.hiding.Near(urlkey.Key(c.url)); c.want != "" && !in {
			t.Errorf("%q: %s is hidden, and not in the ranges", c.rules, c.url)
		}
	}
}

// TestMentions shows which statements name a hidden URL.
func TestMentions(t *testing.T) {
	r := rulesOf(t, "'secret.example', 'http://b.example/x/*' EXCLUDE", "'c.example' SINCE 2010 BLOCK 'no'", "'secret.example/free' EMBARGO 0d", "'l.example' .. 'n.example' EXCLUDE")
	for text, want := range map[string]bool{
		"":                                                  false,
		"SELECT url FROM 'open.example'":                    false,
		"SELECT url FROM 'example'":                         false,
		"SELECT url FROM 'Secret.Example'":                  true,
		"CRAWL 'http://www.secret.example'":                 true,
		"http://secret.example/other is":                    true,
		"http://secret.example/free is":                     true,
		"a secret.example":                                  true,
		"IMPORT 'b.example.warc'":                           false,
		"IMPORT 'b.example/x/1.warc'":                       true,
		"CRAWL 'https://b.example/x/y'":                     true,
		"CRAWL 'http://c.example/'":                         true,
		"it leads to http://m.example/, which is elsewhere": true,
		"it leads to http://p.example/, which is elsewhere": false,
	} {
		if got := r.mentions(text); got != want {
			t.Errorf("%q mentions a hidden URL: %v, want %v", text, got, want)
		}
	}
}

// TestHidesSome shows of which URLs something is hidden at some time, and up to a time.
func TestHidesSome(t *testing.T) {
	r := rulesOf(t, "'secret.example' EXCLUDE", "'secret.example/free' EMBARGO 0d", "'c.example' SINCE 2010 BLOCK 'no'", "'d.example' EMBARGO 1y", "'d.example/old' UNTIL 2000 EMBARGO 1y",
		"'secret.example/2010' SINCE 2010 EMBARGO 0d", "'secret.example/2000' UNTIL 2000 EMBARGO 0d", "'secret.example/2005' BETWEEN 2005 AND 2006 EMBARGO 0d", "'secret.example/2000' SINCE 2001 EMBARGO 0d",
		"'e.example' UNTIL 2000 EXCLUDE", "'d.example/new' SINCE 2019-06 EMBARGO 0d", "'d.example/all' SINCE 2018 EMBARGO 0d", "'secret.example/1990' UNTIL 1990 EMBARGO 0d")
	for _, c := range []struct {
		url   string
		until record.Time
		want  bool
	}{
		{"http://secret.example/", record.MaxTime, true},
		{"http://secret.example/free/x", record.MaxTime, false},
		{"http://c.example/", record.MaxTime, true},
		{"http://c.example/", at("2009-12-31T23:59"), false},
		{"http://c.example/", at("2010-01-01T00:00"), true},
		{"http://d.example/", record.MaxTime, true},
		{"http://d.example/", at("2019-01-01T11:59"), false},
		{"http://d.example/", at("2019-01-01T12:00"), true},
		{"http://d.example/old", record.MaxTime, true},
		{"http://d.example/new", record.MaxTime, true},
		{"http://d.example/all", record.MaxTime, false},
		{"http://secret.example/2010", record.MaxTime, true},
		{"http://secret.example/2000", record.MaxTime, false},
		{"http://secret.example/2005", record.MaxTime, true},
		{"http://secret.example/1990", at("1990-06-01T00:00"), false},
		{"http://secret.example/1990", at("2005-06-01T00:00"), true},
		{"http://e.example/", record.MaxTime, true},
		{"http://e.example/", at("2010-01-01T00:00"), true},
		{"http://f.example/", record.MaxTime, false},
	} {
		if got := r.hidesSome(urlkey.Key(c.url), c.until); got != c.want {
			t.Errorf("%s until %v: %v, want %v", c.url, c.until, got, c.want)
		}
	}
}

// TestDeniedAtSomeTime shows that a rule with BLOCK refuses a URL of any time, if a rule with a
// longer scope decides only about a part of the time.
func TestDeniedAtSomeTime(t *testing.T) {
	s := &snapshot{rules: rulesOf(t, "'a.example' BLOCK 'court'", "'a.example/old' UNTIL 2000 EMBARGO 0d", "'a.example/free' EMBARGO 0d")}
	for url, want := range map[string]bool{"http://a.example/": true, "http://a.example/old": true, "http://a.example/free": false, "http://b.example/": false} {
		if why, got := s.Denied(url, record.NoTime); got != want || want != (why == "court") {
			t.Errorf("%s: denied %v %q, want %v", url, got, why, want)
		}
	}
}

// TestHidesRow shows which rows of results are about hidden captures. The rows of events, the places
// of a list and the parts of a classifier are not about one URL, so no rule hides them.
func TestHidesRow(t *testing.T) {
	r := rulesOf(t, "'*' EMBARGO 1y", "'old.example' UNTIL 2000 EXCLUDE")
	a, old := "http://a.example/", "http://old.example/"
	text := func(url, time string) []byte { return (&kept.Text{URL: url, Time: at(time)}).AppendKey(nil) }
	for _, c := range []struct {
		name, kind string
		asOf       string
		key        []byte
		want       bool
	}{
		{"a ranking before the embargo", task.ResultRanks, "2018-01-01T00:00", []byte(urlkey.Key(a)), false},
		{"a ranking in the embargo", task.ResultRanks, "2019-06-01T00:00", []byte(urlkey.Key(a)), true},
		{"a ranking after the captures that are hidden", task.ResultRanks, "2010-01-01T00:00", []byte(urlkey.Key(old)), true},
		{"a text before the embargo", task.ResultEvents, "2020-01-01T12:00", text(a, "2018-01-01T00:00"), false},
		{"a text in the embargo", task.ResultEvents, "2020-01-01T12:00", text(a, "2019-06-01T00:00"), true},
		{"a text after the captures that are hidden", task.ResultEvents, "2020-01-01T12:00", text(old, "2010-01-01T00:00"), false},
		{"an event", task.ResultEvents, "2020-01-01T12:00", (&kept.Event{Number: 3}).Row().Key, false},
		{"a place", task.ResultGazetteer, "2020-01-01T12:00", []byte{0, 0, 0, 1}, false},
		{"a part of a classifier", task.ResultClassifier, "2020-01-01T12:00", []byte{'c', 0, 0, 0, 1}, false},
	} {
		if got := r.hidesRow(&task.Result{Kind: c.kind, AsOf: at(c.asOf)}, c.key); got != c.want {
			t.Errorf("%s is hidden: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestState shows that Hiding.Name changes when the rules change. With an embargo it
// also changes every hour, and stays the same within an hour.
func TestState(t *testing.T) {
	def := func(text string) []task.Definition {
		return []task.Definition{{Kind: task.KindView, Name: "v", Text: "CREATE VIEW v AS SELECT 1"}, {Kind: task.KindRule, Name: "r", Text: "RULE r ON " + text}}
	}
	name := func(text, now string) string {
		r, err := Read(def(text), at(now))
		if err != nil {
			t.Fatal(err)
		}
		return r.hiding.Name
	}
	noon := "2020-01-01T12:00"
	if name("'a.example' EMBARGO 1y", noon) != name("'a.example' EMBARGO 1y", "2020-01-01T12:59") {
		t.Error("an embargo has two names within an hour")
	}
	names := map[string]string{}
	for _, x := range [][2]string{{"'a.example' EXCLUDE", noon}, {"'b.example' EXCLUDE", noon}, {"'a.example' BLOCK 'x'", noon}, {"'a.example' EMBARGO 1y", noon}, {"'a.example' EMBARGO 1y", "2020-01-01T13:00"}, {"'a.example' SINCE NOW - 7d EXCLUDE", noon}, {"'a.example' SINCE NOW - 7d EXCLUDE", "2020-01-02T12:00"}} {
		n := name(x[0], x[1])
		if other, twice := names[n]; twice {
			t.Errorf("%v has the name of %s", x, other)
		}
		names[n] = x[0]
	}
	if r, err := Read(def("'a.example' EXCLUDE")[:1], at(noon)); r != nil || err != nil {
		t.Errorf("without rules: %v, %v", r, err)
	}
	if _, err := Read([]task.Definition{{Kind: task.KindRule, Name: "r", Text: "DROP RULE r"}}, at(noon)); err == nil {
		t.Error("a rule that is another statement is no error")
	}
	if _, err := NewRule(&ast.Rule{Scopes: []ast.Scope{{From: &ast.String{Value: "http://"}}}}, at(noon)); err == nil {
		t.Error("a rule on no scope is no error")
	}
}
