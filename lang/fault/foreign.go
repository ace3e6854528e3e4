package fault

import (
	"fmt"
	"slices"
	"strings"

	"infomall/lang/ast"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// foreignStarts maps the first word of an SQL statement that this language does
// not have to a hint: what to write instead.
var foreignStarts = map[string]string{
	"INSERT":     "captures come in by IMPORT and CRAWL",
	"UPDATE":     "captures do not change; CREATE METADATA makes columns of one's own",
	"ALTER":      "CREATE METADATA makes columns of one's own",
	"TRUNCATE":   "DELETE FROM and DROP POOL take captures out",
	"BEGIN":      "there are no transactions: each statement is done whole or not at all",
	"START":      "there are no transactions: each statement is done whole or not at all",
	"COMMIT":     "there are no transactions: each statement is done whole or not at all",
	"ROLLBACK":   "there are no transactions: each statement is done whole or not at all",
	"USE":        "an archive is opened by infomall -a DIR; FROM 'pku.edu.cn' asks a part of it",
	"PRAGMA":     "SHOW SETTINGS lists what SET changes",
	"VACUUM":     "MERGE POOL ALL puts an archive in order",
	"ANALYZE":    "EXPLAIN ANALYZE tells what a query reads",
	"LOAD":       "write IMPORT 'file'",
	"BLOCK":      aRule,
	"HIDE":       aRule,
	"REMOVE":     aDelete,
	"PIVOT":      "one column for each value is count(*) FILTER (WHERE status = 404)",
	"COMPARE":    "write DIFF 'url' FROM 2008-06 TO 2008-07",
	"PREPARE":    "write SAVE name (x) AS query",
	"DECLARE":    "write SET $name = value",
	"BACKUP":     "write COPY POOL ALL TO 'dir'",
	"CHECKPOINT": "what a statement reports is on disk already",
	"GRANT":      "RULE name ON 'pku.edu.cn/x/' BLOCK 'reason' says what --serve does not show",
	"REVOKE":     "RULE name ON 'pku.edu.cn/x/' BLOCK 'reason' says what --serve does not show",
	"KILL":       "Ctrl-C ends a statement, STOP CRAWL name a crawl",
	"CANCEL":     "Ctrl-C ends a statement, STOP CRAWL name a crawl",
	"RANK":       "write PAGERANK",
	"FETCH":      "write CRAWL 'url'",
	"CALL":       "write RUN name",
	"EXECUTE":    "write RUN name",
	"EXEC":       "write RUN name",
	"EXIT":       "at the prompt .quit or Ctrl-D leaves",
	"QUIT":       "at the prompt .quit or Ctrl-D leaves",
	"TABLE":      "write SELECT * FROM",
	"FROM":       "write SELECT * FROM",
	"VALUES":     listsOfValues,
	"ATTACH":     "an archive is opened by infomall -a DIR; COPY POOL ALL TO 'dir' brings one into another folder",
	"DETACH":     "an archive is opened by infomall -a DIR",
	"HOW":        askInSQL, "WHAT": askInSQL, "WHICH": askInSQL, "WHEN": askInSQL, "WHERE": askInSQL, "WHO": askInSQL, "WHY": askInSQL, "DID": askInSQL,
	"FIND": askInSQL, "LIST": askInSQL, "GIVE": askInSQL, "COUNT": askInSQL,
}

const (
	aRule   = "write RULE name ON 'pku.edu.cn/x/' BLOCK 'reason'"
	aDelete = "write DELETE FROM captures WHERE url = …, or DELETE FROM 'pku.edu.cn/x.htm'; '*' is all, and a time clause such as SINCE 2008 chooses captures"
)

// foreignPairs maps the first two words of a statement to a hint: what to write instead. The
// statement is one of SQL, or one that a user may guess.
var foreignPairs = map[string]string{
	"CREATE RULE": aRule, "ADD RULE": aRule,
	"CREATE SCHEDULE": aSchedule, "CREATE JOB": aSchedule, "ADD SCHEDULE": aSchedule,
	"CREATE WATCH": "write WATCH name EVERY 1d AS query", "CREATE CRAWL": "write CRAWL 'url'", "START CRAWL": "write CRAWL 'url'",
	"CREATE TEMP": aView, "CREATE TEMPORARY": aView, "CREATE MATERIALIZED": aView, "CREATE RECURSIVE": aView,
	"CREATE FUNCTION": "CREATE METADATA name ON page AS expr keeps a column; SAVE name (x) AS query keeps a query",
	"CREATE SCHEMA":   "an archive is a folder: infomall -a DIR", "CREATE DATABASE": "an archive is a folder: infomall -a DIR",
	"DROP SCHEDULE": "write UNSCHEDULE name", "STOP SCHEDULE": "write UNSCHEDULE name", "DELETE SCHEDULE": "write UNSCHEDULE name",
	"DROP WATCH": "write UNWATCH name", "STOP WATCH": "write UNWATCH name",
	"DROP TABLE": "write DROP VIEW name",
	"DROP CRAWL": "write STOP CRAWL name", "DROP JOB": "SHOW JOBS lists past runs; they leave the list by themselves",
	"DELETE RULE": "write DROP RULE name", "DELETE VIEW": "write DROP VIEW name",
	"DELETE CAPTURES": aDelete, "DELETE VERSIONS": aDelete, "DELETE PAGES": aDelete,
	"EXPORT WACZ": rowsOrCaptures, "EXPORT JSON": rowsOrCaptures, "EXPORT PARQUET": rowsOrCaptures, "EXPORT PAGES": rowsOrCaptures, "EXPORT LINKS": rowsOrCaptures,
	"EXPORT CAPTURES": rowsOrCaptures, "EXPORT VERSIONS": rowsOrCaptures, "EXPORT WARC": rowsOrCaptures, "EXPORT CSV": rowsOrCaptures,
	"EXPORT SELECT": "put the query in brackets", "EXPORT ALL": rowsOrCaptures, "EXPORT FROM": rowsOrCaptures, "EXPORT TO": rowsOrCaptures,
	"EXPORT DATABASE": "write COPY POOL ALL TO 'dir'",
}

const (
	aSchedule      = "write SCHEDULE name EVERY 1w AS statement, or CRON '0 2 * * *' in place of EVERY 1w"
	aView          = "write CREATE VIEW name AS query; the query runs when the view is asked"
	rowsOrCaptures = "write EXPORT (SELECT * FROM captures SINCE 2018) TO 'file.warc.gz' for captures, or EXPORT (SELECT …) TO 'file.csv' for rows"
)

const askInSQL = "questions are asked in SQL, as in SELECT count(DISTINCT url) FROM changes BETWEEN 2008-07 AND 2008-08, or by SEARCH 'words'"

const listsOfValues = "FILE 'list.csv' reads a list of one's own; SELECT 1 UNION ALL SELECT 2 makes one"

const (
	noQualify = "put the query in brackets, and test its column in WHERE: SELECT * FROM (SELECT …, rank() OVER (…) AS n …) WHERE n = 1"
	noFrames  = "a window has the whole partition, or with ORDER BY the rows up to the current one; lag(x) and lag(x, 2) are the values of the rows before, and JOIN … ON b.time BETWEEN a.time - 7d AND a.time has the rows of a week"
)

// foreignWords maps a word of other query languages that occurs inside a
// statement to a hint: what to write instead.
var foreignWords = map[string]string{
	"TABLE":       "a query with a name is a view: CREATE VIEW name AS SELECT …",
	"INDEX":       "an archive makes its indexes by itself; REINDEX makes them again",
	"MINUS":       "write EXCEPT",
	"FETCH":       "write LIMIT n",
	"REGEXP":      "a pattern is asked by ~, as in url ~ 'news/[0-9]+'",
	"RLIKE":       "a pattern is asked by ~, as in url ~ 'news/[0-9]+'",
	"SIMILAR":     "a pattern is asked by ~, as in url ~ 'news/[0-9]+'",
	"GLOB":        "write LIKE, with % for any text and _ for any character",
	"CONTAIN":     "write CONTAINS",
	"ISNULL":      "write IS NULL",
	"NOTNULL":     "write IS NOT NULL",
	"EQUALS":      "write =",
	"EQUAL":       "write = or <>",
	"DIV":         "write //",
	"MOD":         "write %",
	"ASCENDING":   "write ASC",
	"DESCENDING":  "write DESC",
	"QUALIFY":     noQualify,
	"ROWS":        noFrames,
	"RANGE":       noFrames,
	"GROUPS":      noFrames,
	"BEFORE":      "write UNTIL a, or FROM a TO b",
	"AFTER":       "write SINCE a",
	"AGO":         "write NOW - 7d",
	"VALUES":      listsOfValues,
	"INTO":        "EXPORT (query) TO 'file' writes rows; CREATE VIEW name AS query gives a query a name",
	"EXCLUDE":     "name the columns that are wanted; DESCRIBE lists them",
	"TABLESAMPLE": "ORDER BY md5(url) LIMIT n chooses rows as if at random",
	"DELIMITER":   "csv is separated by commas, and tsv by tabs: FORMAT tsv",
	"UNPIVOT":     "one SELECT for each column is joined to the next by UNION ALL",
	"COLLATE":     "texts are ordered by bytes; lower(x) puts upper and lower case together",
	"SYSTEM_TIME": "write FROM versions AS OF '2008-07-01'",
	"RECURSIVE":   "no query asks itself; SHOW PATH follows links",
	"NATURAL":     "write JOIN … USING (url)",
}

// foreignBefore maps a word of other query languages that the grammar reads as
// a name to a hint: what to write instead. The hint is shown if the fault is
// the token after the word.
var foreignBefore = map[string]string{
	"TOP":       "write LIMIT n behind the query",
	"DATE":      "write times without a word and without quotes: 2008-06-15",
	"TIMESTAMP": "write times without a word and without quotes: 2008-06-15T10:30",
	"INTERVAL":  "a length of time is 7d, 2h or 3mo",
	"FETCH":     "write LIMIT n",
}

// foreign returns an error with a hint if the fault is notation of SQL or
// another query language, or a clause or bracket at the wrong place. Otherwise
// it returns nil.
func (x *explainer) foreign() *ast.Error {
	for _, find := range []func() (int, string){x.foreignQuery, x.foreignCall, x.foreignWord, x.foreignForm, x.misplaced, x.brackets} {
		if i, hint := find(); hint != "" {
			e := x.unexpected()
			if i != x.at {
				e = ast.Errorf(scan.SpanOf(&x.tokens[i]), "unexpected %s", describe(&x.tokens[i]))
			}
			e.Hint = hint
			return e
		}
	}
	return nil
}

// word returns a word of the statement in upper case: for back 0 the token at
// the fault, for back 1 the token before it, and so on. It returns "" if that
// token is not a word or does not exist.
func (x *explainer) word(back int) string {
	if x.at < back || !scan.IsWordToken(&x.tokens[x.at-back]) {
		return ""
	}
	return scan.Upper(x.tokens[x.at-back].Value)
}

func (x *explainer) foreignWord() (int, string) {
	if x.at <= 1 && x.tokens[0].Type != scan.EOF {
		if hint := foreignPairs[scan.Upper(x.tokens[0].Value)+" "+scan.Upper(x.tokens[1].Value)]; hint != "" {
			return x.at, hint
		}
	}
	if x.at == 0 {
		return 0, foreignStarts[x.word(0)]
	}
	if x.tokens[x.at].Type == scan.Ident {
		if hint := foreignWords[x.word(0)]; hint != "" {
			return x.at, hint
		}
	}
	if hint := foreignBefore[x.word(1)]; hint != "" && x.tokens[x.at-1].Type == scan.Ident &&
		(x.tokens[x.at].Type != scan.Ident && x.tokens[x.at].Type != scan.Keyword && x.tokens[x.at].Type != scan.EOF) {
		return x.at - 1, hint
	}
	return 0, ""
}

// foreignQuery looks for clauses of SQL that a query of this language does not
// have. It returns the index of the token to blame and a hint. The hint is ""
// if foreignQuery found nothing.
func (x *explainer) foreignQuery() (int, string) {
	t, word := &x.tokens[x.at], x.word(0)
	switch {
	case x.at == 0:
	case x.at > 1 && scan.IsOp(&x.tokens[x.at-2], "*") && x.word(1) == "EXCEPT" && scan.IsOp(t, "("):
		return x.at - 1, foreignWords["EXCLUDE"]
	case scan.IsOp(t, "(") && x.word(2) == "FROM" && (x.word(1) == "GENERATE_SERIES" || x.word(1) == "RANGE"):
		return x.at - 1, "SELECT year(time) FROM periods(year) BETWEEN 2010 AND 2025 has one row per year; periods takes month, week and day, too"
	case word == "SAMPLE" && x.word(1) == "USING", word == "USING" && scan.IsWord(&x.tokens[x.at+1], "SAMPLE"), x.word(1) == "TABLESAMPLE":
		return x.at, foreignWords["TABLESAMPLE"]
	case scan.IsOp(t, "(") && x.word(1) == "LATERAL":
		return x.at - 1, "a query in brackets in SELECT may read the columns of FROM: SELECT url, (SELECT count(*) FROM links l WHERE l.target = p.url) FROM pages p"
	case x.word(1) == "SHOW" && word == "CREATE", x.word(1) == "CREATE" && x.word(2) == "SHOW":
		return x.at, "SHOW VIEWS has the query of each view"
	case x.word(1) == "IF" && x.word(3) == "DROP":
		return x.at - 1, "write DROP " + x.word(2) + " name"
	case x.at == 2 && x.word(2) == "SET" && t.Type != scan.EOF:
		return x.at, "is = missing?"
	case x.at > 1 && scan.IsWord(&x.tokens[0], "DIFF") && (word == "BETWEEN" || word == "AT" || t.Type == scan.Period || t.Type == scan.String):
		return x.at, "write DIFF 'url' FROM 2008-06 TO 2008-07"
	case word == "WITH" && scan.IsWord(&x.tokens[0], "COPY"):
		return x.at, "write TO 'file.csv' alone, or (FORMAT csv); csv files have a header, and are separated by commas"
	case x.at > 1 && scan.IsWord(&x.tokens[0], "SCHEDULE") && x.at < 6 && x.word(1) != "AS":
		return x.at, aSchedule
	case scan.IsOp(t, "(") && x.word(1) == "SEARCH" && x.word(2) == "FROM":
		return x.at - 1, "write FROM findings('words')"
	case x.at > 1 && scan.IsWord(&x.tokens[0], "SHOW") && (word == "TO" || word == "OF" || word == "FOR" || t.Type == scan.String):
		return x.at, "write SELECT * FROM versions WHERE url = 'http://pku.edu.cn/'; SHOW STORY 'url' tells the life of a page, SHOW PAGE 'url' AT 2008-07 shows it"
	case x.word(1) == "QUALIFY":
		return x.at - 1, noQualify
	case x.word(1) == "FIRST" && x.word(2) == "FETCH":
		return x.at - 2, foreignWords["FETCH"]
	case scan.IsOp(&x.tokens[x.at-1], "*") && scan.IsWord(t, "REPLACE"):
		return x.at, foreignWords["EXCLUDE"]
	case scan.IsOp(t, "*") && scan.IsOp(&x.tokens[x.at-1], "."):
		return x.at, "* is all columns of all sources; else name them, as in a.url, a.time"
	case scan.IsKeyword(t, "SELECT") && x.tokens[x.at-1].Type == scan.Ident:
		if x.word(1) == "MINUS" {
			return x.at - 1, foreignWords["MINUS"]
		}
	case x.word(1) == "ALL" && (x.word(2) == "EXCEPT" || x.word(2) == "INTERSECT"), word == "ALL" && (x.word(1) == "EXCEPT" || x.word(1) == "INTERSECT"):
		return x.at, "without ALL; row_number() OVER (PARTITION BY x) tells equal rows apart"
	case word == "OFFSET":
		return x.at, "write LIMIT n OFFSET m: how many, then how many to skip"
	case x.word(2) == "WITH" && x.word(1) == "RECURSIVE":
		return x.at - 1, "no query asks itself; SHOW PATH follows links"
	case x.word(1) == "DISTINCT" && word == "ON":
		return x.at, "FROM versions LATEST has the last version of each URL, FIRST the first; arg_max(x, time) and GROUP BY have the last value of x in each group"
	case x.word(1) == "GROUPING" && word == "SETS":
		return x.at - 1, "one SELECT for each set is joined to the next by UNION ALL"
	case x.word(1) == "INTO" && t.Type == scan.Ident:
		return x.at - 1, foreignWords["INTO"]
	case x.word(1) == "EXPLAIN" && (word == "VERBOSE" || scan.IsOp(t, "(")), x.word(2) == "EXPLAIN" && scan.IsOp(&x.tokens[x.at-1], "("), x.at == 3 && x.word(3) == "EXPLAIN" && scan.IsOp(&x.tokens[1], "("):
		return x.at, "write EXPLAIN, or EXPLAIN ANALYZE, before the statement"
	case x.word(1) == "EXPLAIN" && word == "QUERY":
		return x.at, "write EXPLAIN alone"
	case x.at == 2 && x.word(2) == "SHOW" && x.word(1) == "COLUMNS" && t.Type != scan.EOF:
		return x.at, "write DESCRIBE versions"
	case x.at == 1 && x.word(1) == "DEDUP" && (word == "PAGES" || word == "BLOCKS"):
		return x.at, "write DEDUP OF " + strings.ToLower(word)
	case x.at == 1 && x.word(1) == "DESCRIBE" && (word == "SELECT" || scan.IsOp(t, "(")):
		return x.at, "write SUMMARIZE, which shows the columns of a query; DESCRIBE takes the name of a relation or view"
	case x.at == 1 && x.word(1) == "COPY" && t.Type == scan.String:
		return x.at, "write COPY POOL " + describe(t)
	case x.at == 1 && x.word(1) == "COPY":
		return x.at, "rows are written by EXPORT (SELECT …) TO 'file.csv'; IMPORT 'file' brings captures in"
	case word == "TO" && x.Accepts(x.at, scan.WordToken("AND")), word == "AND" && x.Accepts(x.at, scan.WordToken("TO")) && x.word(2) == "FROM":
		return x.at, "write BETWEEN a AND b, which includes all of b, or FROM a TO b, which ends before b"
	}
	return 0, ""
}

// foreignCall looks for functions and operators of SQL whose arguments have a
// special form, such as SUBSTRING(x FROM 1). It returns the index of the token
// to blame and a hint, or "" as the hint if it found nothing.
func (x *explainer) foreignCall() (int, string) {
	t := &x.tokens[x.at]
	called := "" // the word before the bracket that precedes the token
	if x.at > 1 && scan.IsOp(&x.tokens[x.at-1], "(") {
		called = x.word(2)
	}
	switch {
	case x.at == 0:
	case scan.IsKeyword(t, "SELECT") && (called == "ANY" || called == "SOME"):
		return x.at - 2, "write x IN (SELECT …)"
	case scan.IsKeyword(t, "SELECT") && called == "ALL":
		return x.at - 2, "compare with one value: x > (SELECT max(…) …)"
	case scan.IsOp(t, ")") && called == "IN":
		return x.at, "IN needs at least one value"
	case scan.IsKeyword(t, "LEFT") && scan.IsOp(&x.tokens[x.at+1], "(") && x.Accepts(x.at, grammar.ANumber):
		return x.at, "write substr(x, 1, n)"
	case x.word(1) == "AT" && x.word(0) == "TIME":
		return x.at - 1, "SET timezone = 'Asia/Shanghai' is for all times of the answer"
	case scan.IsOp(t, ",") && x.at > 1 && scan.IsOp(&x.tokens[x.at-2], "("):
		for i := x.at; i < len(x.tokens)-1 && !scan.IsOp(&x.tokens[i], ")"); i++ {
			if scan.IsOp(&x.tokens[i+1], ")") && scan.IsKeyword(&x.tokens[i+2], "IN") {
				return x.at - 2, "write EXISTS (SELECT * FROM … WHERE a.x = b.x AND a.y = b.y)"
			}
		}
		if x.word(3) == "DISTINCT" {
			return x.at, "write count(DISTINCT a || ' ' || b)"
		}
	case scan.IsKeyword(t, "GROUP") && x.word(1) == "WITHIN" && x.word(4) == "MODE":
		return x.at - 4, "GROUP BY x ORDER BY count(*) DESC LIMIT 1 finds the most frequent"
	case scan.IsKeyword(t, "GROUP") && x.word(1) == "WITHIN":
		return x.at, "write quantile(x, 0.9)"
	case called == "FILTER" && x.Accepts(x.at, scan.WordToken("WHERE")):
		return x.at, "write FILTER (WHERE condition)"
	case scan.IsOp(t, "(") && x.word(2) == "FROM" && (x.word(1) == "CROSSTAB" || x.word(1) == "PIVOT"):
		return x.at - 1, foreignStarts["PIVOT"]
	case scan.IsOp(t, "(") && strings.HasPrefix(x.word(1), "READ_"):
		return x.at - 1, "write FILE 'list.csv'"
	case scan.IsOp(t, "*") && scan.IsOp(&x.tokens[x.at-1], "*"):
		return x.at, scan.NoPowers
	}
	return 0, ""
}

// foreignForm looks for foreign notation of more than one token, such as LIMIT
// n, m. It returns the index of the token to blame and a hint, or "" as the
// hint if it found nothing.
func (x *explainer) foreignForm() (int, string) {
	t := &x.tokens[x.at]
	open := scan.Token{Type: scan.Op, Value: "("}
	switch {
	case scan.IsOp(t, ",") && x.at > 1 && scan.IsKeyword(&x.tokens[x.at-2], "LIMIT"):
		return x.at, "write LIMIT n OFFSET m: how many, then how many to skip"
	case scan.IsKeyword(t, "WITHIN") && x.tokens[x.at+1].Type == scan.Duration:
		return x.at, "WITHIN comes after AT t, as in AT 2008-07 WITHIN 7d"
	case scan.IsOp(t, "/") && x.at > 0 && x.tokens[x.at-1].Type == scan.Number && x.Accepts(x.at-1, grammar.APeriod):
		return x.at, "days are written 2008-06-15"
	case x.at > 0 && x.tokens[x.at-1].Type == scan.Number && t.Type == scan.Ident && unitFor(t.Value) != "":
		return x.at, "write " + x.tokens[x.at-1].Value + unitFor(t.Value) + " in one"
	case t.Type == scan.Number && x.Accepts(x.at, grammar.ADuration) && !x.Accepts(x.at, grammar.ANumber) && unitFor(x.tokens[x.at+1].Value) != "":
		return x.at, "write " + t.Value + unitFor(x.tokens[x.at+1].Value) + " in one"
	case isConstantToken(t) && x.word(1) == "IN" && x.Accepts(x.at, open) && x.Accepts(x.at-1, scan.WordToken("LIKE")):
		return x.at, "IN needs brackets: IN (a, b)"
	case isConstantToken(t) && x.word(1) == "IS":
		return x.at, "write = in place of IS"
	case isConstantToken(t) && x.word(1) == "NOT" && x.word(2) == "IS":
		return x.at, "write <> in place of IS NOT"
	case (scan.IsKeyword(t, "SELECT") || scan.IsKeyword(t, "WITH")) && x.at > 0 && x.Accepts(x.at, open):
		return x.at, "put the query in brackets"
	case isConstantToken(t) && t.Type != scan.String && t.Type != scan.Param && x.Accepts(x.at, grammar.AString) && !x.Accepts(x.at, t0(t)):
		return x.at, "write '" + t.Value + "' in quotes"
	case t.Type == scan.Ident && x.word(1) == "FROM" && x.word(2) == "DELETE", scan.IsWord(&x.tokens[0], "DELETE") && scan.IsKeyword(t, "WHERE"):
		return x.at, aDelete
	}
	return 0, ""
}

// t0 returns a copy of t without its position.
func t0(t *scan.Token) scan.Token { return scan.Token{Type: t.Type, Value: t.Value} }

func isConstantToken(t *scan.Token) bool {
	switch t.Type {
	case scan.String, scan.Number, scan.Size, scan.Duration, scan.Period, scan.Param:
		return true
	}
	return false
}

// unitFor returns the unit of a size or a duration that the writer meant by a
// word after a number, such as "MB" for M or "d" for days. It returns "" if
// word is not like a unit.
func unitFor(word string) string {
	switch w := scan.Upper(word); w {
	case "KB", "MB", "GB", "TB":
		return w
	case "K", "M", "G", "T":
		return w + "B"
	case "MS", "S", "H", "D", "W", "MO", "Y":
		return strings.ToLower(w)
	default:
		return strings.TrimPrefix(scan.ShortDuration("1 "+word), "1")
	}
}

// clauseRanks maps the first word of each clause of SELECT to the place of the
// clause in the order of clauses, from 1. A time clause has the place of FROM.
var clauseRanks = map[string]int{
	"SELECT": 1,
	"FROM":   2, "JOIN": 2, "LEFT": 2,
	"WHERE": 3, "GROUP": 4, "HAVING": 5, "ORDER": 6, "LIMIT": 7,
}

var timeWords = []string{"SINCE", "UNTIL", "DURING", "AT", "NEAREST", "FIRST", "LATEST", "EACH", "KNOWN"}

// misplaced looks for a clause that occurs twice or too late. It returns the
// index of the token to blame and a hint, or "" as the hint if it found
// nothing.
func (x *explainer) misplaced() (int, string) {
	t := &x.tokens[x.at]
	word, isTime := x.word(0), slices.Contains(timeWords, x.word(0))
	rank := clauseRanks[word]
	if isTime {
		rank = clauseRanks["FROM"]
	} else if t.Type != scan.Keyword || rank <= clauseRanks["SELECT"] || word == "FROM" {
		rank = 0
	}
	if rank == 0 && !scan.IsKeyword(t, "IN") && !scan.IsKeyword(t, "BETWEEN") {
		return 0, ""
	}
	last, timed, named := x.clausesBefore()
	lastRank := clauseRanks[last]
	switch {
	case lastRank < clauseRanks["FROM"]:
	case scan.IsKeyword(t, "BETWEEN"):
	case isTime && lastRank > rank:
		return x.at, "write the time clause after its source, before " + clauseName(last)
	case isTime && timed:
		return x.at, "a source takes one choice, such as AT, and one range, such as BETWEEN"
	case scan.IsKeyword(t, "IN") && lastRank == clauseRanks["FROM"] && (timed || named) && !x.Accepts(x.at, grammar.ANumber):
		return x.at, "write IN and its scopes directly after the relation"
	case rank > 0 && lastRank > rank:
		return x.at, clauseName(word) + " comes before " + clauseName(last)
	case last == word && (word == "WHERE" || word == "HAVING"):
		return x.at, "one " + word + " has all conditions, joined by AND"
	case last == word && rank > clauseRanks["FROM"]:
		return x.at, "there is a " + clauseName(word) + " already"
	}
	return 0, ""
}

func clauseName(word string) string {
	if word == "GROUP" || word == "ORDER" {
		return word + " BY"
	}
	return word
}

// clausesBefore describes the innermost SELECT around the fault, up to the fault.
// last is the first word of its last clause, such as "WHERE", or "" if it has no
// clause. timed and named report whether its last source has a time clause, and
// whether that source has an alias.
func (x *explainer) clausesBefore() (last string, timed, named bool) {
	depth := 0
	for i := x.at - 1; i >= 0; i-- {
		t := &x.tokens[i]
		switch {
		case scan.IsOp(t, ")"):
			depth++
		case scan.IsOp(t, "(") && depth == 0:
			return last, timed, named
		case scan.IsOp(t, "("):
			depth--
		case depth > 0:
		case t.Type == scan.Ident && slices.Contains(timeWords, scan.Upper(t.Value)):
			timed = timed || last == ""
		case scan.IsKeyword(t, "AS") && !scan.IsWord(&x.tokens[i+1], "OF"):
			named = named || last == ""
		case t.Type == scan.Keyword && clauseRanks[t.Value] > clauseRanks[last]:
			last = t.Value
			if last == "SELECT" {
				return last, timed, named
			}
		case scan.IsKeyword(t, "SELECT"):
			return last, timed, named
		}
	}
	return last, timed, named
}

// brackets looks for a bracket that is never closed or never opened. It returns
// the index of the token to blame and a hint, or "" as the hint if it found
// nothing.
func (x *explainer) brackets() (int, string) {
	t := &x.tokens[x.at]
	var open []int
	for i := range x.at {
		switch {
		case scan.IsOp(&x.tokens[i], "("):
			open = append(open, i)
		case scan.IsOp(&x.tokens[i], ")") && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	closing := scan.Token{Type: scan.Op, Value: ")"}
	switch {
	case scan.IsOp(t, ")") && len(open) == 0:
		return x.at, "no bracket is open here"
	case t.Type == scan.EOF && len(open) > 0 && x.Accepts(x.at, closing):
		from := scan.StartOf(&x.tokens[open[len(open)-1]])
		return x.at, fmt.Sprintf("the bracket at %d:%d is never closed", from.Line, from.Column)
	}
	return 0, ""
}
