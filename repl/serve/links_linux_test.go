package serve_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/repl"
	"infomall/repl/serve/replay"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

const (
	linksWanted  = 2000
	linksPerPage = 10
)

// TestLinksStay draws links from replayed pages of a real site at random times and
// follows them. Each must keep the time, and lead to the capture that is nearest to
// it, or to a page that says that the URL is gone or was never captured.
func TestLinksStay(t *testing.T) {
	data := pagetest.Shared(t)
	if !isolated(t) {
		return
	}
	dir := t.TempDir()
	warc, archive := filepath.Join(dir, "kafka.warc.gz"), filepath.Join(dir, "archive")
	tool := filepath.Join(data, "..", "tools", "site-history")
	if out, err := exec.Command(tool, filepath.Join(data, "sites", "kafka.bundle"), warc, "--to", "2017-12").CombinedOutput(); err != nil {
		t.Skipf("site-history does not run: %v: %s", err, out)
	}
	run(t, "-a", archive, "-c", "IMPORT '"+warc+"'")
	times := captureTimes(t, archive)
	startServer(t, archive, filepath.Join(dir, "access.log"))
	v := &visitor{t: t, times: times, random: rand.New(rand.NewPCG(1, 2)), ends: map[string]int{}}
	var urls []string
	for url := range times {
		urls = append(urls, url)
	}
	// A map has no order; the drawing must have one.
	slices.Sort(urls)
	v.host = strings.TrimPrefix(replayOrigin(t, urls[0]), "http://")
	followed := 0
	for pages := 0; followed < linksWanted && pages < linksWanted; pages++ {
		asked := time.Date(2017, 1, 1, 0, 0, v.random.IntN(365*24*3600), 0, time.UTC).Format("20060102150405")
		url := urls[v.random.IntN(len(urls))]
		links := v.links(asked, url)
		for range min(linksPerPage, len(links), linksWanted-followed) {
			v.follow(asked, links[v.random.IntN(len(links))])
			followed++
		}
	}
	t.Logf("%d links: %v", followed, v.ends)
	if followed < linksWanted {
		t.Errorf("followed %d links, want %d", followed, linksWanted)
	}
	if v.ends["a capture"] < linksWanted/2 {
		t.Errorf("only %d links led to captures", v.ends["a capture"])
	}
}

// captureTimes returns the times of the captures of each URL of an archive.
func captureTimes(t *testing.T, archive string) map[string][]time.Time {
	t.Helper()
	var out, errors bytes.Buffer
	args := []string{"-a", archive, "--format", "csv", "-c", "SELECT url, time FROM captures"}
	if status := repl.Main(context.Background(), args, strings.NewReader(""), &out, &errors, func(string) string { return "" }); status != 0 {
		t.Fatalf("status %d: %s", status, errors.Bytes())
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	times := map[string][]time.Time{}
	for _, row := range rows[1:] {
		at, err := time.Parse(time.RFC3339, row[1])
		if err != nil {
			t.Fatal(err)
		}
		times[row[0]] = append(times[row[0]], at)
	}
	return times
}

// visitor follows links as the frame of the bar does.
type visitor struct {
	t      *testing.T
	host   string // host and port of the origin of replay
	times  map[string][]time.Time
	random *rand.Rand
	ends   map[string]int // how many links ended at what
}

// get asks replay for an address, as a frame does, and follows no redirect.
func (v *visitor) get(address string) (*http.Response, []byte) {
	v.t.Helper()
	request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", replayPort, address), nil)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Host = v.host
	request.Header.Set("Sec-Fetch-Dest", "iframe")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer, body
}

var templates = regexp.MustCompile(`(?is)<script[^>]*type="text/x-[^>]*>.*?</script>`)

// movedTo finds host and path in the page that moves the frame.
var movedTo = regexp.MustCompile(`content="0;url=http://([a-z0-9-]+-replay\.localhost:8081)([^"]*)"`)

// links returns the links of the page url at the time asked, as its replay has them.
func (v *visitor) links(asked, url string) []string {
	v.t.Helper()
	answer, body := v.get("/" + asked + "mp_/" + url)
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	var links []string
	// A script that holds markup is no part of the page before it has run.
	for _, link := range markup.NewTree(templates.ReplaceAll(body, nil)).Targets("utf-8") {
		switch {
		case link.Target == "":
			links = append(links, "/"+asked+"mp_/"+url) // the page itself
		case link.Kind != markup.LinkA && link.Kind != markup.LinkArea && link.Kind != markup.LinkForm:
		case strings.HasPrefix(link.Target, "#"), strings.HasPrefix(link.Target, "mailto:"), strings.HasPrefix(link.Target, "javascript:"):
		default:
			links = append(links, link.Target)
		}
	}
	return links
}

// follow follows a link that a page at the time asked has.
func (v *visitor) follow(asked, link string) {
	v.t.Helper()
	address, _, _ := strings.Cut(link, "#")
	home := v.host
	defer func() { v.host = home }()
	for range 10 {
		target, err := replay.ParseTarget(address)
		if err != nil || target.Time != asked || target.Modifier != replay.PageTop {
			v.t.Errorf("at %s: the link %q leads out: %+v, %v", asked, link, target, err)
			return
		}
		answer, body := v.get(address)
		switch {
		case answer.StatusCode >= 300 && answer.StatusCode < 400:
			address = strings.TrimPrefix(answer.Header.Get("Location"), "http://"+v.host)
			continue
		case answer.StatusCode == http.StatusOK && answer.Header.Get("Memento-Datetime") == "":
			// A small page moves the frame to the origin of another site.
			moved := movedTo.FindSubmatch(body)
			if moved == nil {
				v.t.Errorf("at %s: the link %q leads to no capture:\n%s", asked, link, body)
				return
			}
			v.host, address = string(moved[1]), html.UnescapeString(string(moved[2]))
			continue
		case answer.StatusCode == http.StatusOK:
			v.nearest(asked, target.URL, answer.Header.Get("Memento-Datetime"))
			v.ends["a capture"]++
		case answer.StatusCode == http.StatusNotFound && answer.Header.Get("Memento-Datetime") != "":
			v.ends["gone"]++
		case answer.StatusCode == http.StatusNotFound:
			if len(v.times[target.URL]) > 0 {
				v.t.Errorf("%s was captured, and is not found", address)
			}
			v.ends["never captured"]++
		default:
			v.t.Errorf("%s: status %d", address, answer.StatusCode)
		}
		return
	}
	v.t.Errorf("at %s: the link %q leads from redirect to redirect", asked, link)
}

// nearest checks that no capture of url is nearer to the time asked than the one at
// memento, a Memento-Datetime.
func (v *visitor) nearest(asked, url, memento string) {
	v.t.Helper()
	want, err := time.Parse("20060102150405", asked)
	if err != nil {
		v.t.Fatal(err)
	}
	got, err := http.ParseTime(memento)
	if err != nil {
		v.t.Errorf("%s at %s: Memento-Datetime %q: %v", url, asked, memento, err)
		return
	}
	for _, at := range v.times[url] {
		if at.Sub(want).Abs() < got.Sub(want).Abs() {
			v.t.Errorf("%s at %s is the capture of %s, and that of %s is nearer", url, asked, got, at)
			return
		}
	}
}
