package urlkey

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEscapesAreUniform shows that equivalent escapes give one URL, by
// whichever function the URL is made, and that other escapes stay unchanged.
func TestEscapesAreUniform(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.cn/%7Euser/":          "http://a.cn/~user/",
		"http://a.cn/%7euser/":          "http://a.cn/~user/",
		"http://a.cn/%e4%bd%a0":         "http://a.cn/%E4%BD%A0",
		"http://a.cn/%E4%bD%A0":         "http://a.cn/%E4%BD%A0",
		"http://a.cn/?q=%b1%b1&%41=%2f": "http://a.cn/?q=%B1%B1&A=%2F",
		"http://a.cn/%2F%3f%23":         "http://a.cn/%2F%3F%23",
		"http://a.cn/a/%2e%2E/b%2ehtm":  "http://a.cn/b.htm",
		"http://a.cn/%257e":             "http://a.cn/%257e",
		"http://a.cn/%%37e":             "http://a.cn/%%37e",
		"http://a.cn/%7%65":             "http://a.cn/%7%65",
		"http://a.cn/100%":              "http://a.cn/100%",
		"http://a.cn/%zz%4":             "http://a.cn/%zz%4",
		"http://A.cn/ %7e":              "http://a.cn/%20~",
		"urn:%7e":                       "urn:%7e",
		"http://u%7e:p@a.cn/":           "http://u~:p@a.cn/",
	} {
		if got, err := Canonical(raw); got != want || err != nil {
			t.Errorf("Canonical(%q) = %q, %v; want %q", raw, got, err, want)
		}
		if !strings.HasPrefix(raw, "http://a.cn/") {
			continue
		}
		reference := strings.TrimPrefix(raw, "http://a.cn")
		if got, err := Resolve("http://a.cn/x/", reference); got != want || err != nil {
			t.Errorf("Resolve(%q) = %q, %v; want %q", reference, got, err, want)
		}
	}
}

// TestUniformTwice shows that uniform changes nothing in its own result, and
// that Canonical changes nothing in its own result.
func TestUniformTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`/([%0-9a-fA-F~.?#/]|%7e|%2[5eE]){0,20}`).Draw(t, "path")
		once := uniform(path)
		if twice := uniform(once); twice != once {
			t.Fatalf("uniform(%q) = %q, and of that %q", path, once, twice)
		}
		u, err := Canonical("http://a.cn" + path)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := canonicalize("http://a.cn" + path)
		if err != nil || slow != u {
			t.Fatalf("%q is %q, and %q without the short cut: %v", path, u, slow, err)
		}
		if again, err := canonicalize(u); again != u || err != nil {
			t.Fatalf("%q is %q, and again %q: %v", path, u, again, err)
		}
	})
}
