package crawl

import (
	"fmt"
	"net/http"
	"testing"
)

// TestTrustDates crawls a site twice. The second crawl leaves out the sitemap and the page
// that have not changed since by the dates of sitemaps, and asks for the newest of the
// others first.
func TestTrustDates(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "", "B": "", "C": "", "D": "", "E": ""})
	w.robots = "Sitemap: " + w.URL + "/map\n"
	serve := func(path, text string) {
		w.pages[path] = func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", "text/xml")
			fmt.Fprint(out, text)
		}
	}
	entry := func(path, date string) string {
		return "<url><loc>" + w.URL + path + "</loc><lastmod>" + date + "</lastmod></url>"
	}
	serve("/map", "<sitemapindex>"+entry("/old", "2001")+entry("/new", "2100-01")+"</sitemapindex>")
	serve("/old", "<urlset>"+entry("/B", "2000-01-02")+"</urlset>")
	serve("/new", "<urlset>"+entry("/C", "2000-01-02")+entry("/D", "2100-01-02")+entry("/E", "2100-01-03")+"</urlset>")
	a := newArchive(t)
	o := w.options()
	o.TrustDates = true
	for _, want := range []string{"AmapnewoldEDCB", "AmapnewED"} {
		w.asked = nil
		if _, err := Run(t.Context(), a, o, Env{}); err != nil {
			t.Fatal(err)
		}
		if got := w.pagesAsked(); got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
	}
	if got := fetches(t, a)["/C"]; got != "ok filtered" {
		t.Errorf("the rows of /C are %s, want ok and filtered", got)
	}
}
