package session

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/exec/regions"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// ParseLine sets dst to v, which will be part of a header line of a request.
// It returns an error if v has other characters than printable ASCII.
func ParseLine(dst *string, v string) error {
	if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("write ASCII without control characters, not %q", v)
	}
	*dst = v
	return nil
}

// parseSessions sets dst to v if v is a valid value of the setting sessions.
// That is a list, separated by commas, of names of URL arguments and
// patterns of folders, such as 'token, -sid, /(S(*))'.
func parseSessions(dst *string, v string) error {
	visits, pages := sessionArgs(v)
	for _, name := range append(visits, pages...) {
		folder, ok := strings.CutPrefix(name, "/")
		if _, err := path.Match(folder, ""); err != nil || ok && folder == "" || strings.ContainsAny(folder, "=&?;/ ") {
			return fmt.Errorf("write names of arguments and, after a slash, patterns of folders, such as 'token, -sid, /(S(*))', not %q", name)
		}
	}
	return ParseLine(dst, v)
}

// sessionArgs splits v, a value of the setting sessions, into its entries,
// in lower case. visits has the entries that name a session; a crawl drops
// these from URLs. pages has the entries that were written with a minus; a
// crawl keeps them.
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

// parseFolder sets dst to the absolute path of v, which must be a folder
// that exists. If v is empty, it sets dst to "".
func parseFolder(dst *string, v string) error {
	return parsePath(dst, v, func(info os.FileInfo) error {
		if !info.IsDir() {
			return fmt.Errorf("write the name of a folder; %s is a file", v)
		}
		return nil
	})
}

// parseFile sets dst to the absolute path of v, which must be a regular file. If v is
// empty, it sets dst to "".
func parseFile(dst *string, v string) error {
	return parsePath(dst, v, func(info os.FileInfo) error {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("write the name of a file; %s is none", v)
		}
		return nil
	})
}

// parsePath sets dst to the absolute path of v, which must be a file or folder that exists and
// that check accepts. If v is empty, it sets dst to "".
func parsePath(dst *string, v string, check func(os.FileInfo) error) error {
	if v == "" {
		*dst = ""
		return nil
	}
	name, err := filepath.Abs(v)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if err := check(info); err != nil {
		return err
	}
	*dst = name
	return nil
}

// parseSynonyms reads the list of synonyms in the file v, and sets s.Synonyms to its absolute
// path. If v is empty, there are no synonyms.
func parseSynonyms(s *Settings, v string) error {
	if v == "" {
		s.Synonyms, s.synonyms = "", nil
		return nil
	}
	name, err := filepath.Abs(v)
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := match.ReadSynonyms(f)
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	s.Synonyms, s.synonyms = name, list
	return nil
}

// parseRegions reads the file of regions v, and sets s.Regions to its absolute path. If v is
// empty, there is no such file.
func parseRegions(s *Settings, v string) error {
	if v == "" {
		s.Regions, s.regions = "", nil
		return nil
	}
	name, err := filepath.Abs(v)
	if err != nil {
		return err
	}
	file, err := regions.Open(name)
	if err != nil {
		return err
	}
	s.Regions, s.regions = name, file
	return nil
}

// SynonymList returns the synonyms of the setting synonyms, or nil if there are none.
func (s *Settings) SynonymList() *match.Synonyms { return s.synonyms }

// imageTypes are the media types of images that the setting logo takes, by suffix.
var imageTypes = map[string]string{".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

// LogoType returns the media type of the image in the file name, by its suffix, or ""
// if the setting logo does not take such a file.
func LogoType(name string) string { return imageTypes[strings.ToLower(filepath.Ext(name))] }

// logoBytesMax is the most bytes of a logo.
const logoBytesMax = 1 << 20

// parseImage sets dst to the absolute path of v, which must be a file with an image
// that exists. If v is empty, it sets dst to "".
func parseImage(dst *string, v string) error {
	return parsePath(dst, v, func(info os.FileInfo) error {
		switch {
		case LogoType(v) == "" || !info.Mode().IsRegular():
			return fmt.Errorf("write the name of an image file that ends in .svg, .png, .jpg, .gif or .webp, not %q", v)
		case info.Size() > logoBytesMax:
			return fmt.Errorf("%s has %d bytes; a logo may have %s", v, info.Size(), SizeText(logoBytesMax))
		}
		return nil
	})
}

// parseRuffle sets dst to the absolute path of v, which must be a folder that has the
// file ruffle.js. If v is empty, it sets dst to "".
func parseRuffle(dst *string, v string) error {
	var dir string
	if err := parseFolder(&dir, v); err != nil {
		return err
	}
	if dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "ruffle.js")); err != nil {
			return fmt.Errorf("%s has no file ruffle.js; write the folder of the package \"web (self hosted)\" of ruffle.rs", v)
		}
	}
	*dst = dir
	return nil
}

// keepOrSkip returns "keep" or "skip", the values of the setting noarchive.
func keepOrSkip(keep bool) string {
	if keep {
		return "keep"
	}
	return "skip"
}

// parseKeepOrSkip sets dst from v, which is "keep" or "skip".
func parseKeepOrSkip(dst *bool, v string) error {
	var word string
	err := parseWord(&word, v, "keep", "skip")
	if err == nil {
		*dst = word == "keep"
	}
	return err
}

// DelayText returns the duration d as text that SET accepts, such as "2s",
// or "auto" if d is negative.
func DelayText(d time.Duration) string {
	if d < 0 {
		return "auto"
	}
	return string(value.OfDuration(d.Milliseconds()).Append(nil, time.UTC))
}

// parseDelay sets dst from v, a duration or "auto", which is -1.
func parseDelay(dst *time.Duration, v string) error {
	if strings.EqualFold(v, "auto") {
		*dst = -1
		return nil
	}
	return parseDuration(dst, v, "auto or a duration such as 2s,", 0, delayMax)
}

// parseDuration sets dst to the duration that the text v means, such as 2s.
// It must be at least from and at most to. what begins the advice in an
// error, such as "a duration".
func parseDuration(dst *time.Duration, v, what string, from, to time.Duration) error {
	d, err := value.Cast(value.OfText(v), value.Duration, time.UTC)
	if err != nil || d.Int < from.Milliseconds() || d.Int > to.Milliseconds() {
		return fmt.Errorf("write %s from %s to %s, not %q", what, DelayText(from), DelayText(to), v)
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
	WorkersMax      = 10_000
	FormLimitMax    = 100_000
)

// provenanceMax is the greatest value of the setting provenance_limit. A capture of
// the evidence takes some hundred bytes of memory.
const provenanceMax = 10_000_000

// parseNumber sets dst from v, a whole number from 1 to most.
func parseNumber[N int | int64](dst *N, v string, most N) error {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 || n > int64(most) {
		return fmt.Errorf("write a whole number from 1 to %d, not %q", most, v)
	}
	*dst = N(n)
	return nil
}

// onOff returns "on" or "off".
func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// parseOnOff sets dst from v: on, true, 1 or yes; off, false, 0 or no.
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

// parseWord sets dst to the word in words that equals v in upper or lower
// case. If none does, it returns an error.
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

// requestWords are the values of the setting request_headers, by the value of
// record.Requests.
var requestWords = []string{record.RequestsOff: "off", record.RequestsOn: "on", record.RequestsAll: "all"}

// parseRequestHeaders sets dst from v, one of requestWords.
func parseRequestHeaders(dst *record.Requests, v string) error {
	var word string
	if err := parseWord(&word, v, requestWords...); err != nil {
		return err
	}
	*dst = record.Requests(slices.Index(requestWords, word))
	return nil
}

// levelMax is the greatest level that SET accepts. No tree of blocks has
// more levels.
const levelMax = 100

// parseCut sets dst to v, a value of the setting level: auto, leaves or a
// number from 1.
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
	if parseNumber(&n, v, levelMax) != nil {
		return fmt.Errorf("write auto, leaves or a whole number from 1 to %d, not %q", levelMax, v)
	}
	*dst = strconv.Itoa(n)
	return nil
}

// parseZone sets dst to the time zone called v, such as Asia/Shanghai.
// "local" is the zone of the computer.
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

// dateForms lists the layouts in which the settings earliest_date and
// latest_date are printed, the shortest first.
var dateForms = []string{"2006-01-02", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000Z"}

// boundText returns t as text, in the shortest of dateForms from which t can
// be read back. The text names a period, such as a day, and t is its first or its
// last moment: read is earliestOf or latestOf.
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

// earliestOf returns the first moment of a period, and latestOf the last
// one.
func earliestOf(p value.Period) record.Time { return p.From }
func latestOf(p value.Period) record.Time   { return p.To - 1 }

// earliestText returns the value t of the setting earliest_date as text.
func earliestText(t *record.Time) string {
	if t == nil {
		return boundText(record.EarliestDefault, earliestOf)
	}
	return boundText(*t, earliestOf)
}

// latestText returns the value t of the setting latest_date as text.
func latestText(t *record.Time) string {
	if t == nil {
		return "auto"
	}
	return boundText(*t, latestOf)
}

// parseBound sets dst to the first or last moment of the period v, such as
// 1985 or 2030-06-15. The function read says which: earliestOf or latestOf.
func parseBound(dst **record.Time, v string, read func(value.Period) record.Time) error {
	p, err := value.ParsePeriod(v, time.UTC)
	if err != nil {
		return err
	}
	t := read(p)
	*dst = &t
	return nil
}

// parseLatest sets dst to the last moment of the period v, or to nil for "auto".
func parseLatest(dst **record.Time, v string) error {
	if strings.EqualFold(v, "auto") {
		*dst = nil
		return nil
	}
	return parseBound(dst, v, latestOf)
}

// parseSize sets dst to the size v in bytes. v is a number with a unit, such
// as 64MB, or without.
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

// memoryBytesMin is the least value of the setting memory, in bytes. With
// less memory, a sort would make a temporary file every few rows.
const memoryBytesMin = 1 << 20

// pageLimitMin is the least value of the setting page_limit, in bytes. It is enough for
// the title and the first words of a page.
const pageLimitMin = 16 << 10

// poolLimitMin is the least value of the setting pool_limit, in bytes. With
// a lower limit, a pool might be split for each URL.
const poolLimitMin = 16 << 10

// parseSizeFrom is like parseSize, but returns an error if the size is below
// least.
func parseSizeFrom(dst *int64, v string, least int64) error {
	var n int64
	if err := parseSize(&n, v); err != nil {
		return err
	}
	if n < least {
		return fmt.Errorf("%s is too little; the least is %s", v, SizeText(least))
	}
	*dst = n
	return nil
}

// SizeText returns a size of n bytes as text that SET accepts, such as 64MB.
// The unit is the largest one that divides n.
func SizeText(n int64) string {
	for _, u := range ast.SizeUnits {
		if n > 0 && n%u.Bytes == 0 {
			return strconv.FormatInt(n/u.Bytes, 10) + u.Name
		}
	}
	return strconv.FormatInt(n, 10)
}

// widthText returns the width n of a table as text, or "auto" for 0.
func widthText(n int) string {
	if n == 0 {
		return "auto"
	}
	return strconv.Itoa(n)
}

// parseWidth sets dst from v, a number of cells, or "auto", which is 0.
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

// weightNames lists the names of the weights in report.Weights, in order,
// each with a function that returns a pointer to the weight.
var weightNames = []struct {
	name  string
	place func(*report.Weights) *float64
}{
	{"domain", func(w *report.Weights) *float64 { return &w.Domain }},
	{"popularity", func(w *report.Weights) *float64 { return &w.Popularity }},
	{"parent", func(w *report.Weights) *float64 { return &w.Parent }},
	{"depth", func(w *report.Weights) *float64 { return &w.Depth }},
	{"other", func(w *report.Weights) *float64 { return &w.Other }},
}

// WeightsText returns w as text that SET accepts, such as "domain 10, depth -1".
func WeightsText(w report.Weights) string {
	var list []string
	for _, n := range weightNames {
		list = append(list, n.name+" "+strconv.FormatFloat(*n.place(&w), 'g', -1, 64))
	}
	return strings.Join(list, ", ")
}

// parseWeights sets dst to the weights in v, such as "domain 10, depth -1".
// Weights that v does not name get their defaults.
func parseWeights(dst *report.Weights, v string) error {
	w := order.DefaultWeights
	err := eachWeight(v, func(name string, x float64) error {
		for _, n := range weightNames {
			if strings.EqualFold(n.name, name) {
				*n.place(&w) = x
				return nil
			}
		}
		return fmt.Errorf("write domain, popularity, parent, depth or other, not %q", name)
	})
	if err == nil {
		*dst = w
	}
	return err
}

// parseDomains returns the weights of URLs by scope in v, such as "edu.cn
// 10, gov.cn 5".
func parseDomains(v string) (list []report.DomainWeight, err error) {
	err = eachWeight(v, func(name string, x float64) error {
		scope, err := urlkey.ParseScope(name)
		list = append(list, report.DomainWeight{Scope: scope, Weight: x})
		return err
	})
	return list, err
}

// setDomains sets dst to v if parseDomains can read it.
func setDomains(dst *string, v string) error {
	_, err := parseDomains(v)
	if err == nil {
		*dst = v
	}
	return err
}

// eachWeight calls f with the name and the number in each entry of v, such
// as "edu.cn 10, gov.cn 5". An empty v has no entries.
func eachWeight(v string, f func(name string, x float64) error) error {
	if strings.TrimSpace(v) == "" {
		return nil
	}
	for part := range strings.SplitSeq(v, ",") {
		words := strings.Fields(part)
		if len(words) != 2 {
			return fmt.Errorf("write names, each followed by a number, with commas between them, not %q", v)
		}
		x, err := strconv.ParseFloat(words[1], 64)
		if err != nil || !(x >= -weightMax && x <= weightMax) {
			return fmt.Errorf("write a number from %d to %d, not %q", -weightMax, weightMax, words[1])
		}
		if err := f(words[0], x); err != nil {
			return err
		}
	}
	return nil
}

// weightMax bounds weights, positive and negative, so that their sum cannot
// overflow.
const weightMax = 1_000_000
