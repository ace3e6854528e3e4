package render

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Bounds of a file of rules.
const (
	rulesMax    = 10_000   // rules
	ruleLineMax = 64 << 10 // bytes of a line
)

// Rule says which element of pages is clicked, such as the button of a notice on cookies,
// or a button that loads more of the page. Either Selector or Label is set.
type Rule struct {
	Name     string // shown in the column consent, for a rule on notices
	Selector string // CSS selector of the element
	Label    string // regular expression of JavaScript that the whole text of a button must match, in any case
	Host     string // host of the pages, and all hosts below it; "" means all
}

// moreText has the rules for buttons that load more of a page, in several languages.
//
//go:embed more.txt
var moreText string

// ReadRules reads the file of rules at path. The parameter what is a name for the file in
// errors, such as "consent rules". Each line is a rule of two or three fields with tabs between them: a name, a CSS
// selector or ~ with a regular expression for the text of a button, and the host of the
// pages. Without a host, the rule holds for all pages. Empty lines and lines that begin
// with # are left out. An error names the file, the line, and what is wrong there.
func ReadRules(path, what string) ([]Rule, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, err)
	}
	defer f.Close()
	return parseRules(f, what+" "+path)
}

// parseRules reads rules from r. name names r in errors.
func parseRules(r io.Reader, name string) ([]Rule, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, ruleLineMax)
	var list []Rule
	names := make(map[string]int)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := parseRule(line)
		switch {
		case err != nil:
		case names[r.Name] > 0:
			err = fmt.Errorf("the name %q is that of the rule in line %d; each rule has a name of its own", r.Name, names[r.Name])
		case len(list) == rulesMax:
			err = fmt.Errorf("a file has at most %d rules", rulesMax)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		names[r.Name] = n
		list = append(list, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	return list, nil
}

// parseRule returns the rule of a line.
func parseRule(line string) (Rule, error) {
	if !utf8.ValidString(line) {
		return Rule{}, fmt.Errorf("the line is not in UTF-8")
	}
	field := strings.Split(line, "\t")
	for i := range field {
		field[i] = strings.TrimSpace(field[i])
	}
	if len(field) < 2 || len(field) > 3 || field[0] == "" || field[1] == "" || field[1] == "~" {
		return Rule{}, fmt.Errorf("%q is no rule; a rule is a name, a selector or ~ with an expression for the text of a button, and a host that may be left out, with tabs between them", line)
	}
	r := Rule{Name: field[0], Selector: field[1]}
	if label, ok := strings.CutPrefix(field[1], "~"); ok {
		r.Selector, r.Label = "", strings.TrimSpace(label)
	}
	if len(field) == 3 {
		r.Host = strings.ToLower(field[2])
	}
	if strings.ContainsAny(r.Host, "/: *") {
		return Rule{}, fmt.Errorf("%q is no host; write one such as news.example", r.Host)
	}
	return r, nil
}

// finder is a Rule in the form that behaveScript reads.
type finder struct {
	Selector string `json:"selector"`
	Label    string `json:"label"`
}

// finders returns the rules of list for pages of host.
func finders(list []Rule, host string) []finder {
	out := make([]finder, 0, len(list))
	for _, r := range list {
		if r.Host == "" || under(host, r.Host) {
			out = append(out, finder{r.Selector, r.Label})
		}
	}
	return out
}
