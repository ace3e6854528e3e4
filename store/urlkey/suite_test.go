package urlkey

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// suiteCase is a case of the WHATWG URL test suite.
type suiteCase struct {
	Input   string
	Base    *string
	Href    string
	Failure bool
}

// loadSuite reads the suite, which has comments among its cases.
func loadSuite(t *testing.T) (cases []suiteCase) {
	data, err := os.ReadFile(shared(t, "suites", "whatwg-url", "urltestdata.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, raw := range all {
		var c suiteCase
		if json.Unmarshal(raw, &c) == nil {
			cases = append(cases, c)
		}
	}
	return cases
}

// TestResolveSuite runs the cases of the suite that have a base and lead to a
// http or https URL, or fail from one: all must pass.
func TestResolveSuite(t *testing.T) {
	web := func(s string) bool {
		s = strings.ToLower(s)
		return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:")
	}
	ran := 0
	for _, c := range loadSuite(t) {
		if c.Base == nil || *c.Base == "about:blank" || !web(c.Href) && !(c.Failure && web(*c.Base)) {
			continue
		}
		ran++
		want, _, _ := strings.Cut(c.Href, "#")
		base, err := Canonical(*c.Base)
		if err != nil {
			t.Errorf("base %q: %v", *c.Base, err)
			continue
		}
		got, err := Resolve(base, c.Input)
		want = uniform(want) // the standard does not change escapes
		if c.Failure != (err != nil) || got != want {
			t.Errorf("Resolve(%q, %q) = %q, %v; want %q, failure %v", base, c.Input, got, err, want, c.Failure)
		}
	}
	t.Logf("%d cases", ran)
	if ran < 150 {
		t.Errorf("%d cases ran; want 150 or more", ran)
	}
}
