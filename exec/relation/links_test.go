package relation

import (
	"testing"

	"infomall/store/urlkey"
)

// TestAim asks an aim about links of pages, and compares the answers with what the links
// resolve to. What the aim says of all pages of a site holds for each of them, also for
// pages that are themselves the target, of which links without an address lead to it.
func TestAim(t *testing.T) {
	bases := []string{
		"http://a.example/", "http://a.example/x", "http://a.example/d/", "http://a.example/d/x", "http://a.example/d/x?q=1",
		"http://a.example/d/e/x", "http://b.example/", "http://b.example/d/x", "https://a.example/d/x", "http://a.example/d/x", "http://a.example/",
	}
	links := []string{
		"", "#", "#top", " #top", "?", "?q=1", "x", "./x", "x#top", "../x", "../d/x", "/", "/d/x", "/d/", "d/", "d/x", ".", "..", "//b.example/d/x", "http:x",
		"http://a.example/d/x", "https://a.example/d/x#top", "http://b.example", "javascript:x()", "mailto:x@a.example", "%78", "X", "x?q=1",
	}
	of := func(base, link string) string {
		url, err := urlkey.Resolve(base, link)
		if err != nil {
			return ""
		}
		return url
	}
	leading := 0
	for _, target := range bases {
		key := urlkey.Key(target)
		var resolved urlkey.Links
		a := aim{resolved: &resolved, to: func(k string) bool { return k == key }}
		type answer struct{ may, all bool }
		said := make(map[[2]string]answer) // by Sought.Site and link
		from := make([]string, len(bases))
		for i, base := range bases {
			resolved.Page(base)
			if !a.page() {
				t.Fatalf("%s has no folder", base)
			}
			from[i] = a.from
			for _, link := range links {
				url := of(base, link)
				want := url != "" && urlkey.Key(url) == key
				if got := a.leads([]byte(link)); got != want {
					t.Errorf("target %s: link %q of %s: leads is %t", target, link, base, got)
				}
				if want {
					leading++
				}
				may, all := a.mayLead([]byte(link))
				if before, ok := said[[2]string{a.from, link}]; ok && before != (answer{may, all}) {
					t.Errorf("target %s: link %q of %s: mayLead is %t, %t, and was %v of another page", target, link, base, may, all, before)
				}
				said[[2]string{a.from, link}] = answer{may, all}
			}
		}
		for i, base := range bases {
			for _, link := range links {
				url := of(base, link)
				leads, s := url != "" && urlkey.Key(url) == key, said[[2]string{from[i], link}]
				if leads && !s.may || s.all && !leads {
					t.Errorf("target %s: link %q of %s leads to it: %t, mayLead %v", target, link, base, leads, s)
				}
			}
		}
	}
	if leading < 100 {
		t.Errorf("only %d links lead to a target", leading)
	}
}
