package lang

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFormat shows the layout of statements and comments.
func TestFormat(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", ""},
		{"select  url ,title from 'x'", "SELECT url, title FROM 'x';\n"},
		{"select 1 as host, 2 as n from 'x' as of 2008", "SELECT 1 AS host, 2 AS n FROM 'x' AS OF 2008;\n"},
		{"select 1;select 2 ;;", "SELECT 1;\nSELECT 2;\n"},
		{"-- a\n\n\n\nselect 1 -- one\n ; -- two\n/* three */ select 2", "-- a\n\nSELECT 1 -- one\n; -- two\n/* three */\nSELECT 2;\n"},
		{"select a\n  ,b\nfrom captures where\n(x=1\nor y = -2) and z - 1 > 0;",
			"SELECT a\n       , b\nFROM captures WHERE\n  (x = 1\n    OR y = -2) AND z - 1 > 0;\n"},
		{"SELECT count( * ),lower (url) FROM captures WHERE kind in('a','b') AND NOT(changed)",
			"SELECT count(*), lower (url) FROM captures WHERE kind IN ('a', 'b') AND NOT (changed);\n"},
		{"select url from captures in 'a.example'..'m.example' from 2008 to 2009 latest where url='x'",
			"SELECT url FROM captures IN 'a.example' .. 'm.example' FROM 2008 TO 2009 LATEST WHERE url = 'x';\n"},
		{"select url, status, first, last_seen from versions in 'www.lanshan.example/news/' since 2008-07 where changed and status = 200 order by url limit 5",
			"SELECT url, status, first, last_seen\nFROM versions IN 'www.lanshan.example/news/' SINCE 2008-07\nWHERE changed AND status = 200\nORDER BY url\nLIMIT 5;\n"},
		{"select count(*) n from captures order by n desc; explain select n", "SELECT count(*) n FROM captures ORDER BY n DESC;\nEXPLAIN SELECT n;\n"},
		{"#!/usr/bin/env infomall\nset timezone='Asia/Shanghai';", "#!/usr/bin/env infomall\nSET timezone = 'Asia/Shanghai';\n"},
		{"SELECT '北京\n  大学' /* in\nside */ FROM \"from\"", "SELECT '北京\n  大学' /* in\nside */ FROM \"from\";\n"},
		{"select - -1, +-1, 2 - - -a from x", "SELECT - -1, +-1, 2 - - -a FROM x;\n"},
		{"select 1\n-- at the end", "SELECT 1;\n-- at the end\n"},
	} {
		got, err := Format(c.src, "")
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		if got != c.want {
			t.Errorf("%q becomes\n%s\nwant\n%s", c.src, got, c.want)
		}
		if again, err := Format(got, ""); err != nil || again != got {
			t.Errorf("%q becomes %q when formatted again, %v", got, again, err)
		}
	}
	if _, err := Format("SELECT url FORM 'x'", ""); err == nil {
		t.Error("a fault is not told")
	}
}

// TestFormatQueries formats the saved queries.
func TestFormatQueries(t *testing.T) {
	files, err := filepath.Glob("../queries/*.iql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no saved queries: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkFormat(t, string(text))
		got, err := Format(string(text), "")
		if filepath.Base(file) == "tour.iql" && (err != nil || got != string(text)) {
			t.Errorf("%s, which is laid out well, becomes, %v,\n%s", file, err, got)
		}
	}
}

// FuzzFormat shows that formatting changes neither statements nor comments, and
// is done once.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{
		"SELECT (1--x\n)-/*y*/-z;--w", "#!a\nwith a as (select 1),\nb as(select 2) select * from a union all select * from b;;",
		"select a.b, 'x' .. 'y' from c in 'x'..'y' from 2008 to 2009 where a in(1,2) and not (b or c = -1)",
		"--\n;--0", "set mode=csv; -- x\n\n\n/* y\n */ show page 'http://a' as text", "SELECT \"select\"\n,count ( * ) filter(where a)FROM x",
	} {
		f.Add(seed)
	}
	for _, tt := range someStatements {
		f.Add(tt.src)
	}
	f.Fuzz(checkFormat)
}

func checkFormat(t *testing.T, src string) {
	before, err := Parse(src, "")
	if err != nil {
		return
	}
	out, err := Format(src, "")
	if err != nil {
		t.Fatal(err)
	}
	after, err := Parse(out, "")
	if err != nil || len(after) != len(before) {
		t.Fatalf("%q becomes %q, with %d statements instead of %d, %v", src, out, len(after), len(before), err)
	}
	for i := range after {
		if after[i].String() != before[i].String() {
			t.Errorf("%q becomes %q", before[i], after[i])
		}
	}
	comments := func(text string) (n int) {
		for _, tok := range Tokens(text) {
			if tok.Class == ClassComment {
				n++
			}
		}
		return n
	}
	if comments(src) != comments(out) {
		t.Errorf("%q becomes %q: %d comments instead of %d", src, out, comments(out), comments(src))
	}
	if again, err := Format(out, ""); err != nil || again != out {
		t.Errorf("%q becomes %q, and that %q, %v", src, out, again, err)
	}
}
