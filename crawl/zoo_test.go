package crawl

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/report"
)

var zooSeed = flag.Uint64("zoo.seed", 1, "seed of the sites of TestZoo; 0: by chance")

// trapCost is how many requests a crawl may spend to find out that a part of a site
// is a trap.
const trapCost = 300

// animal is a site for crawlers to get lost in. Its pages are made up.
type animal struct {
	real int // pages that a reader would miss
	// serve answers a request: with the page that it is, as one of the real ones
	// ("" for any other), and its HTML. Not found is no HTML.
	serve func(r *http.Request) (page, html string)
}

// keeper makes animals from random numbers: sizes and words are others each time.
type keeper struct {
	*rand.Rand
	words []string
}

func newKeeper(seed uint64) *keeper {
	k := &keeper{Rand: rand.New(rand.NewPCG(seed, 1))}
	for range 600 + k.IntN(1500) {
		var w strings.Builder
		for range 1 + k.IntN(3) {
			w.WriteByte("bdfgklmnprstvz"[k.IntN(14)])
			w.WriteByte("aeiou"[k.IntN(5)])
		}
		k.words = append(k.words, w.String()+"n"[:k.IntN(2)])
	}
	return k
}

// about gives a number near n.
func (k *keeper) about(n int) int { return n*3/4 + k.IntN(n/2+1) }

// text gives words, which are the same for the same name.
func (k *keeper) text(name string, n int) string {
	r := rand.New(rand.NewPCG(hash(name), uint64(len(k.words))))
	list := make([]string, n)
	for i := range list {
		list[i] = k.words[r.IntN(len(k.words))]
	}
	return strings.Join(list, " ")
}

func (k *keeper) article(name, more string) string {
	return fmt.Sprintf("<html><head><title>%s</title></head><body><div><a href='/'>home</a></div><h1>%[1]s</h1><p>%s</p><p>%s</p>%s<p>All rights reserved 2019.</p></body></html>",
		k.title(name), k.text(name+" body", 30+int(hash(name)%2)*40), k.text(name+" more", 20), more)
}

func (k *keeper) title(name string) string { return k.text(name+" title", 4) }

func (k *keeper) link(to, words string) string {
	return fmt.Sprintf("<li><a href='%s'>%s</a></li>\n", to, words)
}

// between reads a number in [0, n) that follows prefix.
func between(s, prefix string, n int) (int, bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(rest, ".html"), "/"))
	return i, err == nil && i >= 0 && i < n
}

// id is a random identifier, as servers make up for visits.
func id(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[rand.IntN(16)]
	}
	b[n/2] = digits[rand.IntN(10)]
	return string(b)
}

// zoo is the animals. What each is a trap of, or why it is none, is its name.
var zoo = map[string]func(k *keeper) animal{
	// A list whose pages have nothing of their own but links.
	"list by pages": func(k *keeper) animal {
		articles, per := k.about(4000), 8+k.IntN(5)
		pages := (articles + per - 1) / per
		numbered := k.IntN(2) == 0
		return animal{articles + pages, func(r *http.Request) (string, string) {
			if n, ok := between(r.URL.Path, "/a/", articles); ok {
				return fmt.Sprint("a", n), k.article(fmt.Sprint("list", n), "")
			}
			n, _ := strconv.Atoi(r.URL.Query().Get("page"))
			if r.URL.Path != "/" || n >= pages {
				return "", ""
			}
			var b strings.Builder
			for i := n * per; i < min((n+1)*per, articles); i++ {
				words := k.title(fmt.Sprint("list", i))
				if numbered {
					words = fmt.Sprint("Article ", i)
				}
				b.WriteString(k.link(fmt.Sprintf("/a/%d.html", i), words))
			}
			if n+1 < pages {
				b.WriteString(k.link(fmt.Sprintf("/?page=%d", n+1), "next page"))
			}
			return fmt.Sprint("p", n), "<title>Articles</title><ul>" + b.String() + "</ul>"
		}}
	},
	"list by older": func(k *keeper) animal {
		pages := k.about(1000)
		return animal{pages * 6, func(r *http.Request) (string, string) {
			if n, ok := between(r.URL.Path, "/story-", pages*5); ok {
				return fmt.Sprint("a", n), k.article(fmt.Sprint("older", n), "")
			}
			n, ok := between(r.URL.Path, "/archive/", pages)
			if !ok && r.URL.Path != "/" {
				return "", ""
			}
			var b strings.Builder
			for i := n * 5; i < n*5+5; i++ {
				b.WriteString(k.link(fmt.Sprintf("/story-%d.html", i), k.title(fmt.Sprint("older", i))))
			}
			if n+1 < pages {
				b.WriteString(k.link(fmt.Sprintf("/archive/%d", n+1), "older"))
			}
			return fmt.Sprint("p", n), "<h1>Stories</h1>" + b.String()
		}}
	},
	// Articles are all known from elsewhere before the list is read.
	"list of what is known": func(k *keeper) animal {
		articles := k.about(600)
		pages := (articles + 4) / 5
		return animal{1 + articles + pages, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				var b strings.Builder
				for i := range articles {
					b.WriteString(k.link(fmt.Sprintf("/a/%d", i), k.title(fmt.Sprint("known", i))))
				}
				return "/", b.String() + k.link("/list/0", "by date")
			}
			if n, ok := between(r.URL.Path, "/a/", articles); ok {
				return fmt.Sprint("a", n), k.article(fmt.Sprint("known", n), "")
			}
			n, ok := between(r.URL.Path, "/list/", pages)
			if !ok {
				return "", ""
			}
			var b strings.Builder
			for i := n * 5; i < min(n*5+5, articles); i++ {
				b.WriteString(k.link(fmt.Sprintf("/a/%d", i), k.title(fmt.Sprint("known", i))))
			}
			return fmt.Sprint("p", n), b.String() + k.link(fmt.Sprintf("/list/%d", n+1), "next")
		}}
	},
	// Pages of one image each.
	"gallery": func(k *keeper) animal {
		photos := k.about(2000)
		how := k.IntN(3)
		return animal{photos + 1, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				return "/", "<h1>Our photos</h1><a href=/photo/0>first</a>"
			}
			n, ok := between(r.URL.Path, "/photo/", photos)
			if !ok {
				return "", ""
			}
			image := fmt.Sprintf("<img src='/images/%05d.jpg'>", n)
			switch how {
			case 1:
				image = fmt.Sprintf("<img src='/thumb?id=%d'>", n)
			case 2:
				image = fmt.Sprintf("<img src=/blank.gif> Photo %d of %d", n+1, photos)
			}
			next := ""
			if n+1 < photos {
				next = fmt.Sprintf("<a href=/photo/%d>next</a>", n+1)
			}
			return fmt.Sprint(n), fmt.Sprintf("<title>Photo %d</title>%s<a href=/photo/%d>previous</a> %s", n+1, image, max(n-1, 0), next)
		}}
	},
	"calendar": func(k *keeper) animal {
		real, future := k.about(80), 3
		style := k.IntN(3)
		at := func(m int) string {
			y, m := 2018+m/12, m%12+1
			switch style {
			case 0:
				return fmt.Sprintf("/calendar/%d/%02d/", y, m)
			case 1:
				return fmt.Sprintf("/events?year=%d&month=%d", y, m)
			}
			return fmt.Sprintf("/cal.php?d=%d-%02d", y, m)
		}
		return animal{real + 1 + future, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				var b strings.Builder
				for i := range real {
					b.WriteString(k.link(fmt.Sprintf("/%s-%d", "page", i), k.title(fmt.Sprint("cal", i))))
				}
				return "/", b.String() + k.link(at(12), "calendar")
			}
			if n, ok := between(r.URL.Path, "/page-", real); ok {
				return fmt.Sprint(n), k.article(fmt.Sprint("cal", n), "")
			}
			y, m, d := 0, 0, 0
			for _, form := range []string{"/calendar/%d/%d/%d", "/calendar/%d/%d/", "/events?year=%d&month=%d&day=%d", "/events?month=%[2]d&year=%[1]d", "/events?year=%d&month=%d", "/cal.php?d=%d-%d-%d", "/cal.php?d=%d-%d"} {
				if n, _ := fmt.Sscanf(r.URL.RequestURI(), form, &y, &m, &d); n >= 2 {
					break
				}
			}
			if y == 0 || m < 1 || m > 12 {
				return "", ""
			}
			first := time.Date(y, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
			index := (y-2018)*12 + m - 1
			var b strings.Builder
			page, event := "", ""
			if index >= 12 && index < 12+future {
				page, event = fmt.Sprint("m", index), "<p>"+k.text(fmt.Sprint("event", index), 12)+"</p>"
			}
			fmt.Fprintf(&b, "<h1>%s</h1><table><tr><th>Mon<th>Tue<th>Wed<th>Thu<th>Fri<th>Sat<th>Sun%s</tr>", first.Format("January 2006"), event)
			for t := first; t.Month() == first.Month(); t = t.AddDate(0, 0, 1) {
				fmt.Fprintf(&b, "<td>%d", t.Day())
			}
			fmt.Fprintf(&b, "</table><a href='%s'>next</a> <a href='%s'>previous</a> <a href='%s'>next year</a>", at(index+1), at(max(index-1, -400)), at(index+12))
			return page, b.String()
		}}
	},
	// Days without end that are all numbers, and say so in no way.
	"counter": func(k *keeper) animal {
		real := k.about(300)
		return animal{real + 1, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				var b strings.Builder
				for i := range real {
					b.WriteString(k.link(fmt.Sprintf("/text/%d", i), k.title(fmt.Sprint("count", i))))
				}
				return "/", b.String() + k.link("/more?offset=0", "more")
			}
			if n, ok := between(r.URL.Path, "/text/", real); ok {
				return fmt.Sprint(n), k.article(fmt.Sprint("count", n), "")
			}
			n, _ := strconv.Atoi(r.URL.Query().Get("offset"))
			return "", fmt.Sprintf("<p>Results from %d to %d: none.</p><a href=/more?offset=%d>more</a>", n, n+10, n+10)
		}}
	},
	"facets": func(k *keeper) animal {
		goods := k.about(40)
		facets := []string{"color", "size", "brand", "price", "sort"}
		value := func(n int, facet string) string { return k.text(fmt.Sprint(facet, hash(fmt.Sprint(facet, n))%4), 1) }
		return animal{goods + 1, func(r *http.Request) (string, string) {
			if n, ok := between(r.URL.Path, "/goods/", goods); ok {
				return fmt.Sprint(n), k.article(fmt.Sprint("goods", n), "")
			}
			if r.URL.Path != "/" {
				return "", ""
			}
			q := r.URL.Query()
			var b strings.Builder
			b.WriteString("<h1>Our goods")
			for _, f := range facets {
				if v := q.Get(f); v != "" {
					fmt.Fprintf(&b, ", %s %s", f, v)
				}
			}
			b.WriteString("</h1>")
			for n := range goods {
				fits := true
				for _, f := range facets[:4] {
					fits = fits && (q.Get(f) == "" || q.Get(f) == value(n, f))
				}
				if fits {
					b.WriteString(k.link(fmt.Sprintf("/goods/%d", n), k.title(fmt.Sprint("goods", n))))
				}
			}
			for _, f := range facets {
				for n := range 4 {
					x := r.URL.Query()
					x.Set(f, k.text(fmt.Sprint(f, n), 1))
					b.WriteString(k.link("/?"+x.Encode(), f+" "+x.Get(f)))
				}
			}
			page := ""
			if r.URL.RawQuery == "" {
				page = "/"
			}
			return page, b.String()
		}}
	},
	// A forum whose topics can be printed, and whose lists can be sorted.
	"forum": func(k *keeper) animal {
		topics := k.about(300)
		lists := (topics + 9) / 10
		return animal{topics + lists, func(r *http.Request) (string, string) {
			q := r.URL.Query()
			plain := len(q) == 0 || len(q) == 1 && (q.Has("t") || q.Has("start"))
			if r.URL.Path == "/topic.php" {
				n, err := strconv.Atoi(q.Get("t"))
				if err != nil || n >= topics {
					return "", ""
				}
				page := ""
				if plain {
					page = fmt.Sprint("t", n)
				}
				text := "<h1>" + k.title(fmt.Sprint("topic", n)) + "</h1><p>" + k.text(fmt.Sprint("topic", n), 60) + "</p>"
				if q.Has("print") {
					return page, text
				}
				return page, "<div>Forum, Search, Members, Help</div>" + text + k.link(fmt.Sprintf("/topic.php?t=%d&print=1", n), "print") +
					k.link(fmt.Sprintf("/topic.php?t=%d&order=desc", n), "newest first") + k.link("/", "all topics")
			}
			start, _ := strconv.Atoi(q.Get("start"))
			if r.URL.Path != "/" || start >= lists {
				return "", ""
			}
			page := ""
			if plain {
				page = fmt.Sprint("l", start)
			}
			var b strings.Builder
			list := make([]int, topics)
			for i := range list {
				list[i] = i
			}
			tail := ""
			if s := q.Get("sort"); s != "" {
				rand.New(rand.NewPCG(hash(s), 0)).Shuffle(topics, func(i, j int) { list[i], list[j] = list[j], list[i] })
				tail = "&sort=" + s
			}
			for _, n := range list[start*10 : min(start*10+10, topics)] {
				b.WriteString(k.link(fmt.Sprintf("/topic.php?t=%d", n), k.title(fmt.Sprint("topic", n))))
			}
			for _, s := range []string{"author", "replies", "views", "date"} {
				b.WriteString(k.link(fmt.Sprintf("/?sort=%s&start=%d", s, start), s))
			}
			if start+1 < lists {
				b.WriteString(k.link(fmt.Sprintf("/?start=%d%s", start+1, tail), "next"))
			}
			return page, b.String()
		}}
	},
	// A wiki with old versions and differences, which are pages of their own.
	"wiki": func(k *keeper) animal {
		pages, versions := k.about(120), 4
		return animal{pages * (1 + 1 + versions + versions - 1), func(r *http.Request) (string, string) {
			q := r.URL.Query()
			name := func(n int) string {
				return strings.ReplaceAll(k.text(fmt.Sprint("wiki name", n), 2), " ", "_") + fmt.Sprint("_", n)
			}
			n := 0
			if p, ok := strings.CutPrefix(r.URL.Path, "/wiki/"); ok {
				n, _ = strconv.Atoi(p[strings.LastIndexByte(p, '_')+1:])
			} else if r.URL.Path != "/" {
				return "", ""
			}
			version := func(v int) string {
				text := "<h1>" + k.title(fmt.Sprint("wiki", n)) + "</h1>"
				for i := range 4 {
					text += "<p>" + k.text(fmt.Sprint("wiki ", n, i, max(0, min(v, versions)-i)), 15) + "</p>"
				}
				return text
			}
			self := "/wiki/" + name(n)
			menu := "<div>Main page, Recent changes, Help</div>"
			switch {
			case q.Has("history"):
				for v := range versions {
					menu += k.link(fmt.Sprintf("%s?version=%d", self, v), fmt.Sprintf("%d May 2012", v+1)) + k.text(fmt.Sprint("summary", n, v), 4)
					if v > 0 {
						menu += k.link(fmt.Sprintf("%s?diff=%d", self, v), "diff")
					}
				}
				return fmt.Sprint("h", n), menu
			case q.Has("version"):
				v, _ := strconv.Atoi(q.Get("version"))
				return fmt.Sprint("v", n, "-", v), menu + "<p>This is an old version.</p>" + version(v)
			case q.Has("diff"):
				v, _ := strconv.Atoi(q.Get("diff"))
				return fmt.Sprint("d", n, "-", v), menu + "<p>Differences.</p>" + version(v-1) + version(v)
			}
			for i := 1; i <= 3; i++ {
				if 3*n+i < pages {
					menu += k.link("/wiki/"+name(3*n+i), k.title(fmt.Sprint("wiki", 3*n+i)))
				}
			}
			return fmt.Sprint("p", n), menu + version(versions) + k.link(self+"?history=1", "history")
		}}
	},
	// Folders in folders, which are there.
	"deep": func(k *keeper) animal {
		depth := 7 + k.IntN(2)
		worded := k.IntN(2) == 0
		pages := 1
		for i, n := 0, 1; i < depth; i++ {
			n *= 2
			pages += n
		}
		return animal{pages, func(r *http.Request) (string, string) {
			p := r.URL.Path
			folders := strings.Count(p, "/") - 1
			if !strings.HasSuffix(p, "/") || folders > depth || strings.Trim(p, "12/") != "" {
				return "", ""
			}
			text := "Section " + strings.ReplaceAll(strings.Trim(p, "/"), "/", ".")
			if worded {
				text += " " + k.text(p, 10)
			}
			if folders < depth {
				text += "<a href=1/>one</a> <a href=2/>two</a>"
			}
			return p, text
		}}
	},
	"mirrors": func(k *keeper) animal {
		pages := k.about(200)
		return animal{2*pages + 1, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				return "/", "<a href=/docs/0>Documents</a> <a href=/mirror/docs/0>Mirror of them</a>"
			}
			p, mirror := strings.CutPrefix(r.URL.Path, "/mirror")
			n, ok := between(p, "/docs/", pages)
			if !ok {
				return "", ""
			}
			more := ""
			for _, to := range []int{2*n + 1, 2*n + 2} {
				if to < pages {
					more += k.link(fmt.Sprint(to), k.title(fmt.Sprint("mirror", to)))
				}
			}
			return fmt.Sprint(mirror, n), k.article(fmt.Sprint("mirror", n), more)
		}}
	},
	// Each URL that is not there answers with the same page, whose links are
	// relative to it.
	"soft 404": func(k *keeper) animal {
		pages := k.about(150)
		echo := k.IntN(2) == 0
		return animal{pages + 1, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				var b strings.Builder
				for i := range pages {
					b.WriteString(k.link(fmt.Sprintf("/read/%d.html", i), k.title(fmt.Sprint("soft", i))))
				}
				return "/", b.String() + k.link("/lost/", "lost")
			}
			if n, ok := between(r.URL.Path, "/read/", pages); ok {
				return fmt.Sprint(n), k.article(fmt.Sprint("soft", n), "<a href=more/info.html>more</a>")
			}
			text := "<h1>Sorry, there is no such page</h1>"
			if echo {
				text += r.URL.Path
			}
			return "", text + "<a href=help/>help</a> <a href=contact/us.html>contact</a> <a href=/>home</a>"
		}}
	},
	"mirrored paths": func(k *keeper) animal {
		pages := k.about(60)
		return animal{pages + 1, func(r *http.Request) (string, string) {
			parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
			last := parts[len(parts)-1]
			if n, ok := between(last, "p", pages); ok {
				return last, k.article(fmt.Sprint("path", n), "<a href=a/>a</a> <a href=b/>b</a>")
			}
			page := ""
			if r.URL.Path == "/" {
				page = "/"
			}
			var b strings.Builder
			for i := range pages {
				b.WriteString(k.link(fmt.Sprintf("/p%d.html", i), k.title(fmt.Sprint("path", i))))
			}
			return page, b.String() + "<a href=a/>a</a> <a href=b/>b</a>"
		}}
	},
	"numbered": func(k *keeper) animal {
		pages := k.about(600)
		return animal{pages, func(r *http.Request) (string, string) {
			n, ok := between(r.URL.Path, "/", pages)
			if r.URL.Path != "/" && !ok {
				return "", ""
			}
			text := fmt.Sprintf("<title>Page %d</title><p>This is page %[1]d.</p>", n)
			for i := range 4 {
				if to := 4*n + 1 + i; to < pages {
					text += k.link(fmt.Sprintf("/%d.html", to), fmt.Sprint("Page ", to))
				}
			}
			return fmt.Sprint(n), text
		}}
	},
	"sid is an identifier": func(k *keeper) animal {
		articles := k.about(300)
		name := []string{"sid", "sessionid", "id", "token"}[k.IntN(4)]
		at := func(n int) string { return fmt.Sprintf("/article.pl?%s=%02d/%02d/%d", name, n/250, n/10%25, n%10) }
		return animal{articles + 1, func(r *http.Request) (string, string) {
			if r.URL.Path == "/" {
				var b strings.Builder
				for i := range articles {
					b.WriteString(k.link(at(i), k.title(fmt.Sprint("sid", i))))
				}
				return "/", b.String()
			}
			var a, b, c int
			if n, _ := fmt.Sscanf(r.URL.Query().Get(name), "%d/%d/%d", &a, &b, &c); n < 3 || r.URL.Path != "/article.pl" {
				return "", ""
			}
			return fmt.Sprint(a*250 + b*10 + c), k.article(fmt.Sprint("sid", a*250+b*10+c), "")
		}}
	},
	"session in ?token=":     session(func(path string) string { return path + "?token=" + id(12) }, false),
	"session in ?PHPSESSID":  session(func(path string) string { return path + "?PHPSESSID=" + id(32) }, true),
	"session in ;jsessionid": session(func(path string) string { return path + ";jsessionid=" + strings.ToUpper(id(20)) + ".node1" }, true),
	"session in (S(…))":      session(func(path string) string { return "/(S(" + id(24) + "))" + path }, false),
	"session in /hex24/":     session(func(path string) string { return "/" + id(24) + path }, true),
}

// session is a site each of whose links names the visit, which is another one each
// time, by what of adds to a path.
func session(of func(path string) string, counts bool) func(k *keeper) animal {
	return func(k *keeper) animal {
		pages := 15 + k.IntN(60)
		menu := 3 + k.IntN(8)
		visits := 0
		return animal{pages, func(r *http.Request) (string, string) {
			p := r.URL.Path
			if i := strings.IndexByte(p, ';'); i >= 0 {
				p = p[:i]
			}
			n, ok := between(p[strings.LastIndexByte(p, '/'):], "/page", pages)
			if !ok && p != "/" && !strings.HasSuffix(p, "/index.html") {
				return "", ""
			}
			more := ""
			for i := range menu {
				more += k.link(of(fmt.Sprintf("/page%d.html", i%pages)), k.title(fmt.Sprint("session", i)))
			}
			for _, to := range []int{2*n + 1, 2*n + 2} {
				if to < pages {
					more += k.link(of(fmt.Sprintf("/page%d.html", to)), k.title(fmt.Sprint("session", to)))
				}
			}
			if visits++; counts {
				more += fmt.Sprintf("<p>Visit %d</p>", visits)
			}
			return fmt.Sprint(n), k.article(fmt.Sprint("session", n), more+k.link(of("/index.html"), "home"))
		}}
	}
}

// visited is what a crawl asked an animal for.
type visited struct {
	animal
	mu       sync.Mutex
	requests int
	pages    map[string]bool
}

func (v *visited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	v.mu.Lock()
	page, html := v.serve(r)
	if v.requests++; page != "" {
		v.pages[page] = true
	}
	v.mu.Unlock()
	if html == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, html)
}

// TestZoo crawls sites with traps and without. It shows that nearly all pages are
// fetched that a reader would miss, and few others. The flag zoo.seed repeats
// a run.
func TestZoo(t *testing.T) {
	seed := *zooSeed
	if seed == 0 {
		seed = rand.Uint64N(1e6)
	}
	t.Logf("seed %d", seed)
	var mu sync.Mutex
	real, got, requests := 0, 0, 0
	t.Run("animals", func(t *testing.T) {
		for name, birth := range zoo {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				v := &visited{animal: birth(newKeeper(seed + hash(name)%1000)), pages: make(map[string]bool)}
				synctest.Test(t, func(t *testing.T) {
					s := &simulated{handler: v}
					s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/"}, Workers: 2, IgnoreRobots: true, MaxPages: 30_000})
				})
				t.Logf("%d of %d real pages in %d requests", len(v.pages), v.real, v.requests)
				if len(v.pages) < v.real*99/100 {
					t.Errorf("%d of %d real pages are fetched, want .99", len(v.pages), v.real)
				}
				// Finding a trap out costs some requests, however small a site is.
				if v.requests > 2*v.real+trapCost {
					t.Errorf("%d requests for %d real pages, want %d at most", v.requests, v.real, 2*v.real+trapCost)
				}
				mu.Lock()
				real, got, requests = real+v.real, got+len(v.pages), requests+v.requests
				mu.Unlock()
			})
		}
	})
	t.Logf("in all: %d of %d real pages in %d requests", got, real, requests)
	if got < real*99/100 || requests > 2*real {
		t.Errorf("in all: %d of %d real pages in %d requests", got, real, requests)
	}
}
