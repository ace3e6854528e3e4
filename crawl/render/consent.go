package render

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// Bounds of a file of consent rules.
const (
	consentMax     = 10_000   // rules
	consentLineMax = 64 << 10 // bytes of a line
)

// ReadConsent reads the file of consent rules at path. Each line is a rule of two or
// three fields with tabs between them: a name, a CSS selector, and the host of the pages.
// Without a host, the rule holds for all pages. Empty lines and lines that begin with #
// are left out. An error names the file, the line, and what is wrong there.
func ReadConsent(path string) ([]ConsentRule, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the consent rules: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, consentLineMax)
	var list []ConsentRule
	names := make(map[string]int)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := parseConsent(line)
		switch {
		case err != nil:
		case names[r.Name] > 0:
			err = fmt.Errorf("the name %q is that of the rule in line %d; each rule has a name of its own", r.Name, names[r.Name])
		case len(list) == consentMax:
			err = fmt.Errorf("a file has at most %d rules", consentMax)
		}
		if err != nil {
			return nil, fmt.Errorf("consent rules %s:%d: %w", path, n, err)
		}
		names[r.Name] = n
		list = append(list, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("consent rules %s:%d: %w", path, n+1, err)
	}
	return list, nil
}

// parseConsent returns the rule of a line.
func parseConsent(line string) (ConsentRule, error) {
	if !utf8.ValidString(line) {
		return ConsentRule{}, fmt.Errorf("the line is not in UTF-8")
	}
	field := strings.Split(line, "\t")
	for i := range field {
		field[i] = strings.TrimSpace(field[i])
	}
	if len(field) < 2 || len(field) > 3 || field[0] == "" || field[1] == "" {
		return ConsentRule{}, fmt.Errorf("%q is no rule; a rule is a name, a selector and a host that may be left out, with tabs between them", line)
	}
	r := ConsentRule{Name: field[0], Selector: field[1]}
	if len(field) == 3 {
		r.Host = strings.ToLower(field[2])
	}
	if strings.ContainsAny(r.Host, "/: *") {
		return ConsentRule{}, fmt.Errorf("%q is no host; write one such as news.example", r.Host)
	}
	return r, nil
}
