package exec

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block"
	"infomall/store/record"
)

// DefaultSettings returns the settings of a new session.
func DefaultSettings() Settings {
	return Settings{
		Timezone:       time.UTC,
		ImportTimezone: time.UTC,
		MemoryBytes:    512 << 20,
		Cache:          true,
		CacheBytes:     256 << 20,
		Mode:           "auto",
		Color:          "auto",
		Pager:          "auto",
		PageLimit:      block.PageLimit,
		PoolLimit:      64 << 30,
		Level:          levelAuto,
		DefaultLevel:   2,
		Profile:        "modern",
		Delay:          -1,
		Workers:        16,
		BodyLimit:      64 << 20,
		Publish:        30 * time.Second,
		PublishBytes:   64 << 20,
		Robots:         true,
		NoArchive:      true,
		Weights:        weightsDefault,
		Revisit:        7 * 24 * time.Hour,
	}
}

// The values of the setting level that are words, not numbers.
const (
	levelAuto   = "auto"
	levelLeaves = "leaves"
)

// settingKind describes one setting that SET changes.
type settingKind struct {
	name, doc string
	get       func(*Settings) string        // returns the value as SET takes it
	set       func(*Settings, string) error // reads a value; the error says what to write
}

// settings lists all settings, by name.
var settings = []settingKind{
	{"agent", "User-Agent of crawls; empty is the program's own, with contact",
		func(s *Settings) string { return s.Agent },
		func(s *Settings, v string) error { return parseLine(&s.Agent, v) }},
	{"body_limit", "size at which a crawl cuts a body",
		func(s *Settings) string { return sizeText(s.BodyLimit) },
		func(s *Settings, v string) error { return parseSize(&s.BodyLimit, v) }},
	{"cache", "whether decoded runs are kept in memory",
		func(s *Settings) string { return onOff(s.Cache) },
		func(s *Settings, v string) error { return parseOnOff(&s.Cache, v) }},
	{"cache_size", "memory for decoded runs",
		func(s *Settings) string { return sizeText(s.CacheBytes) },
		func(s *Settings, v string) error { return parseSize(&s.CacheBytes, v) }},
	{"color", "colors on a terminal: auto, always or never",
		func(s *Settings) string { return s.Color },
		func(s *Settings, v string) error { return parseWord(&s.Color, v, "auto", "always", "never") }},
	{"contact", "who crawls, for those who are crawled: a URL or a mail address",
		func(s *Settings) string { return s.Contact },
		func(s *Settings, v string) error { return parseLine(&s.Contact, v) }},
	{"default_level", "level of the cut where level is auto",
		func(s *Settings) string { return strconv.Itoa(s.DefaultLevel) },
		func(s *Settings, v string) error { return parseLevel(&s.DefaultLevel, v) }},
	{"delay", "pause between two requests of a crawl to a host; auto is five times what the last took, within 1 and 30 s",
		func(s *Settings) string { return delayText(s.Delay) },
		func(s *Settings, v string) error { return parseDelay(&s.Delay, v) }},
	{"domain_weights", "what URLs are worth by their domain in crawls of the order BEST, such as 'edu.cn 10, gov.cn 5': the first that fits",
		func(s *Settings) string { return s.Domains },
		func(s *Settings, v string) error { return setDomains(&s.Domains, v) }},
	{"earliest_date", "earliest date of an imported record, in UTC; a record before it is damaged",
		func(s *Settings) string { return earliestText(s.Earliest) },
		func(s *Settings, v string) error { return parseBound(&s.Earliest, v, earliestOf) }},
	{"import_timezone", "zone of dates without one in imported files",
		func(s *Settings) string { return s.ImportTimezone.String() },
		func(s *Settings, v string) error { return parseZone(&s.ImportTimezone, v) }},
	{"latest_date", "latest date of an imported record, in UTC; a record after it is damaged; auto is a day from now",
		func(s *Settings) string { return latestText(s.Latest) },
		func(s *Settings, v string) error { return parseLatest(&s.Latest, v) }},
	{"level", "cut for blocks and changes: auto, a level from 1, or leaves",
		func(s *Settings) string { return s.Level },
		func(s *Settings, v string) error { return parseCut(&s.Level, v) }},
	{"memory", "memory for sorting and grouping before temporary files are used",
		func(s *Settings) string { return sizeText(s.MemoryBytes) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.MemoryBytes, v, memoryBytesMin) }},
	{"mode", "output format: auto is a table on a terminal, vertical where that is too wide, and csv elsewhere",
		func(s *Settings) string { return s.Mode },
		func(s *Settings, v string) error {
			return parseWord(&s.Mode, v, append([]string{"auto"}, rowio.Formats()...)...)
		}},
	{"netrc", "file with lines \"machine HOST login NAME password WORD\", by which crawls get in at these hosts, and at a proxy",
		func(s *Settings) string { return s.Netrc },
		func(s *Settings, v string) error { s.Netrc = v; return nil }},
	{"noarchive", "what crawls do with a page that asks robots to keep no copy: keep, or skip",
		func(s *Settings) string { return keepOrSkip(s.NoArchive) },
		func(s *Settings, v string) error { return parseKeepOrSkip(&s.NoArchive, v) }},
	{"nullvalue", "how NULL is printed in a table",
		func(s *Settings) string { return s.NullValue },
		func(s *Settings, v string) error { s.NullValue = v; return nil }},
	{"page_limit", "how much of a body is read for its title, text, links and blocks when it comes in; unread says where that was not all",
		func(s *Settings) string { return sizeText(s.PageLimit) },
		func(s *Settings, v string) error {
			var n int64
			if err := parseSizeFrom(&n, v, pageLimitMin); err != nil {
				return err
			}
			if n > block.PageLimitMax {
				return fmt.Errorf("at most %s: the blocks of a page take twenty times its size in memory", sizeText(block.PageLimitMax))
			}
			s.PageLimit = n
			return nil
		}},
	{"pager", "whether results on a terminal go through a pager: auto is those taller than the window",
		func(s *Settings) string { return s.Pager },
		func(s *Settings, v string) error { return parseWord(&s.Pager, v, "auto", "on", "off") }},
	{"pool_limit", "size of a pool above which it is split by URL when it is merged or sealed",
		func(s *Settings) string { return sizeText(s.PoolLimit) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.PoolLimit, v, poolLimitMin) }},
	{"profile", "how pages are divided: modern, or classic, the published method",
		func(s *Settings) string { return s.Profile },
		func(s *Settings, v string) error { return parseWord(&s.Profile, v, "modern", "classic") }},
	{"publish_every", "time after which what a crawl fetched comes into force at the latest",
		func(s *Settings) string { return delayText(s.Publish) },
		func(s *Settings, v string) error {
			return parseDuration(&s.Publish, v, "a duration", publishMin, publishMax)
		}},
	{"publish_size", "bytes of responses after which what a crawl fetched comes into force at the latest",
		func(s *Settings) string { return sizeText(s.PublishBytes) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.PublishBytes, v, publishBytesMin) }},
	{"revisit", "time in which CRAWL DUE has a visit for each page, on average: some get more, some less",
		func(s *Settings) string { return delayText(s.Revisit) },
		func(s *Settings, v string) error {
			return parseDuration(&s.Revisit, v, "a duration", revisitMin, revisitMax)
		}},
	{"robots", "whether crawls obey robots.txt",
		func(s *Settings) string { return onOff(s.Robots) },
		func(s *Settings, v string) error { return parseOnOff(&s.Robots, v) }},
	{"sessions", "names of arguments and patterns of folders that name a session, which a crawl drops from URLs, such as 'token, /(S(*))'; a minus keeps one, such as '-sid'; a crawl finds other sessions by comparing pages",
		func(s *Settings) string { return s.Sessions },
		func(s *Settings, v string) error { return parseSessions(&s.Sessions, v) }},
	{"temp_dir", "folder for temporary files; empty is the one that the archive lies in",
		func(s *Settings) string { return s.TempDir },
		func(s *Settings, v string) error { return parseFolder(&s.TempDir, v) }},
	{"timer", "whether the time of each statement is printed",
		func(s *Settings) string { return onOff(s.Timer) },
		func(s *Settings, v string) error { return parseOnOff(&s.Timer, v) }},
	{"timezone", "zone of time literals without an offset, of TODAY and of printing",
		func(s *Settings) string { return s.Timezone.String() },
		func(s *Settings, v string) error { return parseZone(&s.Timezone, v) }},
	{"weights", "of the terms that make up the priority of a URL, in crawls of the order BEST",
		func(s *Settings) string { return weightsText(s.Weights) },
		func(s *Settings, v string) error { return parseWeights(&s.Weights, v) }},
	{"width", "width of a table in cells; auto is the window's",
		func(s *Settings) string { return widthText(s.Width) },
		func(s *Settings, v string) error { return parseWidth(&s.Width, v) }},
	{"workers", "requests that a crawl has under way at once, each to another host",
		func(s *Settings) string { return strconv.Itoa(s.Workers) },
		func(s *Settings, v string) error { return parseWorkers(&s.Workers, v) }},
}

var settingColumns = []value.Column{text("setting"), text("value"), text("default"), text("meaning")}

func (k *settingKind) row(s *Settings) []value.Value {
	def := DefaultSettings()
	return []value.Value{value.OfText(k.name), value.OfText(k.get(s)), value.OfText(k.get(&def)), value.OfText(k.doc)}
}

// setting returns the setting with a name, or nil if there is none. Case does not
// count.
func setting(name string) *settingKind {
	for i := range settings {
		if strings.EqualFold(settings[i].name, name) {
			return &settings[i]
		}
	}
	return nil
}

// promptOnly maps names that other shells have as settings to the commands of this
// shell's prompt that do the same.
var promptOnly = map[string]string{"header": ".headers", "headers": ".headers", "output": ".output"}

// findSetting returns the setting that a statement names. If there is none, the error
// suggests the nearest name.
func findSetting(name *ast.Name) (*settingKind, error) {
	if k := setting(name.Text); k != nil {
		return k, nil
	}
	err := expr.UnknownName(name, "setting", name.Text, "", settingNames())
	if command := promptOnly[strings.ToLower(name.Text)]; command != "" {
		err.Hint = "at the prompt " + command + " does that"
	}
	return nil, err
}

func settingNames() []string {
	names := make([]string, len(settings))
	for i := range settings {
		names[i] = settings[i].name
	}
	return names
}

// assignment is a SET or a RESET statement whose clauses were read.
type assignment struct {
	s     *Session
	kind  *settingKind // nil for a parameter
	param string       // the name of the parameter
	value string
	after Settings // the session's settings with the new value, unless it is a parameter
}

// readSet reads the clauses of a SET statement, and checks the value of a setting.
func readSet(s *Session, st *ast.Set) (*assignment, error) {
	a := &assignment{s: s, param: st.Name.Text}
	var err error
	if !st.Param {
		if a.kind, err = findSetting(&st.Name); err != nil {
			return nil, err
		}
	}
	if a.value, err = s.constant(st.Value); err != nil || st.Param {
		return a, err
	}
	a.after = s.Settings
	if err := a.kind.set(&a.after, a.value); err != nil {
		return nil, ast.Errorf(st.Value, "setting %s: %v", a.kind.name, err)
	}
	return a, nil
}

// readReset reads the clauses of a RESET statement, which sets a setting to its default.
func readReset(s *Session, st *ast.Reset) (*assignment, error) {
	k, err := findSetting(&st.Name)
	if err != nil {
		return nil, err
	}
	a, def := &assignment{s: s, kind: k, after: s.Settings}, DefaultSettings()
	if err := k.set(&a.after, k.get(&def)); err != nil {
		panic("exec: the default of " + k.name + " is refused: " + err.Error())
	}
	return a, nil
}

// Assume changes the setting or the parameter in the session.
func (a *assignment) Assume() {
	if a.kind != nil {
		a.s.Settings = a.after
		return
	}
	if a.s.Params == nil {
		a.s.Params = map[string]string{}
	}
	a.s.Params[a.param] = a.value
}

// Run changes the setting or the parameter in the session. It has no result to show.
func (a *assignment) Run(context.Context) (*Result, error) {
	a.Assume()
	return done(), nil
}

// Would returns one line that names the setting, with its current value, or the
// parameter.
func (a *assignment) Would(context.Context) ([]string, error) {
	if a.kind == nil {
		return []string{"gives parameter $" + a.param + " a value for this session"}, nil
	}
	return []string{fmt.Sprintf("changes %s, which is %s, for this session", a.kind.name, a.kind.get(&a.s.Settings))}, nil
}

// constant returns the text of a value after SET. A literal or a single word stays as
// it was written. Any other expression is computed now; NULL is an error.
func (s *Session) constant(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.String:
		return e.Value, nil
	case *ast.Number:
		return e.Text, nil
	case *ast.Size:
		return e.Text, nil
	case *ast.Duration:
		return e.Text, nil
	case *ast.Period:
		return e.Text, nil
	case *ast.Bool:
		return strconv.FormatBool(e.Value), nil
	case *ast.Column:
		if e.Qualifier == nil {
			return e.Name.Text, nil
		}
	}
	env := s.env()
	x, err := (&expr.Binder{Where: "SET", Env: env}).Bind(e)
	if err != nil {
		return "", err
	}
	c, ok := x.(*expr.Const)
	if !ok || c.V.IsNull() {
		return "", ast.Errorf(e, "SET takes a value, and %s is none", e)
	}
	return string(c.V.Append(nil, env.Location())), nil
}

// parseLine sets dst to v, which becomes part of a header line of a request. Only
// printable ASCII characters are allowed.
func parseLine(dst *string, v string) error {
	if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("write ASCII without control characters, not %q", v)
	}
	*dst = v
	return nil
}

// parseSessions checks v and sets dst to it. v is a list, separated by commas, of names
// of URL arguments and patterns of folders, such as 'token, -sid, /(S(*))'.
func parseSessions(dst *string, v string) error {
	visits, pages := sessionArgs(v)
	for _, name := range append(visits, pages...) {
		folder, ok := strings.CutPrefix(name, "/")
		if _, err := path.Match(folder, ""); err != nil || ok && folder == "" || strings.ContainsAny(folder, "=&?;/ ") {
			return fmt.Errorf("write names of arguments and, after a slash, patterns of folders, such as 'token, -sid, /(S(*))', not %q", name)
		}
	}
	return parseLine(dst, v)
}

// sessionArgs splits a value of the setting sessions into its entries, in lower case.
// visits has the entries that name a session, which a crawl drops from URLs. pages has
// the entries that were written with a minus, which a crawl keeps.
func sessionArgs(v string) (visits, pages []string) {
	for name := range strings.SplitSeq(strings.ToLower(v), ",") {
		name = strings.TrimSpace(name)
		if page, ok := strings.CutPrefix(name, "-"); ok {
			pages = append(pages, strings.TrimSpace(page))
		} else if name != "" {
			visits = append(visits, name)
		}
	}
	return visits, pages
}

// parseFolder sets dst to the absolute path of v, a folder that exists, or to "" if v is
// empty.
func parseFolder(dst *string, v string) error {
	if v == "" {
		*dst = ""
		return nil
	}
	dir, err := filepath.Abs(v)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("write the name of a folder; %s is a file", v)
	}
	*dst = dir
	return nil
}

// keepOrSkip returns keep or skip, the values of the setting noarchive.
func keepOrSkip(keep bool) string {
	if keep {
		return "keep"
	}
	return "skip"
}

func parseKeepOrSkip(dst *bool, v string) error {
	var word string
	err := parseWord(&word, v, "keep", "skip")
	if err == nil {
		*dst = word == "keep"
	}
	return err
}

// delayText returns a duration as SET takes it, or auto if it is negative.
func delayText(d time.Duration) string {
	if d < 0 {
		return "auto"
	}
	return string(value.OfDuration(d.Milliseconds()).Append(nil, time.UTC))
}

func parseDelay(dst *time.Duration, v string) error {
	if strings.EqualFold(v, "auto") {
		*dst = -1
		return nil
	}
	return parseDuration(dst, v, "auto or a duration such as 2s,", 0, delayMax)
}

// parseDuration sets dst to a duration from from to to. what begins the advice in an
// error, such as "a duration".
func parseDuration(dst *time.Duration, v, what string, from, to time.Duration) error {
	d, err := value.Cast(value.OfText(v), value.Duration, time.UTC)
	if err != nil || d.Int < from.Milliseconds() || d.Int > to.Milliseconds() {
		return fmt.Errorf("write %s from %s to %s, not %q", what, delayText(from), delayText(to), v)
	}
	*dst = time.Duration(d.Int) * time.Millisecond
	return nil
}

// Limits of the settings of crawls.
const (
	publishMin      = time.Second
	publishMax      = 24 * time.Hour
	publishBytesMin = 1 << 20
	delayMax        = 24 * time.Hour
	revisitMin      = time.Hour
	revisitMax      = 366 * 24 * time.Hour
	workersMax      = 10_000
)

func parseWorkers(dst *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > workersMax {
		return fmt.Errorf("write a number from 1 to %d, not %q", workersMax, v)
	}
	*dst = n
	return nil
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// parseOnOff sets dst. It takes on, true, 1 and yes; off, false, 0 and no.
func parseOnOff(dst *bool, v string) error {
	switch strings.ToLower(v) {
	case "on", "true", "1", "yes":
		*dst = true
	case "off", "false", "0", "no":
		*dst = false
	default:
		return fmt.Errorf("write on or off, not %q", v)
	}
	return nil
}

// parseWord sets dst to the one of words that equals v, in any case.
func parseWord(dst *string, v string, words ...string) error {
	for _, w := range words {
		if strings.EqualFold(w, v) {
			*dst = w
			return nil
		}
	}
	err := fmt.Errorf("there is no %q; write %s", v, strings.Join(words, ", "))
	if near := ast.Nearest(v, words); near != "" {
		err = fmt.Errorf("there is no %q; did you mean %s?", v, near)
	}
	return err
}

// levelMax is the greatest level that the settings take. No tree of blocks has more
// levels.
const levelMax = 100

func parseLevel(dst *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > levelMax {
		return fmt.Errorf("write a whole number from 1 to %d, not %q", levelMax, v)
	}
	*dst = n
	return nil
}

// parseCut sets dst to a value of the setting level: auto, leaves or a number.
func parseCut(dst *string, v string) error {
	for _, word := range []string{levelAuto, levelLeaves} {
		if strings.EqualFold(word, v) {
			*dst = word
			return nil
		}
	}
	var n int
	if near := ast.Nearest(v, []string{levelAuto, levelLeaves}); near != "" {
		return fmt.Errorf("there is no level %q; did you mean %s?", v, near)
	}
	if parseLevel(&n, v) != nil {
		return fmt.Errorf("write auto, leaves or a whole number from 1 to %d, not %q", levelMax, v)
	}
	*dst = strconv.Itoa(n)
	return nil
}

// parseZone sets dst to the named time zone, such as Asia/Shanghai. local is the zone of
// the computer.
func parseZone(dst **time.Location, v string) error {
	if strings.EqualFold(v, "local") {
		*dst = time.Local
		return nil
	}
	zone, err := time.LoadLocation(v)
	if err != nil {
		return fmt.Errorf("there is no time zone %q; write one such as 'Asia/Shanghai' or 'UTC'", v)
	}
	*dst = zone
	return nil
}

// dateForms lists the layouts in which earliest_date and latest_date are printed, the
// shortest first.
var dateForms = []string{"2006-01-02", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000Z"}

// boundText returns t in the shortest of dateForms that read turns into t again. read is
// earliestOf or latestOf.
func boundText(t record.Time, read func(value.Period) record.Time) string {
	text := ""
	for _, form := range dateForms {
		text = t.Std().Format(form)
		if p, err := value.ParsePeriod(text, time.UTC); err == nil && read(p) == t {
			break
		}
	}
	return text
}

// earliestOf returns the first moment of a period, latestOf the last.
func earliestOf(p value.Period) record.Time { return p.From }
func latestOf(p value.Period) record.Time   { return p.To - 1 }

func earliestText(t *record.Time) string {
	if t == nil {
		return boundText(record.EarliestDefault, earliestOf)
	}
	return boundText(*t, earliestOf)
}

func latestText(t *record.Time) string {
	if t == nil {
		return "auto"
	}
	return boundText(*t, latestOf)
}

// parseBound sets dst to the first or last moment of a period such as 1985 or
// 2030-06-15. read is earliestOf or latestOf.
func parseBound(dst **record.Time, v string, read func(value.Period) record.Time) error {
	p, err := value.ParsePeriod(v, time.UTC)
	if err != nil {
		return err
	}
	t := read(p)
	*dst = &t
	return nil
}

func parseLatest(dst **record.Time, v string) error {
	if strings.EqualFold(v, "auto") {
		*dst = nil
		return nil
	}
	return parseBound(dst, v, latestOf)
}

// parseSize sets dst to a size in bytes. v is a number, with a unit such as 64MB or
// without.
func parseSize(dst *int64, v string) error {
	digits, unit := strings.ToUpper(v), int64(1)
	for _, u := range ast.SizeUnits {
		if rest, ok := strings.CutSuffix(digits, u.Name); ok {
			digits, unit = rest, u.Bytes
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/unit {
		return fmt.Errorf("%q is no size; write one such as 512MB", v)
	}
	*dst = n * unit
	return nil
}

// memoryBytesMin is the least value of the setting memory, in bytes. With less, a sort
// would make a temporary file every few rows.
const memoryBytesMin = 1 << 20

// pageLimitMin is the least value of the setting page_limit, in bytes. It is enough for
// the title and the first words of a page.
const pageLimitMin = 16 << 10

// poolLimitMin is the least value of the setting pool_limit, in bytes. With less, pools
// would be split URL by URL.
const poolLimitMin = 16 << 10

// parseSizeFrom is parseSize, but a size below least is an error.
func parseSizeFrom(dst *int64, v string, least int64) error {
	var n int64
	if err := parseSize(&n, v); err != nil {
		return err
	}
	if n < least {
		return fmt.Errorf("%s is too little; the least is %s", v, sizeText(least))
	}
	*dst = n
	return nil
}

// sizeText returns a size as SET takes it, in the largest unit that divides it, such as
// 64MB.
func sizeText(n int64) string {
	for _, u := range ast.SizeUnits {
		if n > 0 && n%u.Bytes == 0 {
			return strconv.FormatInt(n/u.Bytes, 10) + u.Name
		}
	}
	return strconv.FormatInt(n, 10)
}

func widthText(n int) string {
	if n == 0 {
		return "auto"
	}
	return strconv.Itoa(n)
}

func parseWidth(dst *int, v string) error {
	if strings.EqualFold(v, "auto") {
		*dst = 0
		return nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return fmt.Errorf("write a number of cells or auto, not %q", v)
	}
	*dst = n
	return nil
}

// SettingNames returns the names of all settings that SET changes.
func SettingNames() []string { return settingNames() }
