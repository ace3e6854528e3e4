package expr

import (
	"strings"

	"infomall/lang/ast"
)

// listedMax is how many names there may be for an error about an unknown name
// to list all of them. It does so if no name is similar to the unknown one.
const listedMax = 40

// UnknownName returns the error that name is not one of names, such as: no
// column "colour" in relation versions. thing is the kind of name, such as
// "column". within says where the name was sought, and is "" or starts with a
// space. The error points at the position of at, and suggests the nearest of
// names, or lists them if there are few.
func UnknownName(at interface{ At() ast.Span }, thing, name, within string, names []string) *ast.Error {
	err := ast.Errorf(at, "no %s %q%s", thing, name, within)
	if near := ast.Nearest(name, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	} else if len(names) > 0 && len(names) <= listedMax {
		err.Hint = "there are " + strings.Join(names, ", ")
	}
	return err
}

// unknownFunction returns the error that there is no function with the name in
// the call e. It suggests a function with a similar name, or what to write
// instead of a function of another database.
func unknownFunction(e *ast.Call) *ast.Error {
	var names []string
	for _, f := range Functions() {
		names = append(names, f.Name)
	}
	err := ast.Errorf(e.Name, "no function %q", e.Name.Text)
	err.Hint = "SHOW FUNCTIONS lists them"
	if hint := foreignFunctions[strings.ToLower(e.Name.Text)]; hint != "" {
		err.Hint = hint
	} else if n := ast.Nearest(e.Name.Text, names); n != "" {
		err.Hint = "did you mean " + n + "?"
	}
	return err
}

// foreignFunctions maps the names of functions of other databases to hints for
// errors: what to write here instead.
var foreignFunctions = map[string]string{
	"regexp_match": aMatch, "regexp_matches": aMatch, "regexp_like": "write x ~ 'pattern', or x ~* 'pattern' to ignore case",
	"position": "write strpos(x, 'part'), or position('part' IN x)", "charindex": "write strpos(x, 'part')",
	"to_date": "write CAST(x AS time), or strptime(x, '%d.%m.%Y')", "to_timestamp": "write CAST(x AS time), or strptime(x, '%d.%m.%Y')",
	"var_pop": "write stddev(x) * stddev(x) * (count(x) - 1) / count(x)", "stddev_pop": "write stddev(x) * sqrt((count(x) - 1) / count(x))",
	"to_number": "write CAST(x AS int)", "ascii": "texts are compared as they are: x < 'b'", "chr": "write the character itself",
	"array_length": oneValue, "cardinality": oneValue, "array_to_string": oneValue, "split_to_array": oneValue,
	"generate_series": "FROM periods(month) BETWEEN 2010 AND 2025 has one row per month; periods takes year, week and day, too",
	"covar_pop":       noStatistics, "skewness": noStatistics, "kurtosis": noStatistics, "entropy": noStatistics,
	"timezone": "SET timezone = 'Asia/Shanghai' is for all times of the answer", "unaccent": "text MATCH 'words' ignores accents", "soundex": "write similar(a, b)",
	"url_host": "write host(url)", "url_domain": "write domain(url)", "url_path": "write path(url)", "domain_of": "write domain(url)",
	"json_build_object": "write --format json", "json_object": "write --format json", "encode": "md5(x), sha1(x) and sha256(x) give hexadecimal digits",
	"ratio_to_report": "write count(*) / sum(count(*)) OVER ()", "justify_days": "extract(day FROM a - b) has the days of a duration",
	"current_database": "SHOW POOLS lists the parts of an archive", "search": "write FROM findings('words'), or text MATCH 'words'", "pg_typeof": "DESCRIBE shows the types of columns",
	"substring_index": "write split_part", "mid": "write substr",

	"isnull": "write IS NULL",
	"if":     "write CASE WHEN a THEN b ELSE c END", "iif": "write CASE WHEN a THEN b ELSE c END", "decode": "write CASE x WHEN a THEN b END",

	"contains": "write a CONTAINS 'x'",
	"like":     "write a LIKE 'x%'", "regexp": "write a ~ 'pattern'",
	"date_format": "write strftime(t, '%Y-%m')", "to_char": "write strftime(t, '%Y-%m')", "format": "texts are joined by ||",
	"date": "write date_trunc('day', t)", "timestampdiff": "times are subtracted: a - b",
	"date_add": "write t + 7d", "date_sub": "write t - 7d", "dateadd": "write t + 7d",

	"curdate": "write TODAY", "getdate": "write NOW",
	"weekday": "write dayofweek", "isodow": "write strftime(t, '%u')",
	"hostname": "write host(url)", "netloc": "write host(url)", "parse_url": "write host, path or urlparam",
	"log2":  "write ln(x) / ln(2)",
	"std":   "write stddev",
	"first": "write arg_min(x, time)", "last": "write arg_max(x, time)",
	"percentile_cont": withinGroup, "percentile_disc": withinGroup, "percentile": "write quantile(x, 0.9)", "mode": "GROUP BY x ORDER BY count(*) DESC LIMIT 1 finds the most frequent",

	"printf":   "texts are joined by ||",
	"datetime": "write NOW, or CAST(x AS time)", "date_part": "write year(t), or strftime(t, '%H')", "datepart": "write year(t), or strftime(t, '%H')",
	"julianday": "times are subtracted: a - b",
	"typeof":    "DESCRIBE shows the types of columns", "total": "write sum",
	"rollup": noSets, "cube": noSets, "any": "write x IN (SELECT …)", "ntile": "write row_number() OVER (ORDER BY x) * n // (count(*) OVER () + 1) + 1", "nth_value": "write arg_min(x, time)",
	"percent_rank": "write (rank() OVER (ORDER BY x) - 1) / (count(*) OVER () - 1)", "cume_dist": "write count(*) OVER (ORDER BY x) / count(*) OVER ()",

	"regexp_split_to_table": oneValue, "regexp_split_to_array": oneValue, "string_to_array": oneValue, "string_split": oneValue, "unnest": oneValue, "split": oneValue,
	"json_agg": "write --format json", "row_to_json": "write --format json", "to_json": "write --format json",
	"date_bin": "write date_trunc('week', t)", "time_bucket": "write date_trunc('week', t)", "make_timestamp": "write CAST('2008-06-15T10:30' AS time)", "unix_timestamp": "write epoch(t)", "last_day": "write date_trunc('month', t) + 1mo - 1d",
	"corr": noStatistics, "regr_slope": noStatistics, "covar_samp": noStatistics, "histogram": "GROUP BY x // 1000 counts values by classes",
	"json_extract": "regexp_extract(x, '\"key\": *\"([^\"]*)\"', 1) reads a value", "version": "infomall --version says it", "current_user": "there are no users", "user": "there are no users",
	"pg_total_relation_size": "SELECT sum(stored_bytes) FROM pools", "pg_relation_size": "SELECT sum(stored_bytes) FROM pools", "pg_database_size": "SELECT sum(stored_bytes) FROM pools",
	"levenshtein": "write similar(a, b)", "similarity": "write similar(a, b)", "jaccard": "write similar(a, b)", "to_tsvector": fullText, "to_tsquery": fullText, "plainto_tsquery": fullText, "ts_rank": "write score(text, 'words')", "ts_headline": "write snippet(text, 'words')",
	"tolower": "write lower", "toupper": "write upper",
}

// These are hints that several entries of foreignFunctions share.
const (
	oneValue     = "there are no lists: split_part(x, ',', n) is one part of a text, and SELECT term, df FROM terms ORDER BY df DESC has the words of all pages"
	noStatistics = "avg, stddev, median and quantile there are; for more, EXPORT the rows to Parquet"
	aMatch       = "write regexp_extract(x, 'pattern') for the first match, or regexp_count(x, 'pattern') for their number; a row has one value"
	withinGroup  = "write quantile(x, 0.9), or percentile_cont(0.9) WITHIN GROUP (ORDER BY x)"
	fullText     = "write text MATCH 'words', or SEARCH 'words'"
	noSets       = "one SELECT for each set is joined to the next by UNION ALL"
)
