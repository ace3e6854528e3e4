package lang

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"infomall/lang/ast"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// someStatements are good ones with their canonical form; "" where they have it.
var someStatements = []struct{ src, want string }{
	{"SELECT 1", ""},
	{"SELECT *", ""},
	{"select url from 'pku.edu.cn';", "SELECT url FROM 'pku.edu.cn'"},
	{"SELECT blocks FROM 'pku.edu.cn' BETWEEN 2008-06 AND 2008-08 WHERE changed", ""},
	{"SELECT DISTINCT host h, count(*) AS n FROM captures GROUP BY host", "SELECT DISTINCT host AS h, count(*) AS n FROM captures GROUP BY host"},
	{"SELECT url FROM captures IN 'a.cn', $scope, 'b' .. 'm'", ""},
	{"SELECT url FROM 'a.cn', 'b.cn/' .. 'c.cn/' AS v", ""},
	{"SELECT url FROM versions FROM 2008 TO 2009", ""},
	{"SELECT url FROM 'x' FROM 2008 TO 2009", ""},
	{"SELECT url FROM 'x' SINCE 2008-06-15T10:30", ""},
	{"SELECT url FROM 'x' UNTIL 2008-06-15T10:30:00.123+08:00 LATEST AS v", ""},
	{"SELECT url FROM 'x' LATEST SINCE 2008", "SELECT url FROM 'x' SINCE 2008 LATEST"},
	{"SELECT url FROM 'x' AS OF $t AS v", "SELECT url FROM 'x' AT $t AS v"},
	{"SELECT url FROM 'x' AT NOW - 7d - :gap AS \"of\"", "SELECT url FROM 'x' AT NOW - 7d - $gap AS \"of\""},
	{"SELECT url FROM 'x' NEAREST '2008-06-15' WHERE status = 200", ""},
	{"SELECT url FROM 'x' NEAREST 20080615 FROM TODAY - 1y TO TODAY + 1d", "SELECT url FROM 'x' FROM TODAY - 1y TO TODAY + 1d NEAREST 20080615"},
	{"SELECT url FROM 'x' FIRST WHERE a GROUP BY b HAVING c ORDER BY d DESC NULLS FIRST, e ASC NULLS LAST, 3 LIMIT $n OFFSET 5", "SELECT url FROM 'x' FIRST WHERE a GROUP BY b HAVING c ORDER BY d DESC NULLS FIRST, e, 3 LIMIT $n OFFSET 5"},
	{"SELECT at, first, to, format, page FROM latest AT 2008 AS since", ""},
	{"SELECT url first, title \"order\" FROM pages", "SELECT url AS first, title AS \"order\" FROM pages"},
	{"SELECT v.url, v.\"group\" FROM versions AS v", ""},
	{"SELECT \"blocks\" FROM 'x'", ""},
	{"SELECT 标题 AS \"正 文\" FROM 'x' WHERE 标题 CONTAINS '北京''大学'", ""},

	// Binding.
	{"SELECT a OR b AND NOT c = d || e + f * -g", ""},
	{"SELECT ((a OR b) AND (NOT (c))) = ((d))", "SELECT ((a OR b) AND NOT c) = d"},
	{"SELECT a - (b - c) - d, (a * b) / c, a * (b / c)", "SELECT a - (b - c) - d, a * b / c, a * (b / c)"},
	{"SELECT - -a, -(-a), +a, -(a + b), NOT NOT a", "SELECT - -a, - -a, +a, -(a + b), NOT NOT a"},
	{"SELECT (a = b) = c, a = (b = c), (NOT a) = b", ""},
	{"SELECT a != b, a <> b, a <= b, a >= b, a < b, a > b, a ~ 'x', a !~ 'x'", "SELECT a <> b, a <> b, a <= b, a >= b, a < b, a > b, a ~ 'x', a !~ 'x'"},
	{"SELECT a // 2 % 3", ""},
	{"SELECT 2008 - 6, 2008-06, a -2008-06, 2008 -6", "SELECT 2008 - 6, 2008-06, a - 2008-06, 2008 - 6"},
	{"SELECT a BETWEEN 1 AND 2 AND b NOT BETWEEN c + 1 AND d", ""},
	{"SELECT a IN (1, 'b', $c) OR NOT a NOT IN (1)", ""},
	{"SELECT a LIKE 'x%' ESCAPE '!' AND a NOT ILIKE b || '%'", ""},
	{"SELECT a IS NULL, a IS NOT TRUE, (a = b) IS FALSE", ""},
	{"SELECT a WITHIN 'edu.cn', a NOT WITHIN ('x', 'a' .. 'b', :s)", "SELECT a WITHIN 'edu.cn', a NOT WITHIN ('x', 'a' .. 'b', $s)"},
	{"SELECT a WITHIN ('x')", "SELECT a WITHIN 'x'"},
	{"SELECT a CONTAINS 'x', a NOT CONTAINS b", ""},
	{"SELECT a MATCH 'x', a NOT MATCH b", ""},
	{"search 'a b'", "SEARCH 'a b'"},
	{"SEARCH $q IN 'x', 'y' BETWEEN 2008 AND 2009 LATEST WHERE score > 1 ORDER BY first_seen LIMIT 5 OFFSET 2", ""},
	{"EXPLAIN SEARCH 'a b' IN 'x' SINCE 2008 FOR 'http://x.y/z'", ""},
	{"explain search $words for $url", "EXPLAIN SEARCH $words FOR $url"},
	{"SELECT search, host FROM findings('a') IN 'x' SINCE 2008 AS f JOIN findings AS search ON search.url = f.url", ""},
	{"EXPORT (SEARCH 'a' LIMIT 1000) TO 'x.csv'", ""},
	{"SELECT CASE a WHEN 1 THEN 'x' WHEN 2 THEN NULL ELSE 'y' END, CASE WHEN a THEN b END", ""},
	{"SELECT CAST(a AS int), count(*), count(DISTINCT a), f(), f(a, b + 1)", ""},
	{"SELECT now(), NOW, today - 7d, 1e-12, .5, (-.25e2), 1.5E+3, 64KB, 3mo, 90ms, 007, TRUE, false, null", "SELECT NOW, NOW, TODAY - 7d, 1e-12, .5, -.25e2, 1.5E+3, 64KB, 3mo, 90ms, 007, TRUE, FALSE, NULL"},
	{"SELECT 2008Z, 2008-06+08:00, 2008-06-08:00, 2008-06-15Z, 0000-01", ""},
	{"SELECT 99999999999999999999, 9223372036854775807", ""},

	// Blanks and comments.
	{"SELECT/* a /* nested */ comment */1 -- and ; another\n;", "SELECT 1"},
	{"#!/usr/bin/env infomall\nSELECT 1", "SELECT 1"},
	{"\ufeffSELECT\u3000url\u00a0FROM\r\n'a;b'", "SELECT url FROM 'a;b'"},

	// Statements that do things.
	{"IMPORT '/data/*.warc.gz'", ""},
	{"import 'a/**' at 2008-06 base 'http://x.cn/' format html", "IMPORT 'a/**' FORMAT html BASE 'http://x.cn/' AT 2008-06"},
	{"IMPORT 'a', $b AS summer FORMAT warc", "IMPORT 'a', $b FORMAT warc AS summer"},
	{"EXPLAIN SELECT 1", ""},
	{"explain analyze select url from 'x'", "EXPLAIN ANALYZE SELECT url FROM 'x'"},
	{"EXPLAIN IMPORT 'x'", ""},
	{"DESCRIBE versions", ""},
	{"desc versions", "DESCRIBE versions"},
	{"summarize captures", "SUMMARIZE SELECT * FROM captures"},
	{"SUMMARIZE SELECT url, 1 FROM 'x' LIMIT 1", ""},
	{"SUMMARIZE 'x', 'y' since 2008", "SUMMARIZE SELECT * FROM 'x', 'y' SINCE 2008"},
	{"DESCRIBE \"order\"", ""},
	{"show pools", "SHOW POOLS"},
	{"SHOW PAGE 'http://www.pku.edu.cn/'", ""},
	{"SHOW PAGE 'x' known at today AT 2008 AS text", "SHOW PAGE 'x' AT 2008 KNOWN AT TODAY AS text"},
	{"SHOW ROBOTS 'x' KNOWN AT 2009-01", ""},
	{"DIFF 'x' KNOWN AT $k TO 2008", "DIFF 'x' TO 2008 KNOWN AT $k"},
	{"BLAME 'x' AS words KNOWN AT NOW - 7d", "BLAME 'x' KNOWN AT NOW - 7d AS words"},
	{"SHOW PATH 'a' TO 'b' KNOWN AT 2009 AT 2008", "SHOW PATH 'a' TO 'b' AT 2008 KNOWN AT 2009"},
	{"EXPLAIN RANK 'x' IN big KNOWN AT 2009", ""},
	{"RUN gone (scope = '*') KNOWN AT 2009-06-01", ""},
	{"RUN 'x.iql' KNOWN AT $k", ""},
	{"PAGERANK KNOWN AT 2009 AT 2008", "PAGERANK AT 2008 KNOWN AT 2009"},
	{"HITS FOR 'x' KNOWN AT 2009", ""},
	{"EXPORT 'x', 'y' KNOWN AT 2009 TO 'x.warc'", "EXPORT (SELECT url, time FROM captures IN 'x', 'y' KNOWN AT 2009) TO 'x.warc'"},
	{"SEARCH 'x' IN 'y' LATEST KNOWN AT 2009 WHERE a LIMIT 3", ""},
	{"SELECT 1 FROM a KNOWN AT 2009 SINCE 2008 LATEST AS known", "SELECT 1 FROM a SINCE 2008 LATEST KNOWN AT 2009 AS known"},
	{"SELECT 1 FROM (SELECT url FROM a) KNOWN AT 2009 AS b, (SELECT 1) AS c KNOWN AT 2008", "SELECT 1 FROM (SELECT url FROM a) KNOWN AT 2009 AS b CROSS JOIN (SELECT 1) KNOWN AT 2008 AS c"},
	{"SHOW PAGE $url AS raw AT 2008-06", "SHOW PAGE $url AT 2008-06 AS raw"},
	{"SHOW PAGE 'x' AS OF NOW AS HTML", "SHOW PAGE 'x' AT NOW AS html"},
	{"SHOW PAGE 'x' AS headers", ""},
	{"SHOW PAGE 'x' AT 2008 AS text", ""},
	{"SHOW PAGE 'x' AS Blocks", "SHOW PAGE 'x' AS blocks"},
	{"SELECT count(*) FILTER (WHERE changed) AS n, sum(DISTINCT bytes) filter (where a OR b) FROM 'x'",
		"SELECT count(*) FILTER (WHERE changed) AS n, sum(DISTINCT bytes) FILTER (WHERE a OR b) FROM 'x'"},
	{"SELECT count(*) filter FROM 'x'", "SELECT count(*) AS filter FROM 'x'"},
	{"SELECT n FROM (SELECT count(*) AS n FROM captures GROUP BY host) AS g WHERE n > 1", ""},
	{"SELECT * FROM (SELECT 1)", ""},
	{"with a as (select 1 x), \"b\" as (select x from a) select x from b",
		"WITH a AS (SELECT 1 AS x), \"b\" AS (SELECT x FROM a) SELECT x FROM b"},
	{"select 1 union all select 2 union all select distinct a from 'x' order by 1 limit 3",
		"SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT DISTINCT a FROM 'x' ORDER BY 1 LIMIT 3"},
	{"select v.url from versions in 'a.cn' latest as v left join captures since 2008 as c on c.url = v.url and c.time = v.time join pages on pages.url = v.url",
		"SELECT v.url FROM versions IN 'a.cn' LATEST AS v LEFT JOIN captures SINCE 2008 AS c ON c.url = v.url AND c.time = v.time JOIN pages ON pages.url = v.url"},
	{"select (select max(time) from captures) from pages as p where not exists (with a as (select 1) select * from a) and url not in (select url from 'x' order by 1 limit 3) or (1 + (select 2)) > 3",
		"SELECT (SELECT max(time) FROM captures) FROM pages AS p WHERE NOT EXISTS (WITH a AS (SELECT 1) SELECT * FROM a) AND url NOT IN (SELECT url FROM 'x' ORDER BY 1 LIMIT 3) OR 1 + (SELECT 2) > 3"},
	{"select * from 'x' during 2008-06 and 2008-07 each month as v join file 'urls.csv' as f on f.u = v.url left join periods(day) between 2008 and 2009 as p on p.time = v.time",
		"SELECT * FROM 'x' DURING 2008-06 AND 2008-07 EACH month AS v JOIN FILE 'urls.csv' AS f ON f.u = v.url LEFT JOIN periods(day) BETWEEN 2008 AND 2009 AS p ON p.time = v.time"},
	{"SELECT * FROM 'x' EACH year UNION ALL SELECT * FROM file EACH week", ""},
	{"SELECT * FROM versions EACH $unit", ""},
	{"select 1 union select 2 except select 3 Intersect select 4 union all select 5",
		"SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 INTERSECT SELECT 4 UNION ALL SELECT 5"},
	{"select a except select b", "SELECT a EXCEPT SELECT b"},
	{"select * from captures c inner join versions v on c.url = v.url left outer join pages p using (url, \"host\") cross join hosts",
		"SELECT * FROM captures AS c JOIN versions AS v ON c.url = v.url LEFT JOIN pages AS p USING (url, \"host\") CROSS JOIN hosts"},
	{"select * from 'a', 'b', captures c in 'x', 'y' .. 'z', (select 1) q, 'c' r at 2008, 'd' s where c.url = r.url",
		"SELECT * FROM 'a', 'b' CROSS JOIN captures IN 'x', 'y' .. 'z' AS c CROSS JOIN (SELECT 1) AS q CROSS JOIN 'c' AT 2008 AS r CROSS JOIN 'd' AS s WHERE c.url = r.url"},
	{"select * from versions v at 2008-07, versions at 2008-08 w, versions as \"at\" latest, versions as first since 2008, file 'f.csv' f, periods(month) p since 2008, findings('x') g",
		"SELECT * FROM versions AT 2008-07 AS v CROSS JOIN versions AT 2008-08 AS w CROSS JOIN versions LATEST AS \"at\" CROSS JOIN versions SINCE 2008 AS first CROSS JOIN FILE 'f.csv' AS f CROSS JOIN periods(month) SINCE 2008 AS p CROSS JOIN findings('x') AS g"},
	{"select '5'::int + 1, -a::float, (-a)::text::url, b.c::time from 'x'", "SELECT CAST('5' AS int) + 1, -CAST(a AS float), CAST(CAST(-a AS text) AS url), CAST(b.c AS time) FROM 'x'"},
	{"select a ~* 'x' and b !~* 'y'", "SELECT a ~* 'x' AND b !~* 'y'"},
	{"select row_number() over (partition by host, kind order by time desc nulls first) n, sum(x) filter (where y) over (), lag(a, 1) over (order by b) from 'x'",
		"SELECT row_number() OVER (PARTITION BY host, kind ORDER BY time DESC NULLS FIRST) AS n, sum(x) FILTER (WHERE y) OVER (), lag(a, 1) OVER (ORDER BY b) FROM 'x'"},
	{"select count(*) over from 'x'", "SELECT count(*) AS over FROM 'x'"},
	{"WITH a AS (SELECT 1 UNION ALL SELECT 2) SELECT * FROM a UNION ALL SELECT 3", ""},
	{"EXPORT (SELECT url FROM 'x') TO 'x.csv'", ""},
	{"export (select 1) format jsonl to 'a' || $b || '.gz';", "EXPORT (SELECT 1) TO 'a' || $b || '.gz' FORMAT jsonl"},
	{"EXPLAIN EXPORT (SELECT 1) TO $file", ""},
	{"export (select 1 as a) partition by a, a + 1 as b, c format parquet to 'x/'", "EXPORT (SELECT 1 AS a) TO 'x/' PARTITION BY a, a + 1 AS b, c FORMAT parquet"},
	{"export 'x' follow to 'x.warc'", "EXPORT (SELECT url, time FROM captures IN 'x') TO 'x.warc' FOLLOW"},
	{"EXPORT (SELECT url, time FROM captures) TO 'x.warc' FORMAT warc FOLLOW CRAWL crawl", ""},
	{"export provenance of (search 'x') to 'a' || '.wacz'", "EXPORT PROVENANCE OF (SEARCH 'x') TO 'a' || '.wacz'"},
	{"CRAWL 'http://a.cn/'", ""},
	{"crawl due", "CRAWL DUE"},
	{"CRAWL DUE IN 'a.cn', 'b.cn' .. $to DEPTH 1 AS again", ""},
	{"schedule s every 7d as crawl 'http://a.cn/'", "SCHEDULE s EVERY 7d AS CRAWL 'http://a.cn/'"},
	{"SCHEDULE s CRON '0 3 * * *' AS RUN schedule", ""},
	{"SCHEDULE every ADAPTIVE AS CRAWL DUE", ""},
	{"EXPLAIN SCHEDULE s ADAPTIVE BUDGET 100 PER 1d AS CRAWL DUE IN 'a.cn'", ""},
	{"SCHEDULE s AFTER IMPORT AS EVENTS news", ""},
	{"UNSCHEDULE s", ""},
	{"RUN SCHEDULE s", ""},
	{"watch w every 1d as select url from versions", "WATCH w EVERY 1d AS SELECT url FROM versions"},
	{"watch w every $d from start as select host, count(*) key from captures group by host key (host, \"n\") then run tell (n = $batch)",
		"WATCH w EVERY $d FROM START AS SELECT host, count(*) AS key FROM captures GROUP BY host KEY (host, \"n\") THEN RUN tell (n = $batch)"},
	{"EXPLAIN WATCH key EVERY 7d AS SEARCH 'x' KEY (url) THEN VERIFY", ""},
	{"UNWATCH watch", ""},
	{"RUN WATCH w", ""},
	{"crawl 'http://a.cn/', $u as n traps limit $t allow private ignore robots with requisites agent 'x' delay 2s workers 4 order random proxy 'http://p:1' rate 2MB exclude 'a.cn/x', ~'[0-9]' within 'a.cn' .. 'b.cn', 'c.cn' limit 10 pages, 2MB, 7d depth $d",
		"CRAWL 'http://a.cn/', $u DEPTH $d LIMIT 10 PAGES, 2MB, 7d WITHIN 'a.cn' .. 'b.cn', 'c.cn' EXCLUDE 'a.cn/x', ~'[0-9]' ORDER RANDOM WORKERS 4 DELAY 2s RATE 2MB AGENT 'x' PROXY 'http://p:1' WITH REQUISITES IGNORE ROBOTS ALLOW PRIVATE TRAPS LIMIT $t AS n"},
	{"show robots 'http://a.cn/x' as of 2008-06 agent $a", "SHOW ROBOTS 'http://a.cn/x' AGENT $a AT 2008-06"},
	{"EXPLAIN CRAWL 'http://a.cn/' DEPTH 3 ORDER BFS", ""},
	{"CRAWL 'http://a.cn/' ORDER BEST", ""},
	{"crawl 'http://a.cn/' forms q = 'x', \"order\" = ('a', $b), \"a[]\" = file 'w.txt', t = (select term from terms limit 9) ignore robots", "CRAWL 'http://a.cn/' FORMS q = 'x', \"order\" = ('a', $b), \"a[]\" = FILE 'w.txt', t = (SELECT term FROM terms LIMIT 9) IGNORE ROBOTS"},
	{"CRAWL 'http://a.cn/' FORMS forms = ('x') LIMIT 2 PAGES", "CRAWL 'http://a.cn/' LIMIT 2 PAGES FORMS forms = 'x'"},
	{"crawl 'http://a.cn/' expand where similarity > 0.5 or anchor contains 'x' through 2 for 'a b' within 'a.cn'", "CRAWL 'http://a.cn/' WITHIN 'a.cn' FOR 'a b' EXPAND WHERE similarity > 0.5 OR anchor CONTAINS 'x' THROUGH 2"},
	{"CRAWL 'http://a.cn/' FOR $words EXPAND WHERE lang = 'zh' THROUGH $n", ""},
	{"CRAWL DUE EXPAND WHERE label <> 'nav' WORKERS 2", ""},
	{"crawl 'http://a.cn/' profile 'p' render when mime = 'text/html' and status = 200 with 2 browsers screenshot as a", "CRAWL 'http://a.cn/' RENDER WHEN mime = 'text/html' AND status = 200 WITH 2 BROWSERS SCREENSHOT PROFILE 'p' AS a"},
	{"CRAWL 'http://a.cn/' WITH REQUISITES RENDER", ""},
	{"CRAWL 'http://a.cn/' RENDER WITH $n BROWSERS PROFILE $p", ""},
	{"CRAWL 'http://a.cn/' RENDER SCREENSHOT", ""},
	{"crawl 'http://a.cn/' as a on 'nats://n:4222' depth 2", "CRAWL 'http://a.cn/' DEPTH 2 ON 'nats://n:4222' AS a"},
	{"CRAWL 'http://a.cn/' ON $n", ""},
	{"CRAWL 'http://a.cn/' RENDER WITH REQUISITES", "CRAWL 'http://a.cn/' WITH REQUISITES RENDER"},
	{"trace 'http://a.cn/'", "TRACE 'http://a.cn/'"},
	{"TRACE $u", ""},
	{"crawl 'http://a.cn/' from archive at 2008-06 as x", "CRAWL 'http://a.cn/' FROM ARCHIVE AT 2008-06 AS x"},
	{"CRAWL 'file:///a/' FROM ARCHIVE", ""},
	{"pause crawl x", "PAUSE CRAWL x"},
	{"RESUME CRAWL \"stop it\"", ""},
	{"STOP CRAWL stop", ""},
	{"set workers 4 for crawl x", "SET WORKERS 4 FOR CRAWL x"},
	{"set delay 2s for crawl x", "SET DELAY 2s FOR CRAWL x"},
	{"set delay $d for crawl x in 'a.cn'", "SET DELAY $d FOR CRAWL x IN 'a.cn'"},
	{"reset delay for crawl x in $h", "RESET DELAY FOR CRAWL x IN $h"},
	{"exclude 'a.cn', 'b'..'c', ~'x' from crawl y", "EXCLUDE 'a.cn', 'b' .. 'c', ~'x' FROM CRAWL y"},
	{"include 'a.cn', ~$p in crawl y", "INCLUDE 'a.cn', ~$p IN CRAWL y"},
	{"reset delay", "RESET delay"},
	{"SET workers = 4", ""},
	{"add 'http://a.cn/x', :u to crawl x force", "ADD 'http://a.cn/x', $u TO CRAWL x FORCE"},
	{"COPY POOL ALL TO 'dir'", ""},
	{"COPY (SELECT a) TO 'x' (FORMAT csv, HEADER TRUE)", "EXPORT (SELECT a) TO 'x' FORMAT csv"},
	{"COPY (SELECT a) TO 'x' csv header", "EXPORT (SELECT a) TO 'x' FORMAT csv"},
	{"CRAWL 'a.cn' LIMIT 100", "CRAWL 'a.cn' LIMIT 100 PAGES"},
	{"SELECT sum(a) OVER w, lag(a) OVER \"W\" FROM b WINDOW w AS (PARTITION BY c ORDER BY d)", "SELECT sum(a) OVER (PARTITION BY c ORDER BY d), lag(a) OVER (PARTITION BY c ORDER BY d) FROM b"},
	{"SELECT (SELECT sum(a) OVER w FROM b WINDOW w AS ()) + rank() OVER w FROM b WINDOW v AS (), w AS (ORDER BY c)", "SELECT (SELECT sum(a) OVER () FROM b) + rank() OVER (ORDER BY c) FROM b"},
	{"DELETE FROM captures WHERE url = 'x'", "DELETE FROM '*' WHERE url = 'x'"},
	{"DELETE FROM captures IN 'x'", "DELETE FROM 'x'"},
	{"SELECT substring(a FROM 2), substring(a FROM 2 FOR 3)", "SELECT substr(a, 2), substr(a, 2, 3)"},
	{"SELECT substring(a FROM '[(]x'), substring(a FROM '[^(]+([0-9])')", "SELECT regexp_extract(a, '[(]x'), regexp_extract(a, '[^(]+([0-9])', 1)"},
	{"SELECT substring(a FROM 'x.'), substring(a FROM 'x(.)'), SUBSTRING(a FROM 'x(?:.)\\(')", "SELECT regexp_extract(a, 'x.'), regexp_extract(a, 'x(.)', 1), regexp_extract(a, 'x(?:.)\\(')"},
	{"SELECT DISTINCT ON (a) a, max(b) m FROM t GROUP BY a ORDER BY a, m DESC LIMIT 2",
		`SELECT "column 1" AS a, "column 2" AS m FROM (SELECT a AS "column 1", max(b) AS "column 2", a AS "key 1", max(b) AS "key 2", row_number() OVER (PARTITION BY a ORDER BY a, max(b) DESC) AS "row" FROM t GROUP BY a) WHERE "row" = 1 ORDER BY "key 1", "key 2" DESC LIMIT 2`},
	{"SELECT a FROM t FETCH FIRST 5 ROWS ONLY", "SELECT a FROM t LIMIT 5"},
	{"SELECT a FROM t OFFSET 2 ROWS FETCH NEXT ROW ONLY", "SELECT a FROM t LIMIT 1 OFFSET 2"},
	{"SELECT a FROM t OFFSET 2 LIMIT ALL", "SELECT a FROM t OFFSET 2"},
	{"SELECT a, count(*) FROM t GROUP BY a ORDER BY count DESC", "SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC"},
	{"SELECT count, count(*) FROM t GROUP BY 1 ORDER BY count", ""},
	{"SELECT a FROM t TABLESAMPLE BERNOULLI (1.5) WHERE b", "SELECT a FROM t WHERE random() * 100 < 1.5 AND b"},
	{"SELECT a FROM t x TABLESAMPLE SYSTEM (5)", "SELECT a FROM t AS x WHERE random() * 100 < 5"},
	{"WITH x (b, c) AS (SELECT a, 1 FROM t) SELECT b FROM (SELECT c FROM x) AS y (d)", "WITH x AS (SELECT a AS b, 1 AS c FROM t) SELECT b FROM (SELECT c AS d FROM x) AS y"},
	{"SELECT a FROM t RIGHT OUTER JOIN u ON t.x = u.x", "SELECT a FROM u LEFT JOIN t ON t.x = u.x"},
	{"SELECT a = ANY (SELECT 1), a <> ALL (SELECT 1)", "SELECT a IN (SELECT 1), a NOT IN (SELECT 1)"},
	{"SELECT (a, b) IN ((1, 2), (3, 4))", "SELECT a = 1 AND b = 2 OR a = 3 AND b = 4"},
	{"SELECT a FROM t WHERE (a, b) NOT IN (SELECT c, max(d) FROM u GROUP BY c)",
		`SELECT a FROM t WHERE NOT EXISTS (SELECT * FROM (SELECT c AS "column 1", max(d) AS "column 2" FROM u GROUP BY c) WHERE a = "column 1" AND b = "column 2")`},
	{"SET timezone TO 'UTC'", "SET timezone = 'UTC'"},
	{"COPY captures TO 'x.csv' CSV HEADER", "EXPORT (SELECT * FROM captures) TO 'x.csv' FORMAT CSV"},
	{"COPY ARCHIVE TO 'd'", "COPY POOL ALL TO 'd'"},
	{"COPY captures (url, time) TO 'x.csv'", "EXPORT (SELECT url, time FROM captures) TO 'x.csv'"},
	{"COPY (SELECT 1) TO STDOUT WITH CSV HEADER", "SELECT 1"},
	{"SELECT a IS DISTINCT FROM b", "SELECT coalesce(a <> b, a IS NOT NULL OR b IS NOT NULL)"},
	{"SELECT a IS NOT DISTINCT FROM b", "SELECT coalesce(a = b, a IS NULL AND b IS NULL)"},
	{"SELECT left(a, 2), date '2008', a::numeric(10, 2)", "SELECT substr(a, 1, 2), CAST('2008' AS time), CAST(a AS numeric)"},
	{"SELECT concat(a, 'b'), iif(a, b, c), mod(a, b)", "SELECT coalesce(CAST(a AS text), '') || 'b', CASE WHEN a THEN b ELSE c END, a % b"},
	{"SELECT extract(quarter FROM a), week(a), percentile_cont(0.9) WITHIN GROUP (ORDER BY a)", "SELECT (month(a) + 2) // 3, CAST(strftime(a, '%V') AS int), quantile_cont(a, 0.9)"},
	{"explain copy pool $p to :dir;", "EXPLAIN COPY POOL $p TO $dir"},
	{"MOVE POOL ALL TO 's3://bucket/old' AFTER 12mo", ""},
	{"move pool $p to :place after $age", "MOVE POOL $p TO $place AFTER $age"},
	{"explain move pool '200806' back;", "EXPLAIN MOVE POOL '200806' BACK"},
	{"VERIFY", ""},
	{"verify pool '200806';", "VERIFY POOL '200806'"},
	{"EXPLAIN VERIFY POOL $pool", ""},
	{"MERGE POOL ALL", ""},
	{"seal pool all", "SEAL POOL ALL"},
	{"EXPLAIN SEAL POOL $p", ""},
	{"explain merge pool '200806'", "EXPLAIN MERGE POOL '200806'"},
	{"VERIFY POOL '200806' SAMPLE 1/7", ""},
	{"verify sample 1 / $n pool :p", "VERIFY POOL $p SAMPLE 1/$n"},
	{"REPAIR POOL '200806' FROM 'backup'", ""},
	{"DROP POOL '200806'", ""},
	{"explain drop pool :p", "EXPLAIN DROP POOL $p"},
	{"CREATE VIEW news AS SELECT * FROM 'www.lanshan.example/news/'", ""},
	{"create or replace view \"order\" as with a as (select 1) select * from a;", "CREATE OR REPLACE VIEW \"order\" AS WITH a AS (SELECT 1) SELECT * FROM a"},
	{"EXPLAIN CREATE VIEW v AS SELECT 1 UNION ALL SELECT 2", ""},
	{"create metadata section on page as split_part(path(url), '/', 2)", "CREATE METADATA section ON page AS split_part(path(url), '/', 2)"},
	{"CREATE OR REPLACE METADATA words ON version AS length(text) // 5", ""},
	{"CREATE METADATA block ON block AS version", ""},
	{"drop view v", "DROP VIEW v"},
	{"explain drop metadata m", "EXPLAIN DROP METADATA m"},
	{"SAVE gone AS SELECT url FROM 'x'", ""},
	{"save gone() as select url from 'x'", "SAVE gone AS SELECT url FROM 'x'"},
	{"SAVE gone (scope, n) AS SELECT url FROM pages IN $scope LIMIT $n", ""},
	{"RUN gone", ""},
	{"RUN gone (scope = 'x', n = 3, since = 2008-06, \"on\" = off)", ""},
	{"run gone(scope = lanshan, n = -3)", "RUN gone (scope = lanshan, n = -3)"},
	{"RUN 'june.iql'", ""},
	{"EXPLAIN RUN $file (scope = $s)", ""},
	{"DELETE FROM '*'", ""},
	{"delete from captures in 'a.cn/x' .. 'a.cn/y', $s since 2008 reason 'why' where status = 404", "DELETE FROM 'a.cn/x' .. 'a.cn/y', $s SINCE 2008 WHERE status = 404 REASON 'why'"},
	{"DELETE FROM 'a.cn' forever where status = 404 reason $why", "DELETE FROM 'a.cn' WHERE status = 404 REASON $why FOREVER"},
	{"DELETE FROM 'a.cn' FOREVER BY DIGEST", ""},
	{"ALLOW 'a.cn', 'b.cn' .. 'c.cn', $s", ""},
	{"rule \"my rule\" on 'a.cn', 'b.cn' .. 'c.cn' since 2008 block 'asked for'", "RULE \"my rule\" ON 'a.cn', 'b.cn' .. 'c.cn' SINCE 2008 BLOCK 'asked for'"},
	{"RULE a ON '*' EXCLUDE", ""},
	{"RULE a ON 'a.cn' UNTIL NOW - 7d EMBARGO 1y", ""},
	{"DROP RULE a", ""},
	{"allow entry 3, $n", "ALLOW ENTRY 3, $n"},
	{"EXPLAIN DELETE FROM 'a.cn' FROM 2008 TO 2009 WHERE url IN ('http://a.cn/')", ""},
	{"explain repair pool :p from $dir", "EXPLAIN REPAIR POOL $p FROM $dir"},
	{"REINDEX", ""},
	{"reindex pool '200806';", "REINDEX POOL '200806'"},
	{"EXPLAIN REINDEX POOL $pool", ""},
	{"reindex derived", "REINDEX DERIVED"},
	{"reindex pool '200806' documents", "REINDEX POOL '200806' DOCUMENTS"},
	{"REINDEX POOL '200806' DERIVED", ""},
	{"PAGERANK", ""},
	{"pagerank june over 'a.cn', 'b.cn' .. 'c.cn' at 2008-06 damping .9 tolerance 1e-12 iterations $n norm n seeds 'http://a.cn/', $s without nav, internal by host warm",
		"PAGERANK june OVER 'a.cn', 'b.cn' .. 'c.cn' AT 2008-06 DAMPING .9 TOLERANCE 1e-12 ITERATIONS $n NORM N SEEDS 'http://a.cn/', $s WITHOUT internal, nav BY host WARM"},
	{"PAGERANK WITHOUT nofollow BETWEEN 2008-06 AND 2008-08 BY page NORM 1 OVER 'pku.edu.cn'", "PAGERANK OVER 'pku.edu.cn' BETWEEN 2008-06 AND 2008-08 NORM 1 WITHOUT nofollow BY page"},
	{"explain pagerank \"over\" latest;", "EXPLAIN PAGERANK \"over\" LATEST"},
	{"hits for 'jaguar'", "HITS FOR 'jaguar'"},
	{"HITS OVER '*' VARIANT kleinberg", ""},
	{"HITS OVER '*' VARIANT hub_threshold", ""},
	{"HITS OVER '*' VARIANT authority_threshold", ""},
	{"HITS OVER '*' VARIANT full_threshold", ""},
	{"HITS OVER '*' VARIANT symmetric", ""},
	{"HITS cars without host $h, 'b.cn' within HOST weight arc iterations 9 keep $k variant Hub_Averaging at 2008-06 over 'a.cn', $s for $w",
		"HITS cars FOR $w OVER 'a.cn', $s AT 2008-06 VARIANT hub_averaging KEEP $k ITERATIONS 9 WEIGHT arc WITHIN host WITHOUT HOST $h, 'b.cn'"},
	{"EXPLAIN HITS \"for\" OVER '*' SINCE 2008 WITHIN domain", ""},
	{"HITS g OVER GRAPH web VARIANT symmetric", ""},
	{"pagerank norm n over graph \"over\"", "PAGERANK OVER GRAPH \"over\" NORM N"},
	{"show path 'a' to 'b' over graph web", "SHOW PATH 'a' TO 'b' OVER GRAPH web"},
	{"EXPLAIN DROP GRAPH web", ""},
	{"SELECT a SINCE 2008-08 AND b, since, c since, 1 SINCE NOW FROM x SINCE 2008", "SELECT a >= 2008-08 AND b, since, c AS since, 1 >= NOW FROM x SINCE 2008"},
	{"EVENTS", ""},
	{"events \"about\" about $words by hour in 'a.cn', $s since 2008 of headlines language 'zh'", "EVENTS \"about\" IN 'a.cn', $s SINCE 2008 ABOUT $words BY hour LANGUAGE 'zh' OF headlines"},
	{"EXPLAIN EVENTS news DURING 2008 AND 2009 BY week OF articles", ""},
	{"EVENTS news BY day", ""},
	{"EVENTS news BY month", ""},
	{"DROP EVENTS news", ""},
	{"trace event 'olympics opening' since 2008 in 'a.cn'", "TRACE EVENT 'olympics opening' IN 'a.cn' SINCE 2008"},
	{"drop gazetteer", "DROP GAZETTEER"},
	{"TRAIN news ON (SELECT text, host AS class FROM versions) USING svm FEATURES 2000 BY ig FOLDS 10", ""},
	{"train n on (select text, class from 'x') features $n by chi using bayes", "TRAIN n ON (SELECT text, class FROM 'x') USING bayes FEATURES $n BY chi"},
	{"DROP CLASSIFIER news", ""},
	{"CHECK REPLAY", ""},
	{"check replay latest in 'a.cn', $s", "CHECK REPLAY IN 'a.cn', $s LATEST"},
	{"CHECK REPLAY IN 'a.cn' SINCE 2026", ""},
	{"DEDUP", ""},
	{"DEDUP METHOD keywords", ""},
	{"DEDUP METHOD containment SIMILARITY 0.9", ""},
	{"dedup latest distance $k method simhash of pages in 'a.cn', $s", "DEDUP IN 'a.cn', $s LATEST OF pages METHOD simhash DISTANCE $k"},
	{"EXPLAIN DEDUP AT 2008-06 OF blocks METHOD minhash SIMILARITY 0.9", ""},
	{"DEDUP OF images DISTANCE 4", ""},
	{"CLUSTER ON (SELECT url, text FROM versions) BY words", ""},
	{"cluster news (SELECT url, main AS text, time FROM versions) seed 3 k $k by words", "CLUSTER news ON (SELECT url, main AS text, time FROM versions) BY words K $k SEED 3"},
	{"EXPLAIN CLUSTER \"on\" ON (SELECT url, text FROM versions) BY simhash EPS 3 MINPTS 5", ""},
	{"DROP CLUSTERS news", ""},
	{"SHOW PATH 'http://a.cn/' TO $b", ""},
	{"show path 'a' to 'b' during 2008-06 and now - 7d", "SHOW PATH 'a' TO 'b' DURING 2008-06 AND NOW - 7d"},
	{"explain show path 'a.cn' to 'b.cn' as of 2008-06;", "EXPLAIN SHOW PATH 'a.cn' TO 'b.cn' AT 2008-06"},
	{"EXPLAIN RANK 'http://a.cn/'", ""},
	{"explain rank $u in june;", "EXPLAIN RANK $u IN june"},
	{"RECOVER 'a.raw'", ""},
	{"recover 'a.raw' to 'b.raw';", "RECOVER 'a.raw' TO 'b.raw'"},
	{"EXPLAIN RECOVER $file TO $saved", ""},
	{"DIFF 'http://www.pku.edu.cn/'", ""},
	{"diff $url to 2008-08 from NOW - 7d;", "DIFF $url FROM NOW - 7d TO 2008-08"},
	{"DIFF 'x' FROM 20080615", ""},
	{"DIFF 'x' TO '2008-06-15'", ""},
	{"BLAME 'http://www.pku.edu.cn/'", ""},
	{"blame $url as WORDS as of 2008-08;", "BLAME $url AT 2008-08 AS words"},
	{"explain BLAME 'x' at '2008-06-15' as Lines", "EXPLAIN BLAME 'x' AT '2008-06-15' AS lines"},
	{"BLAME 'x' AS blocks", ""},
	{"show story $url of block $b all since 2008", "SHOW STORY $url OF BLOCK $b SINCE 2008 ALL"},
	{"SHOW STORY 'x' DURING 2008 AND 2009", ""},
	{"EXPLAIN SHOW STORY 'x' OF BLOCK '20080602T011743-12'", ""},
	{"select url from pages at 2008-07 within 7d since 2008", "SELECT url FROM pages SINCE 2008 AT 2008-07 WITHIN 7d"},
	{"SEARCH 'x' as of $t within $d", "SEARCH 'x' AT $t WITHIN $d"},
	{"HITS FOR 'x' AT 2008 WITHIN domain", ""},
	{"HITS FOR 'x' AT 2008 WITHIN 1d WITHIN host", ""},
	{"EXPLAIN DIFF 'x'", ""},
	{"SET timezone = 'Asia/Shanghai'", ""},
	{"SET cache = ON", "SET cache = on"},
	{"SET mode = csv", ""},
	{"SET memory = 64MB", ""},
	{"SET $since = 2008-06", ""},
	{"SET :n = -3", "SET $n = -3"},
	{"RESET timezone", ""},
	{"HELP", ""},
	{"help show page", "HELP SHOW PAGE"},
}

func TestParse(t *testing.T) {
	for _, tt := range someStatements {
		want := tt.want
		if want == "" {
			want = tt.src
		}
		st, err := ParseOne(tt.src, "t.iql")
		if err != nil {
			t.Errorf("%q:\n%s", tt.src, Render(err, tt.src))
			continue
		}
		if got := st.String(); got != want {
			t.Errorf("%q prints as\n %s, want\n %s", tt.src, got, want)
		}
		checkRoundTrip(t, st)
		checkSpans(t, tt.src, st)
	}
}

// TestEveryWord shows that someStatements use each word of the language.
func TestEveryWord(t *testing.T) {
	used := make(map[string]bool)
	for _, tt := range someStatements {
		s := scan.New(tt.src, "")
		for s.Next() {
			for _, tok := range s.Tokens {
				used[scan.Upper(tok.Value)] = true
			}
		}
	}
	for _, w := range grammar.Words() {
		if !used[w] {
			t.Errorf("no statement uses %s", w)
		}
	}
}

// TestReservedAsNames shows that every reserved word is a name in quotes, and
// that no other word of the language needs them.
func TestReservedAsNames(t *testing.T) {
	for _, w := range ast.Reserved {
		if _, err := ParseOne(`SELECT "`+w+`" AS "`+w+`"`, ""); err != nil {
			t.Errorf("%s in quotes: %v", w, err)
		}
		if _, err := ParseOne("SELECT 1 AS "+w, ""); err == nil {
			t.Errorf("%s is a name without quotes", w)
		}
	}
	for _, w := range grammar.Words() {
		if !slices.Contains(ast.Reserved, w) {
			if _, err := ParseOne("SELECT "+w+", 1 AS "+w+" FROM "+w, ""); err != nil {
				t.Errorf("%s is no name: %v", w, err)
			}
		}
	}
}

// TestPlaces shows where nodes stand, behind characters of several bytes too.
func TestPlaces(t *testing.T) {
	src := "SELECT 1;\n SELECT '标题' || title,\n  a\n+ b FROM 'x'"
	list, err := Parse(src, "t.iql")
	if err != nil {
		t.Fatal(err)
	}
	items := list[1].(*ast.Query).Select.Items
	for _, tt := range []struct {
		node interface{ At() ast.Span }
		want string
		line int
		col  int
	}{
		{list[1], "SELECT '标题' || title,\n  a\n+ b FROM 'x'", 2, 2},
		{&items[0], "'标题' || title", 2, 9},
		{items[0].Expr.(*ast.Binary).Y, "title", 2, 17},
		{items[0].Expr.(*ast.Binary).OpAt, "||", 2, 14},
		{items[1].Expr, "a\n+ b", 3, 3},
		{items[1].Expr.(*ast.Binary).Y, "b", 4, 3},
	} {
		at := tt.node.At()
		if got := src[at.Start.Offset:at.End.Offset]; got != tt.want {
			t.Errorf("span is %q, want %q", got, tt.want)
		}
		if at.Start.Line != tt.line || at.Start.Column != tt.col || at.Start.Filename != "t.iql" {
			t.Errorf("%q at %v, want %d:%d", tt.want, at.Start, tt.line, tt.col)
		}
	}
}

// TestScript shows that one bad statement does not hide the others.
func TestScript(t *testing.T) {
	src := "SELECT 1;; SELCT 2;\nSELECT 3 -- ;\n; SELECT (4; SELECT 2008-6, 1 = = ; SHOW POOLS"
	list, err := Parse(src, "s.iql")
	var got []string
	for _, st := range list {
		got = append(got, st.String())
	}
	if want := "SELECT 1|SELECT 3|SHOW POOLS"; strings.Join(got, "|") != want {
		t.Errorf("statements are %q, want %q", got, want)
	}
	var faults Errors
	if !errors.As(err, &faults) {
		t.Fatalf("error is %v, want Errors", err)
	}
	want := []string{"s.iql:1:12: ", "s.iql:3:12: ", "s.iql:3:21: "}
	if len(faults) != len(want) {
		t.Fatalf("%d errors, want %d:\n%v", len(faults), len(want), err)
	}
	for i, e := range faults {
		if !strings.HasPrefix(e.Error(), want[i]) {
			t.Errorf("error %d is %q, want it at %s", i, e, want[i])
		}
	}
}

func TestStatementsStops(t *testing.T) {
	n := 0
	for range Statements("SELECT 1; SELECT 2; SELCT; SELECT 3", "") {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d steps, want 3", n)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	_, err := Parse(strings.Repeat("SELECT ?; ", 1000), "")
	var faults Errors
	if !errors.As(err, &faults) || len(faults) != errorsMax {
		t.Errorf("%d errors, want %d", len(faults), errorsMax)
	}
	_, err = Parse(strings.Repeat("?", 1000), "")
	const faultsMax = 8 // of one statement
	if !errors.As(err, &faults) || len(faults) != faultsMax {
		t.Errorf("%d errors of one statement, want %d", len(faults), faultsMax)
	}
}

func TestParseOne(t *testing.T) {
	for src, want := range map[string]string{
		" -- nothing":        "there is no statement",
		"SELECT 1; SELECT 2": "1:11: a second statement where one is wanted",
	} {
		if _, err := ParseOne(src, ""); err == nil || err.Error() != want {
			t.Errorf("ParseOne(%q) = %v, want %s", src, err, want)
		}
	}
}

// TestLimits shows that every bound is a clear error with a place.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name, src, want string
	}{
		{"brackets", "SELECT " + strings.Repeat("(", 10_000), "1:208: nested more than 200 deep"},
		{"many brackets", "SELECT " + strings.Repeat("(", 5_000_000), "1:208: nested more than 200 deep"},
		{"NOT", "SELECT " + strings.Repeat("NOT ", 10_000) + "a", "1:808: nested more than 200 deep"},
		{"signs", "SELECT " + strings.Repeat("- ", 10_000) + "a", "1:408: nested more than 200 deep"},
		{"CASE", "SELECT " + strings.Repeat("CASE WHEN ", 10_000) + "a", "1:2008: nested more than 200 deep"},
		{"chain", "SELECT 1" + strings.Repeat("+1", 10_001), "more than 10000 operators in one expression"},
		{"moment", "SELECT 1 FROM 'x' AT NOW" + strings.Repeat("-1d", 10_001), "more than 10000 operators in one expression"},
		{"statement", "SELECT 1;\nSELECT '" + strings.Repeat("x", 1<<20) + "'", "2:8: statement longer than 1 MB (the text in quotes here has 1048576 bytes; is the quote at its end missing?)"},
		{"long list", "SELECT 1;\nSELECT 1 IN (" + strings.Repeat("12345, ", 1<<18) + "1)", "2:1: statement longer than 1 MB (end each statement with a ;, and read a long list with FILE 'list.csv')"},
		{"script", strings.Repeat(" ", 16<<20) + "SELECT 1", "1:1: script of 16777224 bytes (at most 16 MB; cut it into several)"},
	} {
		if _, err := Parse(tt.src, ""); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %.200v, want %s", tt.name, err, tt.want)
		}
	}
	for _, src := range []string{
		"SELECT " + strings.Repeat("(", 198) + "1" + strings.Repeat(")", 198),
		"SELECT a IN (1" + strings.Repeat(", 1", 100_000) + ")",
		"SELECT a" + strings.Repeat(" OR a", 9_999),
	} {
		st, err := ParseOne(src, "")
		if err != nil {
			t.Errorf("%.40s…: %v", src, err)
			continue
		}
		if _, err := ParseOne(st.String(), ""); err != nil {
			t.Errorf("%.40s… printed: %v", src, err)
		}
	}
	// A statement behind one that is given up is still read.
	src := "SELECT " + strings.Repeat("(", 500) + "';' -- ;\n/* ; */; SELECT 2"
	if list, _ := Parse(src, ""); len(list) != 1 || list[0].String() != "SELECT 2" {
		t.Errorf("statements after deep brackets: %v, want SELECT 2", list)
	}
}

// TestLongStatements shows that faults in long statements are told, wherever
// they are.
func TestLongStatements(t *testing.T) {
	list := "IN (1" + strings.Repeat(", 1", 20_000) + ")"
	for _, tt := range []struct{ src, want string }{
		{"SELECT a FORM 'x' WHERE a " + list, "1:10: unexpected FORM (did you mean FROM?)"},
		{"SELECT a 3 FROM 'x' WHERE a " + list, `1:10: found 3, expected an operator, a clause such as WHERE, a name, FROM, AS, "," or ";"`},
		{"SELECT a FROM 'x' WHERE a " + list + " b", "1:60034: unexpected b"},
		{"SELECT a" + strings.Repeat(", a", 20_000) + " FROM FROM", "1:60015: unexpected FROM"},
	} {
		if _, err := Parse(tt.src, ""); err == nil || err.Error() != tt.want {
			t.Errorf("%.40s…: %.200v, want %s", tt.src, err, tt.want)
		}
	}
}
