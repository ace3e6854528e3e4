package expr

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// testColumns are the columns that expressions of these tests may name.
var testColumns = []Col{
	{0, "status", value.Int}, {1, "bytes", value.Int}, {2, "score", value.Float},
	{3, "kind", value.Text}, {4, "text", value.Text}, {5, "url", value.URL},
	{6, "target", value.URL}, {7, "time", value.Time}, {8, "next", value.Time},
	{9, "changed", value.Bool}, {10, "gap", value.Duration}, {11, "headers", value.Text},
}

// testBinder returns a binder for WHERE over testColumns, at 10:30 on 18 June
// 2008, UTC.
func testBinder() *Binder {
	return &Binder{
		Column: func(c *ast.Column, _ value.Type) (Expr, error) {
			for i := range testColumns {
				if testColumns[i].Name == c.Name.Text {
					return &testColumns[i], nil
				}
			}
			return nil, ast.Errorf(c, "no column %q", c.Name.Text)
		},
		Where: "WHERE",
		Env: &Env{
			Now: record.At(time.Date(2008, 6, 18, 10, 30, 15, 0, time.UTC)),
			Params: map[string]string{
				"n": "404", "f": "1.5", "s": "pku", "t": "2008-06", "d": "7d", "b": "true", "u": "WWW.PKU.edu.cn",
			},
		},
	}
}

// parseExpr parses an expression as the one item of a SELECT.
func parseExpr(t testing.TB, src string) ast.Expr {
	t.Helper()
	s, err := lang.ParseOne("SELECT "+src, "")
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return s.(*ast.Query).Select.Items[0].Expr
}

// checkBound compares the type and the text of bound expressions.
func checkBound(t *testing.T, b *Binder, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		src, want := c[0], c[1]
		e, err := b.Bind(parseExpr(t, src))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := fmt.Sprintf("%s %s", e.Type(), e); got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
}

// TestBind shows what expressions become: types are known, constants are
// computed, periods become bounds, URLs are canonical, and constants are on the
// right.
func TestBind(t *testing.T) {
	checkBound(t, testBinder(), [][2]string{
		{`1 + 2 * 3`, `int 7`},
		{`7 / 2`, `float 3.5`},
		{`7 // 2`, `int 3`},
		{`-7 // 2`, `int -3`},
		{`-7 % 2`, `int -1`},
		{`7 / 0`, `float NULL`},
		{`7 // 0`, `int NULL`},
		{`7.5 % 0`, `float NULL`},
		{`64KB + 1`, `int 65537`},
		{`-$n`, `int -404`},
		{`-status`, `int 0 - status`},
		{`NULL + 1`, `int NULL`},
		{`36h / 12h`, `float 3`},
		{`36h / 2`, `duration 18h`},
		{`36h * 1.5`, `duration 2d 6h`},
		{`36h // 7h`, `int 5`},
		{`36h % 7h`, `duration 1h`},
		{`$d + 1d`, `duration 8d`},
		{`status / 2`, `float CAST(status AS float) / 2`},
		{`status + 1.5`, `float CAST(status AS float) + 1.5`},
		{`status = 404`, `bool status = 404`},
		{`404 < status`, `bool status > 404`},
		{`status = NULL`, `bool NULL`},
		{`$n = status`, `bool status = 404`},
		{`status = '404'`, `bool status = 404`},
		{`'404' = status`, `bool status = 404`},
		{`status = '404.5'`, `bool CAST(status AS float) = 404.5`},
		{`'http://A.cn' IN (url)`, `bool url = 'http://a.cn/'`},
		{`status IN ('404', '410')`, `bool status IN (404, 410)`},
		{`status BETWEEN '400' AND '499'`, `bool status >= 400 AND status <= 499`},
		{`status + '1'`, `int status + 1`},
		{`changed = 'yes'`, `bool changed = TRUE`},
		{`changed = 1`, `bool changed = TRUE`},
		{`0 = changed`, `bool changed = FALSE`},
		{`coalesce('5', status)`, `int coalesce(5, status)`},
		{`status LIKE '4%'`, `bool CAST(status AS text) LIKE '4%'`},
		{`status ~ '4'`, `bool CAST(status AS text) ~ '4'`},
		{`CAST('7 days' AS duration)`, `duration 7d`},
		{`CAST('1 hour 30 min' AS duration)`, `duration 1h 30m`},
		{`time - time > '30 days'`, `bool (time - time) > 30d`},
		{`time - '2008-06-01'`, `duration time - 2008-06-01T00:00:00Z`},
		{`time + 7`, `time time + 7d`},
		{`time - '7 days'`, `time time - 7d`},
		{`'2008-06' > 2008-05`, `bool TRUE`},
		{`status = $f`, `bool CAST(status AS float) = 1.5`},
		{`kind = 'page' OR status = 200 AND bytes > 64KB`, `bool kind = 'page' OR (status = 200 AND bytes > 65536)`},
		{`changed AND TRUE`, `bool changed`},
		{`changed AND FALSE`, `bool FALSE`},
		{`changed OR NULL`, `bool changed OR NULL`},
		{`(status = 404) = TRUE`, `bool (status = 404) = TRUE`},
		{`time = 2008-06`, `bool time IN (2008-06-01T00:00:00Z..2008-07-01T00:00:00Z)`},
		{`2008-06 = time`, `bool time IN (2008-06-01T00:00:00Z..2008-07-01T00:00:00Z)`},
		{`time <> 2008-06`, `bool time NOT IN (2008-06-01T00:00:00Z..2008-07-01T00:00:00Z)`},
		{`time < 2008-06`, `bool time < 2008-06-01T00:00:00Z`},
		{`time <= 2008-06`, `bool time < 2008-07-01T00:00:00Z`},
		{`time > 2008-06`, `bool time >= 2008-07-01T00:00:00Z`},
		{`time >= 2008-06`, `bool time >= 2008-06-01T00:00:00Z`},
		{`2008-06 < time`, `bool time >= 2008-07-01T00:00:00Z`},
		{`time = 20080615`, `bool time IN (2008-06-15T00:00:00Z..2008-06-16T00:00:00Z)`},
		{`time = '2008-06-15'`, `bool time IN (2008-06-15T00:00:00Z..2008-06-16T00:00:00Z)`},
		{`time = $t`, `bool time IN (2008-06-01T00:00:00Z..2008-07-01T00:00:00Z)`},
		{`time > NOW - 7d`, `bool time >= 2008-06-11T10:30:15.001Z`},
		{`time >= TODAY - 1mo`, `bool time >= 2008-05-18T00:00:00Z`},
		{`time = 2008-06-15T10:30+08:00`, `bool time IN (2008-06-15T02:30:00Z..2008-06-15T02:31:00Z)`},
		{`time BETWEEN 2008-06 AND 2008-08`, `bool time IN (2008-06-01T00:00:00Z..2008-09-01T00:00:00Z)`},
		{`time BETWEEN 2008-08 AND 2008-06`, `bool time IN (2008-08-01T00:00:00Z..2008-08-01T00:00:00Z)`},
		{`time NOT BETWEEN 2008-06 AND next`, `bool NOT (time >= 2008-06-01T00:00:00Z AND time <= next)`},
		{`time IN (2008-06, 2008-08)`, `bool time IN (2008-06-01T00:00:00Z..2008-07-01T00:00:00Z, 2008-08-01T00:00:00Z..2008-09-01T00:00:00Z)`},
		{`time NOT IN ('2009', next)`, `bool NOT (time = next OR time IN (2009-01-01T00:00:00Z..2010-01-01T00:00:00Z))`},
		{`time < 2008-06-15 + 1d`, `bool time < 2008-06-16T00:00:00Z`},
		{`time = CAST('2008-06' AS time)`, `bool time = 2008-06-01T00:00:00Z`},
		{`time + 2mo`, `time time + 2mo`},
		{`time - 1y`, `time time - 12mo`},
		{`1y + time`, `time time + 12mo`},
		{`2008-03-31 - 1mo`, `time 2008-02-29T00:00:00Z`},
		{`next - time > 7d`, `bool (next - time) > 7d`},
		{`next - time > $d`, `bool (next - time) > 7d`},
		{`time + $d`, `time time + 7d`},
		{`2008-06-15 - 2008-06-01`, `duration 14d`},
		{`2008 - 6`, `int 2002`},
		{`'a' || 'b' || 1`, `text 'ab1'`},
		{`kind || status || 'x'`, `text (kind || CAST(status AS text)) || 'x'`},
		{`kind || NULL`, `text NULL`},
		{`url = 'WWW.PKU.edu.cn/a#x'`, `bool url = 'http://www.pku.edu.cn/a'`},
		{`'a.cn' = url`, `bool url = 'http://a.cn/'`},
		{`url = $u`, `bool url = 'http://www.pku.edu.cn/'`},
		{`url = ''`, `bool url = ''`},
		{`url = target`, `bool url = target`},
		{`url = kind`, `bool url = kind`},
		{`url IN ('http://a.cn', 'b.cn/x')`, `bool url IN ('http://a.cn/', 'http://b.cn/x')`},
		{`url BETWEEN 'a.cn' AND 'b.cn'`, `bool url >= 'http://a.cn/' AND url <= 'http://b.cn/'`},
		{`url LIKE '%.pdf'`, `bool url LIKE '%.pdf'`},
		{`url NOT LIKE 'a!%b' ESCAPE '!'`, `bool url NOT LIKE 'a!%b' ESCAPE '!'`},
		{`kind NOT ILIKE 'PAGE%'`, `bool kind NOT ILIKE 'PAGE%'`},
		{`'page' LIKE 'p_g%'`, `bool TRUE`},
		{`url ~ '\.pdf$'`, `bool url ~ '\.pdf$'`},
		{`url !~ '\.pdf$'`, `bool NOT (url ~ '\.pdf$')`},
		{`'北京 大 学' CONTAINS '北京大学'`, `bool TRUE`},
		{`'Apache Kafka’s' MATCH '"apache kafka" -pulsar'`, `bool FALSE`},
		{`'Apache, Kafka!' MATCH '"apache kafka" -pulsar'`, `bool TRUE`},
		{`text NOT MATCH $s`, `bool text NOT MATCH 'pku'`},
		{`NULL MATCH 'a'`, `bool NULL`},
		{`text NOT CONTAINS $s`, `bool text NOT CONTAINS 'pku'`},
		{`url NOT WITHIN ('bbs.pku.edu.cn', 'x.cn/a')`, `bool url NOT WITHIN ('bbs.pku.edu.cn', 'x.cn/a')`},
		{`url WITHIN 'a.cn/' .. 'm.cn/'`, `bool url WITHIN 'a.cn/' .. 'm.cn/'`},
		{`'http://bbs.pku.edu.cn/x' WITHIN 'pku.edu.cn'`, `bool TRUE`},
		{`'no url' WITHIN 'pku.edu.cn'`, `bool FALSE`},
		{`kind IN ('page', 'missing', NULL)`, `bool kind IN ('page', 'missing', NULL)`},
		{`status IN (200, 4.5)`, `bool CAST(status AS float) IN (200, 4.5)`},
		{`status NOT IN (200, bytes)`, `bool NOT (status = bytes OR status IN (200))`},
		{`$n IN (1, 404)`, `bool TRUE`},
		{`kind IN (NULL)`, `bool kind IN (NULL)`},
		{`kind IS NOT NULL`, `bool kind IS NOT NULL`},
		{`changed IS NOT TRUE`, `bool changed IS NOT TRUE`},
		{`NULL IS NULL`, `bool TRUE`},
		{`CASE WHEN status = 200 THEN 'ok' WHEN status = 404 THEN 'gone' END`, `text CASE WHEN status = 200 THEN 'ok' WHEN status = 404 THEN 'gone' ELSE NULL END`},
		{`CASE kind WHEN 'page' THEN status ELSE 2.5 END`, `float CASE WHEN kind = 'page' THEN CAST(status AS float) ELSE 2.5 END`},
		{`CASE WHEN TRUE THEN 1 ELSE status END`, `int 1`},
		{`CASE WHEN FALSE THEN 1 WHEN changed THEN 2 WHEN TRUE THEN 3 ELSE status END`, `int CASE WHEN changed THEN 2 ELSE 3 END`},
		{`CASE WHEN changed THEN $s ELSE kind END`, `text CASE WHEN changed THEN 'pku' ELSE kind END`},
		{`CAST('12' AS bigint)`, `int 12`},
		{`CAST(2.5 AS int)`, `int 3`},
		{`CAST('2008-06' AS time)`, `time 2008-06-01T00:00:00Z`},
		{`CAST(20080615 AS time)`, `time 2008-06-15T00:00:00Z`},
		{`CAST('1d 2h' AS duration)`, `duration 1d 2h`},
		{`CAST(1.5 AS duration)`, `duration 1s 500ms`},
		{`CAST(36h AS float)`, `float 129600`},
		{`CAST('pku.edu.cn' AS url)`, `url 'http://pku.edu.cn/'`},
		{`CAST(status AS text)`, `text CAST(status AS text)`},
		{`coalesce(kind, 'x', $s)`, `text coalesce(kind, 'x', 'pku')`},
		{`substr(kind, $n)`, `text substr(kind, 404)`},
		{`year('2008-06-15')`, `int 2008`},
		{`host('')`, `text NULL`},
		{`host(target)`, `text host(target)`},
	})
}

// TestBindOnce nests expressions, and counts how often the innermost column is bound: once, and not
// twice for each level, which would take hours for a statement of a few hundred characters.
func TestBindOnce(t *testing.T) {
	for _, form := range []string{
		"(%s) = 1",
		"(%s) BETWEEN 0 AND 1",
		"CASE %s WHEN 0 THEN TRUE WHEN 1 THEN FALSE END = 1",
		"CASE WHEN (%s) = 1 THEN 'a' END LIKE 'a'",
		"CASE WHEN (%s) = 1 THEN 'a' END ~ 'a'",
		"((%s) IN (TRUE, FALSE)) = TRUE",
	} {
		src := "changed"
		for range 6 {
			src = fmt.Sprintf(form, src)
		}
		b, n := testBinder(), 0
		column := b.Column
		b.Column = func(c *ast.Column, want value.Type) (Expr, error) {
			n++
			return column(c, want)
		}
		if _, err := b.Bind(parseExpr(t, src)); err != nil || n != 1 {
			t.Errorf("%s: bound the column %d times, error %v; want once", form, n, err)
		}
	}
}

// TestBindErrors shows the messages for expressions that cannot be bound.
func TestBindErrors(t *testing.T) {
	for _, c := range [][2]string{
		{`format_bytes(1e300)`, `1:8: format_bytes: 1e+300 is out of the range of int`},
		{`status = 'abc'`, `1:17: status is int and 'abc' is text; they can't be compared (CAST(status AS text))`},
		{`status = kind`, `1:17: status is int and kind is text; they can't be compared (CAST(kind AS int))`},
		{`kind = 404`, `1:8: 404 is int and kind is text; they can't be compared (write '404' in quotes, or CAST(kind AS int))`},
		{`kind > time`, `1:8: time is time and kind is text; they can't be compared (CAST(kind AS time))`},
		{`next - time > 7`, `1:22: next - time is duration and 7 is int; they can't be compared (write the length of time with its unit, such as 7d)`},
		{`status AND changed`, `1:8: AND needs a condition, and status is int (compare it, as in status <> 0)`},
		{`NOT kind`, `1:12: NOT needs a condition, and kind is text (compare it, as in kind <> '')`},
		{`-kind`, `1:8: - needs a number or a duration, and kind is text`},
		{`kind + 1`, `1:8: no + of text and int: kind is text and 1 is int (CAST(kind AS int))`},
		{`changed + 1`, `1:8: no + of bool and int: changed is bool and 1 is int`},
		{`kind * 2mo`, `1:15: 2mo is no fixed length of time; months and years can only be added to a time or taken from it (write 60d)`},
		{`2mo`, `1:8: 2mo is no fixed length of time; months and years can only be added to a time or taken from it (write 60d)`},
		{`1 || 2`, `1:8: || joins texts, and 1 is int, 2 is int (CAST(1 AS text))`},
		{`time = 'x'`, `1:15: "x" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{`time = 200806151`, `1:15: "200806151" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{`time = $s`, `1:15: parameter $s: "pku" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{`time BETWEEN 2008-06 AND 'June'`, `1:33: "June" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{`time IN (2008-06, 'x')`, `1:26: "x" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{`time IN (2008-06, status)`, `1:26: time is time and status is int; they can't be compared`},
		{`status = $s`, `1:17: parameter $s: 'pku' is no number`},
		{`9999-12 + 1mo`, `1:8: a time moved by 1mo lies outside the years 1 to 9999`},
		{`9223372036854775807 + 1`, `1:28: a result of + is out of the range of int (CAST an operand AS float)`},
		{`9223372036854775807 * 2`, `1:28: a result of * is out of the range of int (CAST an operand AS float)`},
		{`url LIKE 'a!b' ESCAPE '!'`, `1:17: the escape character '!' is before 'b'; it may only be before %, _ and itself`},
		{`url LIKE 'a!' ESCAPE '!'`, `1:17: the pattern ends with its escape character '!'`},
		{`url LIKE 'a!b' ESCAPE '!!'`, `1:30: ESCAPE needs one character, such as '!'`},
		{`url ~ '(?!x)'`, `1:14: patterns are RE2, which has no lookahead or lookbehind: "(?!x)" (use two conditions, one with NOT)`},
		{`url ~ '(a)\1'`, `1:14: patterns are RE2, which has no backreferences: "(a)\\1"`},
		{`url ~ '('`, `1:14: bad pattern "(": missing closing ): (`},
		{`bytes CONTAINS '4'`, `1:8: CONTAINS needs text, and bytes is int (CAST(bytes AS text))`},
		{`text MATCH 'a OR (b'`, `1:25: a bracket is not closed (write ) where the group ends)`},
		{`text MATCH '北京 OR'`, `1:23: OR has nothing after it (write a word there, or "OR" in quotes to find the word)`},
		{`text MATCH '-a'`, `1:20: only words to exclude are asked for (name a word that must be there, or write NOT text MATCH 'word')`},
		{`text MATCH ''`, `1:19: there is no word to look for (a word has letters or digits)`},
		{`snippet(text, 'a "')`, `1:25: a quote is not closed (write " where the phrase ends)`},
		{`bytes MATCH '4'`, `1:8: MATCH needs text, and bytes is int (CAST(bytes AS text))`},
		{`snippet(text)`, `1:8: snippet is about the words that MATCH finds, and WHERE has no MATCH (write snippet(text, 'words'))`},
		{`url WITHIN ''`, `1:19: scope "": it is empty; write a host such as 'pku.edu.cn', or '*' for everything`},
		{`status WITHIN 'a.cn'`, `1:8: WITHIN needs text, and status is int (CAST(status AS text))`},
		{`kind IS TRUE`, `1:8: IS TRUE needs a condition, and kind is text (compare it, as in kind <> '')`},
		{`status IN (200, 'a')`, `1:24: status is int and 'a' is text; they can't be compared (CAST(status AS text))`},
		{`CASE WHEN changed THEN 1 ELSE 'x' END`, `1:38: CASE needs values of one type: 'x' is text, and those before it are int (CAST(1 AS text))`},
		{`CASE WHEN status THEN 1 END`, `1:18: WHEN needs a condition, and status is int (compare it, as in status <> 0)`},
		{`CASE status WHEN 'page' THEN 1 END`, `1:25: status is int and 'page' is text; they can't be compared (CAST(status AS text))`},
		{`CAST('x' AS int)`, `1:8: 'x' is no whole number`},
		{`CAST('99999999999999999999' AS int)`, `1:8: '99999999999999999999' is no whole number that fits in 64 bits`},
		{`CAST(1e30 AS int)`, `1:8: 1e+30 is out of the range of int`},
		{`CAST(5 AS time)`, `1:8: "5" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{`CAST(status AS txt)`, `1:23: no type "txt"; did you mean text?`},
		{`CAST(status AS money)`, `1:23: no type "money"; there are bool, int, float, text, url, time, duration`},
		{`CAST(time AS int)`, `1:8: time is time, which can't be made int`},
		{`lenght('x')`, `1:8: no function "lenght" (did you mean length?)`},
		{`frobnicate(1)`, `1:8: no function "frobnicate" (SHOW FUNCTIONS lists them)`},
		{`length(status)`, `1:15: status is int; it is called as length(s text) int (CAST(status AS text))`},
		{`substr('abc')`, `1:8: substr has 1 argument here; it is called as substr(s text, start int [, length int]) text`},
		{`length(kind, kind)`, `1:8: length has 2 arguments here; it is called as length(s text) int`},
		{`lower(DISTINCT kind)`, `1:8: lower is no aggregate: it takes neither *, DISTINCT nor ORDER BY, and no FILTER after it`},
		{`length(*)`, `1:8: length is no aggregate: it takes neither *, DISTINCT nor ORDER BY, and no FILTER after it`},
		{`substr(kind, $s)`, `1:21: parameter $s: 'pku' is no number`},
		{`substr(kind, 1, 'x')`, `1:24: 'x' is text; it is called as substr(s text, start int [, length int]) text (CAST('x' AS int))`},
		{`substr('abc', 1, -1)`, `1:8: substr: the length can't be -1`},
		{`date_trunc('moth', time)`, `1:8: date_trunc: no unit "moth"; did you mean 'month'?`},
		{`date_trunc('decade', time)`, `1:8: date_trunc: no unit "decade"; there are year, quarter, month, week, day, hour, minute, second`},
		{`strftime(time, '%Q')`, `1:8: strftime: no directive %Q in the format; there are Y y m d e j H I M S L f p a A b B F T R D G V u w s z Z and %%`},
		{`strftime(time, '100%')`, `1:8: strftime: the format ends with %; write %% for the sign itself`},
		{`hex(1.5)`, `1:8: hex: it takes a text or an int, not float`},
		{`abs(kind)`, `1:12: kind is text; it is called as abs(x number) number (CAST(kind AS int))`},
		{`year(status)`, `1:13: status is int; it is called as year(t time) int (CAST(status AS time))`},
		{`coalesce(status, 'x')`, `1:25: coalesce needs values of one type: 'x' is text, and those before it are int (CAST(status AS text))`},
		{`coalesce()`, `1:8: coalesce has no arguments here; it is called as coalesce(x any, …) any`},
		{`regexp_extract(kind, '(a')`, `1:8: regexp_extract: bad pattern "(a": missing closing ): (a`},
		{`regexp_extract('a', 'a', 1)`, `1:8: regexp_extract: no group 1 in "a", which has 0`},
		{`regexp_replace(kind, 'a', 'b', 'x')`, `1:8: regexp_replace: no flag 'x'; there are g (all) and i (case aside)`},
		{`split_part('a', ',', 0)`, `1:8: split_part: parts count from 1, or from -1 at the end`},
		{`$missing`, `1:8: parameter $missing has no value (give it with --param missing=… or SET $missing = …)`},
		{`count(*)`, `1:8: WHERE may not contain an aggregate, and count is one (ask about groups in HAVING)`},
		{`lower(kind) FILTER (WHERE changed)`, `1:8: lower is no aggregate: it takes neither *, DISTINCT nor ORDER BY, and no FILTER after it`},
		{`colour = 1`, `1:8: no column "colour"`},
		{`url = 'http://a b:c/'`, `1:14: "http://a b:c/" is no URL: the host contains a forbidden domain code point: " "`},
	} {
		src, want := c[0], c[1]
		e, err := testBinder().Bind(parseExpr(t, src))
		if err == nil {
			t.Errorf("%s: got %s, want the error %s", src, e, want)
			continue
		}
		var fault *ast.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v is a %T, want an *ast.Error", src, err, err)
		}
		if got := err.Error(); got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
}

// TestBindBool shows that only conditions are accepted, and that errors name
// the clause.
func TestBindBool(t *testing.T) {
	b := testBinder()
	for _, c := range [][2]string{
		{"changed", "changed"},
		{"NULL", "NULL"},
		{"$b", "TRUE"},
		{"status", "1:8: WHERE needs a condition, and status is int (compare it, as in status <> 0)"},
		{"'x'", "1:8: WHERE needs a condition, and 'x' is text (compare it, as in 'x' <> '')"},
		{"time", "1:8: WHERE needs a condition, and time is time (compare it, or ask time IS NOT NULL)"},
		{"$n", "1:8: parameter $n: '404' is no bool: write true or false"},
	} {
		e, err := b.BindBool(parseExpr(t, c[0]))
		got := fmt.Sprint(e)
		if err != nil {
			got = err.Error()
		} else if e.Type() != value.Bool {
			t.Errorf("%s: type %s, want bool", c[0], e.Type())
		}
		if got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

// TestBindAs shows that parameters get the type of their place.
func TestBindAs(t *testing.T) {
	b := testBinder()
	b.Where, b.Column = "LIMIT", nil
	for _, c := range [][2]string{
		{"$n", "404"},
		{"2 * 5", "10"},
		{"NULL", "NULL"},
		{"$f", "1:8: LIMIT needs int, and $f is float"},
		{"$s", "1:8: parameter $s: 'pku' is no number"},
		{"'10'", "10"},
		{"'ten'", "1:8: LIMIT needs int, and 'ten' is text"},
		{"bytes", "1:8: LIMIT may not contain a column"},
	} {
		e, err := b.BindAs(parseExpr(t, c[0]), value.Int)
		got := fmt.Sprint(e)
		if err != nil {
			got = err.Error()
		}
		if got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}

// TestBindZone shows that the zone of the session applies to literals without
// an offset and to the parts of a time, and to nothing else.
func TestBindZone(t *testing.T) {
	b := testBinder()
	b.Env.Zone = time.FixedZone("CST", 8*3600)
	checkBound(t, b, [][2]string{
		{"time >= 2008-06", "bool time >= 2008-05-31T16:00:00Z"},
		{"time >= 2008-06-01T00:00Z", "bool time >= 2008-06-01T00:00:00Z"},
		{"TODAY", "time 2008-06-17T16:00:00Z"},
		{"day(2008-06-18T20:00Z)", "int 19"},
		{"date_trunc('day', 2008-06-18T20:00Z)", "time 2008-06-18T16:00:00Z"},
		{"date_trunc('week', 2008-06-18T20:00Z)", "time 2008-06-15T16:00:00Z"},
		{"date_trunc('hour', 2008-06-18T20:31Z)", "time 2008-06-18T20:00:00Z"},
		{"strftime(2008-06-18T20:00Z, '%F %H:%M %z')", "text '2008-06-19 04:00 +0800'"},
		{"CAST(2008-06-18T20:00Z AS text)", "text '2008-06-19T04:00:00+08:00'"},
		{"CAST('2008-06' AS time)", "time 2008-05-31T16:00:00Z"},
		{"2008-01-31 + 1mo", "time 2008-02-28T16:00:00Z"},
	})
}

// TestBindReplace replaces a part of an expression by a column.
func TestBindReplace(t *testing.T) {
	b := testBinder()
	b.Replace = func(e ast.Expr) Expr {
		if e.String() == "year(time)" {
			return &Col{0, "year(time)", value.Int}
		}
		return nil
	}
	checkBound(t, b, [][2]string{{"year(time) * 100 + 1", "int (year(time) * 100) + 1"}})
	e, _ := b.Bind(parseExpr(t, "year(time)"))
	if _, ok := e.(*Col); !ok {
		t.Errorf("year(time) became %T, want the column that Replace gave", e)
	}
}

// TestAggregateHook shows that aggregates are passed to Binder.Aggregate.
func TestAggregateHook(t *testing.T) {
	b := testBinder()
	var asked []string
	b.Aggregate = func(c *ast.Call) (Expr, error) {
		asked = append(asked, c.String())
		return &Col{0, c.String(), value.Int}, nil
	}
	checkBound(t, b, [][2]string{{"count(*) * 100 / sum(bytes)", "float CAST(count(*) * 100 AS float) / CAST(sum(bytes) AS float)"}})
	if got, want := fmt.Sprint(asked), "[count(*) sum(bytes)]"; got != want {
		t.Errorf("asked about %s, want %s", got, want)
	}
}

// TestConjunction shows that nested ANDs are flattened, TRUE is dropped, and
// FALSE decides.
func TestConjunction(t *testing.T) {
	b := testBinder()
	bind := func(src string) Expr {
		e, err := b.Bind(parseExpr(t, src))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, c := range []struct {
		list []Expr
		want string
	}{
		{nil, "TRUE"},
		{[]Expr{bind("TRUE"), bind("changed")}, "changed"},
		{[]Expr{bind("changed"), bind("status = 1 AND bytes = 2")}, "changed AND status = 1 AND bytes = 2"},
		{[]Expr{bind("changed"), bind("FALSE")}, "FALSE"},
		{[]Expr{bind("NULL = 1"), bind("TRUE")}, "NULL"},
	} {
		if got := conjunction(c.list).String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// FuzzBind binds every expression that parses. Nothing panics, and each error
// has a position.
func FuzzBind(f *testing.F) {
	for _, src := range []string{
		"1 + 2 * 3 // NULL", "time BETWEEN NOW - 7d AND 2008-06", "url IN ('a.cn', $u, NULL)", "CASE kind WHEN $s THEN 1 ELSE 2.5 END",
		"regexp_replace(text, '(a)', '\\1', 'gi') || 5", "status NOT IN (1, 2.5, bytes)", "-9223372036854775807 - 2",
		"substr('abc', -9223372036854775807, 9223372036854775807)", "round(1e308 * 10, -400)", "9999-12-31 + 100000mo",
		"strftime(0001-01-01, '%G %V') LIKE '_%!_' ESCAPE '!'", "CAST('1e400d' AS duration) * 1e300",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := lang.ParseOne("SELECT "+src, "")
		q, ok := s.(*ast.Query)
		if err != nil || !ok {
			return
		}
		for _, item := range q.Select.Items {
			if item.Star {
				continue
			}
			e, err := testBinder().Bind(item.Expr)
			var fault *ast.Error
			if err != nil && (!errors.As(err, &fault) || fault.Start.Line == 0) {
				t.Errorf("%s: error without a place: %v", src, err)
			}
			if err == nil {
				_ = e.String()
			}
		}
	})
}
