package plan

import (
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// concatFunction is the operator ||. Its name cannot be called in a query.
var concatFunction = &Function{
	Name: "||", Doc: "Both texts, one behind the other.",
	params: []param{{"a", textKind}, {"b", textKind}}, result: value.Text,
	apply: concat,
}

func concat(_ *Env, a []value.Value) (value.Value, error) {
	return value.OfText(a[0].Text + a[1].Text), nil
}

// canonicalFunction converts a text to a URL, where a join compares it with a
// URL.
var canonicalFunction = &Function{
	Name: "canonical", Doc: "The text as a canonical URL; NULL if it is none.",
	params: []param{{"s", textKind}}, result: value.URL,
	apply: func(_ *Env, a []value.Value) (value.Value, error) {
		u, err := urlkey.Canonical(a[0].Text)
		if err != nil {
			return value.Value{}, nil
		}
		return value.OfURL(u), nil
	},
}

// functions are all functions of the language, sorted by name.
var functions = [...]Function{
	{Name: "abs", Doc: "The number without its sign.",
		params: []param{{"x", numberKind}}, apply: absolute},
	{Name: "age", Doc: "How long ago t was, now() - t; or how long after from, t - from.",
		params: []param{{"t", timeKind}, {"from", timeKind}}, min: 1, result: value.Duration, apply: age},
	{Name: "any_value", Doc: "The first value of the group that is not NULL.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "approx_count", Doc: "About how many different values there are, within some 2 % of many, in bounded memory.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "arg_max", Doc: "x of the row in which by is greatest; the first of several.",
		params: []param{{"x", anyKind}, {"by", anyKind}}, min: 2, Aggregate: true},
	{Name: "arg_min", Doc: "x of the row in which by is least; the first of several.",
		params: []param{{"x", anyKind}, {"by", anyKind}}, min: 2, Aggregate: true},
	{Name: "avg", Doc: "The mean of the values that are not NULL.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true, result: value.Float},
	{Name: "coalesce", Doc: "The first argument that is not NULL.",
		params: []param{{"x", anyKind}}, many: true, nulls: true, apply: coalesce},
	{Name: "count", Doc: "How many rows there are, or in how many x is not NULL.",
		params: []param{{"* or x", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "count_if", Doc: "In how many rows the condition is true.",
		params: []param{{"condition", anyKind}}, min: 1, Aggregate: true, result: value.Int},
	{Name: "date_trunc", Doc: "The start of the year, quarter, month, week (from Monday), day, hour, minute or second that t lies in.",
		params: []param{{"unit", textKind}, {"t", timeKind}}, result: value.Time, prepare: prepareTrunc, apply: dateTrunc},
	{Name: "day", Doc: "The day of the month, from 1.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: day},
	{Name: "depth", Doc: "How many segments the URL's path has: 0 for /, 2 for /a/b.htm.",
		params: []param{{"url", urlKind}}, result: value.Int, apply: depth},
	{Name: "domain", Doc: "The registered domain of the URL's host, such as pku.edu.cn.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: domain},
	{Name: "ends_with", Doc: "Whether s ends with the suffix.",
		params: []param{{"s", textKind}, {"suffix", textKind}}, result: value.Bool, apply: endsWith},
	{Name: "greatest", Doc: "The largest of the arguments that are not NULL.",
		params: []param{{"x", anyKind}}, many: true, nulls: true, apply: greatest},
	{Name: "hamming", Doc: "In how many of their 64 bits two ints differ.",
		params: []param{{"a", intKind}, {"b", intKind}}, result: value.Int, apply: hamming},
	{Name: "header", Doc: "The value of a response header; its name in any case.",
		params: []param{{"headers", textKind}, {"name", textKind}}, result: value.Text, apply: header},
	{Name: "hex", Doc: "The bytes of a text, or an int, as hexadecimal digits.",
		params: []param{{"x", anyKind}}, result: value.Text, prepare: prepareHex, apply: hexOf},
	{Name: "host", Doc: "The host of the URL, without its port.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: host},
	{Name: "least", Doc: "The smallest of the arguments that are not NULL.",
		params: []param{{"x", anyKind}}, many: true, nulls: true, apply: least},
	{Name: "length", Doc: "How many characters the text has.",
		params: []param{{"s", textKind}}, result: value.Int, apply: length},
	{Name: "lower", Doc: "The text in lower case.",
		params: []param{{"s", textKind}}, result: value.Text, apply: lower},
	{Name: "max", Doc: "The largest value.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "md5", Doc: "The md5 of the text's bytes as hexadecimal digits.",
		params: []param{{"s", textKind}}, result: value.Text, apply: md5Of},
	{Name: "median", Doc: "The value in the middle, or halfway between the two there.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true},
	{Name: "min", Doc: "The smallest value.",
		params: []param{{"x", anyKind}}, min: 1, Aggregate: true},
	{Name: "month", Doc: "The month, from 1 to 12.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: month},
	{Name: "now", Doc: "The time at which the statement began.",
		result: value.Time, apply: now},
	{Name: "nullif", Doc: "NULL if a equals b, else a.",
		params: []param{{"a", anyKind}, {"b", anyKind}}, nulls: true, apply: nullIf},
	{Name: "path", Doc: "The path of the URL, percent-escapes decoded as UTF-8, else as GB18030.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: path},
	{Name: "regexp_extract", Doc: "What the pattern (RE2) first finds in s, or one group of it; NULL if it finds nothing.",
		params: []param{{"s", textKind}, {"pattern", textKind}, {"group", intKind}}, min: 2, result: value.Text, prepare: prepareExtract, apply: regexpExtract},
	{Name: "regexp_replace", Doc: "s with the first match of the pattern (RE2) replaced, all with flag g, case aside with flag i; \\1 stands for a group.",
		params: []param{{"s", textKind}, {"pattern", textKind}, {"with", textKind}, {"flags", textKind}}, min: 3, result: value.Text, prepare: prepareReplace, apply: regexpReplace},
	{Name: "replace", Doc: "s with every old replaced.",
		params: []param{{"s", textKind}, {"old", textKind}, {"new", textKind}}, result: value.Text, apply: replace},
	{Name: "round", Doc: "The number rounded to a count of decimals, 0 if left out; half away from zero.",
		params: []param{{"x", numberKind}, {"decimals", intKind}}, min: 1, apply: round},
	{Name: "sha1", Doc: "The sha1 of the text's bytes as hexadecimal digits.",
		params: []param{{"s", textKind}}, result: value.Text, apply: sha1Of},
	{Name: "simhash", Doc: "A fingerprint of the text: those of similar texts differ in few bits, which hamming counts.",
		params: []param{{"text", textKind}}, result: value.Int, apply: simhash},
	{Name: "similar", Doc: "How alike two texts are, from 0 to 1: of all runs of five words that either has, the share that both have.",
		params: []param{{"a", textKind}, {"b", textKind}}, result: value.Float, prepare: prepareSimilar, apply: similar},
	{Name: "snippet", Doc: "A short piece of the text around the first place that CONTAINS q, or its start.",
		params: []param{{"text", textKind}, {"q", textKind}}, result: value.Text, apply: snippet},
	{Name: "split_part", Doc: "The n-th part of s between separators, from 1, or from -1 at the end; '' if there is none.",
		params: []param{{"s", textKind}, {"separator", textKind}, {"n", intKind}}, result: value.Text, apply: splitPart},
	{Name: "starts_with", Doc: "Whether s starts with the prefix.",
		params: []param{{"s", textKind}, {"prefix", textKind}}, result: value.Bool, apply: startsWith},
	{Name: "stddev", Doc: "The standard deviation of a sample; NULL of fewer than two values.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true, result: value.Float},
	{Name: "strftime", Doc: "The time in a format such as %Y-%m-%d %H:%M:%S.",
		params: []param{{"t", timeKind}, {"format", textKind}}, result: value.Text, prepare: prepareStrftime, apply: strftime},
	{Name: "string_agg", Doc: "The texts that are not NULL with separator between them, in the order of ORDER BY or in that of the rows.",
		params: []param{{"x", textKind}, {"separator", textKind}}, min: 2, Aggregate: true, result: value.Text},
	{Name: "substr", Doc: "The characters of s from start, which counts from 1; to the end if length is left out.",
		params: []param{{"s", textKind}, {"start", intKind}, {"length", intKind}}, min: 2, result: value.Text, apply: substr},
	{Name: "sum", Doc: "The sum of the values that are not NULL.",
		params: []param{{"x", numberKind}}, min: 1, Aggregate: true},
	{Name: "surt", Doc: "The key by which URLs are ordered: host reversed, then path, then scheme.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: surt},
	{Name: "trim", Doc: "The text without the blanks, or the characters given, at both ends.",
		params: []param{{"s", textKind}, {"characters", textKind}}, min: 1, result: value.Text, apply: trim},
	{Name: "upper", Doc: "The text in upper case.",
		params: []param{{"s", textKind}}, result: value.Text, apply: upper},
	{Name: "urlkey", Doc: "The folded key of CDX files, which puts together http and https, with and without www.",
		params: []param{{"url", urlKind}}, result: value.Text, apply: cdx},
	{Name: "urlparam", Doc: "The value of a parameter in the URL's query, decoded; NULL if it has none.",
		params: []param{{"url", urlKind}, {"name", textKind}}, result: value.Text, apply: urlParam},
	{Name: "year", Doc: "The year.",
		params: []param{{"t", timeKind}}, result: value.Int, apply: year},
}
