package cdx

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infomall/repl/serve/lookup"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// ParamError is a mistake in a parameter. It says what to write.
type ParamError struct{ text string }

func (e *ParamError) Error() string { return e.text }

// badf returns a ParamError.
func badf(format string, args ...any) error { return &ParamError{fmt.Sprintf(format, args...)} }

// Query is a request to the CDX server, with the parameters of the servers of the
// Wayback Machine and of pywb.
type Query struct {
	url       string // canonical, for an exact match; otherwise as asked
	matchType string // exact, prefix, host or domain
	ranges    []urlkey.Range
	from, to  record.Time

	fields   []string // to write
	filters  []filter
	collapse []collapse
	resolve  bool // show the type and status of what a revisit refers to

	limit    int64 // 0 means all; negative means the last ones
	offset   int64
	reverse  bool
	closest  record.Time // NoTime unless sort=closest
	output   string
	header   bool // json: name the fields first
	gzip     bool
	resume   *place // the last line of the answer before; nil for a first request
	showKey  bool   // write the key with which the next request goes on
	page     int64  // -1 means no pages
	pageSize int64  // lines of a page
	numPages bool   // write only how many pages there are

	dupeCount, skipCount, lastSkip bool
}

// filter is one value of the parameter filter.
type filter struct {
	field  string
	not    bool
	equal  string         // wanted value, if within and match are unset
	within string         // wanted part of the value
	match  *regexp.Regexp // wanted pattern; nil if not used
}

// accepts reports whether a value of the field passes the filter.
func (f *filter) accepts(value string) bool {
	var ok bool
	switch {
	case f.match != nil:
		ok = f.match.MatchString(value)
	case f.within != "":
		ok = strings.Contains(value, f.within)
	default:
		ok = value == f.equal
	}
	return ok != f.not
}

// collapse leaves out a line if the first n characters of a field are those of
// the line before. 0 means the whole field.
type collapse struct {
	field string
	n     int
}

// pageLines is how many lines a page has for each unit of pageSize. A block of a compressed CDX
// file has the same number.
const pageLines = 3000

// memoryMax is the maximum number of lines that are held in memory to sort them, or to find the
// last ones.
const memoryMax = 100_000

// numberMax is the value of a larger number in a request. The product of two of them, one of which
// is a size of a page, has less than 64 bits.
const numberMax = 1 << 40

// fieldsDefault are the fields of a line if fl is not given.
const fieldsDefault = "urlkey,timestamp,original,mimetype,statuscode,digest,length"

// params are the parameters that the CDX server knows.
var params = []string{
	"url", "matchType", "from", "to", "limit", "offset", "sort", "closest", "filter", "fl", "fields", "output",
	"collapse", "collapseTime", "resolveRevisits", "showResumeKey", "resumeKey", "page", "pageSize", "showNumPages",
	"gzip", "showDupeCount", "showSkipCount", "lastSkipTimestamp", "fastLatest", "allowFuzzy", "header", "q",
	"showPagedIndex", "resolveRevisitsDupes", "showGroupCount", "showUniqCount",
}

// Parse reads the parameters of a request. An error says which parameter is wrong
// and what to write.
func Parse(v url.Values) (*Query, error) {
	bad := badf
	for name := range v {
		if !slices.Contains(params, name) {
			return nil, bad("no parameter %q; there are %s", name, strings.Join(params, ", "))
		}
	}
	q := &Query{from: record.MinTime, to: record.MaxTime + 1, closest: record.NoTime, page: -1, output: "text", header: true, gzip: true}
	if err := q.parseScope(v.Get("url"), v.Get("matchType")); err != nil {
		return nil, err
	}
	var ok bool
	if text := v.Get("from"); text != "" {
		if q.from, _, ok = lookup.Period(padded(text)); !ok {
			return nil, bad("from=%s is no time; write it like 20080602, up to 14 digits", text)
		}
	}
	if text := v.Get("to"); text != "" {
		if _, q.to, ok = lookup.Period(padded(text)); !ok {
			return nil, bad("to=%s is no time; write it like 20080602, up to 14 digits", text)
		}
	}
	numbers := []struct {
		name string
		to   *int64
		min  int64
	}{{"limit", &q.limit, -memoryMax}, {"offset", &q.offset, 0}, {"page", &q.page, 0}, {"pageSize", &q.pageSize, 1}}
	for _, p := range numbers {
		if text := v.Get(p.name); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < p.min {
				return nil, bad("%s=%s: write a whole number from %d", p.name, text, p.min)
			}
			*p.to = min(n, numberMax)
		}
	}
	q.pageSize = max(q.pageSize, 1)
	if q.pageSize > 1000 {
		return nil, bad("pageSize=%d: at most 1000", q.pageSize)
	}
	q.pageSize *= pageLines
	switch sort := v.Get("sort"); sort {
	case "", "default", "regular":
	case "reverse":
		q.reverse = true
	case "closest":
		if v.Get("closest") == "" {
			return nil, bad("sort=closest needs closest=TIME")
		}
	default:
		return nil, bad("sort=%s: write reverse or closest", sort)
	}
	if text := v.Get("closest"); text != "" {
		from, _, ok := lookup.Period(padded(text))
		if !ok {
			return nil, bad("closest=%s is no time; write it like 20080602011717", text)
		}
		q.closest = from
	}
	fields := v.Get("fl")
	if fields == "" {
		fields = v.Get("fields")
	}
	if fields == "" {
		// Clients expect these seven fields, also with resolveRevisits. The fields of
		// the original of a revisit are sent if fl names them.
		fields = fieldsDefault
	}
	for _, name := range strings.Split(fields, ",") {
		if err := q.needField(name); err != nil {
			return nil, err
		}
		q.fields = append(q.fields, name)
	}
	for _, text := range v["filter"] {
		f, err := parseFilter(text)
		if err == nil {
			err = q.needField(f.field)
		}
		if err != nil {
			return nil, err
		}
		q.filters = append(q.filters, f)
	}
	collapses := v["collapse"]
	if n := v.Get("collapseTime"); n != "" {
		collapses = append(slices.Clone(collapses), "timestamp:"+n)
	}
	for _, text := range collapses {
		c := collapse{field: text}
		if name, digits, ok := strings.Cut(text, ":"); ok {
			n, err := strconv.Atoi(digits)
			if err != nil || n < 1 {
				return nil, bad("collapse=%s: write FIELD or FIELD:N, such as timestamp:10", text)
			}
			c = collapse{name, n}
		}
		if err := q.needField(c.field); err != nil {
			return nil, err
		}
		q.collapse = append(q.collapse, c)
	}
	switch out := v.Get("output"); out {
	case "":
	case "text", "json", "jsonl", "cdxj", "link":
		q.output = out
	default:
		return nil, bad("output=%s: write text, json, jsonl, cdxj or link", out)
	}
	flags := []struct {
		name string
		to   *bool
	}{{"resolveRevisits", &q.resolve}, {"showResumeKey", &q.showKey}, {"showNumPages", &q.numPages}, {"gzip", &q.gzip}, {"header", &q.header},
		{"showDupeCount", &q.dupeCount}, {"showSkipCount", &q.skipCount}, {"lastSkipTimestamp", &q.lastSkip}}
	for _, f := range flags {
		switch text := v.Get(f.name); text {
		case "":
		case "true", "1":
			*f.to = true
		case "false", "0":
			*f.to = false
		default:
			return nil, bad("%s=%s: write true or false", f.name, text)
		}
	}
	if text := v.Get("resumeKey"); text != "" {
		at, err := parsePlace(text)
		if err != nil {
			return nil, err
		}
		q.resume = at
	}
	if (q.reverse || q.closest != record.NoTime) && (q.showKey || q.resume != nil) {
		return nil, bad("an answer with sort has no resume key; leave out sort, or showResumeKey and resumeKey")
	}
	return q, nil
}

// padded returns a time of fewer than four digits with zeros added, so that lookup.Period reads
// it: 199 becomes 1990. It returns any other text unchanged.
func padded(digits string) string {
	if len(digits) < 4 && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return digits + strings.Repeat("0", 4-len(digits))
	}
	return digits
}

// parseScope sets the URLs that the query asks for.
func (q *Query) parseScope(text, matchType string) error {
	bad := badf
	if text == "" {
		return bad("the parameter url is missing; write url=www.pku.edu.cn/")
	}
	if matchType == "" {
		switch {
		case strings.HasPrefix(text, "*."):
			matchType, text = "domain", text[2:]
		case strings.HasSuffix(text, "*"):
			matchType, text = "prefix", strings.TrimSuffix(text, "*")
		default:
			matchType = "exact"
		}
	}
	q.matchType = matchType
	text = strings.TrimPrefix(text, "*.")
	u, err := lookup.Canonical(text)
	if err != nil {
		return bad("url=%s is no URL: %v", text, err)
	}
	q.url = u
	host := urlkey.HostPort(u)
	bare := strings.TrimPrefix(host, "www.")
	var scopes []string
	switch matchType {
	case "exact":
		q.ranges = lookup.Keys(lookup.Family(u))
		return nil
	case "prefix":
		path := strings.TrimPrefix(u, u[:strings.Index(u, host)+len(host)])
		if !strings.Contains(strings.TrimPrefix(strings.TrimPrefix(text, "http://"), "https://"), "/") {
			path = "/"
		}
		if q.ranges, err = prefixRanges(bare, path); err != nil {
			return bad("url=%s: %v", text, err)
		}
		return nil
	case "host":
		scopes = []string{"=" + bare, "=www." + bare}
	case "domain":
		scopes = []string{bare}
	default:
		return bad("matchType=%s: write exact, prefix, host or domain", matchType)
	}
	list := make([]urlkey.Scope, len(scopes))
	for i, s := range scopes {
		if list[i], err = urlkey.ParseScope(s); err != nil {
			return bad("url=%s: %v", text, err)
		}
	}
	q.ranges = urlkey.Union(list...)
	return nil
}

// prefixRanges returns the keys of the URLs on a host, with and without www, whose
// path and query begin with path.
func prefixRanges(host, path string) ([]urlkey.Range, error) {
	var list []urlkey.Range
	for _, h := range []string{host, "www." + host} {
		r, ok := urlkey.PrefixRange("http://" + h + path)
		if !ok {
			return nil, fmt.Errorf("it cannot be the start of a URL; write a host and a path, such as www.pku.edu.cn/news/*")
		}
		list = append(list, r)
	}
	return urlkey.Merge(list), nil
}

// needField returns an error if there is no field with this name.
func (q *Query) needField(name string) error {
	if fieldNamed(name) != nil || name == "dupecount" || name == "skipcount" || name == "endtimestamp" {
		return nil
	}
	return badf("no field %q; there are %s", name, strings.Join(fieldNames(), ", "))
}

// pywbFields are the names of fields in pywb. A filter on a field with one of these names,
// without = or ~ before the name, looks for its text in a part of the value. With a name of the
// Wayback Machine, a filter is a regular expression for the whole value.
var pywbFields = []string{"url", "mime", "status", "filename"}

// parseFilter parses one value of the parameter filter: [!][=|~]FIELD:VALUE.
func parseFilter(text string) (filter, error) {
	f := filter{}
	rest, not := strings.CutPrefix(text, "!")
	f.not = not
	kind := byte(0)
	if rest != "" && (rest[0] == '=' || rest[0] == '~') {
		kind, rest = rest[0], rest[1:]
	}
	name, value, ok := strings.Cut(rest, ":")
	if !ok || name == "" {
		return f, badf("filter=%s: write [!][=|~]FIELD:VALUE, such as !statuscode:404", text)
	}
	f.field = name
	switch {
	case kind == '=':
		f.equal = value
	case kind == 0 && slices.Contains(pywbFields, name) && value != "":
		f.within = value
	default:
		pattern := "^(?:" + value + ")"
		if kind == 0 {
			pattern += "$"
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return f, badf("filter=%s: %v", text, err)
		}
		f.match = re
	}
	return f, nil
}

// MediaType returns the media type of the answer.
func (q *Query) MediaType() string { return types[q.output] }

// Page returns the number of the page that the query asks for, or -1 if it asks for none.
func (q *Query) Page() int64 { return q.page }

// NumPages reports whether the query asks only for the number of pages; see Count.
func (q *Query) NumPages() bool { return q.numPages }

// Gzip reports whether the answer may be compressed.
func (q *Query) Gzip() bool { return q.gzip }

// types maps each value of the parameter output to the media type of the answer.
var types = map[string]string{
	"text":  "text/plain; charset=utf-8",
	"json":  "application/json; charset=utf-8",
	"jsonl": "application/x-ndjson; charset=utf-8",
	"cdxj":  "text/x-cdxj; charset=utf-8",
	"link":  "application/link-format; charset=utf-8",
}
