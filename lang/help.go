package lang

// syntax is the form of a statement in HELP. Words in upper case are typed as
// shown. Names of parts are in lower case and are explained below the form. [ ]
// is optional, ( | ) is a choice, … means more of the same. A line that begins
// with a blank continues the line before.
type syntax struct {
	topic string
	text  string
}

// syntaxes are the texts of HELP, one for each topic. A test generates
// statements from them and parses each, so that the texts agree with the
// grammar.
var syntaxes = []syntax{
	{"SELECT", `
[WITH with, …] select [UNION ALL select …]
    [ORDER BY key, …]
    [LIMIT n [OFFSET n]]
select = SELECT [DISTINCT] item, …
    [FROM source [[LEFT] JOIN source ON expr …]]
    [WHERE expr]
    [GROUP BY expr, …]
    [HAVING expr]
item = * | expr [[AS] name]
with = name AS (query)
source = relation [IN scope, …] [time] [AS name]
  | scope, … [time] [AS name]
  | periods(unit) range [AS name]
  | (query) [AS name] | FILE 'text' [AS name] | name [AS name]
key = expr [ASC | DESC] [NULLS FIRST | NULLS LAST]
scope = 'text' | 'text' .. 'text' | $name
time = range [choice] | choice [range]
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = AT t | AS OF t | NEAREST t | FIRST | LATEST | EACH unit
unit = year | month | week | day
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
n = 10 | $name
`},
	{"EXPRESSIONS", `
expr = expr OR expr | expr AND expr | NOT expr | x
x = y (= | <> | != | < | <= | > | >= | ~ | !~) y
  | y IS [NOT] (NULL | TRUE | FALSE)
  | y [NOT] IN (expr, …) | y [NOT] IN (query) | EXISTS (query)
  | y [NOT] BETWEEN y AND y
  | y [NOT] (LIKE | ILIKE) y [ESCAPE 'c']
  | y [NOT] CONTAINS y
  | y [NOT] WITHIN (scope | (scope, …))
  | y
y = y || y | y (+ | -) y | y (* | / | // | %) y | - y | z
z = 'text' | 10 | 1e-12 | 64KB | 7d | 2008-06 | TRUE | FALSE | NULL
  | NOW | TODAY | $name | :name | column | name.column | (expr)
  | (query)
  | name([[DISTINCT] expr, … [ORDER BY key, …]]) [FILTER (WHERE expr)]
  | name(*) [FILTER (WHERE expr)] | CAST(expr AS type)
  | CASE [expr] WHEN expr THEN expr … [ELSE expr] END
key = expr [ASC | DESC] [NULLS FIRST | NULLS LAST]
scope = 'text' | 'text' .. 'text' | $name
`},
	{"IMPORT", `
IMPORT file, … [FORMAT name] [BASE url] [AT t] [AS name]
file = 'text' | $name
url = 'text' | $name
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
`},
	{"EXPORT", `
EXPORT (query) TO file
    [FORMAT (csv | tsv | json | jsonl | markdown | html | parquet | edges
      | graphml | warc | tianwang | wacz | cdxj)]
file = 'text' | $name | expr || expr
`},
	{"CRAWL", `
CRAWL (url, … | DUE [IN scope, …])
    [DEPTH n] [LIMIT (n PAGES | 64KB | 7d), …]
    [WITHIN scope, …] [EXCLUDE (scope | ~ 'text'), …]
    [FOR words] [EXPAND WHERE expr [THROUGH n]]
    [ORDER (BFS | BEST | RANDOM)] [WORKERS n] [DELAY 7d] [RATE 64KB]
    [AGENT agent] [PROXY url] [WITH REQUISITES] [IGNORE ROBOTS]
    [ALLOW PRIVATE] [TRAPS (OFF | LIMIT n)] [FROM ARCHIVE [AT t]] [AS name]
url = 'text' | $name
agent = 'text' | $name
words = 'text' | $name
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
n = 10 | $name
scope = 'text' | 'text' .. 'text' | $name
`},
	{"PAUSE CRAWL", `
(PAUSE | RESUME | STOP) CRAWL name
`},
	{"SET WORKERS", `
SET WORKERS n FOR CRAWL name
n = 10 | $name
`},
	{"ADD", `
ADD url, … TO CRAWL name [FORCE]
url = 'text' | $name
`},
	{"TRACE", `
TRACE url
url = 'text' | $name
`},
	{"SCHEDULE", `
SCHEDULE name (EVERY 7d | CRON 'text' | ADAPTIVE [BUDGET n PER 7d]) AS statement
n = 10 | $name
`},
	{"UNSCHEDULE", `
UNSCHEDULE name
`},
	{"RUN SCHEDULE", `
RUN SCHEDULE name
`},
	{"COPY POOL", `
COPY POOL (name | ALL) TO folder
name = 'text' | $name
folder = 'text' | $name
`},
	{"VERIFY", `
VERIFY [POOL pool] [SAMPLE 1 / n]
pool = 'text' | $name
n = 10 | $name
`},
	{"MERGE POOL", `
MERGE POOL (pool | ALL)
pool = 'text' | $name
`},
	{"SEAL POOL", `
SEAL POOL (pool | ALL)
pool = 'text' | $name
`},
	{"REPAIR POOL", `
REPAIR POOL pool FROM folder
pool = 'text' | $name
folder = 'text' | $name
`},
	{"REINDEX", `
REINDEX [POOL pool] [DERIVED]
pool = 'text' | $name
`},
	{"DROP POOL", `
DROP POOL pool
pool = 'text' | $name
`},
	{"CREATE VIEW", `
CREATE [OR REPLACE] VIEW name AS query
`},
	{"CREATE METADATA", `
CREATE [OR REPLACE] METADATA name ON (page | version | block) AS expr
`},
	{"DROP VIEW", `
DROP VIEW name
`},
	{"DROP GRAPH", `
DROP GRAPH name
`},
	{"DROP METADATA", `
DROP METADATA name
`},
	{"SAVE", `
SAVE name [(name, …)] AS query
`},
	{"RUN", `
RUN (name | file) [(argument, …)]
file = 'text' | $name
argument = name = value
value = 'text' | 10 | - 10 | 64KB | 7d | 2008-06 | TRUE | FALSE | NULL
  | TODAY | $name | ON | name
`},
	{"DELETE", `
DELETE FROM [CAPTURES IN] scope, … [range]
    [WHERE expr] [REASON why]
scope = 'text' | 'text' .. 'text' | $name
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
why = 'text' | $name
`},
	{"PAGERANK", `
PAGERANK [name] [OVER scope, … | OVER GRAPH name] [time]
    [DAMPING n] [TOLERANCE n] [ITERATIONS n] [NORM (1 | N)]
    [SEEDS url, …] [WITHOUT what, …] [BY (PAGE | HOST)] [WARM]
scope = 'text' | 'text' .. 'text' | $name
time = range [choice] | choice [range]
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = AT t | AS OF t | NEAREST t | FIRST | LATEST
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
n = 0.85 | 100 | $name
url = 'text' | $name
what = internal | nofollow | nav
`},
	{"HITS", `
HITS [name] (FOR words [OVER scope, …] | OVER scope, … | OVER GRAPH name)
    [time] [VARIANT variant] [KEEP n] [ITERATIONS n] [WEIGHT ARC]
    [WITHIN (DOMAIN | HOST)] [WITHOUT HOST host, …]
words = 'text' | $name
scope = 'text' | 'text' .. 'text' | $name
time = range [choice] | choice [range]
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = AT t | AS OF t | NEAREST t | FIRST | LATEST
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
variant = kleinberg | hub_averaging | hub_threshold
  | authority_threshold | full_threshold | symmetric
n = 10 | $name
host = 'text' | $name
`},
	{"DEDUP", `
DEDUP [IN scope, …] [time] [OF (PAGES | BLOCKS)]
    [METHOD (MINHASH | SIMHASH | KEYWORDS | CONTAINMENT)]
    [DISTANCE n] [SIMILARITY n]
scope = 'text' | 'text' .. 'text' | $name
time = range [choice] | choice [range]
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t | DURING t AND t
choice = AT t | AS OF t | NEAREST t | FIRST | LATEST
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
n = 3 | 0.8 | $name
`},
	{"EXPLAIN RANK", `
EXPLAIN RANK url [IN name]
url = 'text' | $name
`},
	{"RECOVER", `
RECOVER file [TO file]
file = 'text' | $name
`},
	{"SHOW PAGE", `
SHOW PAGE url [AT t | AS OF t]
    [AS (text | html | raw | wire | headers | blocks)]
url = 'text' | $name
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
`},
	{"SHOW ROBOTS", `
SHOW ROBOTS url [AGENT agent] [AT t | AS OF t]
url = 'text' | $name
agent = 'text' | $name
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
`},
	{"SHOW PATH", `
SHOW PATH url TO url [AT t | AS OF t] [OVER GRAPH name]
url = 'text' | $name
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
`},
	{"DIFF", `
DIFF url [FROM t] [TO t]
url = 'text' | $name
t = 2008-06-15 | 2008 | 'text' | $name | NOW | TODAY | t - 7d | t + 2mo
`},
	{"SHOW", `
SHOW (RELATIONS | COLUMNS | FUNCTIONS | SETTINGS | POOLS | FILES
    | TOMBSTONES | CRAWLS | WORKERS | SCHEDULES | JOBS | HISTORY | VIEWS
    | QUERIES | METADATA | GRAPHS)
`},
	{"DESCRIBE", `
DESCRIBE name
`},
	{"EXPLAIN", `
EXPLAIN [ANALYZE] statement
`},
	{"SET", `
SET name = value
SET $name = value
value = 'text' | 10 | - 10 | 64KB | 7d | 2008-06 | TRUE | FALSE | NULL
  | TODAY | $name | ON | name
`},
	{"RESET", `
RESET name
`},
	{"HELP", `
HELP [topic]
`},
}

// Topics returns the topics that Grammar knows, such as "CRAWL", in the order
// in which HELP lists them.
func Topics() []string {
	var list []string
	for _, s := range syntaxes {
		list = append(list, s.topic)
	}
	return list
}

// Grammar returns the syntax of a topic, in lines of at most 80 characters.
// Case does not matter. It returns "" for a topic that Topics does not list.
func Grammar(topic string) string {
	for _, s := range syntaxes {
		if equalFold(topic, s.topic) {
			return s.text[1:]
		}
	}
	return ""
}
