package serve

import (
	"net/http"
	"strings"
	"time"

	"infomall/lang"
	"infomall/repl/serve/lookup"
)

// The maximum numbers of rows that parts of pages show.
const (
	homeMonthsMax  = 600
	pageRowsMax    = 1000
	searchRowsMax  = 200
	searchRowsPage = 20
	siteRowsMax    = 50
	sectionRowsMax = 400
	versionsMax    = 500
)

// month is a bar of the chart of captures.
type month struct {
	Name     string
	Captures string
	Height   int // in percent of the highest
}

// homeData is what the page home shows.
type homeData struct {
	Months                []month
	Captures, First, Last string
	Fault                 *fault
}

// homePage answers / with a box for a URL, words or a statement, and with what the archive
// holds. If the request has the parameter q, homePage redirects to the page that answers q.
func (s *server) homePage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	if q := strings.TrimSpace(r.URL.Query().Get("q")); q != "" {
		redirect(w, leadTo(q, r.URL.Query().Get("lang")), http.StatusSeeOther)
		return nil
	}
	const statement = "SELECT substr(name, 1, 6) AS month, sum(captures) AS captures, min(first_time) AS first_time, max(last_time) AS last_time FROM pools GROUP BY month ORDER BY month"
	t, err := s.tableOf(r, statement, homeMonthsMax)
	if err != nil {
		return err
	}
	d := homeData{Fault: t.Fault}
	most, total := int64(1), int64(0)
	counts := make([]int64, len(t.Rows))
	for i, n := range t.Column("captures") {
		counts[i] = number(n)
		most, total = max(most, counts[i]), total+counts[i]
	}
	names := t.Column("month")
	var before time.Time
	for i := range t.Rows {
		at, err := time.Parse("200601", names[i])
		if err != nil {
			continue // a pool that is not named after a month
		}
		// Months without captures have a place, too.
		for next := before.AddDate(0, 1, 0); i > 0 && next.Before(at) && len(d.Months) < homeMonthsMax; next = next.AddDate(0, 1, 0) {
			d.Months = append(d.Months, month{Name: next.Format("2006-01"), Captures: "0"})
		}
		before = at
		height := 0
		if counts[i] > 0 {
			height = int(max(1, counts[i]*100/most))
		}
		d.Months = append(d.Months, month{at.Format("2006-01"), grouped(counts[i]), height})
	}
	if len(t.Rows) > 0 {
		d.Captures = grouped(total)
		d.First, _, _ = strings.Cut(t.Column("first_time")[0], "T")
		last := t.Column("last_time")
		d.Last, _, _ = strings.Cut(last[len(last)-1], "T")
	}
	p := newPage(r, "home", d)
	p.Statement = statement
	return s.send(w, r, http.StatusOK, p, "")
}

// leadTo returns the address of the page that answers text, which a person typed: the calendar
// of a URL, the result of a statement, or a search for words.
func leadTo(text, chosen string) string {
	first, _, many := strings.Cut(text, " ")
	if many {
		if _, err := lang.ParseOne(text, ""); err == nil || isStatementWord(first) {
			return pathQuery("/query", "q", text, "lang", chosen)
		}
		return pathQuery("/search", "q", text, "lang", chosen)
	}
	if strings.Contains(text, "://") || strings.Contains(strings.Trim(text, "."), ".") || strings.HasPrefix(text, "localhost") {
		if u, err := lookup.Canonical(strings.TrimSuffix(text, "*")); err == nil {
			if strings.HasSuffix(text, "*") {
				return "/*/" + u + "*"
			}
			return "/*/" + u
		}
	}
	return pathQuery("/search", "q", text, "lang", chosen)
}

// isStatementWord reports whether a word begins statements, so that a text that
// begins with it is one, even if it has a mistake.
func isStatementWord(word string) bool {
	switch strings.ToUpper(word) {
	case "SELECT", "SEARCH", "SHOW", "DESCRIBE", "EXPLAIN", "DIFF", "BLAME", "WITH", "HELP", "RUN", "TRACE":
		return word == strings.ToUpper(word) || strings.ToUpper(word) == "SELECT"
	}
	return false
}

// number returns the whole number in text, or 0.
func number(text string) int64 {
	var n int64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// grouped returns a number with a comma after each three digits.
func grouped(n int64) string {
	text := ""
	for ; n >= 1000; n /= 1000 {
		rest := n % 1000
		text = "," + string([]byte{byte('0' + rest/100), byte('0' + rest/10%10), byte('0' + rest%10)}) + text
	}
	digits := ""
	for first := true; first || n > 0; n /= 10 {
		digits, first = string(byte('0'+n%10))+digits, false
	}
	return digits + text
}
