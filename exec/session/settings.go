package session

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/exec/regions"
	"infomall/exec/rowio"
	"infomall/lang/ast"
	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/words/match"
)

// Settings holds the values that SET changes. Start from DefaultSettings; the zero value
// is not usable.
type Settings struct {
	Timezone       *time.Location // zone of time literals without an offset, and of printed times
	ImportTimezone *time.Location // zone of dates without a zone in imported files
	Earliest       *record.Time   // earliest time of an imported capture; nil means record.EarliestDefault
	Latest         *record.Time   // latest time of an imported capture; nil means a day from now
	MemoryBytes    int64          // memory of one statement
	TempDir        string         // folder of temporary files, as an absolute path; "" means the folder that contains the archive
	Cache          bool           // whether decompressed runs (neighbouring captures compressed together) are cached
	CacheBytes     int64          // memory for that cache
	Mode           string         // output format of the shell; auto or the name of a format
	NullValue      string         // text that a table shows for NULL
	Timer          bool           // whether the shell prints how long each statement took
	Color          string         // auto, always or never
	PageLimit      int64          // bytes of a body that are read for title, text, links and blocks
	DocumentTime   time.Duration  // CPU time that the reading of a document may take
	Documents      string         // when documents, such as PDFs, are read: import, later or off
	PoolLimit      int64          // size in bytes above which a pool is split
	Width          int            // width of a table in cells; 0 means that of the window
	Pager          string         // when results on a terminal go through a pager: auto, on or off

	Agent          string          // User-Agent of crawls; "" for the program's own
	Contact        string          // URL or mail address of the person who crawls
	Delay          time.Duration   // pause between two requests to a host; negative means auto, depending on their duration
	FormLimit      int             // most submissions of one form in a crawl
	TrustDates     bool            // whether crawls leave out what has not changed by the dates of sitemaps and feeds
	Workers        int             // number of requests that a crawl sends at the same time
	RequestHeaders record.Requests // what is kept of the heads of requests
	BodyLimit      int64           // length in bytes at which a crawl cuts a body
	Publish        time.Duration   // time after which queries see a fetched page, at the latest
	DiskMin        int64           // bytes that must be free on the disk of the archive during a crawl; 0 means no check
	PublishBytes   int64           // bytes of responses after which queries see them, at the latest
	Robots         bool            // whether crawls obey robots.txt
	Sessions       string          // list of URL arguments and folders that name a session or, with a minus, a page
	NoArchive      bool            // whether crawls keep pages that ask robots to keep no copy
	Browser        string          // path of the browser that shows pages for RENDER; "" looks for one
	BrowserSandbox bool            // whether that browser runs in its sandbox
	MoreRules      string          // file of rules that click buttons that load more, as an absolute path; "" means none
	ConsentRules   string          // file of rules that click the buttons of notices, as an absolute path; "" means none
	Netrc          string          // file with the names and passwords that crawls use for hosts; "" means none
	Weights        report.Weights  // weights of the terms of priority in the order BEST
	Domains        string          // list of weights of URLs by domain, as parseDomains reads it
	Revisit        time.Duration   // time in which CRAWL DUE visits each page once, on average

	Level        string // level of the cut (which blocks of a page count) for blocks and changes: auto, leaves or a number from 1
	DefaultLevel int    // level that auto means, from 1
	Synonyms     string // file of words that mean the same, as an absolute path; "" means none
	synonyms     *match.Synonyms
	Regions      string // file with the places of IP addresses, as an absolute path; "" means none
	regions      *regions.File
	Profile      string // how pages are divided into blocks: modern or classic
	Collapse     bool   // whether findings of near-copies and of the forms of a URL are joined

	ProvenanceLimit int64     // captures on which the rows of EXPORT PROVENANCE may stand
	Webhooks        string    // to which web servers EXPORT sends rows: loopback or any
	WarnCost        CostLimit // cost above which a statement is asked about

	Bar    bool   // whether the web server shows archived pages below a bar
	Logo   string // image that the pages of the web server have, as an absolute path; "" means none
	Ruffle string // folder with the program Ruffle, which plays Flash, as an absolute path; "" means none
}

// The values of the setting webhooks.
const (
	webhooksLoopback = "loopback"
	webhooksAny      = "any"
)

// RemoteHooks reports whether EXPORT may send rows to web servers on other machines.
func (s *Settings) RemoteHooks() bool { return s.Webhooks == webhooksAny }

// CutLevel returns the level at which the tree of blocks of a page is cut,
// from 1, or 0 for its leaves.
func (s *Settings) CutLevel() int {
	switch s.Level {
	case levelAuto:
		return s.DefaultLevel
	case levelLeaves:
		return 0
	}
	level, _ := strconv.Atoi(s.Level) // SET has checked the number
	return level
}

// SessionArgs returns the entries of the setting sessions, in lower case.
// visits has the URL arguments and folders that name a session; a crawl
// drops these from URLs. pages has the URL arguments and folders that a crawl keeps.
func (s *Settings) SessionArgs() (visits, pages []string) { return sessionArgs(s.Sessions) }

// DomainWeights returns the weights of URLs by domain, for crawls of the
// order BEST.
func (s *Settings) DomainWeights() ([]report.DomainWeight, error) { return parseDomains(s.Domains) }

// Division returns the options with which a page is divided into blocks.
func (s *Settings) Division() divide.Options {
	if s.Profile == "classic" {
		return divide.Options{Profile: divide.Classic}
	}
	return divide.Options{}
}

// cacheShare is which part of a statement's memory the cache takes at most.
const cacheShare = 2

// cacheBytes returns how many bytes of memory a snapshot may use as a cache,
// or 0 if the cache is off.
func (s *Settings) cacheBytes() int64 {
	if !s.Cache {
		return 0
	}
	return min(s.CacheBytes, s.MemoryBytes/cacheShare)
}

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
		PageLimit:      divide.PageLimit,
		DocumentTime:   5 * time.Second,
		Documents:      DocumentsImport,
		PoolLimit:      64 << 30,
		Level:          levelAuto,
		DefaultLevel:   2,
		Profile:        "modern",
		Collapse:       true,
		Webhooks:       webhooksLoopback,
		Bar:            true,
		Delay:          -1,
		Workers:        16,
		FormLimit:      1000,
		BodyLimit:      64 << 20,
		Publish:        30 * time.Second,
		PublishBytes:   64 << 20,
		DiskMin:        1 << 30,
		Robots:         true,
		NoArchive:      true,
		BrowserSandbox: true,
		Weights:        order.DefaultWeights,
		Revisit:        7 * 24 * time.Hour,

		ProvenanceLimit: 100_000,
	}
}

// The values of the setting level that are words. The others are numbers.
const (
	levelAuto   = "auto"
	levelLeaves = "leaves"
)

// The bounds of the setting document_time.
const (
	documentTimeMin = 100 * time.Millisecond
	documentTimeMax = time.Hour
)

// The values of the setting documents.
const (
	DocumentsImport = "import"
	DocumentsLater  = "later"
	DocumentsOff    = "off"
)

// Setting describes one setting that SET changes.
type Setting struct {
	Name string
	// Stored says that a schedule stores the setting and runs with it. That is every
	// setting that affects what a statement does, and not only how fast or what is printed.
	Stored bool
	Doc    string
	Get    func(*Settings) string        // returns the value as text that SET accepts
	Set    func(*Settings, string) error // sets the value from text; the error says what to write instead
}

// The values of Setting.Stored: whether schedules store the setting.
const (
	stored = true
	local  = false
)

// settings lists all settings that SET changes, sorted by name.
var settings = []Setting{
	{"agent", stored, "User-Agent of crawls; if empty, the program's own, with contact",
		func(s *Settings) string { return s.Agent },
		func(s *Settings, v string) error { return ParseLine(&s.Agent, v) }},
	{"bar", local, "whether --serve shows an archived page below a bar, with its times and versions",
		func(s *Settings) string { return onOff(s.Bar) },
		func(s *Settings, v string) error { return parseOnOff(&s.Bar, v) }},
	{"body_limit", stored, "size at which a crawl cuts a body",
		func(s *Settings) string { return SizeText(s.BodyLimit) },
		func(s *Settings, v string) error { return parseSize(&s.BodyLimit, v) }},
	{"browser", stored, "path of the browser that shows pages for RENDER and CHECK REPLAY; if empty, a Chromium or Chrome of this machine",
		func(s *Settings) string { return s.Browser },
		func(s *Settings, v string) error { return parseFile(&s.Browser, v) }},
	{"browser_sandbox", stored, "whether the browser runs in its sandbox; root can run it only with off",
		func(s *Settings) string { return onOff(s.BrowserSandbox) },
		func(s *Settings, v string) error { return parseOnOff(&s.BrowserSandbox, v) }},
	{"cache", local, "whether decompressed runs of captures are cached in memory",
		func(s *Settings) string { return onOff(s.Cache) },
		func(s *Settings, v string) error { return parseOnOff(&s.Cache, v) }},
	{"cache_size", local, "memory for the cache of decompressed runs of captures",
		func(s *Settings) string { return SizeText(s.CacheBytes) },
		func(s *Settings, v string) error { return parseSize(&s.CacheBytes, v) }},
	{"collapse", stored, "whether SEARCH joins the findings of near-copies, and of the http, https and www forms of a URL, to one",
		func(s *Settings) string { return onOff(s.Collapse) },
		func(s *Settings, v string) error { return parseOnOff(&s.Collapse, v) }},
	{"color", local, "colors on a terminal: auto, always or never",
		func(s *Settings) string { return s.Color },
		func(s *Settings, v string) error { return parseWord(&s.Color, v, "auto", "always", "never") }},
	{"consent_rules", stored, "file of rules for RENDER, one on each line, that click the buttons of notices, such as those on cookies: name, CSS selector or ~ and an expression for the text of the button, and, if only for one host, the host, with tabs between them",
		func(s *Settings) string { return s.ConsentRules },
		func(s *Settings, v string) error { return parseFile(&s.ConsentRules, v) }},
	{"contact", stored, "contact for the owners of crawled hosts: a URL or a mail address",
		func(s *Settings) string { return s.Contact },
		func(s *Settings, v string) error { return ParseLine(&s.Contact, v) }},
	{"default_level", stored, "level that auto means in the setting level",
		func(s *Settings) string { return strconv.Itoa(s.DefaultLevel) },
		func(s *Settings, v string) error { return parseNumber(&s.DefaultLevel, v, levelMax) }},
	{"delay", stored, "pause between two requests of a crawl to the same host; auto is five times the duration of the last request, from 1 to 30 s",
		func(s *Settings) string { return DelayText(s.Delay) },
		func(s *Settings, v string) error { return parseDelay(&s.Delay, v) }},
	{"disk_min", stored, "free space that a crawl leaves on the disk of the archive: with less, the crawl pauses until there is more; 0 means that it does not look",
		func(s *Settings) string { return SizeText(s.DiskMin) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.DiskMin, v, 0) }},
	{"document_time", stored, "CPU time that the reading of one document may take; of what needs more, nothing or only the first pages are read",
		func(s *Settings) string { return DelayText(s.DocumentTime) },
		func(s *Settings, v string) error {
			return parseDuration(&s.DocumentTime, v, "a duration", documentTimeMin, documentTimeMax)
		}},
	{"documents", stored, "when documents, such as PDFs, are read: import, at the end of IMPORT and CRAWL; later, by the daemon or REINDEX DOCUMENTS; or off, by REINDEX DOCUMENTS only",
		func(s *Settings) string { return s.Documents },
		func(s *Settings, v string) error {
			return parseWord(&s.Documents, v, DocumentsImport, DocumentsLater, DocumentsOff)
		}},
	{"domain_weights", stored, "weights of URLs by domain, in crawls of the order BEST, such as 'edu.cn 10, gov.cn 5'; the first domain that fits counts",
		func(s *Settings) string { return s.Domains },
		func(s *Settings, v string) error { return setDomains(&s.Domains, v) }},
	{"earliest_date", stored, "earliest date of an imported record, in UTC; an earlier record is treated as damaged",
		func(s *Settings) string { return earliestText(s.Earliest) },
		func(s *Settings, v string) error { return parseBound(&s.Earliest, v, earliestOf) }},
	{"form_limit", stored, "most submissions of one form in a crawl with FORMS; of all forms together a crawl makes ten times as many",
		func(s *Settings) string { return strconv.Itoa(s.FormLimit) },
		func(s *Settings, v string) error { return parseNumber(&s.FormLimit, v, FormLimitMax) }},
	{"import_timezone", stored, "time zone of dates in imported files that give no zone",
		func(s *Settings) string { return s.ImportTimezone.String() },
		func(s *Settings, v string) error { return parseZone(&s.ImportTimezone, v) }},
	{"latest_date", stored, "latest date of an imported record, in UTC; a later record is treated as damaged; auto is one day from now",
		func(s *Settings) string { return latestText(s.Latest) },
		func(s *Settings, v string) error { return parseLatest(&s.Latest, v) }},
	{"level", stored, "level of the blocks in blocks and changes: auto, a level from 1, or leaves",
		func(s *Settings) string { return s.Level },
		func(s *Settings, v string) error { return parseCut(&s.Level, v) }},
	{"logo", local, "image file that the pages of --serve have as their logo: .svg, .png, .jpg, .gif or .webp",
		func(s *Settings) string { return s.Logo },
		func(s *Settings, v string) error { return parseImage(&s.Logo, v) }},
	{"memory", local, "memory of one statement, besides some 100 MB of the program; what needs more is sorted and grouped in temporary files",
		func(s *Settings) string { return SizeText(s.MemoryBytes) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.MemoryBytes, v, memoryBytesMin) }},
	{"mode", local, "output format; auto is a table on a terminal, vertical if the table is too wide, and csv elsewhere",
		func(s *Settings) string { return s.Mode },
		func(s *Settings, v string) error {
			return parseWord(&s.Mode, v, append([]string{"auto"}, rowio.Formats()...)...)
		}},
	{"more_rules", stored, "file of rules for RENDER, one on each line, that click buttons that load more of a page: name, CSS selector or ~ and an expression for the text of the button, and, if only for one host, the host, with tabs between them",
		func(s *Settings) string { return s.MoreRules },
		func(s *Settings, v string) error { return parseFile(&s.MoreRules, v) }},
	{"netrc", stored, "file of login data for hosts and a proxy, with lines \"machine HOST login NAME password WORD\"",
		func(s *Settings) string { return s.Netrc },
		func(s *Settings, v string) error { s.Netrc = v; return nil }},
	{"noarchive", stored, "what crawls do with a page that asks robots not to archive it: keep or skip",
		func(s *Settings) string { return keepOrSkip(s.NoArchive) },
		func(s *Settings, v string) error { return parseKeepOrSkip(&s.NoArchive, v) }},
	{"nullvalue", local, "text printed for NULL in a table",
		func(s *Settings) string { return s.NullValue },
		func(s *Settings, v string) error { s.NullValue = v; return nil }},
	{"page_limit", stored, "size of the part of a body that is read for its title, text, links and blocks when it is added; the column unread says when a body was longer",
		func(s *Settings) string { return SizeText(s.PageLimit) },
		func(s *Settings, v string) error {
			var n int64
			if err := parseSizeFrom(&n, v, pageLimitMin); err != nil {
				return err
			}
			if n > divide.PageLimitMax {
				return fmt.Errorf("at most %s: the blocks of a page take twenty times its size in memory", SizeText(divide.PageLimitMax))
			}
			s.PageLimit = n
			return nil
		}},
	{"pager", local, "whether results on a terminal are shown in a pager; auto means results taller than the window",
		func(s *Settings) string { return s.Pager },
		func(s *Settings, v string) error { return parseWord(&s.Pager, v, "auto", "on", "off") }},
	{"pool_limit", stored, "size above which a pool is split by URL when it is merged or sealed",
		func(s *Settings) string { return SizeText(s.PoolLimit) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.PoolLimit, v, poolLimitMin) }},
	{"profile", stored, "method that divides pages into blocks: modern, or classic, the published method",
		func(s *Settings) string { return s.Profile },
		func(s *Settings, v string) error { return parseWord(&s.Profile, v, "modern", "classic") }},
	{"provenance_limit", stored, "captures on which the rows of EXPORT PROVENANCE may stand; more are an error",
		func(s *Settings) string { return strconv.FormatInt(s.ProvenanceLimit, 10) },
		func(s *Settings, v string) error { return parseNumber(&s.ProvenanceLimit, v, provenanceMax) }},
	{"publish_every", stored, "longest time until pages fetched by a crawl become visible to queries",
		func(s *Settings) string { return DelayText(s.Publish) },
		func(s *Settings, v string) error {
			return parseDuration(&s.Publish, v, "a duration", publishMin, publishMax)
		}},
	{"publish_size", stored, "most bytes of responses that a crawl fetches before they become visible to queries",
		func(s *Settings) string { return SizeText(s.PublishBytes) },
		func(s *Settings, v string) error { return parseSizeFrom(&s.PublishBytes, v, publishBytesMin) }},
	{"regions", stored, "file in which ip_region finds the place of an address: a QQWry file (qqwry.dat) or a MaxMind file (.mmdb)",
		func(s *Settings) string { return s.Regions },
		parseRegions},
	{"request_headers", stored, "whether CRAWL and IMPORT keep the request with a capture, its first line and headers: off; on, without Cookie, Authorization and Proxy-Authorization; or all",
		func(s *Settings) string { return requestWords[s.RequestHeaders] },
		func(s *Settings, v string) error { return parseRequestHeaders(&s.RequestHeaders, v) }},
	{"revisit", stored, "average time between two visits of CRAWL DUE to a page; some pages get more visits, some fewer",
		func(s *Settings) string { return DelayText(s.Revisit) },
		func(s *Settings, v string) error {
			return parseDuration(&s.Revisit, v, "a duration", revisitMin, revisitMax)
		}},
	{"robots", stored, "whether crawls obey robots.txt",
		func(s *Settings) string { return onOff(s.Robots) },
		func(s *Settings, v string) error { return parseOnOff(&s.Robots, v) }},
	{"ruffle", local, "folder with the web version of Ruffle, a player of Flash, for archived pages of --serve that have Flash",
		func(s *Settings) string { return s.Ruffle },
		func(s *Settings, v string) error { return parseRuffle(&s.Ruffle, v) }},
	{"sessions", stored, "names of URL arguments and patterns of folders that hold a session, such as 'token, /(S(*))'; a crawl removes them from URLs; a minus keeps one, such as '-sid'; a crawl finds other sessions by comparing pages",
		func(s *Settings) string { return s.Sessions },
		func(s *Settings, v string) error { return parseSessions(&s.Sessions, v) }},
	{"synonyms", stored, "file of synonyms: one line for words that mean the same, such as 'notebook, laptop, portable computer'; a word of MATCH and SEARCH stands for all words of its line, and DEDUP METHOD keywords takes them for the first",
		func(s *Settings) string { return s.Synonyms },
		parseSynonyms},
	{"temp_dir", local, "folder for temporary files; if empty, the folder that contains the archive",
		func(s *Settings) string { return s.TempDir },
		func(s *Settings, v string) error { return parseFolder(&s.TempDir, v) }},
	{"timer", local, "whether the duration of each statement is printed",
		func(s *Settings) string { return onOff(s.Timer) },
		func(s *Settings, v string) error { return parseOnOff(&s.Timer, v) }},
	{"timezone", stored, "time zone of printed times, of TODAY and of time literals without an offset",
		func(s *Settings) string { return s.Timezone.String() },
		func(s *Settings, v string) error { return parseZone(&s.Timezone, v) }},
	{"trust_dates", stored, "on: a crawl leaves out a page, or a sitemap, if the archive has visited it since the date that a sitemap or feed gives for it",
		func(s *Settings) string { return onOff(s.TrustDates) },
		func(s *Settings, v string) error { return parseOnOff(&s.TrustDates, v) }},
	{"warn_cost", local, "cost above which a query is asked about at the prompt, and refused elsewhere: a time such as 10s, a size such as 1GB, '10s, 1GB' or off",
		func(s *Settings) string { return s.WarnCost.text() },
		func(s *Settings, v string) error { return parseCostLimit(&s.WarnCost, v) }},
	{"webhooks", stored, "to which web servers EXPORT sends rows: loopback, those of this machine, or any",
		func(s *Settings) string { return s.Webhooks },
		func(s *Settings, v string) error { return parseWord(&s.Webhooks, v, webhooksLoopback, webhooksAny) }},
	{"weights", stored, "weights of the terms of a URL's priority, in crawls of the order BEST",
		func(s *Settings) string { return WeightsText(s.Weights) },
		func(s *Settings, v string) error { return parseWeights(&s.Weights, v) }},
	{"width", local, "width of a table, in cells; auto is the width of the window",
		func(s *Settings) string { return widthText(s.Width) },
		func(s *Settings, v string) error { return parseWidth(&s.Width, v) }},
	{"workers", stored, "number of parallel requests of a crawl, each to a different host",
		func(s *Settings) string { return strconv.Itoa(s.Workers) },
		func(s *Settings, v string) error { return parseNumber(&s.Workers, v, WorkersMax) }},
}

// Changed returns those settings that schedules store and that differ from their defaults. The
// result maps names to texts that SET accepts.
func (s *Settings) Changed() map[string]string {
	changed, def := make(map[string]string), DefaultSettings()
	for _, k := range settings {
		if v := k.Get(s); k.Stored && v != k.Get(&def) {
			changed[k.Name] = v
		}
	}
	return changed
}

// AllSettings returns all settings that SET changes, sorted by name.
func AllSettings() []Setting { return settings }

// SettingNamed returns the setting called name, in upper or lower case, or
// nil if there is none.
func SettingNamed(name string) *Setting {
	for i := range settings {
		if strings.EqualFold(settings[i].Name, name) {
			return &settings[i]
		}
	}
	return nil
}

// foreignSettings maps settings of other databases to hints for errors: what to write here
// instead.
var foreignSettings = map[string]string{
	"statement_timeout": "Ctrl-C ends a statement, and SET warn_cost = '10s' asks before one that will take longer",
	"work_mem":          "write SET memory = '1GB'",
	"memory_limit":      "write SET memory = '1GB'",
}

// promptOnly maps names of settings that other shells have, but this one
// does not, to commands of the prompt that do the same.
var promptOnly = map[string]string{"header": ".headers", "headers": ".headers", "output": ".output"}

// FindSetting returns the setting called name in a statement. If there is
// none, the error suggests the nearest name.
func FindSetting(name *ast.Name) (*Setting, error) {
	if k := SettingNamed(name.Text); k != nil {
		return k, nil
	}
	err := expr.UnknownName(name, "setting", name.Text, "", SettingNames())
	if command := promptOnly[strings.ToLower(name.Text)]; command != "" {
		err.Hint = "at the prompt " + command + " does that"
	} else if hint := foreignSettings[strings.ToLower(name.Text)]; hint != "" {
		err.Hint = hint
	} else if err.Hint == "" {
		err.Hint = "SHOW SETTINGS lists them"
	}
	return nil, err
}

// SettingNames returns the names of all settings, sorted.
func SettingNames() []string {
	names := make([]string, len(settings))
	for i := range settings {
		names[i] = settings[i].Name
	}
	return names
}
